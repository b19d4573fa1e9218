#include "app/cli/plan.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <ostream>
#include <type_traits>

#include "app/cli/choices.h"
#include "app/cli/difference_output.h"
#include "app/cli/namespace_choice.h"
#include "app/cli/plan_change.h"
#include "app/cli/plan_input.h"
#include "app/cli/plan_output.h"
#include "app/cli/plan_timeline.h"
#include "app/cli/planning_options.h"
#include "app/cli/reserve_option.h"
#include "app/cli/terminal/progress.h"
#include "app/report/summary.h"
#include "hosts/simulator/comparison.h"
#include "hosts/simulator/plan.h"

namespace loadline::cli {
namespace {

struct PlanArguments {
  PlanningArguments planning;
  std::vector<std::string> plain;  ///< names without -f, as the shell makes of -f *.yaml; manifests too
  std::string output = "table";
  bool nodes = false;
  std::string name_space;
  ChangeArguments change;
  TimelineArguments timeline;
};

constexpr std::string_view kPlanExamples = R"(Examples:
  Plan a folder of manifests that holds its own nodes:
    loadline plan -f examples/gpu-cluster
  Would my application fit into the cluster as it is now?
    loadline dump -o cluster.yaml
    loadline plan --cluster cluster.yaml -f my-app/
  The same, asking the cluster itself:
    loadline plan --live -f my-app/
  Straight from Helm, for a script:
    helm template my-app | loadline plan --cluster cluster.yaml -f - -o json
  Would eight more pods of a training job fit, and what is left for my application then?
    loadline plan --cluster cluster.yaml -f my-app/ --reserve 8:gpu=4,cpu=32,memory=256Gi
  How full is every node, and which pod holds which GPU?
    loadline plan --cluster cluster.yaml --nodes
  What would it do to the cluster that runs?
    loadline plan --cluster cluster.yaml --diff --drain gpu-a
    loadline plan --cluster cluster.yaml --diff --with my-app/ --add-nodes 2 gpu-a
    loadline plan --cluster cluster.yaml --diff --with my-app/ --add-nodes 2:gpu=h100:8
  Will the queue be empty by the evening, and who waits how long? With charts:
    loadline plan --cluster cluster.yaml -f queue/ --until 8h --html timeline.html

Exit status: 0 every pod has a node (gated pods may wait), and all room that is to be reserved is held; 1 a pod is
pending, rejected, refused by the node that it names, ignored by every scheduler or lost to preemption, room is not held,
another object is rejected, an object makes pods that loadline cannot plan, a queue of another project decides, or a
plugin crashed or hung; 2 bad input or usage, nothing was planned. With --diff: 0 nothing gets worse; 1 a pod is lost or
finds no node, room is not held any more, an object is rejected, a drain is held up or misses its deadline, a queue of
another project decides about a pod that moves or starts, or a plugin crashed or hung; 2 the same. With --until: 0
everything has started or ended well; 1 something waits, has failed, was lost or refused at the end, or a queue of another
project decides; 2 the same.)";

void add_output_options(CLI::App& command, PlanArguments& arguments) {
  command.add_option("-o,--output", arguments.output, "table, wide (one row a pod), json, yaml or csv")
      ->check(CLI::IsMember(fixed_choices("output")));
  command.add_flag("--nodes", arguments.nodes, "Show the nodes and which pod holds which GPU instead of the workloads");
  command.add_option("-n,--namespace", arguments.name_space,
                     "Show, count and judge only pods of this namespace; all of them are planned");
}

OutputFormat output_format(std::string_view name) {
  if (name == "wide") return OutputFormat::kWide;
  if (name == "json") return OutputFormat::kJson;
  if (name == "yaml") return OutputFormat::kYaml;
  return name == "csv" ? OutputFormat::kCsv : OutputFormat::kTable;
}

PlanFiles all_files(const PlanArguments& arguments) {
  PlanFiles files = arguments.planning.files;
  files.manifests.insert(files.manifests.end(), arguments.plain.begin(), arguments.plain.end());
  return files;
}

/// One run of the command, step by step.
class PlanCommand {
 public:
  PlanCommand(const PlanArguments& arguments, const Console& console) : arguments_(arguments), console_(console) {
    console_.out_terminal = output_terminal(arguments.planning, console);
  }

  int run() {
    const PlanFiles files = all_files(arguments_);
    if (!files.any()) return fail("nothing to plan; name manifests with -f, or a cluster with --cluster or --live");
    if (const std::string wrong = misuse(arguments_.planning); !wrong.empty()) return fail(wrong);
    if (const std::string wrong = misuse(arguments_.change); !wrong.empty()) return fail(wrong);
    if (const std::string wrong = misuse_of_time(); !wrong.empty()) return fail(wrong);
    const Purpose purpose = arguments_.timeline.lets_time_pass() ? Purpose::kTimeline : Purpose::kPlan;
    PlanInput input = read_plan_input(files, console_.in, purpose);
    const simulator::Change change =
        read_change(arguments_.change, files.reading("--diff --with"), console_.in, input.diagnostics);
    if (!report_problems(arguments_.planning, input, console_)) return kBadInput;
    if (const auto added = add_reservations(arguments_.planning.reserve, input.objects); !added) {
      return fail(added.error().message);
    }
    if (const std::string missing = missing_objects(input.objects); !missing.empty()) return fail(missing);
    if (const std::string wrong = unknown_namespace(arguments_.name_space, input.objects, change.added);
        !wrong.empty()) {
      return fail(wrong);
    }
    const int status = purpose == Purpose::kTimeline ? let_time_pass(input)
                       : arguments_.change.diff      ? compare(input, change)
                                                     : plan(input);
    return std::max(status, write_losses(input, console_));
  }

 private:
  [[nodiscard]] std::string misuse_of_time() const {
    const TimelineArguments& timeline = arguments_.timeline;
    if (timeline.lets_time_pass() && arguments_.change.diff) {
      return "--diff compares plans of one moment; to see a change as time passes, make it in the manifests and run "
             "--until before and after";
    }
    if (timeline.lets_time_pass() && arguments_.nodes) {
      return "--nodes shows the nodes of one moment; with --until, --html FILE shows them as time passes, and -o wide "
             "each pod with its node";
    }
    return misuse(timeline, arguments_.planning);
  }

  int let_time_pass(PlanInput& input) {
    const OutputOptions output{output_format(arguments_.output), Listing::kPods, {arguments_.name_space}};
    return run_timeline(arguments_.timeline, arguments_.planning, output, input, console_);
  }

  int plan(PlanInput& input) {
    const Result<simulator::Plan> plan = with_options(input, [&](const simulator::PlanOptions& options) {
      return simulator::make_plan(input.objects, input.configuration, options);
    });
    if (!plan) return fail(plan.error().message);
    write_notes(arguments_.planning, plan->notes, console_);
    const report::Scope scope{arguments_.name_space};
    const Listing subject = arguments_.nodes ? Listing::kNodes : Listing::kPods;
    write_plan(*plan, {output_format(arguments_.output), subject, scope}, console_);
    const bool is_whole = !kube::has_unplanned(input.objects.skipped);
    return is_whole && report::summarize(*plan, scope).all_placed() ? kDone : kNotAllPlaced;
  }

  int compare(PlanInput& input, simulator::Change change) {
    using Compared = Result<simulator::Comparison>;
    const Compared comparison = with_options(input, [&](const simulator::PlanOptions& options) -> Compared {
      const Result<std::optional<Instant>> deadline = drain_deadline(arguments_.change, options.now);
      if (!deadline) return tl::unexpected(deadline.error());
      change.drain_by = *deadline;
      return simulator::compare(input.objects, input.configuration, change, options, arguments_.name_space);
    });
    if (!comparison) return fail(comparison.error().message);
    write_notes(arguments_.planning, comparison->change.notes, console_);
    write_notes(arguments_.planning, comparison->after.notes, console_);
    write_difference(*comparison, title_of(arguments_.change), output_format(arguments_.output), console_);
    const bool is_well = !simulator::got_worse(*comparison) && simulator::undecided(*comparison) == 0;
    return is_well ? kDone : kNotAllPlaced;
  }

  int fail(const std::string& message) {
    console_.err << "error: " << message << '\n';
    return kBadInput;
  }

  /// Calls `work` with the options of a plan, showing its progress.
  template <class Work>
  std::invoke_result_t<Work, const simulator::PlanOptions&> with_options(PlanInput& input, Work work) {
    simulator::PlanOptions options = planning_options(arguments_.planning, input);
    Progress progress(console_.err, console_.err_terminal, "planning");
    if (!arguments_.planning.no_progress && !arguments_.planning.quiet) {
      options.progress = [&](std::size_t done, std::size_t total) { progress.update(done, total); };
    }
    return work(options);
  }

  const PlanArguments& arguments_;
  Console console_;
};

}  // namespace

void add_plan(CLI::App& app, Console& console, int& status) {
  CLI::App* command = app.add_subcommand("plan", "Show where every pod would land, what would stay pending, and why");
  auto arguments = std::make_shared<PlanArguments>();
  command->add_option("files", arguments->plain, "The same as -f");
  add_input_options(*command, arguments->planning);
  add_decision_options(*command, arguments->planning);
  add_output_options(*command, *arguments);
  add_manners(*command, arguments->planning);
  add_change_options(*command, arguments->change);
  add_timeline_options(*command, arguments->timeline);
  command->footer(std::string(kPlanExamples));
  command->callback([arguments, &console, &status] { status = PlanCommand(*arguments, console).run(); });
}

}  // namespace loadline::cli
