#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "bench/queue/figures.h"
#include "bench/queue/generator.h"
#include "bench/queue/simulation.h"
#include "bench/results/process.h"
#include "bench/results/row.h"
#include "foundation/document/reader.h"
#include "foundation/document/writer.h"

// How fast Kueue's queues decide: the generators of Kueue's own performance test, in virtual time, beside the real
// Kueue's core. Each run has a process of its own, so that its peak of memory is its own.

namespace {

using namespace loadline;

constexpr std::string_view kNotes =
    "MEAN WAIT       virtual seconds from when a workload of the class came to its last admission\n"
    "BATCH           so long after something became free what was inadmissible is tried again; Kueue's is 1000 ms\n"
    "PER CPU SECOND  admissions over the processor time of the whole run: arrivals, rounds, evictions, ends\n";
constexpr std::string_view kPeerNotes =
    "Kueue           its real scheduler, queues, caches and event handlers in process, with an API server that "
    "answers\n"
    "                at once; it also writes the objects' statuses. It is stopped after {:.0f} s of processor time\n";
constexpr std::string_view kNoPeer = "The real Kueue was not measured.\n";

struct RunArguments {
  std::string file;
  std::int64_t batch_ms = 1000;
  bool is_quick = false;
};

struct SuiteArguments {
  std::string generator;
  std::string peer;
  bool no_peer = false;
  bool is_quick = false;
  std::size_t repetitions = 3;
  double peer_seconds = 60;
  std::string output = ".";
};

int complain(const Error& error) {
  fmt::print(stderr, "bench: {}\n", error.message);
  return 1;
}

int run(const RunArguments& arguments) {
  Result<bench::Generator> generator = bench::read_generator(arguments.file);
  if (!generator) return complain(generator.error());
  if (arguments.is_quick) generator->shrink();
  const bench::QueueFigures figures = bench::simulate_queues(*generator, Duration{arguments.batch_ms * 1'000'000});
  fmt::print("{}\n", document::write_json(bench::to_value(figures)));
  return 0;
}

/// Runs the measurements one after the other.
class Suite {
 public:
  Suite(const SuiteArguments& arguments, std::string program) : arguments_(arguments), program_(std::move(program)) {}

  [[nodiscard]] Result<bench::QueueComparison> measure(const std::string& file, std::int64_t batch_ms) const {
    const std::string name = std::filesystem::path(file).stem().string();
    std::vector<bench::QueueFigures> runs;
    for (std::size_t i = 0; i < arguments_.repetitions; ++i) {
      fmt::print(stderr, "measuring {}, batch {} ms ({} of {})\n", name, batch_ms, i + 1, arguments_.repetitions);
      std::vector<std::string> command = {program_, "run", file, "--batch-ms", std::to_string(batch_ms)};
      if (arguments_.is_quick) command.emplace_back("--quick");
      Result<bench::QueueFigures> figures = figures_of(command);
      if (!figures) return tl::unexpected(figures.error());
      runs.push_back(std::move(*figures));
    }
    std::ranges::sort(runs, {}, &bench::QueueFigures::cpu_s);
    bench::QueueComparison comparison{runs[runs.size() / 2], std::nullopt};
    if (arguments_.no_peer || arguments_.peer.empty()) return comparison;
    fmt::print(stderr, "measuring {}, batch {} ms, Kueue\n", name, batch_ms);
    std::vector<std::string> command = {arguments_.peer, "-batch-ms", std::to_string(batch_ms), "-seconds",
                                        fmt::format("{}", arguments_.peer_seconds)};
    if (arguments_.is_quick) command.emplace_back("-quick");
    command.push_back(file);
    Result<bench::QueueFigures> peer = figures_of(command);
    if (!peer) return tl::unexpected(peer.error());
    if (peer->workloads != comparison.ours.workloads || peer->queues != comparison.ours.queues) {
      return failure(fmt::format("{}: the real Kueue had {} workloads in {} queues, not {} in {}", name,
                                 peer->workloads, peer->queues, comparison.ours.workloads, comparison.ours.queues));
    }
    comparison.peer = std::move(*peer);
    return comparison;
  }

 private:
  static Result<bench::QueueFigures> figures_of(const std::vector<std::string>& command) {
    const Result<std::string> output = bench::run_program(command);
    if (!output) return tl::unexpected(output.error());
    const document::Reading reading = document::read_json(*output, command.front());
    if (has_errors(reading.problems)) return failure(reading.problems.front().to_string());
    if (reading.documents.size() != 1) return failure(command.front() + " did not print one result");
    return bench::queue_figures_from(reading.documents.front());
  }

  const SuiteArguments& arguments_;
  std::string program_;
};

int run_suite(const SuiteArguments& arguments, const std::string& program) {
  const Suite suite(arguments, program);
  std::vector<bench::QueueComparison> comparisons;
  for (const std::string name : {"baseline", "large"}) {
    if (name.find(arguments.generator) == std::string::npos) continue;
    for (const std::int64_t batch_ms : {1000, 0}) {
      const std::string file = fmt::format(LOADLINE_SOURCE_DIR "/bench/queue/{}.yaml", name);
      Result<bench::QueueComparison> comparison = suite.measure(file, batch_ms);
      if (!comparison) return complain(comparison.error());
      comparisons.push_back(std::move(*comparison));
    }
  }
  fmt::print("{}\n{}", bench::format_queue_table(comparisons), kNotes);
  if (arguments.no_peer || arguments.peer.empty()) {
    fmt::print("{}", kNoPeer);
  } else {
    fmt::print(kPeerNotes, arguments.peer_seconds);
  }
  const auto written = bench::write_results(arguments.output, "queue", bench::to_value(comparisons));
  if (!written) return complain(written.error());
  fmt::print("\n{}\n", written->string());
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("Measures how fast Kueue's queues decide");
  SuiteArguments suite;
  app.add_option("--generator", suite.generator, "Only generators with this in their name");
  app.add_option("--peer", suite.peer, "The program that measures the real Kueue");
  app.add_option("--peer-seconds", suite.peer_seconds, "How much processor time it may take for each run");
  app.add_flag("--no-peer", suite.no_peer, "Do not measure the real Kueue");
  app.add_flag("--quick", suite.is_quick, "A tenth of the workloads");
  app.add_option("--repetitions", suite.repetitions, "Runs of each; the median is reported")
      ->check(CLI::Range(1, 1000));
  app.add_option("--output", suite.output, "The folder for the results");

  RunArguments arguments;
  CLI::App* run_command = app.add_subcommand("run", "Run one generator and print its figures as JSON");
  run_command->add_option("generator", arguments.file)->required();
  run_command->add_option("--batch-ms", arguments.batch_ms)->check(CLI::Range(0, 1'000'000));
  run_command->add_flag("--quick", arguments.is_quick);
  CLI11_PARSE(app, argc, argv);
  return run_command->parsed() ? run(arguments) : run_suite(suite, argv[0]);
}
