#include "app/cli/plan_output.h"

#include <ostream>

#include "app/cli/terminal/grid.h"
#include "app/cli/view/page.h"
#include "app/cli/view/sections.h"
#include "app/report/plan_document.h"
#include "app/report/summary.h"
#include "app/report/tables.h"
#include "app/report/workloads.h"
#include "foundation/document/writer.h"

namespace loadline::cli {
namespace {

/// Nothing if there are no pods to head.
Lines wide_pods(const simulator::Plan& plan, const report::Scope& scope, const Terminal& terminal) {
  const report::Table table = report::pods_table(plan, scope);
  return table.rows.empty() ? Lines{} : lay_out(to_grid(table), terminal);
}

void write_page(const simulator::Plan& plan, const OutputOptions& options, Console& console) {
  const report::Summary summary = report::summarize(plan, options.scope);
  const std::vector<report::WorkloadReport> workloads = report::by_workload(plan, options.scope);
  const PlanView view{plan, summary, workloads, options.scope, console.out_terminal};
  const bool wide = options.format == OutputFormat::kWide;
  const Detail detail = wide ? Detail::kFull : Detail::kBrief;
  Page page(console);
  page.add(verdict_section(view));
  if (options.subject == Listing::kNodes) {
    page.add(wide ? lay_out(to_grid(report::nodes_table(plan)), console.out_terminal)
                  : nodes_section(view, Detail::kFull));
    page.add(summary_section(view));
    return;
  }
  page.add(problems_section(view, detail));
  page.add(pod_groups_section(view, detail));
  page.add(wide ? wide_pods(plan, options.scope, console.out_terminal) : workloads_section(view, detail));
  if (wide) page.add(idle_section(view));
  page.add(queues_section(view, detail));
  page.add(reservations_section(view));
  page.add(nodes_section(view, detail));
  page.add(summary_section(view));
}

report::Table csv_table(const simulator::Plan& plan, const OutputOptions& options) {
  return options.subject == Listing::kNodes ? report::nodes_csv(plan) : report::pods_csv(plan, options.scope);
}

}  // namespace

void write_plan(const simulator::Plan& plan, const OutputOptions& options, Console& console) {
  switch (options.format) {
    case OutputFormat::kTable:
    case OutputFormat::kWide:
      write_page(plan, options, console);
      break;
    case OutputFormat::kJson:
      console.out << document::write_json(report::plan_document(plan, options.scope), document::JsonStyle::kIndented)
                  << '\n';
      break;
    case OutputFormat::kYaml:
      console.out << document::write_yaml(report::plan_document(plan, options.scope));
      break;
    case OutputFormat::kCsv:
      console.out << report::to_csv(csv_table(plan, options));
      break;
  }
}

}  // namespace loadline::cli
