#include "hosts/scheduler/group_events.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include "brain/decision/why_text.h"
#include "hosts/scheduler/kai_group_status.h"
#include "objects/kube/volcano/pod_group.h"

namespace loadline::scheduler {

using watching::Event;

namespace {

/// Those of its pods that have no node.
std::size_t pending(const cluster::Cluster& cluster, const cluster::PodGroup& group) {
  return static_cast<std::size_t>(
      std::ranges::count_if(group.members, [&](cluster::PodId pod) { return !cluster.pod(pod).node.valid(); }));
}

std::optional<Event> about_volcanos(const watching::Caches& caches, const cluster::Cluster& cluster,
                                    const cluster::PodGroup& group, Event::Type type, const char* reason,
                                    std::string message) {
  const auto object = caches.of<kube::VolcanoPodGroup>().find(cluster.symbols().text(group.name_space), group.name);
  if (object == nullptr) return std::nullopt;
  return Event{watching::reference_to(*object), type, reason, std::move(message)};
}

}  // namespace

std::optional<Event> event_about_group(const watching::Caches& caches, const cluster::Cluster& cluster,
                                       const decision::Turn& turn) {
  const cluster::PodGroup& group = cluster.group(turn.unit.group);
  const bool starts = turn.verdict == gang::Verdict::kStarts;
  if (group.has_started && !starts) return std::nullopt;
  if (group.spelling == cluster::GroupSpelling::kVolcano) {
    if (starts) {
      return about_volcanos(caches, cluster, group, Event::Type::kNormal, "Scheduled", "pod group is ready");
    }
    return about_volcanos(caches, cluster, group, Event::Type::kWarning, "Unschedulable",
                          fmt::format("{}/{} tasks in gang unschedulable: {}", pending(cluster, group),
                                      group.members.size(), decision::text(cluster, turn.why)));
  }
  if (group.spelling == cluster::GroupSpelling::kKai && !starts) {
    const auto object = caches.of<kube::KaiPodGroup>().find(cluster.symbols().text(group.name_space), group.name);
    if (object == nullptr) return std::nullopt;
    return Event{watching::reference_to(*object), Event::Type::kNormal, "Unschedulable",
                 kai_message(object->view, decision::text(cluster, turn.why))};
  }
  return std::nullopt;
}

}  // namespace loadline::scheduler
