#include "hosts/advice/lint/affinity_terms.h"

#include <fmt/format.h>

namespace loadline::advice::lint {
namespace {

void collect(const JudgedWorkload& workload, const std::optional<kube::PodAffinity>& affinity, std::string_view field,
             bool anti, std::vector<PlacedTerm>& terms) {
  if (!affinity) return;
  for (std::size_t i = 0; i < affinity->required.size(); ++i) {
    terms.push_back(
        {&affinity->required[i],
         workload.path(fmt::format("affinity.{}.requiredDuringSchedulingIgnoredDuringExecution[{}]", field, i)), true,
         anti});
  }
  for (std::size_t i = 0; i < affinity->preferred.size(); ++i) {
    terms.push_back({&affinity->preferred[i].term,
                     workload.path(fmt::format(
                         "affinity.{}.preferredDuringSchedulingIgnoredDuringExecution[{}].podAffinityTerm", field, i)),
                     false, anti});
  }
}

}  // namespace

std::vector<PlacedTerm> affinity_terms(const JudgedWorkload& workload) {
  std::vector<PlacedTerm> terms;
  const auto& affinity = workload.written->affinity;
  if (!affinity) return terms;
  collect(workload, affinity->pod, "podAffinity", false, terms);
  collect(workload, affinity->pod_anti, "podAntiAffinity", true, terms);
  return terms;
}

}  // namespace loadline::advice::lint
