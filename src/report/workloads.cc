#include "report/workloads.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace loadline::report {
namespace {

using simulator::Outcome;

bool left_its_node(Outcome outcome) { return outcome == Outcome::kPreempted || outcome == Outcome::kEvicted; }

bool on_a_node(Outcome outcome) { return outcome == Outcome::kPlaced || outcome == Outcome::kRunning; }

/// The message with the pod's own name blanked out, so that siblings' refusals compare equal.
std::string without_own_name(const simulator::PlannedPod& pod) {
  std::string message = pod.message;
  if (pod.name.empty()) return message;
  for (std::size_t at = message.find(pod.name); at != std::string::npos; at = message.find(pod.name, at + 1)) {
    message.replace(at, pod.name.size(), "\x01");
  }
  return message;
}

class Grouping {
 public:
  explicit Grouping(const simulator::Plan& plan) : plan_(plan) {}

  void add(std::size_t index) {
    const simulator::PlannedPod& pod = plan_.pods[index];
    const auto [found, fresh] = workload_index_.try_emplace(pod.workload, workloads_.size());
    if (fresh) workloads_.emplace_back().name = pod.workload;
    WorkloadReport& workload = workloads_[found->second];
    workload.pods.push_back(index);
    if (!left_its_node(pod.outcome) || is_lost(pod)) ++workload.wanted;
    if (on_a_node(pod.outcome)) {
      add_share(workload, found->second, pod.node);
    } else {
      add_to_group(workload, found->second, index);
    }
  }

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
    const auto [found, fresh] =
        group_index_.try_emplace({workload_index, pod.outcome, without_own_name(pod)}, workload.groups.size());
    if (fresh) workload.groups.push_back({pod.outcome, pod.message, pod.reasons, {}});
    workload.groups[found->second].pods.push_back(index);
  }

  const simulator::Plan& plan_;
  std::vector<WorkloadReport> workloads_;
  std::map<simulator::WorkloadName, std::size_t> workload_index_;
  std::map<std::pair<std::size_t, std::string>, std::size_t> share_index_;
  std::map<std::tuple<std::size_t, Outcome, std::string>, std::size_t> group_index_;
};

}  // namespace

const PodGroup* WorkloadReport::group(simulator::Outcome outcome) const {
  const auto found = std::ranges::find(groups, outcome, &PodGroup::outcome);
  return found == groups.end() ? nullptr : &*found;
}

bool is_lost(const simulator::PlannedPod& pod) { return left_its_node(pod.outcome) && pod.workload.kind == "Pod"; }

std::vector<WorkloadReport> by_workload(const simulator::Plan& plan, const Scope& scope) {
  Grouping grouping(plan);
  for (std::size_t index = 0; index < plan.pods.size(); ++index) {
    if (scope.shows(plan.pods[index])) grouping.add(index);
  }
  return std::move(grouping).finish();
}

}  // namespace loadline::report
