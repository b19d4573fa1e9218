#include "brain/workloads/deletion_order.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cstdint>
#include <numeric>
#include <optional>
#include <string_view>
#include <tuple>

#include "objects/kube/core/pod_readiness.h"
#include "objects/kube/workload_names.h"

namespace loadline::workloads {
namespace {

int progress_of(kube::PodPhase phase) {
  return phase == kube::PodPhase::kPending ? 0 : phase == kube::PodPhase::kUnknown ? 1 : 2;
}

/// The logarithm of an age; what has no time is younger than all that have one.
int magnitude(std::optional<Instant> since, Instant now) {
  if (!since) return -2;
  const std::int64_t age = (now - *since).nanoseconds;
  return age <= 0 ? -1 : static_cast<int>(std::bit_width(static_cast<std::uint64_t>(age))) - 1;
}

std::int32_t most_restarts(const std::vector<kube::ContainerStatus>& statuses) {
  std::int32_t most = 0;
  for (const kube::ContainerStatus& status : statuses) most = std::max(most, status.restart_count);
  return most;
}

std::int32_t sidecar_restarts(const kube::Pod& pod) {
  std::int32_t most = 0;
  for (const kube::ContainerStatus& status : pod.status.init_container_statuses) {
    const auto& containers = pod.spec->init_containers;
    const auto found = std::find_if(containers.begin(), containers.end(),
                                    [&](const kube::Container& container) { return container.name == status.name; });
    if (found != containers.end() && found->restartable_init()) most = std::max(most, status.restart_count);
  }
  return most;
}

/// What is less is deleted first.
struct Rank {
  std::tuple<bool, int, bool, std::int32_t, std::int64_t, int, std::int32_t, std::int32_t, int, std::string_view> key;
  std::size_t place = 0;
};

Rank rank_of(const kube::Pod& pod, std::size_t place, const PodsOnNodes& relatives, Instant now) {
  const auto on_node = relatives.find(pod.spec->node_name);
  const std::int64_t together = on_node == relatives.end() ? 0 : on_node->second;
  const bool ready = is_ready(pod);
  return {{!pod.spec->node_name.empty(), progress_of(pod.status.phase), ready, deletion_cost(pod), -together,
           ready ? magnitude(ready_since(pod), now) : 0, -most_restarts(pod.status.container_statuses),
           -sidecar_restarts(pod), magnitude(pod.metadata.creation_timestamp, now), pod.metadata.uid},
          place};
}

}  // namespace

std::int32_t deletion_cost(const kube::Pod& pod) {
  const auto found = pod.metadata.annotations.find(kube::kPodDeletionCost);
  if (found == pod.metadata.annotations.end()) return 0;
  const std::string& text = found->second;
  std::int32_t cost = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), cost);
  return error == std::errc() && end == text.data() + text.size() ? cost : 0;
}

std::vector<std::size_t> first_to_delete(const std::vector<const kube::Pod*>& pods, std::size_t count,
                                         const PodsOnNodes& relatives, Instant now) {
  std::vector<std::size_t> places(std::min(count, pods.size()));
  if (count >= pods.size()) {
    std::iota(places.begin(), places.end(), std::size_t{0});
    return places;
  }
  std::vector<Rank> ranks;
  ranks.reserve(pods.size());
  for (const kube::Pod* pod : pods) ranks.push_back(rank_of(*pod, ranks.size(), relatives, now));
  const auto middle = ranks.begin() + static_cast<std::ptrdiff_t>(count);
  std::partial_sort(ranks.begin(), middle, ranks.end(), [](const Rank& a, const Rank& b) { return a.key < b.key; });
  std::transform(ranks.begin(), middle, places.begin(), [](const Rank& rank) { return rank.place; });
  return places;
}

}  // namespace loadline::workloads
