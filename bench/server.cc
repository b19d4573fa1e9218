#include <CLI/CLI.hpp>
#include <string_view>

#include "bench/server/measures.h"
#include "bench/subjects/rounds.h"
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

constexpr bench::RoundNotes kAllNotes = {kNotes, kPeerNotes, kNoPeer};

using Measured = Result<void> (*)(bench::Subject&, const bench::Sizes&, bench::Sheet&);

/// On a server of its own.
bench::Measure measure(std::string_view name, Measured run, const bench::RoundArguments& arguments) {
  return {name, [=](bench::Variant variant, bench::Sheet& sheet) -> Result<void> {
            auto subject = bench::Subject::start(variant, arguments.programs, bench::folder_of(arguments));
            if (!subject) return tl::unexpected(subject.error());
            return run(**subject, arguments.quick ? bench::Sizes::quick() : bench::Sizes{}, sheet);
          }};
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("Measures the API server, beside the real one");
  bench::RoundArguments arguments;
  bench::add_round_options(app, arguments);
  app.get_option("--measure")->check(CLI::IsMember({"start", "requests", "latency", "fan-out", "load"}));
  CLI11_PARSE(app, argc, argv);
  return bench::run_rounds(
      arguments, "server",
      {measure("start", bench::measure_start, arguments), measure("requests", bench::measure_requests, arguments),
       measure("latency", bench::measure_latency, arguments), measure("fan-out", bench::measure_fan_out, arguments),
       measure("load", bench::measure_load, arguments)},
      kAllNotes);
}
