#include "bench/placement/gangs.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <vector>

#include "bench/placement/objects.h"
#include "brain/cluster/ledgers/transaction.h"
#include "brain/engine/dispatcher.h"
#include "brain/engine/registry.h"
#include "brain/gang/group_attempt.h"

namespace loadline::bench {
namespace {

using Clock = std::chrono::steady_clock;
using cluster::PodId;

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

class Gang {
 public:
  Gang(const Workload& workload, std::size_t pods) : size_(pods) {
    for (const kube::Node& node : make_nodes(workload)) cluster_.add_node(node);
    std::size_t counter = 0;
    PodStream init(workload.init, false, counter);
    while (const std::optional<kube::Pod> pod = init.next()) dispatcher_.add(cluster_.add_pod(*pod));
    take_turns();
    kube::PodGroup group;
    group.metadata.namespace_ = workload.measure.front().pod.metadata.namespace_;
    group.metadata.name = "gang";
    group.policy.min_count = static_cast<std::int32_t>(size_);
    cluster_.set_pod_group(group);
    single_ = member_ = workload.measure.front().pod;
    auto spec = std::make_shared<kube::PodSpec>(*member_.spec);
    spec->pod_group_name = "gang";
    member_.spec = std::move(spec);
  }

  double place(bool as_group) {
    const std::vector<kube::Pod> pods = make(as_group ? member_ : single_);
    const auto start = Clock::now();
    std::vector<PodId> ids;
    for (const kube::Pod& pod : pods) {
      ids.push_back(cluster_.add_pod(pod));
      dispatcher_.add(ids.back());
    }
    take_turns();
    const double seconds = seconds_since(start);
    for (const PodId id : ids) cluster_.remove_pod(id);
    dispatcher_.capacity_freed();
    return seconds;
  }

  /// What placing them tentatively took, and what undoing it did.
  std::pair<double, double> place_and_undo() {
    std::vector<PodId> ids;
    for (const kube::Pod& pod : make(member_)) ids.push_back(cluster_.add_pod(pod));
    const cluster::GroupId group = cluster_.pod(ids.front()).group;
    std::pair<double, double> seconds;
    {
      cluster::Transaction tentatively(cluster_, cluster::Visibility::kSeen);
      auto start = Clock::now();
      gang::attempt(cluster_, dispatcher_.scheduler(), group, ids);
      seconds.first = seconds_since(start);
      start = Clock::now();
      tentatively.rollback();
      seconds.second = seconds_since(start);
    }
    for (const PodId id : ids) cluster_.remove_pod(id);
    dispatcher_.capacity_freed();
    return seconds;
  }

 private:
  std::vector<kube::Pod> make(const kube::Pod& pod_template) {
    std::vector<kube::Pod> pods;
    for (std::size_t i = 0; i < size_; ++i) pods.push_back(make_pod(pod_template, made_));
    return pods;
  }
  void take_turns() {
    while (const std::optional<decision::Unit> unit = dispatcher_.next()) {
      dispatcher_.take(*unit, placement::Detail::kDecision, turn_);
    }
  }

  std::size_t size_;
  std::size_t made_ = 1'000'000;
  kube::Pod single_, member_;
  cluster::Cluster cluster_;
  engine::Dispatcher dispatcher_{
      cluster_, *placement::Scheduler::make(cluster_, engine::registry(), kube::SchedulerConfiguration{})};
  decision::Turn turn_;  // its memory is used again
};

}  // namespace

GangRow measure_gang(const Workload& workload, std::size_t pods, std::size_t rounds) {
  Gang gang(workload, pods);
  gang.place(false);  // what is remembered from pod to pod is made
  gang.place(true);
  std::vector<double> singly, as_group, placing, undoing;
  for (std::size_t i = 0; i < rounds; ++i) {
    singly.push_back(gang.place(false));
    as_group.push_back(gang.place(true));
    const auto [place, undo] = gang.place_and_undo();
    placing.push_back(place);
    undoing.push_back(undo);
  }
  return {workload.name,    workload.node_count(), pods,           median(singly),
          median(as_group), median(placing),       median(undoing)};
}

std::string format_gangs(const GangRow& row) {
  constexpr double kMillis = 1e3;
  return fmt::format(
      "{} equal pods on {} nodes ({})\n"
      "  one by one             {:8.3f} ms\n"
      "  as a group             {:8.3f} ms   {:.2f} of one by one\n"
      "  placed, not committed  {:8.3f} ms\n"
      "  undone                 {:8.3f} ms   {:.2f} of placing\n",
      row.pods, row.nodes, row.workload, row.singly_s * kMillis, row.as_group_s * kMillis,
      row.as_group_s / row.singly_s, row.placing_s * kMillis, row.undoing_s * kMillis, row.undoing_s / row.placing_s);
}

}  // namespace loadline::bench
