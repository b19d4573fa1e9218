#include "hosts/simulator/planned_groups.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "brain/cluster/spellings/kinds.h"
#include "brain/cluster/spellings/membership.h"
#include "brain/gang/held_room.h"
#include "brain/gang/search/group_demand.h"

namespace loadline::simulator {
namespace {

class PlannedGroups {
 public:
  PlannedGroups(const cluster::Cluster& cluster, const SimulatedPods& pods, const Simulation& simulation)
      : cluster_(cluster), pods_(pods), simulation_(simulation) {}

  /// An object of the group is in the input.
  void mention(const std::string& name_space, const cluster::GroupName& group) { at(name_space, group); }

  void count(std::size_t index) {
    const SimulatedPod& subject = pods_[index];
    const std::optional<cluster::GroupName> name = group_of(subject, cluster_);
    if (!name || subject.left() || subject.outcome == PodOutcome::kQueued) return;
    Entry& entry = at(subject.pod.metadata.namespace_, *name);
    PlannedGroup& group = entry.group;
    WorkloadName workload = name_of(subject.workload);
    if (entry.workloads.insert(workload).second) group.workloads.push_back(std::move(workload));
    if (subject.on_a_node()) ++group.placed;
    if (subject.outcome == PodOutcome::kRunning) ++group.running;
    if (subject.outcome == PodOutcome::kGated) ++group.gated;
    const bool is_refused = subject.outcome == PodOutcome::kRejected || subject.outcome == PodOutcome::kFailed;
    if (is_refused) ++group.rejected;
    if (subject.outcome == PodOutcome::kIgnored) ++group.ignored;
    if (subject.outcome == PodOutcome::kNotCreated) {
      ++group.to_come;
      if (!entry.first_to_come) entry.first_to_come = index;
    }
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
    std::optional<std::size_t> first_to_come;
    std::set<WorkloadName> workloads;
  };

  Entry& at(const std::string& name_space, const cluster::GroupName& name) {
    const auto [found, fresh] = index_.try_emplace({name_space, name}, entries_.size());
    if (!fresh) return entries_[found->second];
    Entry& entry = entries_.emplace_back();
    entry.group.name_space = name_space;
    entry.group.name = name.name;
    entry.group.spelling = name.spelling;
    return entry;
  }

  [[nodiscard]] cluster::GroupId id_of(const PlannedGroup& group) const {
    return cluster_.find_group(group.name_space, cluster::GroupName{group.spelling, group.name});
  }

  void describe(PlannedGroup& group) const {
    const cluster::GroupId id = id_of(group);
    if (!id.valid()) return;
    const cluster::PodGroup& known = cluster_.group(id);
    group.is_described = known.is_described;
    group.succeeded = known.succeeded;
    group.priority = known.rules.priority;
    group.has_minimums_of_subgroups = known.rules.has_minimums_of_subgroups();
    if (known.described_min_count > 0) group.min_count = known.minimum_now();
    for (const cluster::PodId pod : known.members) {
      if (!gang::is_placeholder(cluster_, pod)) continue;
      ++(cluster_.pod(pod).node.valid() ? group.room_held : group.room_awaited);
    }
  }

  void conclude(Entry& entry) {
    PlannedGroup& group = entry.group;
    describe(group);
    const cluster::GroupId id = id_of(group);
    if (id.valid()) group.whereabouts = gang::whereabouts(cluster_, trees_, id);
    group.evicts = simulation_.evicted_for(id);
    group.passed = simulation_.passed_by(id);
    const auto counted = static_cast<std::int64_t>(group.placed + group.succeeded + group.room_held);
    const bool is_whole = group.placed > 0 && counted >= group.min_count.value_or(0);
    const auto held = std::ranges::find_if(entry.waits, [&](auto i) { return simulation_.is_held_by_group(i); });
    if (held != entry.waits.end()) {
      group.message = pods_[*held].message;
      for (const gang::LackingSubgroup& each : gang::lacking_subgroups(cluster_, id)) {
        group.lacks.push_back(
            {each.name, static_cast<std::size_t>(each.members), static_cast<std::size_t>(each.least)});
      }
    } else if (is_whole || (group.placed > 0 && entry.waits.empty())) {
      group.outcome = GroupOutcome::kStarted;  // even if it has lost members since, and no pod comes in their place
      tell_search(group);
    } else if (!entry.waits.empty()) {
      tell_turn(entry);
    }
  }

  /// A group that a search let start: in its last turn, if surplus members had none since.
  void tell_search(PlannedGroup& group) const {
    const GroupTurn* turn = simulation_.last_turn(id_of(group));
    if (turn != nullptr && turn->verdict == gang::Verdict::kStarts) group.search = turn->search;
  }

  void tell_turn(Entry& entry) const {
    PlannedGroup& group = entry.group;
    const GroupTurn* turn = simulation_.last_turn(id_of(group));
    if (turn == nullptr) return;
    group.outcome = outcome_of(turn->verdict);
    if (group.outcome == GroupOutcome::kStarted) return;
    group.message = turn->message;
    group.fits = turn->fits;
    group.hopeful = turn->hopeful;
    group.held_by = simulation_.title(turn->held_by);
    group.start = start_of(decision::Unit(id_of(group)), cluster_, pods_, simulation_);
    group.search = turn->search;
    if (turn->stopped_by) {
      const SimulatedPod& stopped = pods_[*turn->stopped_by];
      tell_stop(*turn->stopped_by, stopped.message, stopped.reasons, group);
    } else if (turn->stopped_by_room) {
      const std::size_t stands_for_it = entry.first_to_come.value_or(entry.waits.front());
      tell_stop(stands_for_it, turn->stopped_by_room->message, turn->stopped_by_room->reasons, group);
    }
  }

  void tell_stop(std::size_t index, const std::string& message, const std::vector<NodeReason>& reasons,
                 PlannedGroup& group) const {
    const SimulatedPod& stopped = pods_[index];
    group.stopped_by = {index, stopped.pod.metadata.name, name_of(stopped.workload), message, reasons};
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
  std::map<std::pair<std::string, cluster::GroupName>, std::size_t> index_;
};

}  // namespace

std::optional<cluster::GroupName> group_of(const SimulatedPod& subject, const cluster::Cluster& cluster) {
  if (!subject.id.valid() || !cluster.pod(subject.id).known) return cluster::spellings::group_of(subject.pod);
  const cluster::GroupId id = cluster.pod(subject.id).group;
  if (!id.valid()) return std::nullopt;
  return cluster::GroupName{cluster.group(id).spelling, cluster.group(id).name};
}

std::optional<StartPlan> start_of(const decision::Unit& unit, const cluster::Cluster& cluster,
                                  const SimulatedPods& pods, const Simulation& simulation) {
  const gang::PlannedStart* planned = simulation.planned_start(unit);
  if (planned == nullptr) return std::nullopt;
  StartPlan start{planned->at, planned->at - simulation.began(), {}, {}};
  std::set<cluster::NodeId> nodes;
  for (const gang::Place& place : planned->places) {
    if (nodes.insert(place.node).second) start.nodes.emplace_back(cluster.node_name(place.node));
  }
  std::set<WorkloadName> awaited;
  for (const cluster::PodId pod : simulation.awaited(*planned)) {
    if (cluster.pod(pod).reservation.valid()) continue;
    WorkloadName workload = name_of(pods[pods.index_of(pod)].workload);
    if (awaited.insert(workload).second) start.awaits.push_back(std::move(workload));
  }
  return start;
}

std::vector<PlannedGroup> planned_groups(const kube::Objects& objects, const kube::Objects& made,
                                         const cluster::Cluster& cluster, const SimulatedPods& pods,
                                         const Simulation& simulation) {
  PlannedGroups groups(cluster, pods, simulation);
  for (const kube::Objects* source : {&objects, &made}) {
    cluster::spellings::for_each_group_kind([&]<class Kind>() {
      for (const Kind& object : source->of<Kind>()) {
        groups.mention(object.metadata.namespace_, {cluster::spellings::kSpellingOf<Kind>, object.metadata.name});
      }
    });
  }
  for (std::size_t i = 0; i < pods.size(); ++i) groups.count(i);
  return std::move(groups).finish();
}

}  // namespace loadline::simulator
