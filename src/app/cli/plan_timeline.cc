#include "app/cli/plan_timeline.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <fstream>
#include <map>
#include <optional>
#include <ostream>
#include <set>
#include <utility>
#include <vector>

#include "app/cli/input_configurations.h"
#include "app/cli/most_pods.h"
#include "app/cli/scheduler_choice.h"
#include "app/cli/terminal/progress.h"
#include "app/cli/timeline_objects.h"
#include "app/cli/view/page.h"
#include "app/cli/view/timeline.h"
#include "app/page/page.h"
#include "app/report/timeline_document.h"
#include "app/report/timeline_figures.h"
#include "app/report/timeline_page.h"
#include "brain/workloads/queue.h"
#include "foundation/document/writer.h"
#include "hosts/simulator/queue_objects.h"
#include "objects/schema/duration.h"

namespace loadline::cli {
namespace {

/// The span that --until names; nothing: until idle.
Result<std::optional<Duration>> read_until(const std::string& text) {
  if (text == "idle") return std::nullopt;
  const auto until = schema::parse_duration(text);
  if (!until || until->nanoseconds <= 0) {
    return failure(fmt::format(
        "--until: \"{}\" is no span of time; write it like 8h or 90m, or idle: until nothing more happens", text));
  }
  return *until;
}

int fail(Console& console, const std::string& message) {
  console.err << "error: " << message << '\n';
  return kBadInput;
}

/// The extenders of a configuration are HTTP servers that live in real time.
std::string extenders_text(const PlanInput& input) {
  const kube::Extender* extender = first_extender(input.configuration);
  if (extender == nullptr) return "";
  return fmt::format(
      "--until: the configuration has extenders ({}), which cannot be asked as virtual time passes; "
      "leave them out with --without-extenders",
      extender->url_prefix);
}

timeline::TimelineOptions timeline_options(const PlanningArguments& planning, PlanInput& input,
                                           std::optional<Duration> until) {
  const simulator::PlanOptions plan = planning_options(planning, input);
  timeline::TimelineOptions options;
  options.start = plan.now;
  options.until = until;
  options.seed = plan.seed;
  options.policy = plan.policy;
  options.configuration = input.configuration;
  options.gates = plan.gates;
  options.extensions = plan.extensions;
  return options;
}

std::size_t minutes(Duration span) { return static_cast<std::size_t>(span.nanoseconds / 60'000'000'000); }

Result<void> write_page(const std::string& path, const timeline::Timeline& timeline) {
  if (path.empty()) return {};
  std::ofstream file(path, std::ios::binary);
  file << page::html(report::timeline_page(timeline));
  file.close();
  if (!file) return failure(fmt::format("--html: {} cannot be written", path));
  return {};
}

/// Which workloads queues of other projects decide about. What ran from the beginning has been let start.
void note_queues(const kube::Objects& objects, timeline::Timeline& timeline) {
  const workloads::Queues queues(objects);
  const bool decides_kueue = simulator::has_queues(objects);
  const workloads::Owners owners(objects);
  std::map<workloads::WorkloadReference, workloads::NamedQueue> of_pods;
  std::set<workloads::WorkloadReference> running;
  for (const kube::Pod& pod : objects.of<kube::Pod>()) {
    workloads::WorkloadReference owner = owners.owner_of(pod);
    if (auto queue = queues.of(pod, owner)) of_pods.emplace(owner, *std::move(queue));
    if (!pod.spec->node_name.empty() || pod.finished()) running.insert(std::move(owner));
  }
  for (timeline::WorkloadLife& life : timeline.workloads) {
    const workloads::WorkloadReference workload{life.name.kind, life.name.name_space, life.name.name};
    if (running.contains(workload)) continue;
    const auto of_pod = of_pods.find(workload);
    const auto queue = of_pod == of_pods.end() ? queues.of(workload) : std::optional(of_pod->second);
    const bool is_decided = queue && decides_kueue && queue->project == workloads::kKueueProject;
    if (queue && !is_decided) life.undecided = queue->text();
  }
}

}  // namespace

void add_timeline_options(CLI::App& command, TimelineArguments& arguments) {
  command
      .add_option("--until", arguments.until,
                  "Let virtual time pass, for so long (8h, 90m) or until nothing more happens (idle): what starts and "
                  "ends when, and what still waits. Pods run as long as loadline.dev/run-time says")
      ->type_name("DURATION|idle");
  command
      .add_option("--html", arguments.html, "With --until: write a page with charts to this file; it needs no network")
      ->type_name("FILE");
}

std::string misuse(const TimelineArguments& arguments, const PlanningArguments& planning) {
  if (!arguments.lets_time_pass()) {
    return arguments.html.empty() ? "" : "--html shows what happens as time passes; say how long, as in --until 8h";
  }
  if (const auto until = read_until(arguments.until); !until) return until.error().message;
  if (!planning.reserve.empty()) {
    return "--reserve is for a plan of one moment; with --until, write a Reservation into a manifest (-f)";
  }
  if (planning.files.guess_workloads) {
    return "--guess-workloads makes pods that no controller would look after as time passes; write them, or a workload "
           "that Loadline runs, into a manifest (-f)";
  }
  if (!planning.default_storage_class.empty()) {
    return "--assume-default-storage-class is for a plan of one moment; with --until, write the StorageClass into a "
           "manifest (-f)";
  }
  return "";
}

int run_timeline(const TimelineArguments& arguments, const PlanningArguments& planning, const OutputOptions& output,
                 PlanInput& input, Console& console) {
  const Result<std::optional<Duration>> until = read_until(arguments.until);
  if (!until) return fail(console, until.error().message);
  if (!planning.files.calls_extenders) silence_extenders(input.configuration);
  if (const std::string wrong = extenders_text(input); !wrong.empty()) return fail(console, wrong);
  timeline::TimelineOptions options = timeline_options(planning, input, *until);
  const auto retired =
      planning.files.accept_retired ? kube::RetiredVersions::kAccepted : kube::RetiredVersions::kRefused;
  if (const auto wrong = too_many_pods_over_time(planning.files, input.objects, options.start, *until)) {
    console.err << wrong->to_string() << '\n';
    return kBadInput;
  }
  Diagnostics repetitions;
  const std::vector<document::Value> objects = timeline_objects(input, retired, repetitions);
  write_notes(planning, repetitions, console);
  Progress progress(console.err, console.err_terminal, "minutes passed");
  if (!planning.no_progress && !planning.quiet) {
    options.progress = [&](Duration passed) { progress.update(minutes(passed), minutes(until->value_or(passed))); };
  }
  const Result<timeline::Timeline> timeline = timeline::run(objects, options);
  progress.finish();
  if (!timeline) return fail(console, timeline.error().message);
  timeline::Timeline shown = report::narrowed_to(*timeline, output.scope);
  note_queues(input.objects, shown);
  if (const auto written = write_page(arguments.html, shown); !written) return fail(console, written.error().message);
  write_notes(planning, shown.notes, console);
  write_timeline(shown, output.format, console);
  return report::endings_of(shown).all_well() ? kDone : kNotAllPlaced;
}

void write_timeline(const timeline::Timeline& timeline, OutputFormat format, Console& console) {
  switch (format) {
    case OutputFormat::kTable:
    case OutputFormat::kWide: {
      const Detail detail = format == OutputFormat::kWide ? Detail::kFull : Detail::kBrief;
      Page page(console);
      for (const Lines& lines : timeline_sections(timeline, detail, console.out_terminal)) page.add(lines);
      break;
    }
    case OutputFormat::kJson:
      console.out << document::write_json(report::timeline_document(timeline), document::JsonStyle::kIndented) << '\n';
      break;
    case OutputFormat::kYaml:
      console.out << document::write_yaml(report::timeline_document(timeline));
      break;
    case OutputFormat::kCsv:
      console.out << report::to_csv(report::timeline_csv(timeline));
      break;
  }
}

}  // namespace loadline::cli
