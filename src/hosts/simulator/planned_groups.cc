#include "hosts/simulator/planned_groups.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

namespace loadline::simulator {
namespace {

class PlannedGroups {
 public:
  PlannedGroups(const cluster::Cluster& cluster, const SimulatedPods& pods, const Simulation& simulation)
      : cluster_(cluster), pods_(pods), simulation_(simulation) {}

  void describe(const kube::PodGroup& object) {
    Entry& entry = at(object.metadata.namespace_, object.metadata.name);
    entry.group.is_described = true;
    entry.group.min_count = object.policy.min_count;
  }

  void count(std::size_t index) {
    const SimulatedPod& subject = pods_[index];
    const std::string& name = subject.pod.spec->pod_group_name;
    if (name.empty() || subject.left()) return;
    Entry& entry = at(subject.pod.metadata.namespace_, name);
    PlannedGroup& group = entry.group;
    WorkloadName workload = name_of(subject.workload);
    if (entry.workloads.insert(workload).second) group.workloads.push_back(std::move(workload));
    if (subject.on_a_node()) ++group.placed;
    if (subject.outcome == PodOutcome::kRunning) ++group.running;
    if (subject.outcome == PodOutcome::kGated) ++group.gated;
    if (subject.outcome == PodOutcome::kRejected) ++group.rejected;
    if (subject.id.valid()) ++group.members;
    if (subject.outcome == PodOutcome::kPending && subject.id.valid()) entry.waits.push_back(index);
  }

  std::vector<PlannedGroup> finish() && {
    std::vector<PlannedGroup> groups;
    for (Entry& entry : entries_) {
      conclude(entry);
      groups.push_back(std::move(entry.group));
    }
    return groups;
  }

 private:
  struct Entry {
    PlannedGroup group;
    std::vector<std::size_t> waits;  // for a node; gated ones do not
    std::set<WorkloadName> workloads;
  };

  Entry& at(const std::string& name_space, const std::string& name) {
    const auto [found, fresh] = index_.try_emplace({name_space, name}, entries_.size());
    if (!fresh) return entries_[found->second];
    Entry& entry = entries_.emplace_back();
    entry.group.name_space = name_space;
    entry.group.name = name;
    return entry;
  }

  void conclude(Entry& entry) {
    PlannedGroup& group = entry.group;
    const cluster::GroupId id = cluster_.find_group(group.name_space, group.name);
    if (id.valid()) group.whereabouts = gang::whereabouts(cluster_, trees_, id);
    const bool is_whole = group.placed > 0 && static_cast<std::int64_t>(group.placed) >= group.min_count.value_or(0);
    const auto held = std::ranges::find_if(entry.waits, [&](auto i) { return simulation_.is_held_by_group(i); });
    if (held != entry.waits.end()) {
      group.message = pods_[*held].message;
    } else if (is_whole || (group.placed > 0 && entry.waits.empty())) {
      group.outcome = GroupOutcome::kStarted;  // even if it has lost members since, and no pod comes in their place
    } else if (!entry.waits.empty()) {
      tell_turn(group);
    }
  }

  void tell_turn(PlannedGroup& group) const {
    const GroupTurn* turn = simulation_.last_turn(cluster_.find_group(group.name_space, group.name));
    if (turn == nullptr) return;
    group.outcome = outcome_of(turn->verdict);
    if (group.outcome == GroupOutcome::kStarted) return;
    group.message = turn->message;
    group.fits = turn->fits;
    group.hopeful = turn->hopeful;
    if (!turn->stopped_by) return;
    const SimulatedPod& stopped = pods_[*turn->stopped_by];
    group.stopped_by = {*turn->stopped_by, stopped.pod.metadata.name, name_of(stopped.workload), stopped.message,
                        stopped.reasons};
  }

  static GroupOutcome outcome_of(gang::Verdict verdict) {
    switch (verdict) {
      case gang::Verdict::kStarts:
        return GroupOutcome::kStarted;
      case gang::Verdict::kWaitsForRoom:
        return GroupOutcome::kWaitsForRoom;
      case gang::Verdict::kFailed:
        return GroupOutcome::kFailed;
      case gang::Verdict::kDoesNotFit:
        break;
    }
    return GroupOutcome::kDoesNotFit;
  }

  const cluster::Cluster& cluster_;
  const SimulatedPods& pods_;
  const Simulation& simulation_;
  gang::DomainTrees trees_{cluster_};
  std::vector<Entry> entries_;
  std::map<std::pair<std::string, std::string>, std::size_t> index_;
};

}  // namespace

std::vector<PlannedGroup> planned_groups(const kube::Objects& objects, const kube::Objects& made,
                                         const cluster::Cluster& cluster, const SimulatedPods& pods,
                                         const Simulation& simulation) {
  PlannedGroups groups(cluster, pods, simulation);
  for (const kube::Objects* source : {&objects, &made}) {
    for (const kube::PodGroup& object : source->of<kube::PodGroup>()) groups.describe(object);
  }
  for (std::size_t i = 0; i < pods.size(); ++i) groups.count(i);
  return std::move(groups).finish();
}

}  // namespace loadline::simulator
