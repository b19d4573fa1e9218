#include "app/report/workloads.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "app/report/words.h"

namespace loadline::report {
namespace {

using simulator::PodOutcome;

bool left_its_node(PodOutcome outcome) { return outcome == PodOutcome::kPreempted || outcome == PodOutcome::kEvicted; }

bool on_a_node(PodOutcome outcome) { return outcome == PodOutcome::kPlaced || outcome == PodOutcome::kRunning; }

bool is_bare_pod(const WorkloadReport& workload) { return workload.name.kind == "Pod" && !workload.pods.empty(); }

/// By namespace and outcome of a bare pod.
using BareKey = std::pair<std::string, PodOutcome>;

BareKey bare_key(const simulator::Plan& plan, const WorkloadReport& workload) {
  return {workload.name.name_space, plan.pods[workload.pods.front()].outcome};
}

/// Where the pods of several workloads are.
class Shares {
 public:
  void add(const std::vector<NodeShare>& shares) {
    for (const NodeShare& share : shares) {
      const auto [found, fresh] = index_.try_emplace(share.node, shares_.size());
      if (fresh) shares_.push_back({share.node, 0});
      shares_[found->second].pods += share.pods;
    }
  }

  std::vector<NodeShare> finish() && {
    std::ranges::stable_sort(shares_, std::ranges::greater{}, &NodeShare::pods);
    return std::move(shares_);
  }

 private:
  std::vector<NodeShare> shares_;
  std::map<std::string, std::size_t> index_;
};

WorkloadReport together(const std::vector<const WorkloadReport*>& workloads) {
  WorkloadReport sum;
  sum.name = {"Pod", workloads.front()->name.name_space, "*"};
  Shares shares;
  for (const WorkloadReport* workload : workloads) {
    sum.pods.insert(sum.pods.end(), workload->pods.begin(), workload->pods.end());
    sum.groups.insert(sum.groups.end(), workload->groups.begin(), workload->groups.end());
    sum.wanted += workload->wanted;
    sum.on_nodes += workload->on_nodes;
    sum.longest_wait = std::max(sum.longest_wait, workload->longest_wait);
    shares.add(workload->nodes);
  }
  sum.nodes = std::move(shares).finish();
  return sum;
}

class Grouping {
 public:
  explicit Grouping(const simulator::Plan& plan) : plan_(plan) {}

  void add(std::size_t index) { add(index, plan_.pods[index].workload); }

  void add(std::size_t index, const simulator::WorkloadName& name) {
    const simulator::PlannedPod& pod = plan_.pods[index];
    const auto [found, fresh] = workload_index_.try_emplace(name, workloads_.size());
    if (fresh) workloads_.emplace_back().name = name;
    WorkloadReport& workload = workloads_[found->second];
    workload.pods.push_back(index);
    if (!left_its_node(pod.outcome) || is_lost(pod)) ++workload.wanted;
    if (on_a_node(pod.outcome)) {
      add_share(workload, found->second, pod.node);
      if (pod.outcome == PodOutcome::kPlaced) workload.longest_wait = std::max(workload.longest_wait, pod.after);
    } else {
      add_to_group(workload, found->second, index);
    }
  }

  void add_idle(const simulator::WorkloadName& workload) { workloads_.emplace_back().name = workload; }

  std::vector<WorkloadReport> finish() && {
    for (WorkloadReport& workload : workloads_) {
      std::ranges::stable_sort(workload.nodes, std::ranges::greater{}, &NodeShare::pods);
    }
    return std::move(workloads_);
  }

 private:
  void add_share(WorkloadReport& workload, std::size_t workload_index, const std::string& node) {
    ++workload.on_nodes;
    const auto [found, fresh] = share_index_.try_emplace({workload_index, node}, workload.nodes.size());
    if (fresh) workload.nodes.push_back({node, 0});
    ++workload.nodes[found->second].pods;
  }

  void add_to_group(WorkloadReport& workload, std::size_t workload_index, std::size_t index) {
    const simulator::PlannedPod& pod = plan_.pods[index];
    const auto [found, fresh] = group_index_.try_emplace(
        {workload_index, pod.outcome, without_name(pod.message, pod.name)}, workload.groups.size());
    if (fresh) workload.groups.push_back({pod.outcome, pod.message, pod.reasons, {}});
    workload.groups[found->second].pods.push_back(index);
  }

  const simulator::Plan& plan_;
  std::vector<WorkloadReport> workloads_;
  std::map<simulator::WorkloadName, std::size_t> workload_index_;
  std::map<std::pair<std::size_t, std::string>, std::size_t> share_index_;
  std::map<std::tuple<std::size_t, PodOutcome, std::string>, std::size_t> group_index_;
};

/// The pods of a workload by role; nothing if they are all of one.
std::vector<WorkloadReport> by_role(const simulator::Plan& plan, const WorkloadReport& workload) {
  Grouping grouping(plan);
  for (const std::size_t pod : workload.pods) {
    if (plan.pods[pod].role.empty()) return {};
    grouping.add(pod, {"", workload.name.name_space, plan.pods[pod].role});
  }
  std::vector<WorkloadReport> roles = std::move(grouping).finish();
  if (roles.size() < 2) roles.clear();
  return roles;
}

}  // namespace

const PodGroup* WorkloadReport::group(simulator::PodOutcome outcome) const {
  const auto found = std::ranges::find(groups, outcome, &PodGroup::outcome);
  return found == groups.end() ? nullptr : &*found;
}

bool is_lost(const simulator::PlannedPod& pod) { return left_its_node(pod.outcome) && pod.workload.kind == "Pod"; }

std::vector<WorkloadReport> by_workload(const simulator::Plan& plan, const Scope& scope) {
  Grouping grouping(plan);
  for (std::size_t index = 0; index < plan.pods.size(); ++index) {
    if (scope.shows(plan.pods[index])) grouping.add(index);
  }
  for (const simulator::WorkloadName& workload : plan.idle) {
    if (scope.shows(workload)) grouping.add_idle(workload);
  }
  std::vector<WorkloadReport> workloads = std::move(grouping).finish();
  for (WorkloadReport& workload : workloads) workload.roles = by_role(plan, workload);
  return workloads;
}

std::vector<WorkloadReport> with_bare_pods_together(const simulator::Plan& plan,
                                                    const std::vector<WorkloadReport>& workloads) {
  std::map<BareKey, std::vector<const WorkloadReport*>> bare;
  for (const WorkloadReport& workload : workloads) {
    if (is_bare_pod(workload)) bare[bare_key(plan, workload)].push_back(&workload);
  }
  std::vector<WorkloadReport> result;
  for (const WorkloadReport& workload : workloads) {
    if (!is_bare_pod(workload)) {
      result.push_back(workload);
      continue;
    }
    const auto& siblings = bare[bare_key(plan, workload)];
    if (siblings.front() == &workload) result.push_back(siblings.size() == 1 ? workload : together(siblings));
  }
  return result;
}

std::vector<UndecidedWork> undecided_work(const simulator::Plan& plan, const Scope& scope) {
  std::vector<UndecidedWork> work;
  std::map<std::pair<simulator::WorkloadName, std::string>, std::size_t> places;
  for (const simulator::PlannedPod& pod : plan.pods) {
    if (pod.undecided.empty() || !scope.shows(pod)) continue;
    const auto [place, is_new] = places.try_emplace({pod.workload, pod.undecided}, work.size());
    if (is_new) work.push_back({pod.workload, pod.undecided});
    ++work[place->second].pods;
  }
  for (const simulator::UndecidedWorkload& each : plan.undecided) {
    if (scope.shows(each.workload)) work.push_back({each.workload, each.why});
  }
  return work;
}

}  // namespace loadline::report
