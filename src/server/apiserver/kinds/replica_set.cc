#include "objects/kube/apps/apps_schema.h"
#include "server/apiserver/kinds/ruled_strategy.h"
#include "server/apiserver/kinds/strategies.h"
#include "server/apiserver/kinds/typed_rules.h"
#include "server/apiserver/kinds/upstream_errors.h"
#include "server/apiserver/kinds/workload_status.h"

namespace loadline::apiserver {
namespace {

using document::Value;

kube::FieldErrors typed_replica_set_errors(const Value& object) {
  kube::FieldErrors errors = typed_errors<kube::ReplicaSet>(object, kube::kReplicaSetSchema);
  add_unmatched_template(errors, object);
  return errors;
}

void check_replica_set(const CheckedField& object) { object.at({"spec", "minReadySeconds"}).not_negative(); }

void check_replica_set_change(const CheckedField& object, const CheckedField& old) {
  object.at({"spec", "selector"}).unchanged_from(old.at({"spec", "selector"}));
}

void check_replica_set_status(const CheckedField& object, const CheckedField& /*old*/) {
  const CheckedField status = object.at("status");
  check_counts(status, {"replicas", "fullyLabeledReplicas", "readyReplicas", "availableReplicas", "observedGeneration",
                        "terminatingReplicas"});
  check_at_most_replicas(status, {"fullyLabeledReplicas", "readyReplicas", "availableReplicas"});
  check_available(status, "readyReplicas");
}

}  // namespace

/// Source: pkg/registry/apps/replicaset and pkg/apis/apps/validation, v1.36.
std::unique_ptr<const Strategy> make_replica_set_strategy(Traits traits) {
  return std::make_unique<RuledStrategy>(
      traits, Rules{typed_replica_set_errors, check_replica_set, check_replica_set_change, check_replica_set_status,
                    warn_of_name});
}

}  // namespace loadline::apiserver
