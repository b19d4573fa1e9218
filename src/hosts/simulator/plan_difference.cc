#include "hosts/simulator/plan_difference.h"

#include <algorithm>
#include <map>
#include <set>
#include <string_view>
#include <utility>

#include "hosts/simulator/group_index.h"

namespace loadline::simulator {
namespace {

using Indices = std::vector<std::size_t>;

bool left_its_node(const PlannedPod& pod) {
  return pod.outcome == PodOutcome::kPreempted || pod.outcome == PodOutcome::kEvicted;
}

PodName pod_name(const PlannedPod& pod) { return {pod.name_space, pod.name}; }

/// The name without its random part: "train-3-" of "train-3-x7k2p".
std::string_view stem(const PlannedPod& pod) {
  const std::string_view name = pod.name;
  return name.substr(0, name.rfind('-') + 1);
}

/// Whether controllers give the workload's pods random names.
bool interchangeable(const WorkloadName& workload) { return workload.kind != "Pod" && workload.kind != "StatefulSet"; }

std::pair<std::string, std::string> key_of(const PlannedReservation& reservation) {
  return {reservation.name_space, reservation.name};
}

bool is_same_room(const PlannedReservation& a, const PlannedReservation& b) {
  const auto is_same = [](const ReservedShare& x, const ReservedShare& y) {
    return x.node == y.node && x.pods == y.pods;
  };
  return a.outcome == b.outcome && a.waiting == b.waiting && a.consumed == b.consumed &&
         std::is_permutation(a.nodes.begin(), a.nodes.end(), b.nodes.begin(), b.nodes.end(), is_same);
}

class PlanComparison {
 public:
  PlanComparison(const Plan& before, const Plan& after, const ChangedCluster& change, std::string_view name_space)
      : before_(before),
        after_(after),
        name_space_(name_space),
        partner_(before.pods.size()),
        matched_(after.pods.size(), false) {
    for (const Departure& departure : change.departures) departures_[departure.pod] = &departure;
  }

  Difference run() {
    match_by_name();
    match_within_workloads();
    for (std::size_t i = 0; i < before_.pods.size(); ++i) {
      if (!left_its_node(before_.pods[i]) && is_told(before_.pods[i].name_space)) judge(i);
    }
    for (std::size_t i = 0; i < after_.pods.size(); ++i) {
      if (matched_[i] || left_its_node(after_.pods[i]) || !is_told(after_.pods[i].name_space)) continue;
      result_.pods.push_back({.change = PodChange::kAppeared, .before = {}, .after = i, .left = {}, .why = {}});
    }
    compare_reservations();
    find_refused();
    find_groups();
    return std::move(result_);
  }

 private:
  [[nodiscard]] bool is_told(const std::string& name_space) const {
    return name_space_.empty() || name_space == name_space_;
  }

  void match_by_name() {
    std::map<PodName, std::size_t> alive;
    for (std::size_t i = 0; i < after_.pods.size(); ++i) {
      if (left_its_node(after_.pods[i])) {
        leavings_[pod_name(after_.pods[i])] = i;
      } else {
        alive[pod_name(after_.pods[i])] = i;
      }
    }
    for (std::size_t i = 0; i < before_.pods.size(); ++i) {
      const PlannedPod& pod = before_.pods[i];
      const auto found = left_its_node(pod) ? alive.end() : alive.find(pod_name(pod));
      if (found != alive.end() && after_.pods[found->second].workload == pod.workload) match(i, found->second);
    }
  }

  void match_within_workloads() {
    std::map<WorkloadName, std::pair<Indices, Indices>> unmatched;
    for (std::size_t i = 0; i < before_.pods.size(); ++i) {
      const PlannedPod& pod = before_.pods[i];
      if (partner_[i] || left_its_node(pod) || !interchangeable(pod.workload)) continue;
      unmatched[pod.workload].first.push_back(i);
    }
    for (std::size_t i = 0; i < after_.pods.size(); ++i) {
      const PlannedPod& pod = after_.pods[i];
      if (matched_[i] || left_its_node(pod) || !interchangeable(pod.workload)) continue;
      unmatched[pod.workload].second.push_back(i);
    }
    for (auto& [workload, sides] : unmatched) {
      const bool daemons = workload.kind == "DaemonSet";
      pair_up(sides, [](const PlannedPod& pod) { return std::pair(std::string_view(pod.node), stem(pod)); });
      pair_up(sides, [](const PlannedPod& pod) { return std::string_view(pod.node); });
      if (daemons) continue;
      pair_up(sides, [](const PlannedPod& pod) { return std::pair(stem(pod), has_node(pod)); });
      pair_up(sides, [](const PlannedPod& pod) { return stem(pod); });
      pair_up(sides, [](const PlannedPod& pod) { return has_node(pod); });
      pair_up(sides, [](const PlannedPod&) { return 0; });
    }
  }

  /// Matches pods of equal keys, first come first served, and takes them off the lists. Where the key is the
  /// node, pods without one match each other.
  template <class KeyOf>
  void pair_up(std::pair<Indices, Indices>& sides, KeyOf key_of) {
    std::map<decltype(key_of(before_.pods.front())), Indices> later;
    for (auto i = sides.second.rbegin(); i != sides.second.rend(); ++i) later[key_of(after_.pods[*i])].push_back(*i);
    for (const std::size_t i : sides.first) {
      const auto found = later.find(key_of(before_.pods[i]));
      if (found == later.end() || found->second.empty()) continue;
      match(i, found->second.back());
      found->second.pop_back();
    }
    std::erase_if(sides.first, [&](std::size_t i) { return partner_[i].has_value(); });
    std::erase_if(sides.second, [&](std::size_t i) { return matched_[i]; });
  }

  void match(std::size_t before, std::size_t after) {
    partner_[before] = after;
    matched_[after] = true;
  }

  void judge(std::size_t index) {
    const PlannedPod& pod = before_.pods[index];
    PodDifference entry{.before = index, .after = partner_[index], .left = {}, .why = {}};
    explain(entry, pod);
    if (!entry.after) {
      entry.change = PodChange::kGone;
      result_.pods.push_back(std::move(entry));
      return;
    }
    const PlannedPod& next = after_.pods[*entry.after];
    if (has_node(pod) && has_node(next)) {
      if (pod.node == next.node) {
        ++result_.unchanged;
        return;
      }
      entry.change = PodChange::kMoved;
    } else if (has_node(pod)) {
      entry.change = PodChange::kUnplaced;
    } else if (has_node(next)) {
      entry.change = PodChange::kPlaced;
    } else {
      ++result_.waiting;
      if (pod.outcome == next.outcome) return;
      entry.change = PodChange::kRestated;
    }
    result_.pods.push_back(std::move(entry));
  }

  void explain(PodDifference& entry, const PlannedPod& pod) const {
    if (const auto found = leavings_.find(pod_name(pod)); found != leavings_.end()) {
      entry.left = found->second;
      entry.why = after_.pods[found->second].message;
    } else if (const auto departure = departures_.find(pod_name(pod)); departure != departures_.end()) {
      entry.why = departure->second->why;
      entry.intended = departure->second->intended;
    }
  }

  void compare_reservations() {
    std::map<std::pair<std::string, std::string>, std::size_t> old;
    for (std::size_t i = 0; i < before_.reservations.size(); ++i) old[key_of(before_.reservations[i])] = i;
    for (std::size_t i = 0; i < after_.reservations.size(); ++i) {
      const PlannedReservation& now = after_.reservations[i];
      const auto known = old.extract(key_of(now));
      if (!is_told(now.name_space)) continue;
      if (known.empty()) {
        result_.reservations.push_back({{}, i});
      } else if (!is_same_room(before_.reservations[known.mapped()], now)) {
        result_.reservations.push_back({known.mapped(), i});
      }
    }
    for (const auto& [key, index] : old) {
      if (is_told(key.first)) result_.reservations.push_back({index, {}});
    }
  }

  void find_refused() {
    std::set<WorkloadName> old;
    for (const RefusedObject& entry : before_.refused) old.insert(entry.object);
    for (std::size_t i = 0; i < after_.refused.size(); ++i) {
      const WorkloadName& object = after_.refused[i].object;
      if (!old.contains(object) && is_told(object.name_space)) result_.refused.push_back(i);
    }
  }

  void find_groups() {
    const GroupIndex old(before_.groups);
    for (std::size_t i = 0; i < after_.groups.size(); ++i) {
      const PlannedGroup& group = after_.groups[i];
      if (!is_told(group.name_space)) continue;
      const std::optional<std::size_t> before = old.of(group);
      if (!before || has_started(before_.groups[*before]) != has_started(group)) {
        result_.groups.push_back({before, i});
      }
    }
  }

  static bool has_started(const PlannedGroup& group) { return group.outcome == GroupOutcome::kStarted; }

  const Plan& before_;
  const Plan& after_;
  std::string_view name_space_;
  std::vector<std::optional<std::size_t>> partner_;  // by pod before
  std::vector<bool> matched_;                        // by pod after
  std::map<PodName, std::size_t> leavings_;          // by name, in the plan after: the last of that name to leave
  std::map<PodName, const Departure*> departures_;
  Difference result_;
};

}  // namespace

std::size_t Difference::count(PodChange change) const {
  return static_cast<std::size_t>(std::ranges::count(pods, change, &PodDifference::change));
}

Difference difference(const Plan& before, const Plan& after, const ChangedCluster& change,
                      std::string_view name_space) {
  return PlanComparison(before, after, change, name_space).run();
}

bool waits_in_vain(const PlannedPod& pod) {
  return pod.outcome == PodOutcome::kPending || pod.outcome == PodOutcome::kRejected ||
         pod.outcome == PodOutcome::kIgnored || pod.outcome == PodOutcome::kNotCreated ||
         pod.outcome == PodOutcome::kFailed || pod.outcome == PodOutcome::kQueued;
}

bool got_worse(const Difference& difference, const Plan& before, const Plan& after, const ChangedCluster& change) {
  const auto loses_room = [&](const ReservationDifference& entry) {
    const std::size_t waited = entry.before ? before.reservations[*entry.before].waiting : 0;
    return entry.after && after.reservations[*entry.after].waiting > waited;
  };
  if (std::ranges::any_of(difference.reservations, loses_room)) return true;
  if (!difference.refused.empty() || !after.refused_evictions.empty()) return true;
  if (std::ranges::any_of(change.drains, [](const DrainedNode& node) { return !node.unmanaged.empty(); })) return true;
  return std::ranges::any_of(difference.pods, [&](const PodDifference& entry) {
    switch (entry.change) {
      case PodChange::kUnplaced:
        return true;
      case PodChange::kGone:
        return !entry.intended;
      case PodChange::kAppeared:
        return waits_in_vain(after.pods[*entry.after]);
      case PodChange::kMoved:
      case PodChange::kPlaced:
      case PodChange::kRestated:
        return false;
    }
    return false;
  });
}

}  // namespace loadline::simulator
