#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <string>
#include <vector>

#include "bench/results/comparison.h"
#include "bench/results/row.h"
#include "bench/subjects/sheet.h"
#include "bench/subjects/subject.h"
#include "bench/up/measures.h"

// How fast a whole cluster is, as its users see it: `loadline up`, and the real control plane with machines that are
// not there either, in turn.

namespace {

using namespace loadline;

constexpr std::string_view kNotes =
    "DISK             loadline up --data-dir: an answer to a write means that it survives a crash\n"
    "MEMORY           loadline up --in-memory\n";
constexpr std::string_view kPeerNotes =
    "PEER             etcd, kube-apiserver, kube-controller-manager and kube-scheduler 1.36, their limits of requests\n"
    "                 lifted, and a client that makes bound pods Running; it sends no heartbeats and no events\n"
    "PEER NO FSYNC    the same with etcd --unsafe-no-fsync\n"
    "A x B            how many times better A does\n";
constexpr std::string_view kNoPeer = "The real control plane was not measured.\n";

struct Arguments {
  std::string output = ".";
  std::string only;
  std::string folder;
  bench::Programs programs;
  bool no_peer = false;
  bool quick = false;
  std::size_t rounds = 3;
  double churn = 0;  // pods a second; 0: what the measure's bar asks for
};

struct Measure {
  std::string_view name;
  Result<void> (*run)(const bench::Candidate&, const bench::UpSizes&, bench::Sheet&);
};

constexpr Measure kMeasures[] = {
    {"start", bench::measure_start}, {"deployments", bench::measure_deployments}, {"churn", bench::measure_churn}};

int complain(const Error& error) {
  fmt::print(stderr, "bench: {}\n", error.message);
  return 1;
}

std::vector<bench::Kind> kinds_of(const Arguments& arguments) {
  std::vector<bench::Kind> kinds;
  for (const bench::Kind kind : bench::kKinds) {
    if (!bench::is_peer(kind) || (!arguments.no_peer && !arguments.programs.kubernetes.empty())) kinds.push_back(kind);
  }
  return kinds;
}

/// Each measure of each cluster on a cluster of its own; the clusters take turns.
Result<void> run_round(const Arguments& arguments, const std::vector<bench::Kind>& kinds, bench::Sheet& sheet) {
  bench::UpSizes sizes = arguments.quick ? bench::UpSizes::quick() : bench::UpSizes{};
  if (arguments.churn > 0) sizes.churn.per_second = arguments.churn;
  for (const Measure& measure : kMeasures) {
    if (!arguments.only.empty() && arguments.only != measure.name) continue;
    for (const bench::Kind kind : kinds) {
      fmt::print(stderr, "measuring {} of {}\n", measure.name, bench::name_of(kind));
      const bench::Candidate candidate{kind, arguments.programs, arguments.folder};
      if (const Result<void> done = measure.run(candidate, sizes, sheet); !done) {
        return failure(fmt::format("{} of {}: {}", measure.name, bench::name_of(kind), done.error().message));
      }
    }
  }
  return {};
}

int run(const Arguments& arguments) {
  bench::raise_file_limit();
  const std::vector<bench::Kind> kinds = kinds_of(arguments);
  bench::Sheet sheet;
  for (std::size_t round = 0; round < arguments.rounds; ++round) {
    if (const Result<void> done = run_round(arguments, kinds, sheet); !done) return complain(done.error());
  }
  const bench::Comparison comparison = sheet.comparison(kinds);
  fmt::print("{}\n{}{}", bench::format_comparison(comparison), kNotes, kinds.size() > 2 ? kPeerNotes : kNoPeer);
  const auto written = bench::write_results(arguments.output, "up", bench::to_value(comparison));
  if (!written) return complain(written.error());
  fmt::print("\n{}\n", written->string());
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("Measures a whole cluster, beside the real one");
  Arguments arguments;
  app.add_option("--loadline", arguments.programs.loadline, "The program that is measured")->required();
  app.add_option("--peer", arguments.programs.kubernetes, "The real programs in one, from conformance/kubernetes");
  app.add_flag("--no-peer", arguments.no_peer, "Do not measure the real control plane");
  app.add_option("--rounds", arguments.rounds, "So many of everything; medians are reported")
      ->check(CLI::Range(1, 1000));
  app.add_flag("--quick", arguments.quick, "Little of everything: to see that it works");
  app.add_option("--measure", arguments.only, "Only this: start, deployments, churn");
  app.add_option("--churn", arguments.churn, "Pods a second that come and go, to find out how many it can be")
      ->check(CLI::Range(1.0, 1e6));
  app.add_option("--folder", arguments.folder, "Where clusters keep what is durable: a disk that means it");
  app.add_option("--output", arguments.output, "The folder for the results");
  CLI11_PARSE(app, argc, argv);
  if (arguments.folder.empty()) arguments.folder = (std::filesystem::path(arguments.output) / "clusters").string();
  return run(arguments);
}
