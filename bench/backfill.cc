#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "bench/results/comparison.h"
#include "bench/results/row.h"
#include "brain/capacity/node_template.h"
#include "brain/capacity/node_template_text.h"
#include "brain/gang/switches.h"
#include "hosts/replay/replay.h"
#include "hosts/trace/generator.h"
#include "objects/kube/core/node.h"

// What backfill with planned starts does to who waits how long, beside letting whoever fits skip ahead: the same
// generated works, replayed in virtual time under each, with exact estimates and with people's. No clock is read: the
// figures are those of the decisions.

namespace {

using namespace loadline;

constexpr std::int64_t kLargeGpus = 64;

struct Setting {
  std::size_t jobs = 10'000;
  std::size_t nodes = 256;
  double load = 0.95;
  bool has_priorities = false;
};

/// What is compared.
struct Figures {
  double large_wait = 0;  ///< mean seconds, of works of kLargeGpus and more
  double all_wait = 0;
  double used = 0;  ///< share of the GPUs, from the first arrival to the last
  double promised = 0;
  double kept = 0;
  double worst_delay = 0;  ///< seconds; of planned starts
  double mean_error = 0;
};

std::int64_t gpus_of(const trace::Work& work) {
  std::int64_t gpus = 0;
  for (const trace::PodsAlike& alike : work.pods) {
    const auto requests = alike.pod->spec->containers.front().resources.requests;
    const auto found = requests.find("nvidia.com/gpu");
    if (found != requests.end()) gpus += found->second.value() * static_cast<std::int64_t>(alike.count);
  }
  return gpus;
}

/// Adds up how long large works wait, and how full the cluster is while works still arrive.
class Waits final : public replay::Observer {
 public:
  void happened(const replay::Event& event) override {
    if (event.kind == replay::EventKind::kArrived) last_arrival_ = event.at;
    if (event.kind != replay::EventKind::kStarted || gpus_of(*event.work) < kLargeGpus) return;
    sum_ += static_cast<double>((event.at - event.work->arrives).nanoseconds) / 1e9;
    ++count_;
  }
  void sampled(const replay::Sample& sample) override { samples_.emplace_back(sample.at, sample.gpus_used); }

  [[nodiscard]] double mean_wait() const { return count_ > 0 ? sum_ / static_cast<double>(count_) : 0; }
  /// Mean of the samples up to the last arrival: what drains later is the trace's end, and no one's merit.
  [[nodiscard]] double used() const {
    double sum = 0;
    std::size_t count = 0;
    for (const auto& [at, share] : samples_) {
      if (at > last_arrival_) break;
      sum += share;
      ++count;
    }
    return count > 0 ? sum / static_cast<double>(count) : 0;
  }

 private:
  double sum_ = 0;
  std::size_t count_ = 0;
  Duration last_arrival_;
  std::vector<std::pair<Duration, double>> samples_;
};

std::optional<Figures> replayed(const kube::Objects& cluster, const Setting& setting, trace::Estimates estimates,
                                gang::Backfill backfill, std::uint64_t seed) {
  trace::GeneratorOptions options;
  options.seed = seed;
  options.jobs = setting.jobs;
  options.nodes = static_cast<std::int64_t>(setting.nodes);
  options.load = setting.load;
  options.estimates = estimates;
  options.has_priorities = setting.has_priorities;
  Result<std::unique_ptr<trace::WorkSource>> source = trace::generate(options);
  if (!source) return std::nullopt;
  replay::ReplayOptions of_replay;
  of_replay.policy.gang.backfill = backfill;
  of_replay.sample_every = Duration::seconds(600);
  Waits waits;
  const Result<replay::Summary> summary = replay::replay(cluster, {}, **source, of_replay, waits);
  if (!summary || summary->all.pending_at_end > 0) return std::nullopt;
  return Figures{waits.mean_wait(),
                 summary->all.waiting.mean,
                 waits.used(),
                 static_cast<double>(summary->promises.settled),
                 static_cast<double>(summary->promises.kept),
                 std::max(summary->promises.error.max, 0.0),
                 summary->promises.error.mean};
}

/// The mean of the seeds, of all figures but the worst delay.
std::optional<Figures> mean_of(const kube::Objects& cluster, const Setting& setting, trace::Estimates estimates,
                               gang::Backfill backfill, std::size_t seeds, std::size_t threads) {
  std::vector<std::optional<Figures>> all(seeds);
  std::vector<std::jthread> workers;
  for (std::size_t worker = 0; worker < threads; ++worker) {
    workers.emplace_back([&, worker] {
      for (std::size_t i = worker; i < seeds; i += threads) {
        all[i] = replayed(cluster, setting, estimates, backfill, i + 1);
      }
    });
  }
  workers.clear();
  Figures sum;
  for (const std::optional<Figures>& each : all) {
    if (!each) return std::nullopt;
    sum.large_wait += each->large_wait;
    sum.all_wait += each->all_wait;
    sum.used += each->used;
    sum.promised += each->promised;
    sum.kept += each->kept;
    sum.worst_delay = std::max(sum.worst_delay, each->worst_delay);
    sum.mean_error += each->mean_error;
  }
  const auto count = static_cast<double>(seeds);
  sum.large_wait /= count;
  sum.all_wait /= count;
  sum.used /= count;
  sum.mean_error /= count;
  return sum;
}

void add(bench::Comparison& comparison, const std::string& estimates, const std::vector<Figures>& of, bool is_exact) {
  const auto row = [&](const char* name, const char* unit, bool is_less, double Figures::* figure, double factor) {
    bench::Figure line{fmt::format("{}, {} estimates", name, estimates), unit, is_less, {}, {}};
    for (const Figures& figures : of) line.values.emplace_back(factor * figures.*figure);
    comparison.figures.push_back(std::move(line));
  };
  constexpr double kPercent = 100;
  row("wait of 64 GPUs and more", "s", true, &Figures::large_wait, 1);
  if (is_exact) comparison.figures.back().ratio_bar = 2;
  row("wait of all works", "s", true, &Figures::all_wait, 1);
  row("GPUs in use", "%", false, &Figures::used, kPercent);
  comparison.figures.back().bar = kPercent * of.back().used - 2;
  row("planned starts", "", false, &Figures::promised, 1);
  row("planned starts kept", "", false, &Figures::kept, 1);
  if (is_exact) comparison.figures.back().bar = of.front().promised;
  row("latest after its planned start", "s", true, &Figures::worst_delay, 1);
  row("mean error of planned starts", "s", true, &Figures::mean_error, 1);
}

}  // namespace

int main(int argc, char** argv) {
  std::string output = ".";
  Setting setting;
  std::size_t seeds = 20;
  std::size_t threads = std::max(1U, std::thread::hardware_concurrency());
  CLI::App app("What backfill with planned starts does to who waits how long");
  app.add_option("--output", output, "The folder for the results");
  app.add_option("--seeds", seeds, "So many traces, means are reported")->check(CLI::Range(1, 1000));
  app.add_option("--jobs", setting.jobs, "How many jobs a trace has")->check(CLI::Range(10, 10'000'000));
  app.add_option("--nodes", setting.nodes, "How many nodes of eight GPUs")->check(CLI::Range(1, 100'000));
  app.add_option("--load", setting.load, "GPU time asked for, of what there is")->check(CLI::Range(0.01, 2.0));
  app.add_option("--threads", threads, "Seeds at one time")->check(CLI::Range(1, 1000));
  app.add_flag("--priorities", setting.has_priorities, "Jobs have priorities, and preempt");
  bool has_conservative = false;
  app.add_flag("--conservative", has_conservative, "Conservative backfill as well");
  bool is_quick = false;
  app.add_flag("--quick", is_quick, "Few jobs of few seeds");
  CLI11_PARSE(app, argc, argv);
  if (is_quick) {
    seeds = 2;
    setting.jobs = 1000;
  }
  kube::Objects cluster;
  const std::vector<capacity::NodeTemplate> templates = {
      *capacity::parse_node_template(fmt::format("{}:gpu=a100:8,cpu=192,memory=2Ti", setting.nodes))};
  cluster.of<kube::Node>() = *capacity::make_nodes(templates, {}, {});

  std::vector<std::pair<std::string, gang::Backfill>> ways = {{"easy", gang::Backfill::kEasy}};
  if (has_conservative) ways.emplace_back("conservative", gang::Backfill::kConservative);
  ways.emplace_back("skip ahead", gang::Backfill::kSkipAhead);
  bench::Comparison comparison;
  for (std::size_t i = 0; i < ways.size(); ++i) {
    comparison.subjects.push_back(ways[i].first);
    if (i + 1 < ways.size()) comparison.pairs.push_back({i, ways.size() - 1});
  }
  for (const trace::Estimates estimates : {trace::Estimates::kExact, trace::Estimates::kModal}) {
    const bool is_exact = estimates == trace::Estimates::kExact;
    std::vector<Figures> of;
    for (const auto& [name, backfill] : ways) {
      const std::optional<Figures> figures = mean_of(cluster, setting, estimates, backfill, seeds, threads);
      if (!figures) {
        fmt::print(stderr, "bench: a replay failed, or left works pending\n");
        return 1;
      }
      of.push_back(*figures);
    }
    add(comparison, is_exact ? "exact" : "modal", of, is_exact);
  }
  fmt::print("{}\n{} seeds, {} jobs on {} nodes of 8 GPUs, load {}{}\n", bench::format_comparison(comparison), seeds,
             setting.jobs, setting.nodes, setting.load, setting.has_priorities ? ", with priorities" : "");
  const auto written = bench::write_results(output, "backfill", bench::to_value(comparison));
  if (!written) {
    fmt::print(stderr, "bench: {}\n", written.error().message);
    return 1;
  }
  fmt::print("\n{}\n", written->string());
  return 0;
}
