#include "hosts/controllers/job_success_policy.h"

namespace loadline::controllers {
namespace {

using workloads::IndexIntervals;

bool is_met(const kube::SuccessPolicyRule& rule, std::int64_t completions, const IndexIntervals& succeeded) {
  if (!rule.succeeded_indexes) return rule.succeeded_count && succeeded.total() >= *rule.succeeded_count;
  const IndexIntervals required = IndexIntervals::parse(*rule.succeeded_indexes, completions);
  if (required.empty()) return false;
  const std::int64_t reached = required.overlap(succeeded);
  return reached == required.total() || (rule.succeeded_count && reached >= *rule.succeeded_count);
}

}  // namespace

std::optional<std::string> met_success_rule(const std::optional<kube::SuccessPolicy>& policy, std::int64_t completions,
                                            const IndexIntervals& succeeded) {
  if (!policy || succeeded.empty()) return std::nullopt;
  for (std::size_t index = 0; index < policy->rules.size(); ++index) {
    if (is_met(policy->rules[index], completions, succeeded)) {
      return "Matched rules at index " + std::to_string(index);
    }
  }
  return std::nullopt;
}

}  // namespace loadline::controllers
