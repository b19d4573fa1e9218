#include "cli/plan.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <ostream>
#include <type_traits>

#include "base/time.h"
#include "cli/choices.h"
#include "cli/complaints.h"
#include "cli/difference_output.h"
#include "cli/plan_change.h"
#include "cli/plan_input.h"
#include "cli/plan_output.h"
#include "cli/plugins.h"
#include "cli/terminal/progress.h"
#include "extension/http_extender.h"
#include "report/summary.h"
#include "simulator/comparison.h"
#include "simulator/plan.h"

namespace loadline::cli {
namespace {

struct PlanArguments {
  PlanFiles files;
  std::vector<std::string> plain;  ///< names without -f, as the shell makes of -f *.yaml; manifests too
  std::string output = "table";
  bool nodes = false;
  std::string name_space;
  std::string now;
  std::uint64_t seed = 1;
  std::string colour = "auto";
  bool keep_going = false;
  bool quiet = false;
  bool no_progress = false;
  std::optional<std::int32_t> percentage_of_nodes_to_score;
  bool without_extenders = false;
  ChangeArguments change;
};

constexpr std::string_view kExamples = R"(Examples:
  Plan a folder of manifests that holds its own nodes:
    loadline plan -f examples/gpu-cluster
  Would my application fit into the cluster as it is now?
    kubectl get nodes,namespaces,pods,deployments,replicasets,statefulsets,daemonsets,jobs,priorityclasses,\
        resourcequotas,limitranges,poddisruptionbudgets,services,pvc,pv,storageclasses -A -o yaml > cluster.yaml
    loadline plan --cluster cluster.yaml -f my-app/
  Straight from Helm, for a script:
    helm template my-app | loadline plan --cluster cluster.yaml -f - -o json
  How full is every node, and who holds which GPU?
    loadline plan --cluster cluster.yaml --nodes
  What would it do to the cluster that runs?
    loadline plan --cluster cluster.yaml --diff --drain gpu-a
    loadline plan --cluster cluster.yaml --diff --with my-app/ --add-nodes 2 gpu-a

Exit status: 0 every pod has a node (gated pods may wait); 1 a pod is pending, rejected, ignored by every
scheduler or lost to preemption, another object is rejected, or a plugin crashed or hung; 2 bad input or usage, nothing
was planned. With --diff: 0 nothing gets worse; 1 a pod is lost or finds no node, an object is rejected, a drain is held
up, or a plugin crashed or hung; 2 the same.)";

void add_input_options(CLI::App& command, PlanArguments& arguments) {
  command.add_option("files", arguments.plain, "The same as -f");
  command
      .add_option("-f,--filename", arguments.files.manifests,
                  "Manifests to plan: a file, a folder (read recursively), a glob, or - for standard input; .gz too. "
                  "May be given again")
      ->allow_extra_args(false);
  command
      .add_option(
          "--cluster", arguments.files.cluster,
          "The cluster as it is: nodes and what runs on them, for example a dump made with kubectl get -o yaml. "
          "May be given again")
      ->allow_extra_args(false);
  command.add_option("--config", arguments.files.configuration,
                     "A KubeSchedulerConfiguration, or a ConfigMap that carries one. Default: those in the input, else "
                     "Kubernetes' defaults");
  add_plugin_options(command, arguments.files.plugins);
  command.add_flag("--keep-going", arguments.keep_going, "Plan what is valid even if some objects are not");
}

void add_decision_options(CLI::App& command, PlanArguments& arguments) {
  command.add_option(
      "--now", arguments.now,
      "The time at which the plan starts, as 2026-01-01T00:00:00Z. Default: the newest creationTimestamp "
      "of the input, else 2026-01-01T00:00:00Z");
  command.add_option("--seed", arguments.seed, "Seed of what Kubernetes leaves to chance, such as names of pods");
  command
      .add_option("--percentage-of-nodes-to-score", arguments.percentage_of_nodes_to_score,
                  "Stop looking once this share of the nodes is found feasible; 0: Kubernetes' adaptive rule. Default: "
                  "score every node")
      ->check(CLI::Range(0, 100));
  command.add_flag("--without-extenders", arguments.without_extenders,
                   "Call none of the extenders that the configuration names, and decide without them");
}

void add_output_options(CLI::App& command, PlanArguments& arguments) {
  command.add_option("-o,--output", arguments.output, "table, wide (one row a pod), json, yaml or csv")
      ->check(CLI::IsMember(fixed_choices("output")));
  command.add_flag("--nodes", arguments.nodes, "Show the nodes and who holds which GPU instead of the workloads");
  command.add_option("-n,--namespace", arguments.name_space,
                     "Show, count and judge only pods of this namespace; all of them are planned");
  command.add_option("--color", arguments.colour, "auto (on a terminal, unless NO_COLOR is set), always or never")
      ->check(CLI::IsMember(fixed_choices("color")));
  command.add_flag("-q,--quiet", arguments.quiet, "No warnings and no notes, only errors");
  command.add_flag("--no-progress", arguments.no_progress, "No progress bar");
}

OutputFormat output_format(std::string_view name) {
  if (name == "wide") return OutputFormat::kWide;
  if (name == "json") return OutputFormat::kJson;
  if (name == "yaml") return OutputFormat::kYaml;
  return name == "csv" ? OutputFormat::kCsv : OutputFormat::kTable;
}

ColourWish colour_wish(std::string_view name) {
  if (name == "always") return ColourWish::kAlways;
  return name == "never" ? ColourWish::kNever : ColourWish::kAuto;
}

PlanFiles all_files(const PlanArguments& arguments) {
  PlanFiles files = arguments.files;
  files.manifests.insert(files.manifests.end(), arguments.plain.begin(), arguments.plain.end());
  return files;
}

/// One run of the command, step by step.
class PlanCommand {
 public:
  PlanCommand(const PlanArguments& arguments, const Console& console) : arguments_(arguments), console_(console) {
    console_.out_terminal = with_colour(console.out_terminal, colour_wish(arguments.colour));
  }

  int run() {
    const PlanFiles files = all_files(arguments_);
    if (!files.any()) return fail("nothing to plan; name manifests with -f, or a cluster with --cluster");
    if (!arguments_.now.empty() && !parse_rfc3339(arguments_.now)) {
      return fail(fmt::format("--now: \"{}\" is not a time; write it like 2026-01-01T00:00:00Z", arguments_.now));
    }
    if (const std::string wrong = misuse(arguments_.change); !wrong.empty()) return fail(wrong);
    PlanInput input = read_plan_input(files, console_.in);
    const simulator::Change change = read_change(arguments_.change, console_.in, input.diagnostics);
    if (!report_problems(input)) return kBadInput;
    if (const std::string missing = missing_objects(input.objects); !missing.empty()) return fail(missing);
    if (arguments_.percentage_of_nodes_to_score) set_percentage(input.configuration);
    const int status = arguments_.change.diff ? compare(input, change) : plan(input);
    return std::max(status, write_losses(input.plugins));
  }

 private:
  int plan(const PlanInput& input) {
    const Result<simulator::Plan> plan = with_options(input, [&](const simulator::PlanOptions& options) {
      return simulator::make_plan(input.objects, input.configuration, options);
    });
    if (!plan) return fail(plan.error().message);
    write_notes(plan->notes);
    const report::Scope scope{arguments_.name_space};
    const Subject subject = arguments_.nodes ? Subject::kNodes : Subject::kPods;
    write_plan(*plan, {output_format(arguments_.output), subject, scope}, console_);
    return report::summarize(*plan, scope).all_placed() ? kDone : kNotAllPlaced;
  }

  int compare(const PlanInput& input, const simulator::Change& change) {
    const Result<simulator::Comparison> comparison = with_options(input, [&](const simulator::PlanOptions& options) {
      return simulator::compare(input.objects, input.configuration, change, options, arguments_.name_space);
    });
    if (!comparison) return fail(comparison.error().message);
    write_notes(comparison->change.notes);
    write_notes(comparison->after.notes);
    write_difference(*comparison, title_of(arguments_.change), output_format(arguments_.output), console_);
    const bool worse = simulator::got_worse(comparison->difference, comparison->after, comparison->change);
    return worse ? kNotAllPlaced : kDone;
  }

  int fail(const std::string& message) {
    console_.err << "error: " << message << '\n';
    return kBadInput;
  }

  /// Names the plugins that did not last: then not all went well, even if every pod found a node without them.
  int write_losses(const Plugins& plugins) {
    const std::vector<std::string> losses = plugins.losses();
    for (const std::string& loss : losses) console_.err << "error: " << loss << '\n';
    return losses.empty() ? kDone : kNotAllPlaced;
  }

  /// Writes what is wrong with the input; true if planning may go on.
  bool report_problems(const PlanInput& input) {
    const Complaints complaints =
        sorted_complaints(input.diagnostics, arguments_.quiet ? Warnings::kHidden : Warnings::kShown);
    for (const std::string& line : complaints.lines) console_.err << line << '\n';
    const std::string skipped = skipped_text(input.objects.skipped);
    if (!skipped.empty() && !arguments_.quiet) console_.err << skipped << '\n';
    if (complaints.errors == 0) return true;
    console_.err << complaint_count(complaints);
    if (arguments_.keep_going && !input.configuration_failed) {
      console_.err << "; what is faulty was left out of the plan.\n";
      return true;
    }
    console_.err << "; nothing was planned. Mend them"
                 << (input.configuration_failed ? ".\n" : ", or pass --keep-going to plan the rest.\n");
    return false;
  }

  void write_notes(const Diagnostics& notes) {
    if (arguments_.quiet) return;
    for (const std::string& line : sorted_complaints(notes, Warnings::kShown).lines) console_.err << line << '\n';
  }

  void set_percentage(kube::SchedulerConfiguration& configuration) const {
    configuration.percentage_of_nodes_to_score = arguments_.percentage_of_nodes_to_score;
    for (kube::SchedulerProfile& profile : configuration.profiles) profile.percentage_of_nodes_to_score.reset();
  }

  /// Calls `work` with the options of a plan, showing its progress.
  template <class Work>
  std::invoke_result_t<Work, const simulator::PlanOptions&> with_options(const PlanInput& input, Work work) {
    simulator::PlanOptions options;
    options.now = arguments_.now.empty() ? default_start(input.objects) : *parse_rfc3339(arguments_.now);
    options.seed = arguments_.seed;
    input.plugins.add_to(options.extensions);
    if (!arguments_.without_extenders) options.extensions.extenders = std::make_shared<extension::HttpExtenders>();
    Progress progress(console_.err, console_.err_terminal, "planning");
    if (!arguments_.no_progress && !arguments_.quiet) {
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
  add_input_options(*command, *arguments);
  add_decision_options(*command, *arguments);
  add_output_options(*command, *arguments);
  add_change_options(*command, arguments->change);
  command->footer(std::string(kExamples));
  command->callback([arguments, &console, &status] { status = PlanCommand(*arguments, console).run(); });
}

}  // namespace loadline::cli
