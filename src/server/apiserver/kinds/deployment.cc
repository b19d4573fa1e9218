#include "objects/kube/apps/apps_schema.h"
#include "server/apiserver/kinds/ruled_strategy.h"
#include "server/apiserver/kinds/strategies.h"
#include "server/apiserver/kinds/typed_rules.h"
#include "server/apiserver/kinds/upstream_errors.h"
#include "server/apiserver/kinds/workload_status.h"
#include "server/apiserver/metadata.h"

namespace loadline::apiserver {
namespace {

using document::Value;

kube::FieldErrors typed_deployment_errors(const Value& object) {
  kube::FieldErrors errors = typed_errors<kube::Deployment>(object, kube::kDeploymentSchema);
  add_unmatched_template(errors, object);
  return errors;
}

void check_deployment(const CheckedField& object) {
  const CheckedField spec = object.at("spec");
  const CheckedField strategy = spec.at("strategy");
  if (strategy.at("type").text() == "Recreate" && strategy.at("rollingUpdate").is_set()) {
    strategy.at("rollingUpdate").forbidden("may not be specified when strategy `type` is 'Recreate'");
  }
  spec.at("minReadySeconds").not_negative();
  spec.at("revisionHistoryLimit").not_negative();
  const CheckedField deadline = spec.at("progressDeadlineSeconds");
  deadline.not_negative();
  if (deadline.is_set() && deadline.number() <= spec.at("minReadySeconds").number()) {
    deadline.invalid("must be greater than minReadySeconds");
  }
}

void check_deployment_change(const CheckedField& object, const CheckedField& old) {
  object.at({"spec", "selector"}).unchanged_from(old.at({"spec", "selector"}));
}

void check_deployment_status(const CheckedField& object, const CheckedField& old) {
  const CheckedField status = object.at("status");
  check_counts(status, {"observedGeneration", "replicas", "updatedReplicas", "readyReplicas", "availableReplicas",
                        "unavailableReplicas", "terminatingReplicas", "collisionCount"});
  check_at_most_replicas(status, {"updatedReplicas", "readyReplicas", "availableReplicas"});
  check_available(status, "readyReplicas");
  check_collisions(status, old.at("status"));
}

/// Source: pkg/registry/apps/deployment and pkg/apis/apps/validation, v1.36.
class DeploymentStrategy final : public RuledStrategy {
 public:
  using RuledStrategy::RuledStrategy;

  /// Annotations count as the specification does: controllers copy them to ReplicaSets.
  Value prepare_for_update(Value object, const Value& old, StrategyContext& context) const override {
    object = RuledStrategy::prepare_for_update(std::move(object), old, context);
    if (same_at(object, old, {"metadata", "annotations"})) return object;
    return with_metadata(object, "generation", Value(generation_of(old) + 1));
  }

  Value prepare_for_status_update(const Value& wanted, const Value& old, StrategyContext& context) const override {
    const Value object = RuledStrategy::prepare_for_status_update(wanted, old, context);
    return with_metadata(object, "labels", value_at(old, {"metadata", "labels"}));
  }
};

}  // namespace

std::unique_ptr<const Strategy> make_deployment_strategy(Traits traits) {
  return std::make_unique<DeploymentStrategy>(
      traits,
      Rules{typed_deployment_errors, check_deployment, check_deployment_change, check_deployment_status, warn_of_name});
}

}  // namespace loadline::apiserver
