#include "app/cli/replay.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <memory>
#include <ostream>
#include <thread>
#include <utility>

#include "app/cli/choices.h"
#include "app/cli/complaints.h"
#include "app/cli/configuration_options.h"
#include "app/cli/policy_choice.h"
#include "app/cli/replay/arguments.h"
#include "app/cli/replay/logs.h"
#include "app/cli/replay/recorded.h"
#include "app/cli/replay/variants.h"
#include "app/cli/replay_check.h"
#include "app/cli/terminal/progress.h"
#include "app/cli/view/page.h"
#include "app/cli/view/replay.h"
#include "app/page/page.h"
#include "app/report/replay_document.h"
#include "app/report/replay_page.h"
#include "foundation/document/writer.h"
#include "hosts/replay/arrangements.h"
#include "hosts/replay/gpus.h"
#include "hosts/replay/sweep.h"
#include "hosts/simulator/intake.h"
#include "hosts/trace/open_work.h"
#include "objects/kube/kueue/cluster_queue.h"
#include "objects/schema/duration.h"

namespace loadline::cli {
namespace {

constexpr std::string_view kReplayExamples = R"(Examples:
  How long would these jobs have waited on a hundred nodes with eight A100 each?
    loadline generate --jobs 10000 --nodes 100 --gpus-per-node 8 -o jobs.csv
    loadline replay jobs.csv --nodes 100:gpu=a100:8
  The openb trace as it was published, with metrics each hour and everything that happened:
    loadline replay openb_pod_list_default.csv --nodes openb_node_list_all_node.csv \
      --metrics metrics.csv --events events.jsonl --html replay.html
  How many nodes are enough, and what would another policy do? Ten runs of each, on all cores:
    loadline replay jobs.csv --nodes 100:gpu=a100:8 --vary nodes=80..120:10 --vary policy=parity,recommended \
      --runs 10 --noise 0.2 --html sweep.html
  FGD's protocol: the trace's pods in random order, and copies of them, until 130 % of the GPUs are asked for:
    loadline replay openb_pod_list_default.csv --nodes openb_node_list_gpu_node.csv --shares pooled --fill 1.3 --seed 42
  Teams with quotas: Kueue's queues of a file, each for the works of its namespace; and what other quotas would do:
    loadline replay jobs.csv --nodes 100:gpu=a100:8 -f queues.yaml --html replay.html
    loadline replay jobs.csv --nodes 100:gpu=a100:8 --vary queues=today.yaml,proposed.yaml
  What a cluster of loadline up went through, decided again, and the same pods on half as many nodes:
    loadline replay monday.jsonl --check
    loadline replay monday.jsonl --nodes 50:gpu=a100:8

Exit status: 0 all works started, or were deleted; 1 works are pending at the end; 2 bad input or usage. With --check: 0
no decision differs; 1 some do; 2 the recording cannot be read.)";

/// One run of the command, step by step.
class ReplayCommand {
 public:
  ReplayCommand(const ReplayArguments& arguments, Console& console) : arguments_(arguments), console_(console) {}

  int run() {
    if (arguments_.check) return check();
    if (const Result<void> read = read_times(); !read) return fail(read.error().message);
    if (const std::string wrong = misuse(); !wrong.empty()) return fail(wrong);
    Diagnostics diagnostics;
    Result<std::vector<replay::Variant>> variants = read_variants(arguments_, console_, diagnostics);
    const Complaints complaints =
        sorted_complaints(diagnostics, arguments_.planning.quiet ? Warnings::kHidden : Warnings::kShown);
    for (const std::string& line : complaints.lines) console_.err << line << '\n';
    if (!variants) return fail(variants.error().message);
    if (complaints.errors > 0) {
      console_.err << complaint_count(complaints) << "; nothing was replayed.\n";
      return kBadInput;
    }
    if (variants->front().cluster->of<kube::Node>().empty()) {
      return fail("there are no nodes; describe some, as in --nodes 100:gpu=a100:8, or name a cluster with -f");
    }
    options_.start = default_start(*variants->front().cluster);
    if (!arguments_.planning.quiet) tell_passed_checks(*variants);
    return is_sweep() ? sweep(*variants) : replay_one(variants->front());
  }

 private:
  [[nodiscard]] bool is_sweep() const { return arguments_.runs > 1 || !arguments_.vary.empty(); }

  /// A replay has no controllers that could pass them.
  void tell_passed_checks(const std::vector<replay::Variant>& variants) {
    for (const replay::Variant& variant : variants) {
      for (const kube::ClusterQueue& queue : variant.cluster->of<kube::ClusterQueue>()) {
        if (queue.admission_checks.empty()) continue;
        console_.err << "warning: ClusterQueue " << queue.metadata.name << ": "
                     << (queue.admission_checks.size() == 1 ? "its admission check counts"
                                                            : "its admission checks count")
                     << " as passed: nobody passes any in a replay\n";
      }
    }
  }

  int check() {
    if (arguments_.trace == "-" || is_recording(arguments_.trace)) return check_recording(arguments_.trace, console_);
    return fail(
        fmt::format("{} is no recording, so there are no decisions to check; loadline up --record FILE makes one",
                    arguments_.trace));
  }

  Result<void> read_times() {
    const auto every = schema::parse_duration(arguments_.every);
    if (!every || every->nanoseconds < 1'000'000'000) {
      return failure(
          fmt::format("--every: \"{}\" is no span of at least a second; write it like 1h, 10m", arguments_.every));
    }
    options_.sample_every = *every;
    if (arguments_.until.empty()) return {};
    const auto until = schema::parse_duration(arguments_.until);
    if (!until || until->nanoseconds <= 0) {
      return failure(fmt::format("--until: \"{}\" is no span of time; write it like 8h, 90m", arguments_.until));
    }
    options_.until = *until;
    return {};
  }

  [[nodiscard]] std::string misuse() const {
    const bool is_stream = arguments_.trace == "-";
    if (is_sweep() && is_stream) return "a sweep reads the trace again for each run, so it cannot be standard input";
    if (is_sweep() && !arguments_.metrics.empty()) return "--metrics is of one replay, and this is a sweep";
    if (is_sweep() && !arguments_.events.empty()) return "--events is of one replay, and this is a sweep";
    if (arguments_.planning.files.configuration == "-" && is_stream) return "standard input can be read once";
    return "";
  }

  int replay_one(const replay::Variant& variant) {
    Result<std::unique_ptr<ReplayLogs>> logs =
        ReplayLogs::open(arguments_.metrics, arguments_.events, !arguments_.html.empty());
    if (!logs) return fail(logs.error().message);
    Progress progress(console_.err, console_.err_terminal, "replaying");
    if (shows_progress()) options_.progress = [&](std::size_t works) { progress.update(works, works); };
    const Result<replay::Summary> summary = replay::run_of(variant, arguments_.seed, opener(), options_, **logs);
    progress.finish();
    if (!summary) return fail(summary.error().message);
    if (const Result<void> written = (*logs)->finish(); !written) return fail(written.error().message);
    if (const auto written = write_page(report::replay_page(*summary, (*logs)->samples(), title())); !written) {
      return fail(written.error().message);
    }
    if (!write_document(report::to_document(*summary))) {
      write_sections(replay_sections(*summary, console_.out_terminal));
    }
    return summary->all.pending_at_end == 0 ? kDone : kNotAllPlaced;
  }

  int sweep(const std::vector<replay::Variant>& variants) {
    replay::SweepOptions options{options_, arguments_.runs, arguments_.seed, arguments_.threads};
    if (options.threads == 0) options.threads = std::max(1U, std::thread::hardware_concurrency());
    Progress progress(console_.err, console_.err_terminal, "replaying");
    const std::size_t total = variants.size() * options.runs;
    std::function<void(std::size_t)> tell;
    if (shows_progress()) tell = [&](std::size_t done) { progress.update(done, total); };
    const Result<std::vector<replay::VariantRuns>> all = replay::sweep(variants, opener(), options, tell);
    progress.finish();
    if (!all) return fail(all.error().message);
    if (const auto written = write_page(report::sweep_page(*all, title())); !written) {
      return fail(written.error().message);
    }
    if (!write_document(report::to_document(*all))) write_sections(sweep_sections(*all, console_.out_terminal));
    const bool all_started = std::ranges::all_of(*all, [](const replay::VariantRuns& variant) {
      return std::ranges::all_of(variant.runs, [](const auto& run) { return run.all.pending_at_end == 0; });
    });
    return all_started ? kDone : kNotAllPlaced;
  }

  /// Opens the trace anew for each run, with what --fill and --noise make of it.
  [[nodiscard]] replay::OpenWorks opener() const {
    return [this](const replay::Variant& variant, std::uint64_t seed) -> Result<std::unique_ptr<trace::WorkSource>> {
      trace::OpenWorkOptions options;
      if (arguments_.shares == "pooled") options.openb.shares = trace::GpuShares::kPooled;
      options.templates = variant.cluster.get();
      options.standard_input = &console_.in;
      Result<std::unique_ptr<trace::WorkSource>> works = open_trace(options);
      if (!works) return works;
      if (arguments_.fill > 0) works = fill(**works, variant, seed);
      if (!works || arguments_.noise <= 0) return works;
      return std::make_unique<replay::NoisyWorks>(*std::move(works), arguments_.noise, seed);
    };
  }

  [[nodiscard]] Result<std::unique_ptr<trace::WorkSource>> open_trace(const trace::OpenWorkOptions& options) const {
    if (arguments_.trace == "-" || !is_recording(arguments_.trace)) return trace::open_work(arguments_.trace, options);
    Result<std::unique_ptr<recording::RecordedWork>> recorded = open_recorded(arguments_.trace);
    if (!recorded) return tl::unexpected(recorded.error());
    return *std::move(recorded);
  }

  [[nodiscard]] Result<std::unique_ptr<trace::WorkSource>> fill(trace::WorkSource& works,
                                                                const replay::Variant& variant,
                                                                std::uint64_t seed) const {
    cluster::Cluster cluster;
    simulator::fill_cluster(*variant.cluster, cluster);
    const replay::GpuCount gpus(cluster);
    std::int64_t capacity = 0;
    for (const cluster::NodeId node : cluster.nodes()) capacity += gpus.allocatable(cluster, node);
    return replay::fill_cluster(works, capacity, arguments_.fill, seed);
  }

  [[nodiscard]] std::string title() const {
    const std::string name = std::filesystem::path(arguments_.trace).filename().string();
    return is_sweep() ? "Replays of " + name : "Replay of " + name;
  }

  [[nodiscard]] bool shows_progress() const { return !arguments_.planning.no_progress && !arguments_.planning.quiet; }

  Result<void> write_page(const page::Page& page) const {
    if (arguments_.html.empty()) return {};
    std::ofstream file(arguments_.html, std::ios::binary);
    file << page::html(page);
    file.close();
    if (!file) return failure(fmt::format("{}: cannot be written", arguments_.html));
    return {};
  }

  /// False: people are to read it.
  bool write_document(const document::Value& document) {
    if (arguments_.output == "table") return false;
    console_.out << (arguments_.output == "yaml"
                         ? document::write_yaml(document)
                         : document::write_json(document, document::JsonStyle::kIndented) + "\n");
    return true;
  }

  void write_sections(const std::vector<Lines>& sections) {
    Console console = console_;
    console.out_terminal = output_terminal(arguments_.planning, console_);
    Page page(console);
    for (const Lines& lines : sections) page.add(lines);
  }

  int fail(const std::string& message) {
    console_.err << "error: " << message << '\n';
    return kBadInput;
  }

  const ReplayArguments& arguments_;
  Console& console_;
  replay::ReplayOptions options_;
};

void add_cluster_options(CLI::App& command, ReplayArguments& arguments) {
  PlanFiles& files = arguments.planning.files;
  files.command = "replay";
  command
      .add_option(
          "-f,--filename,--cluster", files.manifests,
          "Manifests with nodes, pods that are on them, a KubeSchedulerConfiguration, a Policy, and objects that "
          "the trace names as templates: a file, a folder, a glob, or -. May be given again")
      ->allow_extra_args(false);
  command
      .add_option("--nodes", arguments.nodes,
                  "Nodes: COUNT, or COUNT:KEY=VALUE,... as in 50:gpu=a100:8; or a node list of openb, a .csv file. May "
                  "be given again")
      ->allow_extra_args(false);
  command.add_option("--config", files.configuration, "A KubeSchedulerConfiguration instead of that of the input");
  add_scope_options(command, files.scope);
  add_policy_option(command, files.policy, "that of the input, else recommended");
  add_accept_retired(command, files.accept_retired);
}

void add_trace_options(CLI::App& command, ReplayArguments& arguments) {
  command
      .add_option("--shares", arguments.shares,
                  "What becomes of openb's shares of GPUs: whole (a share takes a whole GPU), or pooled (a node's "
                  "GPUs are one pool of thousandths: as if a share could lie in two of them)")
      ->check(CLI::IsMember(fixed_choices("shares")))
      ->capture_default_str();
  command
      .add_option("--fill", arguments.fill,
                  "Leave the trace's times: its works arrive in random order, and copies of them, until so many "
                  "times the GPUs have been asked for, and none ends")
      ->check(CLI::Range(0.01, 10.0))
      ->type_name("RATIO");
  command.add_flag("--check", arguments.check,
                   "TRACE is a recording of loadline up --record: make every decision again, and show which differ");
  command.add_option("--until", arguments.until,
                     "Stop after so long, as in 8h; default: when nothing is left to happen");
  command.add_option("--seed", arguments.seed,
                     "Of the order of nodes, which breaks ties, and of --noise and --fill; 0, the default: nodes in "
                     "their own order");
  command
      .add_option("--noise", arguments.noise,
                  "Run times become exp(NOISE × N(0,1)) times as long: 0.2 is about 20 % more or less")
      ->check(CLI::Range(0.0, 5.0));
}

void add_result_options(CLI::App& command, ReplayArguments& arguments) {
  command.add_option("--every", arguments.every, "How often metrics are taken, in virtual time")->capture_default_str();
  command.add_option("--metrics", arguments.metrics,
                     "Write metrics over time to this file: CSV, or JSON lines if it ends in .jsonl");
  command.add_option("--events", arguments.events, "Write all that happens to this file, as JSON lines");
  command.add_option("--html", arguments.html, "Write a page with charts to this file; it needs no network");
  command.add_option("-o,--output", arguments.output, "table, json or yaml")
      ->check(CLI::IsMember(fixed_choices("output", "replay")))
      ->capture_default_str();
}

void add_sweep_options(CLI::App& command, ReplayArguments& arguments) {
  command
      .add_option("--vary", arguments.vary,
                  "Replay with each of these: nodes=100..200:20, nodes=64,128 (of the first --nodes), "
                  "policy=parity,mine.yaml, config=a.yaml,b.yaml, queues=a.yaml,b.yaml. With several options, with all "
                  "combinations")
      ->allow_extra_args(false)
      ->type_name("KEY=VALUES");
  command.add_option("--runs", arguments.runs, "So many runs of each, with seeds from --seed (or 1) on")
      ->check(CLI::Range(1, 10000))
      ->capture_default_str();
  command.add_option("--threads", arguments.threads, "Replays at a time; default: one for each core")
      ->check(CLI::Range(1, 1024));
}

}  // namespace

void add_replay(CLI::App& app, Console& console, int& status) {
  CLI::App* command = app.add_subcommand(
      "replay", "Show what becomes of a trace's works over time: who waits how long, and what it costs");
  auto arguments = std::make_shared<ReplayArguments>();
  command
      ->add_option("trace", arguments->trace,
                   "A trace: openb's CSV, CSV or JSON lines as docs/traces.md describes them, each also gzipped; - "
                   "is standard input")
      ->required();
  add_cluster_options(*command, *arguments);
  add_trace_options(*command, *arguments);
  add_sweep_options(*command, *arguments);
  add_result_options(*command, *arguments);
  add_manners(*command, arguments->planning);
  command->footer(std::string(kReplayExamples));
  command->callback([arguments, &console, &status] { status = ReplayCommand(*arguments, console).run(); });
}

}  // namespace loadline::cli
