#include "hosts/operators/grove/clique_status.h"

#include <algorithm>

#include "hosts/controllers/workload_conditions.h"
#include "objects/kube/condition.h"
#include "objects/kube/workload_names.h"

namespace loadline::operators {
namespace {

constexpr Duration kTerminationDelay = Duration::seconds(4 * 3600);

}  // namespace

void set_condition(kube::CliqueStatus& status, kube::MetaCondition condition, Instant now) {
  condition.last_transition_time = controllers::whole_seconds(now);
  const auto known = std::ranges::find(status.conditions, condition.type, &kube::MetaCondition::type);
  if (known == status.conditions.end()) {
    status.conditions.push_back(std::move(condition));
    return;
  }
  if (known->status == condition.status) condition.last_transition_time = known->last_transition_time;
  *known = std::move(condition);
}

bool is_updated(const kube::PodClique& clique, std::string_view template_hash, std::string_view set_hash) {
  const auto label = clique.metadata.labels.find(kube::kGroveTemplateHash);
  if (template_hash.empty() || set_hash.empty() || label == clique.metadata.labels.end()) return false;
  const std::int32_t least = least_available(clique.spec);
  return label->second == template_hash && clique.status.template_hash == template_hash &&
         clique.status.set_hash == set_hash && clique.status.ready_replicas >= least &&
         clique.status.updated_replicas >= least;
}

std::optional<Duration> time_to_termination(const kube::CliqueStatus& status, const kube::PodCliqueSet& set,
                                            Instant now) {
  const kube::MetaCondition* const breached = kube::find_condition(status.conditions, kMinAvailableBreached);
  if (breached == nullptr || breached->status != "True") return std::nullopt;
  const Duration delay = set.termination_delay.value_or(kTerminationDelay);
  return breached->last_transition_time.value_or(now) + delay - now;
}

}  // namespace loadline::operators
