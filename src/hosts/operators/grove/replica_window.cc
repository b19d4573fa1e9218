#include "hosts/operators/grove/replica_window.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "brain/workloads/pod_clique_set.h"
#include "hosts/controllers/batch.h"
#include "hosts/operators/grove/grove_kinds.h"
#include "objects/kube/workload_names.h"

namespace loadline::operators {
namespace {

constexpr std::int64_t kMostInGang = 1000;

/// PodCliques in the gang that each of the set's replicas has.
std::int64_t cliques_in_gang(const kube::PodCliqueSet& set) {
  std::int64_t cliques = 0;
  for (const kube::CliqueTemplate& clique : set.cliques) {
    cliques += workloads::scaling_group_of(set, clique.name) == nullptr ? 1 : 0;
  }
  for (const kube::CliqueScalingGroup& group : set.scaling_groups) {
    cliques += workloads::least_available(group) * static_cast<std::int64_t>(group.cliques.size());
  }
  return cliques;
}

}  // namespace

std::int64_t looked_at(std::int64_t replicas, std::size_t there, std::int64_t objects_of_each) {
  const std::int64_t more = static_cast<std::int64_t>(controllers::kBurst) / std::max<std::int64_t>(objects_of_each, 1);
  return std::min(replicas, static_cast<std::int64_t>(there) + std::max<std::int64_t>(more, 1));
}

std::int64_t looked_at(const kube::PodCliqueSet& set, const watching::Caches& caches) {
  std::set<std::int64_t> there;
  const auto note = [&](const auto& objects) {
    for (const auto& [key, object] : objects) {
      if (const auto index = index_of(object->metadata(), kube::kGroveSetIndex)) there.insert(*index);
    }
  };
  note(caches.of<kube::PodClique>().controlled_by(set.metadata.uid));
  note(caches.of<kube::PodCliqueScalingGroup>().controlled_by(set.metadata.uid));
  const auto groups = static_cast<std::int64_t>(set.scaling_groups.size());
  return looked_at(set.replicas, there.size(), 1 + groups + cliques_in_gang(set));
}

std::string gang_problem(const kube::PodCliqueSet& set) {
  const std::int64_t cliques = cliques_in_gang(set);
  if (cliques <= kMostInGang) return {};
  return fmt::format("a PodGang of {} PodCliques would list more than {}", cliques, kMostInGang);
}

}  // namespace loadline::operators
