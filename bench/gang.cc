#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "bench/results/comparison.h"
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
  Subject(std::size_t nodes, gang::Backfill backfill) {
    gang::Switches switches;
    switches.backfill = backfill;
    dispatcher_.set_switches(switches);
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
    while (const std::optional<decision::Unit> unit = dispatcher_.next()) {
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
  decision::Turn turn_;  // its memory is used again
  std::vector<PodId> pods_;
  std::size_t gangs_ = 0;
};

struct Work {
  std::string name;
  std::size_t nodes = 0;
  std::size_t gangs = 1;  ///< that arrive
  Gang gang;
  std::size_t rounds = 5;
  std::size_t running_gangs = 0;       ///< of 8 pods, whole nodes, that were there before
  bool is_for_every_backfill = false;  ///< measured under each kind; else under the recommended one
};

/// The rounds of a work, which may take turns with those of others.
class Rounds {
 public:
  Rounds(const Work& work, gang::Backfill backfill) : work_(work), subject_(work.nodes, backfill) {
    for (std::size_t i = 0; i < work.running_gangs; ++i) subject_.add({{{8, 1, 16}}, 0, {}});
    subject_.take_turns();
    subject_.settle(1);
    run();  // in the first one trees are made, and memory
    seconds_.clear();
  }

  void run() {
    row_.pods = 0;
    for (std::size_t i = 0; i < work_.gangs; ++i) row_.pods += subject_.add(work_.gang);
    seconds_.push_back(bench::seconds_of({1, {}}, [&] { subject_.take_turns(); }).front());
    row_.unplaced = subject_.unplaced();
    subject_.clear();
  }

  [[nodiscard]] const std::vector<double>& seconds() const { return seconds_; }
  [[nodiscard]] bench::Row row(std::string mode = {}) const {
    bench::Row row = row_;
    row.workload = work_.name;
    row.mode = std::move(mode);
    row.nodes = work_.nodes;
    row.seconds = bench::median(seconds_);
    row.pods_per_s = static_cast<double>(row.pods) / *row.seconds;
    return row;
  }

 private:
  Work work_;
  Subject subject_;
  std::vector<double> seconds_;
  bench::Row row_;
};

bench::Row measure(const Work& work) {
  Rounds rounds(work, gang::Backfill::kEasy);
  for (std::size_t i = 0; i < work.rounds; ++i) rounds.run();
  return rounds.row();
}

/// The same under each kind of backfill, a round of each in turn, so that what else the machine does hits all alike.
/// Adds a sentence to `notes`: how many times as long as with the first each takes.
std::vector<bench::Row> measure_backfill(const Work& work, std::vector<std::string>& notes) {
  const std::pair<const char*, gang::Backfill> kinds[] = {{"easy", gang::Backfill::kEasy},
                                                          {"conservative", gang::Backfill::kConservative},
                                                          {"skip ahead", gang::Backfill::kSkipAhead}};
  std::vector<std::unique_ptr<Rounds>> all;
  for (const auto& [name, backfill] : kinds) all.push_back(std::make_unique<Rounds>(work, backfill));
  for (std::size_t i = 0; i < work.rounds; ++i) {
    for (const std::unique_ptr<Rounds>& each : all) each->run();
  }
  std::vector<bench::Row> rows;
  for (std::size_t i = 0; i < all.size(); ++i) {
    rows.push_back(all[i]->row(kinds[i].first));
    if (i == 0) continue;
    std::vector<double> ratios;
    for (std::size_t round = 0; round < work.rounds; ++round) {
      ratios.push_back(all[i]->seconds()[round] / all[0]->seconds()[round]);
    }
    notes.push_back(fmt::format("{}: {} takes {:.2f} times as long as {} (median of {} rounds)", work.name,
                                kinds[i].first, *bench::median(ratios), kinds[0].first, work.rounds));
  }
  return rows;
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
      {"gang of 16 whole nodes preempts in a required rack, 700 run", 700, 1, {{{16, 8, 16}}, 100, required}, 11, 700},
      {"the same, 5000 run", 5000, 1, {{{16, 8, 16}}, 100, required}, 5, 5000},
      {"10000 gangs wait in line", 256, 10'000, {{{8, 1, 16}}, 0, {}}, 5, 256, true},
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
  std::vector<std::string> notes;
  for (Work work : works()) {
    if (work.name.find(chosen) == std::string::npos) continue;
    if (is_quick) make_small(work);
    const std::vector<bench::Row> more =
        work.is_for_every_backfill ? measure_backfill(work, notes) : std::vector{measure(work)};
    rows.insert(rows.end(), more.begin(), more.end());
  }
  fmt::print("{}", bench::format_table(rows));
  for (const std::string& note : notes) fmt::print("{}\n", note);
  const auto written = bench::write_rows(output, "gang", rows);
  if (!written) {
    fmt::print(stderr, "bench: {}\n", written.error().message);
    return 1;
  }
  fmt::print("\n{}\n", written->string());
  return 0;
}
