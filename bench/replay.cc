#include "hosts/replay/replay.h"

#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <functional>
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
#include "hosts/replay/sweep.h"
#include "hosts/trace/generator.h"
#include "hosts/trace/openb.h"
#include "objects/kube/core/node.h"

// How long replays of traces take, and how much memory: openb with its own times; generated jobs on 1,000 and 10,000
// nodes; a sweep on all cores. Beside each stands what it costs to read the works alone: no replay can be faster. Each
// measurement is a process of its own, so that memory is its own, too.

namespace {

using namespace loadline;
using Task = std::function<bool()>;

struct Cost {
  double seconds = 0;
  double processor_seconds = 0;
  double peak_mb = 0;
};

double seconds_of(const timeval& time) {
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
}

/// Runs the task in a child process. Nothing: it failed.
std::optional<Cost> cost_of(const Task& task) {
  const auto start = std::chrono::steady_clock::now();
  const pid_t child = fork();
  if (child == 0) _exit(task() ? 0 : 1);
  int status = 0;
  rusage usage{};
  if (child < 0 || wait4(child, &status, 0, &usage) != child || status != 0) return std::nullopt;
  constexpr double kKilobytesOfMegabyte = 1024;
  return Cost{std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count(),
              seconds_of(usage.ru_utime) + seconds_of(usage.ru_stime),
              static_cast<double>(usage.ru_maxrss) / kKilobytesOfMegabyte};
}

/// The medians of so many runs.
std::optional<Cost> median_cost(const Task& task, std::size_t rounds) {
  std::vector<double> seconds;
  std::vector<double> processor;
  std::vector<double> memory;
  for (std::size_t round = 0; round < rounds; ++round) {
    const std::optional<Cost> cost = cost_of(task);
    if (!cost) return std::nullopt;
    seconds.push_back(cost->seconds);
    processor.push_back(cost->processor_seconds);
    memory.push_back(cost->peak_mb);
  }
  return Cost{*bench::median(seconds), *bench::median(processor), *bench::median(memory)};
}

using OpenSource = std::function<Result<std::unique_ptr<trace::WorkSource>>()>;

bool read_works(const OpenSource& open) {
  const Result<std::unique_ptr<trace::WorkSource>> source = open();
  if (!source) return false;
  while (true) {
    const Result<std::optional<trace::Work>> work = (*source)->next();
    if (!work) return false;
    if (!*work) return true;
  }
}

bool replay_works(const kube::Objects& cluster, const OpenSource& open) {
  const Result<std::unique_ptr<trace::WorkSource>> source = open();
  if (!source) return false;
  replay::Observer none;
  const Result<replay::Summary> summary = replay::replay(cluster, {}, **source, {}, none);
  return summary && summary->all.pending_at_end == 0;
}

kube::Objects machines(std::size_t count) {
  kube::Objects objects;
  const std::vector<capacity::NodeTemplate> templates = {
      *capacity::parse_node_template(fmt::format("{}:gpu=a100:8,cpu=192,memory=2Ti", count))};
  objects.of<kube::Node>() = *capacity::make_nodes(templates, {}, {});
  return objects;
}

/// What is measured, and what it may cost.
struct Subject {
  std::string name;
  Task replay;
  Task reading;
  std::optional<double> most_seconds;
  std::optional<double> most_mb;
};

Subject generated(std::size_t jobs, std::size_t nodes, std::optional<double> most_seconds,
                  std::optional<double> most_mb) {
  trace::GeneratorOptions options;
  options.jobs = jobs;
  options.nodes = static_cast<std::int64_t>(nodes);
  options.load = 0.8;
  const OpenSource open = [options] { return trace::generate(options); };
  return {fmt::format("{} jobs on {} nodes", jobs, nodes), [=] { return replay_works(machines(nodes), open); },
          [=] { return read_works(open); }, most_seconds, most_mb};
}

std::optional<Subject> openb(const std::string& folder) {
  const std::string pods = folder + "/openb_pod_list_default.csv";
  const std::string nodes = folder + "/openb_node_list_all_node.csv";
  if (!std::filesystem::exists(pods) || !std::filesystem::exists(nodes)) return std::nullopt;
  const OpenSource open = [pods] { return trace::open_openb(pods); };
  const Task replay = [=] {
    Result<std::vector<kube::Node>> list = trace::read_openb_nodes(nodes);
    if (!list) return false;
    kube::Objects cluster;
    cluster.of<kube::Node>() = *std::move(list);
    return replay_works(cluster, open);
  };
  return Subject{"openb with its times", replay, [=] { return read_works(open); }, 2, 150};
}

/// Adds the figures of a subject; false: it failed.
bool add_figures(const Subject& subject, std::size_t rounds, bench::Comparison& comparison) {
  const std::optional<Cost> replay = median_cost(subject.replay, rounds);
  const std::optional<Cost> reading = median_cost(subject.reading, rounds);
  if (!replay || !reading) return false;
  comparison.figures.push_back({subject.name, "s", true, {replay->seconds, reading->seconds}, subject.most_seconds});
  comparison.figures.push_back(
      {subject.name + ", memory", "MB", true, {replay->peak_mb, reading->peak_mb}, subject.most_mb});
  return true;
}

bool sweep_works(std::size_t jobs, std::size_t runs, std::size_t threads) {
  std::vector<replay::Variant> variants;
  for (const std::size_t nodes : {28, 30, 32, 36}) {
    variants.push_back(
        {fmt::format("nodes={}", nodes), std::make_shared<const kube::Objects>(machines(nodes)), {}, {}});
  }
  replay::SweepOptions options;
  options.runs = runs / variants.size();
  options.threads = threads;
  const replay::OpenWorks open = [jobs](const replay::Variant&, std::uint64_t seed) {
    trace::GeneratorOptions of_run;
    of_run.seed = seed;
    of_run.jobs = jobs;
    of_run.nodes = 32;
    of_run.max_gpus = 128;
    return trace::generate(of_run);
  };
  return replay::sweep(variants, open, options, {}).has_value();
}

/// How much of all cores a sweep uses.
bool add_sweep(std::size_t jobs, std::size_t rounds, bench::Comparison& comparison) {
  constexpr std::size_t kRuns = 64;
  const std::size_t cores = std::max(1U, std::thread::hardware_concurrency());
  const std::optional<Cost> cost = median_cost([=] { return sweep_works(jobs, kRuns, cores); }, rounds);
  const std::optional<Cost> alone = median_cost([=] { return sweep_works(jobs, kRuns, 1); }, rounds);
  if (!cost || !alone) return false;
  const auto use = [](const Cost& of, std::size_t threads) {
    return 100 * of.processor_seconds / of.seconds / static_cast<double>(threads);
  };
  comparison.figures.push_back({fmt::format("sweep of {} runs of {} jobs, {} cores", kRuns, jobs, cores),
                                "s",
                                true,
                                {cost->seconds, alone->seconds / static_cast<double>(cores)},
                                {}});
  comparison.figures.push_back({"sweep, use of the cores", "%", false, {use(*cost, cores), use(*alone, 1)}, 90.0});
  return true;
}

int complain(const std::string& message) {
  fmt::print(stderr, "bench: {}\n", message);
  return 1;
}

}  // namespace

int main(int argc, char** argv) {
  std::string output = ".";
  std::size_t rounds = 3;
  std::size_t jobs = 1'000'000;
  const char* const named = std::getenv("LOADLINE_OPENB");
  std::string folder = named == nullptr ? "../shared/data/openb" : named;
  CLI::App app("How long replays of traces take");
  app.add_option("--output", output, "The folder for the results");
  app.add_option("--rounds", rounds, "Measure each so often; medians are reported")->check(CLI::Range(1, 100));
  app.add_option("--jobs", jobs, "How many jobs are generated")->check(CLI::Range(1000, 100'000'000));
  app.add_option("--openb", folder, "The folder with openb's lists");
  bool is_quick = false;
  app.add_flag("--quick", is_quick, "Measure each once, on little");
  CLI11_PARSE(app, argc, argv);
  if (is_quick) {
    rounds = 1;
    jobs = 2000;
  }

  bench::Comparison comparison{{"replay", "bound"}, {{0, 1}}, {}};
  const std::optional<Subject> trace = openb(folder);
  if (!trace) fmt::print("no openb trace in {}: left out\n", folder);
  if (trace && !add_figures(*trace, rounds, comparison)) return complain("openb cannot be replayed");
  const bool is_large = jobs >= 1'000'000;
  using Most = std::optional<double>;
  const Subject subjects[] = {generated(jobs, 1000, is_large ? Most(60) : Most(), is_large ? Most(1024) : Most()),
                              generated(jobs, 10'000, {}, {})};
  for (const Subject& subject : subjects) {
    if (!add_figures(subject, rounds, comparison)) return complain(subject.name + " cannot be replayed");
  }
  if (!add_sweep(std::max<std::size_t>(jobs / 100, 100), rounds, comparison)) return complain("the sweep failed");
  fmt::print("{}\nThe bound is reading the works alone; of the sweep, one thread's time divided by the cores.\n",
             bench::format_comparison(comparison));
  const auto written = bench::write_results(output, "replay", bench::to_value(comparison));
  if (!written) return complain(written.error().message);
  fmt::print("\n{}\n", written->string());
  return 0;
}
