#include "hosts/control/scheduling/group_events.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include "objects/kube/kai/pod_group.h"
#include "objects/kube/volcano/pod_group.h"

namespace loadline::control {

using controllers::Event;

namespace {

/// Those of its pods that have no node.
std::size_t pending(const cluster::Cluster& cluster, const cluster::PodGroup& group) {
  return static_cast<std::size_t>(
      std::ranges::count_if(group.members, [&](cluster::PodId pod) { return !cluster.pod(pod).node.valid(); }));
}

template <class Kind>
std::optional<Event> about(const controllers::Caches& caches, const cluster::Cluster& cluster,
                           const cluster::PodGroup& group, Event::Type type, const char* reason, std::string message) {
  const auto object = caches.of<Kind>().find(cluster.symbols().text(group.name_space), group.name);
  if (object == nullptr) return std::nullopt;
  return Event{controllers::reference_to(*object), type, reason, std::move(message)};
}

}  // namespace

std::optional<Event> event_about_group(const controllers::Caches& caches, const cluster::Cluster& cluster,
                                       const engine::Turn& turn) {
  const cluster::PodGroup& group = cluster.group(turn.unit.group);
  const bool starts = turn.verdict == gang::Verdict::kStarts;
  if (group.has_started && !starts) return std::nullopt;
  if (group.spelling == cluster::GroupSpelling::kVolcano) {
    if (starts) {
      return about<kube::VolcanoPodGroup>(caches, cluster, group, Event::Type::kNormal, "Scheduled",
                                          "pod group is ready");
    }
    return about<kube::VolcanoPodGroup>(caches, cluster, group, Event::Type::kWarning, "Unschedulable",
                                        fmt::format("{}/{} tasks in gang unschedulable: {}", pending(cluster, group),
                                                    group.members.size(), turn.message));
  }
  if (group.spelling == cluster::GroupSpelling::kKai && !starts) {
    return about<kube::KaiPodGroup>(caches, cluster, group, Event::Type::kNormal, "Unschedulable", turn.message);
  }
  return std::nullopt;
}

}  // namespace loadline::control
