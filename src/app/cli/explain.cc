#include "app/cli/explain.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <ostream>

#include "app/cli/choices.h"
#include "app/cli/explain_target.h"
#include "app/cli/plan_input.h"
#include "app/cli/planning_options.h"
#include "app/cli/reserve_option.h"
#include "app/cli/terminal/progress.h"
#include "app/cli/view/explanation.h"
#include "app/cli/view/page.h"
#include "app/report/explanation_document.h"
#include "app/report/summary.h"
#include "app/report/words.h"
#include "app/report/workloads.h"
#include "foundation/document/writer.h"
#include "hosts/advice/explain.h"

namespace loadline::cli {
namespace {

constexpr std::size_t kMostExplained = 10;

struct ExplainArguments {
  PlanningArguments planning;
  std::string target;
  std::string output = "table";
  std::string name_space;
};

constexpr std::string_view kExplainExamples =
    R"(Without -f and --cluster, it is about the cluster that runs, the one that kubectl talks to.

Examples:
  In the cluster that runs:
    loadline explain pod/trainer-0
  Why is it pending, and what would help?
    loadline explain pod/trainer-0 -f my-app/ --cluster cluster.yaml
  The pods of a workload, one for each reason that keeps them waiting:
    loadline explain job/finetune -n research -f examples/gpu-cluster
  Everything that waits:
    loadline explain -f examples/gpu-cluster
  Why is it on that node? The scores of the best nodes, by plugin:
    loadline explain pod/web-0 --cluster cluster.yaml

Every suggestion was tried before it is printed: by planning again with the change made; in a large cluster by asking
the scheduler about the changed pod in the cluster as it is.

Exit status: 0 what was asked about has a node; 1 it has none; 2 bad input or usage, or there is no such pod.)";

class ExplainCommand {
 public:
  ExplainCommand(const ExplainArguments& arguments, const Console& console) : arguments_(arguments), console_(console) {
    console_.out_terminal = output_terminal(arguments.planning, console);
  }

  int run() {
    const PlanningArguments& planning = arguments_.planning;
    if (const std::string wrong = misuse(planning); !wrong.empty()) return fail(wrong);
    const Result<ExplainTarget> target = parse_explain_target(arguments_.target, arguments_.name_space);
    if (!target) return fail(target.error().message);
    PlanFiles files = planning.files;
    files.command = "explain";
    if (!files.any()) files.is_live = true;
    PlanInput input = read_plan_input(files, console_.in);
    if (!report_problems(planning, input, console_)) return kBadInput;
    if (const auto added = add_reservations(planning.reserve, input.objects); !added) {
      return fail(added.error().message);
    }
    if (const std::string missing = missing_objects(input.objects); !missing.empty()) return fail(missing);
    const int status = explain(input, *target);
    return std::max(status, write_losses(input, console_));
  }

 private:
  int explain(PlanInput& input, const ExplainTarget& target) {
    simulator::PlanOptions options = planning_options(arguments_.planning, input);
    if (!target.name.empty()) options.watch = {target.name_space, target.name};
    auto made = make(input, options);
    if (!made) return fail(made.error().message);
    simulator::Planning& planning = **made;
    const Result<std::vector<std::size_t>> chosen = choose_pods(planning.pods(), target, kMostExplained);
    if (!chosen) return fail(chosen.error().message);
    std::vector<advice::Explanation> explanations;
    const advice::Trying trying = advice::trying_for(planning.pods().size());
    for (const std::size_t subject : *chosen) explanations.push_back(advice::explain(planning, subject, trying));
    if (explanations.empty() && report::summarize(planning.plan()).leaves_undecided()) return tell_undecided(planning);
    write(explanations);
    const auto is_well = [](const simulator::PlannedPod& pod) { return has_node(pod) && pod.undecided.empty(); };
    return std::ranges::all_of(explanations, is_well, &advice::Explanation::pod) ? kDone : kNotAllPlaced;
  }

  Result<std::unique_ptr<simulator::Planning>> make(const PlanInput& input, simulator::PlanOptions options) {
    Progress progress(console_.err, console_.err_terminal, "planning");
    if (!arguments_.planning.no_progress && !arguments_.planning.quiet) {
      options.progress = [&](std::size_t done, std::size_t total) { progress.update(done, total); };
    }
    return simulator::Planning::make(input.objects, input.configuration, options);
  }

  /// Nothing waits, and yet queues of other projects have their say.
  int tell_undecided(const simulator::Planning& planning) {
    const bool is_table = arguments_.output == "table";
    std::ostream& out = is_table ? console_.out : console_.err;
    out << "Every pod would have a node, but not all is decided:\n";
    for (const report::UndecidedWork& work : report::undecided_work(planning.plan())) {
      out << "  " << report::workload_text(work.workload) << ": " << work.why
          << ", and whether and when that lets it start is not said here\n";
    }
    if (!is_table) write({});
    return kNotAllPlaced;
  }

  int fail(const std::string& message) {
    console_.err << "error: " << message << '\n';
    return kBadInput;
  }

  void write(const std::vector<advice::Explanation>& explanations) {
    if (arguments_.output == "json") {
      const document::Value value = report::explanation_document(explanations);
      console_.out << document::write_json(value, document::JsonStyle::kIndented) << '\n';
      return;
    }
    if (arguments_.output == "yaml") {
      console_.out << document::write_yaml(report::explanation_document(explanations));
      return;
    }
    Page page(console_);
    if (explanations.empty()) page.add({Line("Every pod has a node: nothing to explain.")});
    for (const advice::Explanation& explanation : explanations) {
      page.add(standing_section(explanation, console_.out_terminal));
      page.add(pod_group_section(explanation, console_.out_terminal));
      page.add(scores_section(explanation, console_.out_terminal));
      page.add(obstacles_section(explanation, console_.out_terminal));
      page.add(suggestions_section(explanation, console_.out_terminal));
    }
  }

  const ExplainArguments& arguments_;
  Console console_;
};

}  // namespace

void add_explain(CLI::App& app, Console& console, int& status) {
  CLI::App* command =
      app.add_subcommand("explain", "Say why a pod is pending, or where it is, and what would change that");
  auto arguments = std::make_shared<ExplainArguments>();
  command->add_option("target", arguments->target,
                      "A pod or a workload: pod/NAME, deployment/NAME, job/NAME, …; without one, all that has no node");
  add_input_options(*command, arguments->planning);
  add_decision_options(*command, arguments->planning);
  command->add_option("-o,--output", arguments->output, "table, json or yaml")
      ->check(CLI::IsMember(fixed_choices("output", command->get_name())));
  command->add_option("-n,--namespace", arguments->name_space, "The namespace of the pod or workload");
  add_manners(*command, arguments->planning);
  command->footer(std::string(kExplainExamples));
  command->callback([arguments, &console, &status] { status = ExplainCommand(*arguments, console).run(); });
}

}  // namespace loadline::cli
