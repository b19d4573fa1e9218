#include <CLI/CLI.hpp>
#include <string_view>

#include "bench/subjects/rounds.h"
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

constexpr bench::RoundNotes kAllNotes = {kNotes, kPeerNotes, kNoPeer};

using Measured = Result<void> (*)(const bench::Candidate&, const bench::UpSizes&, bench::Sheet&);

/// On a cluster that the measure starts as it needs it.
bench::Measure measure(std::string_view name, Measured run, const bench::RoundArguments& arguments,
                       const bench::UpSizes& sizes) {
  return {name, [=](bench::Variant variant, bench::Sheet& sheet) {
            return run({variant, arguments.programs, bench::folder_of(arguments)}, sizes, sheet);
          }};
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("Measures a whole cluster, beside the real one");
  bench::RoundArguments arguments;
  double churn = 0;  // pods a second; 0: what the measure's bar asks for
  bench::add_round_options(app, arguments);
  app.get_option("--measure")->check(CLI::IsMember({"start", "deployments", "runs", "churn"}));
  app.add_option("--churn", churn, "Pods a second that come and go, to find out how many it can be")
      ->check(CLI::Range(1.0, 1e6));
  CLI11_PARSE(app, argc, argv);
  bench::UpSizes sizes = arguments.quick ? bench::UpSizes::quick() : bench::UpSizes{};
  if (churn > 0) sizes.churn.per_second = churn;
  return bench::run_rounds(arguments, "up",
                           {measure("start", bench::measure_start, arguments, sizes),
                            measure("deployments", bench::measure_deployments, arguments, sizes),
                            measure("runs", bench::measure_runs, arguments, sizes),
                            measure("churn", bench::measure_churn, arguments, sizes)},
                           kAllNotes);
}
