#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <functional>
#include <string>
#include <vector>

#include "bench/results/row.h"
#include "bench/results/timing.h"
#include "brain/engine/dispatcher.h"
#include "brain/engine/registry.h"
#include "objects/kube/core/node.h"
#include "objects/kube/core/pod.h"

// How long groups' turns take: equal pods that are to be near each other, on clusters of blocks, racks and hosts. What
// is measured begins with pods that the model knows, and ends when the last group is in its place.

namespace {

using namespace loadline;
using cluster::PodId;

struct Work {
  std::string name;
  std::size_t nodes = 0;
  std::size_t groups = 1;
  std::size_t pods = 0;  ///< of a group
  std::string annotation;
  std::string level;
  std::size_t rounds = 5;
};

constexpr std::size_t kNodesPerRack = 32;
constexpr std::size_t kRacksPerBlock = 8;

kube::Quantity quantity(const std::string& text) { return kube::Quantity::parse(text).value(); }

class Subject {
 public:
  explicit Subject(const Work& work) : work_(work) {
    for (std::size_t i = 0; i < work.nodes; ++i) {
      kube::Node node;
      node.metadata.name = fmt::format("node-{:05}", i);
      node.metadata.labels["kubernetes.io/hostname"] = node.metadata.name;
      node.metadata.labels["example.com/rack"] = fmt::format("rack-{:04}", i / kNodesPerRack);
      node.metadata.labels["example.com/block"] = fmt::format("block-{:03}", i / kNodesPerRack / kRacksPerBlock);
      node.allocatable = {{"cpu", quantity("192")},
                          {"memory", quantity("2Ti")},
                          {"pods", quantity("110")},
                          {"nvidia.com/gpu", quantity("8")}};
      cluster_.add_node(node);
    }
    cluster::TopologySpec spec;
    spec.levels = {{"example.com/block", {}}, {"example.com/rack", {}}, {"kubernetes.io/hostname", {}}};
    cluster_.set_topology("default", spec);
  }

  /// Seconds that the turns took, and how many pods have no place.
  std::pair<double, std::size_t> run() {
    add_groups();
    const double seconds = bench::seconds_of({1, {}}, [this] { take_turns(); }).front();
    std::size_t unplaced = 0;
    for (const PodId pod : pods_) unplaced += cluster_.pod(pod).node.valid() ? 0 : 1;
    for (const PodId pod : pods_) {
      if (!cluster_.pod(pod).node.valid()) dispatcher_.withdraw(pod);
      cluster_.remove_pod(pod);
    }
    pods_.clear();
    dispatcher_.capacity_freed();
    return {seconds, unplaced};
  }

 private:
  void add_groups() {
    kube::Pod pod;
    pod.metadata.namespace_ = "default";
    if (!work_.level.empty()) pod.metadata.annotations[work_.annotation] = work_.level;
    for (std::size_t i = 0; i < work_.groups; ++i) {
      kube::PodGroup group;
      group.metadata.namespace_ = "default";
      group.metadata.name = fmt::format("gang-{}", i);
      group.policy.min_count = static_cast<std::int32_t>(work_.pods);
      cluster_.set_pod_group(group);
      auto spec = std::make_shared<kube::PodSpec>();
      spec->scheduler_name = "default-scheduler";
      spec->pod_group_name = group.metadata.name;
      spec->containers.emplace_back();
      spec->containers.back().resources.requests = {{"cpu", quantity("16")}, {"nvidia.com/gpu", quantity("1")}};
      pod.spec = std::move(spec);
      for (std::size_t k = 0; k < work_.pods; ++k) {
        pod.metadata.name = fmt::format("gang-{}-{}", i, k);
        pods_.push_back(cluster_.add_pod(pod));
        dispatcher_.add(pods_.back());
      }
    }
  }
  void take_turns() {
    while (const std::optional<engine::Unit> unit = dispatcher_.next()) {
      dispatcher_.take(*unit, placement::Detail::kDecision, turn_);
    }
  }

  Work work_;
  cluster::Cluster cluster_;
  engine::Dispatcher dispatcher_{
      cluster_, *placement::Scheduler::make(cluster_, engine::registry(), kube::SchedulerConfiguration{})};
  engine::Turn turn_;  // its memory is used again
  std::vector<PodId> pods_;
};

bench::Row measure(const Work& work) {
  Subject subject(work);
  subject.run();  // the tree is made, memory is there
  std::vector<double> seconds;
  std::size_t unplaced = 0;
  for (std::size_t i = 0; i < work.rounds; ++i) {
    const auto [took, left] = subject.run();
    seconds.push_back(took);
    unplaced = left;
  }
  std::ranges::sort(seconds);
  bench::Row row;
  row.workload = work.name;
  row.nodes = work.nodes;
  row.pods = work.groups * work.pods;
  row.seconds = seconds[seconds.size() / 2];
  row.pods_per_s = static_cast<double>(row.pods) / *row.seconds;
  row.unplaced = unplaced;
  return row;
}

}  // namespace

int main(int argc, char** argv) {
  std::string output = ".";
  std::string chosen;
  bool is_quick = false;
  CLI::App app("How long the turns of groups take");
  app.add_option("--output", output, "The folder for the results");
  app.add_option("--workload", chosen, "Only workloads with this in their name");
  app.add_flag("--quick", is_quick, "Measure each once, on little");
  CLI11_PARSE(app, argc, argv);

  const std::string required = "kueue.x-k8s.io/podset-required-topology";
  const std::string preferred = "kueue.x-k8s.io/podset-preferred-topology";
  std::vector<Work> works = {
      {"512 pods, preferred rack", 2500, 1, 512, preferred, "example.com/rack", 21},
      {"512 pods, no topology", 2500, 1, 512, {}, {}, 21},
      {"4096 pods, preferred rack", 10'000, 1, 4096, preferred, "example.com/rack", 11},
      {"1000 gangs of 8, required rack", 5000, 1000, 8, required, "example.com/rack", 3},
      {"1000 gangs of 8, no topology", 5000, 1000, 8, {}, {}, 3},
  };
  std::vector<bench::Row> rows;
  for (Work& work : works) {
    if (work.name.find(chosen) == std::string::npos) continue;
    if (is_quick) {
      work.nodes = 256;
      work.groups = std::min<std::size_t>(work.groups, 10);
      work.pods = std::min<std::size_t>(work.pods, 64);
      work.rounds = 1;
    }
    rows.push_back(measure(work));
  }
  fmt::print("{}", bench::format_table(rows));
  const auto written = bench::write_rows(output, "gang", rows);
  if (!written) {
    fmt::print(stderr, "bench: {}\n", written.error().message);
    return 1;
  }
  fmt::print("\n{}\n", written->string());
  return 0;
}
