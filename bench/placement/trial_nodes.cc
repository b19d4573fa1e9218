#include "bench/placement/trial_nodes.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <vector>

#include "bench/placement/objects.h"
#include "brain/cluster/ledgers/transaction.h"
#include "brain/engine/dispatcher.h"
#include "brain/engine/registry.h"
#include "brain/gang/place.h"
#include "foundation/base/contract.h"

namespace loadline::bench {
namespace {

using Clock = std::chrono::steady_clock;

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

class Trial {
 public:
  explicit Trial(const Workload& workload) {
    std::vector<kube::Node> nodes = make_nodes(workload);
    for (const kube::Node& node : nodes) cluster_.add_node(node);
    std::size_t counter = 0;
    PodStream init(workload.init, false, counter);
    while (const std::optional<kube::Pod> pod = init.next()) dispatcher_.add(cluster_.add_pod(*pod));
    while (const std::optional<decision::Unit> unit = dispatcher_.next()) dispatcher_.take(*unit);
    std::size_t made = 1'000'000;
    pod_ = cluster_.add_pod(make_pod(workload.measure.front().pod, made));
    node_ = nodes.front();
    node_.metadata.name = "trial";
    node_.metadata.labels["kubernetes.io/hostname"] = "trial";
  }

  double place(bool with_node) {
    const auto start = Clock::now();
    {
      cluster::Transaction trial(cluster_, cluster::Visibility::kSeen);
      if (with_node) cluster_.add_node(node_);
      dispatcher_.scheduler().decide(pod_, placement::Detail::kDecision, placement::Search::kNone, decision_);
      REQUIRES(decision_.attempt.scheduled());
      gang::put(cluster_, dispatcher_.scheduler(), {pod_, decision_.attempt.node});
    }
    return std::chrono::duration<double>(Clock::now() - start).count();
  }

 private:
  cluster::Cluster cluster_;
  engine::Dispatcher dispatcher_{
      cluster_, *placement::Scheduler::make(cluster_, engine::registry(), kube::SchedulerConfiguration{})};
  cluster::PodId pod_;
  kube::Node node_;
  placement::Decision decision_;
};

}  // namespace

TrialNodeRow measure_trial_node(const Workload& workload, std::size_t rounds) {
  Trial trial(workload);
  trial.place(true);  // what is remembered from pod to pod is made
  std::vector<double> without, with_node;
  for (std::size_t i = 0; i < rounds; ++i) {
    without.push_back(trial.place(false));
    with_node.push_back(trial.place(true));
  }
  return {workload.name, workload.node_count(), median(without), median(with_node)};
}

std::string format_trial_node(const TrialNodeRow& row) {
  constexpr double kMicros = 1e6;
  return fmt::format(
      "One pod on {} nodes ({}), placed and undone\n"
      "  on those there are     {:8.2f} us\n"
      "  with a node on trial   {:8.2f} us   {:.2f} us more\n",
      row.nodes, row.workload, row.without_s * kMicros, row.with_node_s * kMicros,
      (row.with_node_s - row.without_s) * kMicros);
}

}  // namespace loadline::bench
