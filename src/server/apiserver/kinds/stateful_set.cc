#include "objects/kube/apps/apps_schema.h"
#include "server/apiserver/kinds/ruled_strategy.h"
#include "server/apiserver/kinds/strategies.h"
#include "server/apiserver/kinds/typed_rules.h"
#include "server/apiserver/kinds/upstream_errors.h"
#include "server/apiserver/kinds/workload_status.h"

namespace loadline::apiserver {
namespace {

using document::Value;

constexpr std::string_view kImmutable =
    "updates to statefulset spec for fields other than 'replicas', 'ordinals', 'template', 'updateStrategy', "
    "'revisionHistoryLimit', 'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are forbidden";

constexpr std::string_view kMutable[] = {"replicas",
                                         "template",
                                         "updateStrategy",
                                         "minReadySeconds",
                                         "ordinals",
                                         "revisionHistoryLimit",
                                         "persistentVolumeClaimRetentionPolicy"};

kube::FieldErrors typed_stateful_set_errors(const Value& object) {
  kube::FieldErrors errors = typed_errors<kube::StatefulSet>(object, kube::kStatefulSetSchema);
  add_unmatched_template(errors, object);
  return errors;
}

void check_stateful_set_rolling_update(const CheckedField& rolling) {
  rolling.at("partition").not_negative();
  const CheckedField most = rolling.at("maxUnavailable");
  if (!most.is_set()) return;
  most.int_or_percent();
  if (most.int_or_percent_number() == 0) most.invalid("cannot be 0");
  most.at_most_all();
}

void check_stateful_set_update_strategy(const CheckedField& strategy) {
  const std::string_view type = strategy.at("type").text();
  const CheckedField rolling = strategy.at("rollingUpdate");
  if (type.empty()) {
    strategy.required();
  } else if (type == "OnDelete") {
    if (rolling.is_set()) rolling.invalid("only allowed for updateStrategy 'RollingUpdate'");
  } else if (type == "RollingUpdate") {
    check_stateful_set_rolling_update(rolling);
  } else {
    strategy.invalid("must be 'RollingUpdate' or 'OnDelete'");
  }
}

void check_stateful_set(const CheckedField& object) {
  const CheckedField spec = object.at("spec");
  check_stateful_set_update_strategy(spec.at("updateStrategy"));
  const CheckedField retention = spec.at("persistentVolumeClaimRetentionPolicy");
  if (retention.is_set()) {
    retention.at("whenDeleted").one_of({"Retain", "Delete"});
    retention.at("whenScaled").one_of({"Retain", "Delete"});
  }
  spec.at("minReadySeconds").not_negative();
}

void check_stateful_set_change(const CheckedField& object, const CheckedField& old) {
  const auto what_stays = [](Value spec) {
    for (const std::string_view name : kMutable) spec = spec.without(name);
    return spec;
  };
  kube::FieldErrors none;
  const Value now = what_stays(object.at("spec").value());
  const Value before = what_stays(old.at("spec").value());
  if (!CheckedField(none, now).is_same_as(CheckedField(none, before))) object.at("spec").forbidden(kImmutable);
}

void check_stateful_set_status(const CheckedField& object, const CheckedField& old) {
  const CheckedField status = object.at("status");
  check_counts(status, {"replicas", "readyReplicas", "currentReplicas", "updatedReplicas", "availableReplicas",
                        "observedGeneration", "collisionCount"});
  check_at_most_replicas(status, {"readyReplicas", "currentReplicas", "updatedReplicas", "availableReplicas"});
  check_available(status, "status.readyReplicas");
  check_collisions(status, old.at("status"));
}

void warn_of_history(const Value& object, StrategyContext& context) {
  const Value limit = value_at(object, {"spec", "revisionHistoryLimit"});
  if (!limit.is_integer() || limit.integer() >= 0) return;
  context.warnings.emplace_back(
      "spec.revisionHistoryLimit: a negative value retains all historical revisions; a value >= 0 is recommended");
}

}  // namespace

/// Source: pkg/registry/apps/statefulset and pkg/apis/apps/validation, v1.36.
std::unique_ptr<const Strategy> make_stateful_set_strategy(Traits traits) {
  return std::make_unique<RuledStrategy>(
      traits, Rules{typed_stateful_set_errors, check_stateful_set, check_stateful_set_change, check_stateful_set_status,
                    nullptr, warn_of_history});
}

}  // namespace loadline::apiserver
