#include "objects/kube/policy/pod_disruption_budget_schema.h"
#include "server/apiserver/kinds/ruled_strategy.h"
#include "server/apiserver/kinds/strategies.h"
#include "server/apiserver/kinds/typed_rules.h"
#include "server/apiserver/kinds/workload_status.h"

namespace loadline::apiserver {
namespace {

kube::FieldErrors typed_disruption_budget_errors(const document::Value& object) {
  return typed_errors<kube::PodDisruptionBudget>(object, kube::kPodDisruptionBudgetSchema);
}

void check_disruption_budget_status(const CheckedField& object, const CheckedField& /*old*/) {
  check_counts(object.at("status"), {"disruptionsAllowed", "currentHealthy", "desiredHealthy", "expectedPods"});
}

}  // namespace

// Source: pkg/registry/policy/poddisruptionbudget and pkg/apis/policy/validation, v1.36. Its specification may change.
std::unique_ptr<const Strategy> make_pod_disruption_budget_strategy(Traits traits) {
  return std::make_unique<RuledStrategy>(
      traits, Rules{typed_disruption_budget_errors, nullptr, nullptr, check_disruption_budget_status});
}

}  // namespace loadline::apiserver
