#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "bench/results/row.h"
#include "bench/results/timing.h"
#include "brain/engine/dispatcher.h"
#include "brain/engine/registry.h"
#include "objects/kube/core/node.h"
#include "objects/kube/core/pod.h"

// How long groups' turns take: near each other, by a search, at the expense of others, in a line of ten thousand. What
// is measured begins with pods that the model knows, and ends when nobody has a turn any more.

namespace {

using namespace loadline;
using cluster::NodeId;
using cluster::PodId;

constexpr std::size_t kNodesPerRack = 32;
constexpr std::size_t kRacksPerBlock = 8;
constexpr Instant kStart = Instant{} + Duration::seconds(1'000'000);

kube::Quantity quantity(const std::string& text) { return kube::Quantity::parse(text).value(); }

/// Pods of a gang that are alike.
struct Members {
  std::size_t count = 8;
  int gpus = 1;
  int cpus = 16;
};

struct Gang {
  std::vector<Members> members;
  std::int32_t priority = 0;
  std::pair<std::string, std::string> annotation;  ///< no name: none
};

/// Nodes of 8 GPUs in racks and blocks, and a dispatcher.
class Subject {
 public:
  explicit Subject(std::size_t nodes) {
    for (std::size_t i = 0; i < nodes; ++i) {
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
    dispatcher_.set_now(kStart);
  }

  /// Its pods wait. Returns how many they are.
  std::size_t add(const Gang& gang) {
    kube::PodGroup group;
    group.metadata.namespace_ = "default";
    group.metadata.name = fmt::format("gang-{}", gangs_++);
    std::size_t pods = 0;
    for (const Members& members : gang.members) pods += members.count;
    group.policy.min_count = static_cast<std::int32_t>(pods);
    cluster_.set_pod_group(group);
    std::size_t number = 0;
    for (const Members& members : gang.members) {
      kube::Pod pod = pod_of(gang, members, group.metadata.name);
      for (std::size_t i = 0; i < members.count; ++i) {
        pod.metadata.name = fmt::format("{}-{}", group.metadata.name, number++);
        pods_.push_back(cluster_.add_pod(pod));
        dispatcher_.add(pods_.back());
      }
    }
    return pods;
  }

  void take_turns() {
    while (const std::optional<engine::Unit> unit = dispatcher_.next()) {
      dispatcher_.take(*unit, placement::Detail::kDecision, turn_);
    }
  }

  /// What has its place now stays for good, and is expected to end: one after another, `apart` seconds apart.
  void settle(std::int64_t apart) {
    std::int64_t seconds = 3600;
    for (const PodId pod : pods_) {
      cluster_.set_started(pod, kStart);
      cluster_.set_expected_run(pod, Duration::seconds(seconds));
      seconds += apart;
    }
    pods_.clear();
  }

  [[nodiscard]] std::size_t unplaced() const {
    std::size_t count = 0;
    for (const PodId pod : pods_) count += cluster_.pod(pod).node.valid() ? 0 : 1;
    return count;
  }

  /// All that is not settled goes.
  void clear() {
    for (const PodId pod : pods_) {
      if (!cluster_.pod(pod).node.valid()) dispatcher_.withdraw(pod);
      cluster_.remove_pod(pod);
    }
    pods_.clear();
    dispatcher_.capacity_freed();
  }

 private:
  static kube::Pod pod_of(const Gang& gang, const Members& members, const std::string& group) {
    kube::Pod pod;
    pod.metadata.namespace_ = "default";
    if (!gang.annotation.first.empty()) pod.metadata.annotations[gang.annotation.first] = gang.annotation.second;
    auto spec = std::make_shared<kube::PodSpec>();
    spec->scheduler_name = "default-scheduler";
    spec->pod_group_name = group;
    spec->priority = gang.priority;
    spec->containers.emplace_back();
    spec->containers.back().resources.requests = {{"cpu", quantity(std::to_string(members.cpus))},
                                                  {"nvidia.com/gpu", quantity(std::to_string(members.gpus))}};
    pod.spec = std::move(spec);
    return pod;
  }

  cluster::Cluster cluster_;
  engine::Dispatcher dispatcher_{
      cluster_, *placement::Scheduler::make(cluster_, engine::registry(), kube::SchedulerConfiguration{})};
  engine::Turn turn_;  // its memory is used again
  std::vector<PodId> pods_;
  std::size_t gangs_ = 0;
};

struct Work {
  std::string name;
  std::size_t nodes = 0;
  std::size_t gangs = 1;  ///< that arrive
  Gang gang;
  std::size_t rounds = 5;
  std::size_t running_gangs = 0;  ///< of 8 pods, whole nodes, that were there before
};

bench::Row measure(const Work& work) {
  Subject subject(work.nodes);
  for (std::size_t i = 0; i < work.running_gangs; ++i) subject.add({{{8, 1, 16}}, 0, {}});
  subject.take_turns();
  subject.settle(1);
  std::vector<double> seconds;
  bench::Row row;
  for (std::size_t round = 0; round <= work.rounds; ++round) {
    row.pods = 0;
    for (std::size_t i = 0; i < work.gangs; ++i) row.pods += subject.add(work.gang);
    const double took = bench::seconds_of({1, {}}, [&] { subject.take_turns(); }).front();
    if (round > 0) seconds.push_back(took);  // in the first one trees are made, and memory
    row.unplaced = subject.unplaced();
    subject.clear();
  }
  std::ranges::sort(seconds);
  row.workload = work.name;
  row.nodes = work.nodes;
  row.seconds = seconds[seconds.size() / 2];
  row.pods_per_s = static_cast<double>(row.pods) / *row.seconds;
  return row;
}

std::vector<Work> works() {
  const std::pair<std::string, std::string> required = {"kueue.x-k8s.io/podset-required-topology", "example.com/rack"};
  const std::pair<std::string, std::string> preferred = {"kueue.x-k8s.io/podset-preferred-topology",
                                                         "example.com/rack"};
  return {
      {"512 pods, preferred rack", 2500, 1, {{{512}}, 0, preferred}, 21},
      {"512 pods, no topology", 2500, 1, {{{512}}, 0, {}}, 21},
      {"4096 pods, preferred rack", 10'000, 1, {{{4096}}, 0, preferred}, 11},
      {"4096 pods, no topology", 10'000, 1, {{{4096}}, 0, {}}, 11},
      {"1000 gangs of 8, required rack", 5000, 1000, {{{8}}, 0, required}, 3},
      {"1000 gangs of 8, no topology", 5000, 1000, {{{8}}, 0, {}}, 3},
      {"128 of 4 GPUs, then 64 of 8: searched", 128, 1, {{{128, 4, 8}, {64, 8, 8}}, 0, {}}, 11},
      {"64 of 3, 64 of 5, 32 of 8 GPUs: searched", 96, 1, {{{64, 3, 40}, {64, 5, 60}, {32, 8, 8}}, 0, {}}, 11},
      {"gang of 64 preempts, 700 gangs run", 700, 1, {{{64, 1, 16}}, 100, {}}, 11, 700},
      {"gang of 64 whole nodes preempts, 700 run", 700, 1, {{{64, 8, 16}}, 100, {}}, 11, 700},
      {"10000 gangs wait in line", 256, 10'000, {{{8, 1, 16}}, 0, {}}, 3, 256},
  };
}

/// Small enough to be run as a test.
void make_small(Work& work) {
  const bool is_full = work.running_gangs > 0;
  const std::size_t nodes = is_full ? 32 : std::min<std::size_t>(work.nodes, 256);
  work.nodes = nodes;
  work.running_gangs = is_full ? nodes : 0;
  work.gangs = std::min<std::size_t>(work.gangs, 10);
  for (Members& members : work.gang.members) members.count = std::min<std::size_t>(members.count, is_full ? 8 : 64);
  work.rounds = 1;
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

  std::vector<bench::Row> rows;
  for (Work work : works()) {
    if (work.name.find(chosen) == std::string::npos) continue;
    if (is_quick) make_small(work);
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
