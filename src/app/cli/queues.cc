#include "app/cli/queues.h"

#include <algorithm>
#include <memory>
#include <ostream>
#include <string>
#include <string_view>

#include "app/cli/choices.h"
#include "app/cli/namespace_choice.h"
#include "app/cli/plan_input.h"
#include "app/cli/planning_options.h"
#include "app/cli/terminal/progress.h"
#include "app/cli/view/page.h"
#include "app/cli/view/sections.h"
#include "app/report/queues_document.h"
#include "app/report/summary.h"
#include "foundation/document/writer.h"
#include "hosts/simulator/plan.h"
#include "hosts/simulator/queue_objects.h"

namespace loadline::cli {
namespace {

struct QueuesArguments {
  PlanningArguments planning;
  std::string output = "table";
  std::string name_space;
};

constexpr std::string_view kQueuesExamples =
    R"(What of Kueue's quota is used by whom once all that can start has started, and which jobs wait for it:

  USED      by the workloads that have quota; of a cohort: what its members do not have themselves
  BORROWED  of that: beyond its own
  LENT      of its own, what others use: it would have to be reclaimed
  OF MOST   used, of all that it may use while others leave theirs
  SHARE     Kueue's weighted share, by which fair sharing decides: 1000 × borrowed / what the cohort could lend / weight

Examples:
  What do my jobs wait for?
    loadline queues --live -n research
  What if research had eight more?
    loadline queues --cluster cluster.yaml -f research-queue.yaml

Exit status: 0 no job waits; 1 some wait, or cannot start; 2 bad input or usage.)";

class QueuesCommand {
 public:
  QueuesCommand(const QueuesArguments& arguments, const Console& console) : arguments_(arguments), console_(console) {
    console_.out_terminal = output_terminal(arguments.planning, console);
  }

  int run() {
    PlanFiles files = arguments_.planning.files;
    files.command = "queues";
    if (!files.any()) return fail("no queues to show; name manifests with -f, or a cluster with --cluster or --live");
    if (const std::string wrong = misuse(arguments_.planning); !wrong.empty()) return fail(wrong);
    PlanInput input = read_plan_input(files, console_.in);
    if (!report_problems(arguments_.planning, input, console_)) return kBadInput;
    if (!simulator::has_queues(input.objects)) {
      return fail("no ClusterQueue or LocalQueue of Kueue is in the input");
    }
    if (const std::string wrong = unknown_namespace(arguments_.name_space, input.objects, {}); !wrong.empty()) {
      return fail(wrong);
    }
    const Result<simulator::Plan> plan = make(input);
    if (!plan) return fail(plan.error().message);
    write_notes(arguments_.planning, plan->notes, console_);
    return std::max(show(*plan), write_losses(input, console_));
  }

 private:
  Result<simulator::Plan> make(PlanInput& input) {
    simulator::PlanOptions options = planning_options(arguments_.planning, input);
    Progress progress(console_.err, console_.err_terminal, "planning");
    if (!arguments_.planning.no_progress && !arguments_.planning.quiet) {
      options.progress = [&](std::size_t done, std::size_t total) { progress.update(done, total); };
    }
    return simulator::make_plan(input.objects, input.configuration, options);
  }

  int show(const simulator::Plan& plan) {
    const report::Scope scope{arguments_.name_space};
    if (arguments_.output == "json") {
      console_.out << document::write_json(report::queues_document(plan, scope), document::JsonStyle::kIndented)
                   << '\n';
    } else if (arguments_.output == "yaml") {
      console_.out << document::write_yaml(report::queues_document(plan, scope));
    } else {
      const report::Summary summary = report::summarize(plan, scope);
      const std::vector<report::WorkloadReport> workloads;
      const PlanView view{plan, summary, workloads, scope, console_.out_terminal};
      Page page(console_);
      page.add(queues_section(view, Detail::kFull));
      page.add(queued_workloads_section(view));
    }
    const bool is_well = std::ranges::all_of(plan.queued, [&](const simulator::PlannedQueuedWorkload& workload) {
      return !scope.shows(workload.job) || workload.outcome == simulator::QueuedOutcome::kAdmitted;
    });
    return is_well ? kDone : kNotAllPlaced;
  }

  int fail(const std::string& message) {
    console_.err << "error: " << message << '\n';
    return kBadInput;
  }

  const QueuesArguments& arguments_;
  Console console_;
};

}  // namespace

void add_queues(CLI::App& app, Console& console, int& status) {
  CLI::App* command = app.add_subcommand("queues", "Show Kueue's queues: quota, use, loans, and the jobs that wait");
  auto arguments = std::make_shared<QueuesArguments>();
  add_input_options(*command, arguments->planning);
  add_decision_options(*command, arguments->planning);
  command->add_option("-o,--output", arguments->output, "table, json or yaml")
      ->check(CLI::IsMember(fixed_choices("output", command->get_name())));
  command->add_option("-n,--namespace", arguments->name_space,
                      "Show and judge only jobs of this namespace; the queues are shown whole");
  add_manners(*command, arguments->planning);
  command->footer(std::string(kQueuesExamples));
  command->callback([arguments, &console, &status] { status = QueuesCommand(*arguments, console).run(); });
}

}  // namespace loadline::cli
