#include "brain/placement/plugins/gang_scheduling.h"

#include <string>

namespace loadline::placement {
namespace {

std::optional<Rejection> waits(const Plugin& plugin, Code code, ReasonKind why, const std::string& group = {}) {
  return Rejection{plugin.name(), code, {{why, group}}};
}

}  // namespace

std::optional<Rejection> GangScheduling::pre_enqueue(const cluster::Cluster& cluster, cluster::PodId pod) const {
  const cluster::GroupId id = cluster.pod(pod).group;
  if (!id.valid()) return std::nullopt;
  const cluster::PodGroup& group = cluster.group(id);
  if (!group.is_described) return waits(*this, Code::kUnresolvable, ReasonKind::kGroupUnknown, group.name);
  if (group.staying() >= group.min_count) return std::nullopt;
  return waits(*this, Code::kUnresolvable, ReasonKind::kTooFewMembers);
}

std::optional<Rejection> GangScheduling::permit(const cluster::Cluster& cluster, cluster::PodId pod) const {
  const cluster::GroupId id = cluster.pod(pod).group;
  if (!id.valid()) return std::nullopt;
  const cluster::PodGroup& group = cluster.group(id);
  if (static_cast<std::int64_t>(group.placed) >= group.min_count) return std::nullopt;
  return waits(*this, Code::kUnschedulable, ReasonKind::kGangNotPlaced);
}

std::unique_ptr<Plugin> make_gang_scheduling(const kube::PluginArgs&) { return std::make_unique<GangScheduling>(); }

}  // namespace loadline::placement
