#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <string>

#include "bench/placement/engine.h"
#include "bench/placement/gangs.h"
#include "bench/placement/host.h"
#include "bench/placement/million.h"
#include "bench/placement/suite.h"
#include "bench/placement/trial_nodes.h"
#include "bench/placement/workload.h"
#include "bench/results/process.h"
#include "bench/results/row.h"
#include "foundation/document/writer.h"

// How fast pods find their nodes: the workloads of kube-scheduler's own benchmark, scheduler_perf, and larger ones.
// Each run has a process of its own, so that its peak of memory is its own.

namespace {

using namespace loadline;

constexpr std::string_view kNotes =
    "PODS/S     measured pods placed, over all the time that they took\n"
    "P50, P99   of one decision: engine, each decision; host, the mean over each 256 decisions\n";
constexpr std::string_view kPeerNotes =
    "PEER       the real kube-scheduler in process, without an API server, with its default parallelism and feature\n"
    "           gates, scoring every node; its init pods start where the engine put them; over the pods that it\n"
    "           scheduled within {:.0f} s\n"
    "SAMPLING   the same with its default percentageOfNodesToScore\n"
    "RATIO      PODS/S over PEER PODS/S\n";
constexpr std::string_view kNoPeer = "The real scheduler was not measured.\n";

struct RunArguments {
  std::string source;
  std::string mode = "engine";
  std::size_t nodes = 0;
  double seconds = 1e6;
};

struct SuiteArguments {
  std::string workload;
  std::string peer;
  bool no_peer = false;
  std::size_t repetitions = 3;
  double peer_seconds = 20;
  std::string output = ".";
};

int complain(const Error& error) {
  fmt::print(stderr, "bench: {}\n", error.message);
  return 1;
}

Result<bench::Workload> find_workload(const RunArguments& arguments) {
  if (arguments.source == "million-by-template") return bench::million(false);
  if (arguments.source == "million-interleaved") return bench::million(true);
  Result<bench::Workload> workload = bench::read_workload(arguments.source);
  if (workload && arguments.nodes > 0) workload->nodes.front().count = arguments.nodes;
  return workload;
}

bench::Row row_of(const bench::Workload& workload, const std::string& mode, bench::Measurement measurement) {
  bench::Row row;
  row.workload = fmt::format("{}/{}", workload.name, workload.size);
  row.mode = mode;
  row.nodes = workload.node_count();
  row.pods = workload.measured_count();
  row.unplaced = measurement.unplaced;
  row.seconds = std::chrono::duration<double>(measurement.elapsed).count();
  row.pods_per_s = measurement.pods_per_second();
  row.p50_us = measurement.percentile_us(0.50);
  row.p99_us = measurement.percentile_us(0.99);
  row.peak_mb = bench::peak_megabytes();
  return row;
}

Result<bench::Measurement> measure(const bench::Workload& workload, const RunArguments& arguments) {
  if (arguments.mode == "host") return bench::measure_host(workload);
  bench::Engine engine(workload);
  const std::size_t unplaced = engine.fill();
  if (unplaced > 0) return failure(fmt::format("{} init pods fit nowhere", unplaced));
  return engine.measure(
      std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::duration<double>(arguments.seconds)));
}

int run(const RunArguments& arguments) {
  const Result<bench::Workload> workload = find_workload(arguments);
  if (!workload) return complain(workload.error());
  Result<bench::Measurement> measurement = measure(*workload, arguments);
  if (!measurement) return complain(measurement.error());
  const bench::Row row = row_of(*workload, arguments.mode, std::move(*measurement));
  fmt::print("{}\n", document::write_json(bench::to_value(row)));
  return 0;
}

int print_init_nodes(const RunArguments& arguments) {
  const Result<bench::Workload> workload = find_workload(arguments);
  if (!workload) return complain(workload.error());
  bench::Engine engine(*workload);
  engine.fill();
  for (const std::string& node : engine.nodes_of_init_pods()) fmt::print("{}\n", node);
  return 0;
}

constexpr std::size_t kGang = 512;

int run_gang(const RunArguments& arguments) {
  const Result<bench::Workload> workload = find_workload(arguments);
  if (!workload) return complain(workload.error());
  constexpr std::size_t kRounds = 31;
  fmt::print("{}", bench::format_gangs(bench::measure_gang(*workload, kGang, kRounds)));
  constexpr std::size_t kTrials = 1001;
  fmt::print("{}", bench::format_trial_node(bench::measure_trial_node(*workload, kTrials)));
  return 0;
}

int run_suite(const SuiteArguments& arguments, const std::string& program) {
  bench::SuiteOptions options;
  options.program = program;
  options.folder = LOADLINE_SOURCE_DIR "/bench/placement";
  if (!arguments.no_peer && !arguments.peer.empty()) options.peer = arguments.peer;
  options.workload = arguments.workload;
  options.repetitions = arguments.repetitions;
  options.peer_limit_s = arguments.peer_seconds;
  options.say = [](const std::string& what) { fmt::print(stderr, "measuring {}\n", what); };
  const Result<bench::SuiteRows> rows = bench::run_suite(options);
  if (!rows) return complain(rows.error());

  if (!rows->upstream.empty()) fmt::print("{}\n", bench::format_table(rows->upstream));
  if (!rows->scale.empty()) fmt::print("{}\n", bench::format_table(rows->scale));
  if (options.workload.empty()) {
    options.say("a group");
    RunArguments gang;
    gang.source = (options.folder / "workloads" / "basic-10k.yaml").string();
    if (const int status = run_gang(gang); status != 0) return status;
    fmt::print("\n");
  }
  fmt::print("{}", kNotes);
  if (options.peer) {
    fmt::print(kPeerNotes, options.peer_limit_s);
  } else {
    fmt::print("{}", kNoPeer);
  }
  std::vector<bench::Row> all = rows->upstream;
  all.insert(all.end(), rows->scale.begin(), rows->scale.end());
  const auto written = bench::write_rows(arguments.output, "placement", all);
  if (!written) return complain(written.error());
  fmt::print("\n{}\n", written->string());
  if (const std::string points = bench::curve(rows->scale); !points.empty()) {
    std::ofstream(std::filesystem::path(arguments.output) / "placement-scale.tsv") << points;
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("Measures how fast pods find their nodes");
  SuiteArguments suite;
  app.add_option("--workload", suite.workload, "Only workloads with this in their name");
  app.add_option("--peer", suite.peer, "The program that measures the real scheduler");
  app.add_option("--peer-seconds", suite.peer_seconds, "How long it may take for each workload");
  app.add_flag("--no-peer", suite.no_peer, "Do not measure the real scheduler");
  app.add_option("--repetitions", suite.repetitions, "Runs of each workload; the median is reported")
      ->check(CLI::Range(1, 1000));
  app.add_option("--output", suite.output, "The folder for the results");

  RunArguments arguments;
  CLI::App* run_command = app.add_subcommand("run", "Measure one workload and print its row as JSON");
  run_command->add_option("workload", arguments.source)->required();
  run_command->add_option("--mode", arguments.mode)->check(CLI::IsMember({"engine", "host"}));
  run_command->add_option("--nodes", arguments.nodes, "Size of the first group of nodes instead of the workload's");
  run_command->add_option("--seconds", arguments.seconds, "Stop measuring the engine after this time");
  CLI::App* gang_command = app.add_subcommand("gang", "Measure a group beside the same pods one by one");
  gang_command->add_option("workload", arguments.source)->required();
  gang_command->add_option("--nodes", arguments.nodes, "Size of the first group of nodes instead of the workload's");
  CLI::App* init_command = app.add_subcommand("init", "Print the nodes on which the engine puts the init pods");
  init_command->add_option("workload", arguments.source)->required();
  CLI11_PARSE(app, argc, argv);
  if (run_command->parsed()) return run(arguments);
  if (gang_command->parsed()) return run_gang(arguments);
  if (init_command->parsed()) return print_init_nodes(arguments);
  return run_suite(suite, argv[0]);
}
