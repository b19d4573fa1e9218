#include "brain/gang/eviction_units.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "objects/kube/gpu_resource.h"

namespace loadline::gang {

using cluster::GroupId;
using cluster::PodId;

namespace {

constexpr std::int64_t kNanosecondsOfSecond = 1'000'000'000;

/// The members that are on nodes and stay there, unless they are evicted.
std::vector<PodId> running_members(const cluster::Cluster& cluster, const cluster::PodGroup& group) {
  std::vector<PodId> members;
  for (const PodId pod : group.members) {
    if (cluster.pod(pod).node.valid() && !cluster.pod(pod).terminating) members.push_back(pod);
  }
  return members;
}

/// How many of the members may leave while the others go on.
std::size_t spare_members(const cluster::PodGroup& group, std::size_t running) {
  if (group.rules.is_evicted_whole) return 0;
  const auto minimum = static_cast<std::size_t>(group.min_count);
  return running > minimum ? running - minimum : 0;
}

Duration run_time(const cluster::PodRecord& record, Instant now) {
  if (!record.started || *record.started > now) return {};
  return now - *record.started;
}

bool is_exempt(const cluster::Cluster& cluster, const EvictionRules& rules, std::span<const PodId> pods) {
  return std::ranges::any_of(pods, [&](PodId pod) {
    const Duration granted = std::min(cluster.run_facts(pod).minimum, rules.exemption);
    return granted > run_time(cluster.pod(pod), rules.now);
  });
}

std::int64_t gpus_requested(const cluster::Cluster& cluster, cluster::ShapeId shape) {
  std::int64_t gpus = 0;
  for (const cluster::ResourceAmount& used : cluster.shape(shape).usage) {
    if (kube::is_gpu_resource(cluster.resources().name(used.resource))) gpus += used.amount;
  }
  return gpus;
}

/// Members begin again together, so from the oldest checkpoint that any of them says.
template <class GpusOf>
void add_lost_work(const cluster::Cluster& cluster, Instant now, const GpusOf& gpus_of, EvictionUnit& unit) {
  std::optional<Instant> checkpoint;
  for (const PodId pod : unit.pods) {
    const std::optional<Instant>& said = cluster.run_facts(pod).last_checkpoint;
    if (said && *said <= now) checkpoint = std::min(checkpoint.value_or(*said), *said);
  }
  for (const PodId pod : unit.pods) {
    const cluster::PodRecord& record = cluster.pod(pod);
    Duration lost = run_time(record, now);
    if (checkpoint) lost = std::min(lost, now - *checkpoint);
    const std::int64_t seconds = lost.nanoseconds / kNanosecondsOfSecond;
    if (seconds == 0) continue;
    unit.pod_seconds += seconds;
    unit.gpu_seconds += seconds * gpus_of(record.shape);
  }
}

class Collector {
 public:
  Collector(const cluster::Cluster& cluster, const EvictionRules& rules) : cluster_(cluster), rules_(rules) {}

  void visit(PodId pod);
  [[nodiscard]] EvictionUnits take() { return std::move(found_); }

 private:
  void visit_group(GroupId id, PodId pod);
  void add(EvictionUnit unit);
  [[nodiscard]] std::int64_t gpus_of(cluster::ShapeId shape);

  const cluster::Cluster& cluster_;
  const EvictionRules& rules_;
  EvictionUnits found_;
  std::vector<bool> visited_;                      // by group
  std::vector<std::optional<std::int64_t>> gpus_;  // by shape
};

void Collector::visit(PodId pod) {
  const cluster::PodRecord& record = cluster_.pod(pod);
  if (record.reservation.valid()) return;
  if (record.terminating) return found_.leaving.push_back(pod);
  if (!record.group.valid()) return add({{pod}, {}, false, 0, record.priority, 0, 0});
  if (record.group != rules_.preemptor) visit_group(record.group, pod);
}

void Collector::visit_group(GroupId id, PodId pod) {
  const cluster::PodGroup& group = cluster_.group(id);
  if (!is_one_unit(group, rules_.victims)) {
    return add({{pod}, id, false, 0, group.rules.priority.value_or(cluster_.pod(pod).priority), 0, 0});
  }
  if (visited_.size() <= id.index()) visited_.resize(id.index() + 1);
  if (visited_[id.index()]) return;
  visited_[id.index()] = true;
  std::vector<PodId> members = running_members(cluster_, group);
  const std::size_t spare = spare_members(group, members.size());
  for (const PodId member : members) {
    if (spare == 0) break;
    add({{member}, id, true, spare, group.rules.priority.value_or(cluster_.pod(member).priority), 0, 0});
  }
  add({std::move(members), id, false, spare, priority_of(cluster_, id), 0, 0});
}

void Collector::add(EvictionUnit unit) {
  if (unit.priority >= rules_.priority) return;
  if (is_exempt(cluster_, rules_, unit.pods)) {
    if (!unit.is_surplus) ++found_.exempt;
    return;
  }
  add_lost_work(cluster_, rules_.now, [this](cluster::ShapeId shape) { return gpus_of(shape); }, unit);
  found_.units.push_back(std::move(unit));
}

std::int64_t Collector::gpus_of(cluster::ShapeId shape) {
  if (gpus_.size() <= shape.index()) gpus_.resize(cluster_.shape_slots());
  std::optional<std::int64_t>& known = gpus_[shape.index()];
  if (!known) known = gpus_requested(cluster_, shape);
  return *known;
}

}  // namespace

bool is_one_unit(const cluster::PodGroup& group, GroupVictims victims) {
  if (victims == GroupVictims::kPodByPod) return false;
  return group.rules.is_evicted_whole || (victims == GroupVictims::kWholeGroups && group.min_count > 1);
}

std::int32_t priority_of(const cluster::Cluster& cluster, GroupId id) {
  const cluster::PodGroup& group = cluster.group(id);
  if (group.rules.priority) return *group.rules.priority;
  std::optional<std::int32_t> highest;
  for (const PodId pod : group.members) {
    if (cluster.pod(pod).terminating) continue;
    highest = std::max(highest.value_or(cluster.pod(pod).priority), cluster.pod(pod).priority);
  }
  return highest.value_or(0);
}

EvictionUnits eviction_units(const cluster::Cluster& cluster, const EvictionRules& rules) {
  Collector collector(cluster, rules);
  for (const cluster::NodeId node : cluster.nodes()) {
    for (const PodId pod : cluster.pods_on(node)) collector.visit(pod);
  }
  return collector.take();
}

bool may_leave(const cluster::Cluster& cluster, const EvictionRules& rules, std::span<const PodId> pods) {
  if (is_exempt(cluster, rules, pods)) return false;
  std::map<GroupId, std::size_t> leaving;
  for (const PodId pod : pods) {
    const cluster::PodRecord& record = cluster.pod(pod);
    if (record.group.valid() && !record.terminating) ++leaving[record.group];
  }
  return std::ranges::all_of(leaving, [&](const auto& entry) {
    const cluster::PodGroup& group = cluster.group(entry.first);
    if (group.rules.priority.value_or(rules.priority - 1) >= rules.priority) return false;
    if (!is_one_unit(group, rules.victims)) return true;
    const std::size_t running = running_members(cluster, group).size();
    if (entry.second < running) return entry.second <= spare_members(group, running);
    return priority_of(cluster, entry.first) < rules.priority;
  });
}

std::vector<EvictionUnit> units_of(const cluster::Cluster& cluster, GroupVictims together, Instant now,
                                   std::span<const PodId> pods) {
  std::map<GroupId, std::size_t> leaving;
  for (const PodId pod : pods) {
    if (const GroupId id = cluster.pod(pod).group; id.valid()) ++leaving[id];
  }
  std::vector<EvictionUnit> units;
  std::set<GroupId> whole;
  for (const PodId pod : pods) {
    const cluster::PodRecord& record = cluster.pod(pod);
    const GroupId id = record.group;
    if (!id.valid() || !is_one_unit(cluster.group(id), together)) {
      units.push_back({{pod}, id, false, 0, record.priority, 0, 0});
      continue;
    }
    if (whole.contains(id)) continue;
    std::vector<PodId> members = running_members(cluster, cluster.group(id));
    const std::size_t spare = spare_members(cluster.group(id), members.size());
    if (leaving[id] < members.size()) {
      units.push_back({{pod}, id, true, spare, record.priority, 0, 0});
    } else {
      whole.insert(id);
      units.push_back({std::move(members), id, false, spare, priority_of(cluster, id), 0, 0});
    }
  }
  for (EvictionUnit& unit : units) {
    add_lost_work(cluster, now, [&](cluster::ShapeId shape) { return gpus_requested(cluster, shape); }, unit);
  }
  return units;
}

}  // namespace loadline::gang
