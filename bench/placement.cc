#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <string>

#include "bench/placement/engine.h"
#include "bench/placement/host.h"
#include "bench/placement/workload.h"
#include "document/writer.h"

// Measures scheduler_perf's workloads, each in a process of its own, against the real kube-scheduler.

namespace {

using namespace loadline;

struct RunArguments {
  std::string file;
  std::string mode = "engine";
  double seconds = 1e6;
};

int run_once(const RunArguments& arguments) {
  const Result<bench::Workload> workload = bench::read_workload(arguments.file);
  if (!workload) {
    fmt::print(stderr, "{}\n", workload.error().message);
    return 2;
  }
  bench::Engine engine(*workload);
  engine.fill();
  bench::Measurement m = engine.measure(
      std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::duration<double>(arguments.seconds)));
  fmt::print("{} {} placed {} unplaced {} {:.1f} pods/s p50 {} p99 {} peak {}\n", workload->name, workload->size,
             m.placed, m.unplaced, m.pods_per_second(), m.percentile_us(0.5).value_or(0),
             m.percentile_us(0.99).value_or(0), bench::peak_megabytes());
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("Placement benchmarks");
  RunArguments run;
  CLI::App* command = app.add_subcommand("run", "Measure one workload");
  command->add_option("file", run.file)->required();
  command->add_option("--seconds", run.seconds);
  CLI11_PARSE(app, argc, argv);
  return run_once(run);
}
