#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <string>
#include <vector>

#include "bench/results/comparison.h"
#include "bench/results/row.h"
#include "bench/server/measures.h"
#include "bench/subjects/sheet.h"
#include "bench/subjects/subject.h"

// How fast the API server is, as its clients see it: one load generator, over TLS, against `loadline up` and against
// the real kube-apiserver with etcd, in turn.

namespace {

using namespace loadline;

constexpr std::string_view kNotes =
    "DISK             loadline up --data-dir: an answer to a write means that it survives a crash\n"
    "MEMORY           loadline up --in-memory\n";
constexpr std::string_view kPeerNotes =
    "PEER             the real kube-apiserver 1.36 with etcd, which waits for the disk, too\n"
    "PEER NO FSYNC    the same with etcd --unsafe-no-fsync\n"
    "A x B            how many times better A does; what is about more than the peer is asked for, it was not asked "
    "for\n";
constexpr std::string_view kNoPeer = "The real server was not measured.\n";

struct Arguments {
  std::string output = ".";
  std::string only;
  std::string folder;
  bench::Programs programs;
  bool no_peer = false;
  bool quick = false;
  std::size_t rounds = 3;
};

struct Measure {
  std::string_view name;
  Result<void> (*run)(bench::Subject&, const bench::Sizes&, bench::Sheet&);
};

constexpr Measure kMeasures[] = {{"start", bench::measure_start},
                                 {"requests", bench::measure_requests},
                                 {"latency", bench::measure_latency},
                                 {"fan-out", bench::measure_fan_out},
                                 {"load", bench::measure_load}};

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

/// Each measure of each server on a server of its own; the servers take turns.
Result<void> run_round(const Arguments& arguments, const std::vector<bench::Kind>& kinds, bench::Sheet& sheet) {
  const bench::Sizes sizes = arguments.quick ? bench::Sizes::quick() : bench::Sizes{};
  for (const Measure& measure : kMeasures) {
    if (!arguments.only.empty() && arguments.only != measure.name) continue;
    for (const bench::Kind kind : kinds) {
      fmt::print(stderr, "measuring {} of {}\n", measure.name, bench::name_of(kind));
      auto subject = bench::Subject::start(kind, arguments.programs, arguments.folder);
      if (!subject) return tl::unexpected(subject.error());
      if (const Result<void> done = measure.run(**subject, sizes, sheet); !done) return done;
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
  const auto written = bench::write_results(arguments.output, "server", bench::to_value(comparison));
  if (!written) return complain(written.error());
  fmt::print("\n{}\n", written->string());
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("Measures the API server, beside the real one");
  Arguments arguments;
  app.add_option("--loadline", arguments.programs.loadline, "The program that is measured")->required();
  app.add_option("--peer", arguments.programs.kubernetes,
                 "etcd and kube-apiserver in one, from conformance/kubernetes");
  app.add_flag("--no-peer", arguments.no_peer, "Do not measure the real server");
  app.add_option("--rounds", arguments.rounds, "So many of everything; medians are reported")
      ->check(CLI::Range(1, 1000));
  app.add_flag("--quick", arguments.quick, "Little of everything: to see that it works");
  app.add_option("--measure", arguments.only, "Only this: start, requests, latency, fan-out, load");
  app.add_option("--folder", arguments.folder, "Where servers keep what is durable: a disk that means it");
  app.add_option("--output", arguments.output, "The folder for the results");
  CLI11_PARSE(app, argc, argv);
  if (arguments.folder.empty()) arguments.folder = (std::filesystem::path(arguments.output) / "servers").string();
  return run(arguments);
}
