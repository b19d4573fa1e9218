#include "objects/kube/apps/rollout_validation.h"
#include "objects/kube/meta_validation.h"
#include "objects/kube/policy/pod_disruption_budget.h"
#include "objects/kube/validation.h"

namespace loadline::kube {
namespace {

void validate_bound(FieldReport& report, const Path& at, const std::optional<IntOrString>& bound) {
  if (!bound) return;
  validate_positive_int_or_percent(report, at, *bound);
  validate_at_most_all(report, at, *bound);
}

}  // namespace

FieldErrors validate(const PodDisruptionBudget& budget) {
  FieldReport report;
  validate_metadata(report, budget.metadata, NamespaceRule::kRequired, dns_subdomain_problems);
  const Path root(nullptr);
  const Path spec(root, "spec");
  if (budget.min_available && budget.max_unavailable) {
    report.invalid_json(spec,
                        "{\"MinAvailable\":" + to_json(*budget.min_available) +
                            ",\"Selector\":" + (budget.selector ? to_json(*budget.selector) : std::string("null")) +
                            ",\"MaxUnavailable\":" + to_json(*budget.max_unavailable) +
                            ",\"UnhealthyPodEvictionPolicy\":null}",
                        "minAvailable and maxUnavailable cannot be both set", "keep one of the two");
  }
  validate_bound(report, Path(spec, "minAvailable"), budget.min_available);
  validate_bound(report, Path(spec, "maxUnavailable"), budget.max_unavailable);
  validate_label_selector(report, Path(spec, "selector"), budget.selector);
  return report.take();
}

}  // namespace loadline::kube
