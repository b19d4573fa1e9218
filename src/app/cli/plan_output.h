#pragma once

#include <cstdint>

#include "app/cli/console.h"
#include "app/report/scope.h"
#include "hosts/simulator/plan.h"

namespace loadline::cli {

enum class OutputFormat : std::uint8_t { kTable, kWide, kJson, kYaml, kCsv };

/// What of a plan is shown: the pods and all that became of them, or the nodes and the pods on them.
enum class Listing : std::uint8_t { kPods, kNodes };

struct OutputOptions {
  OutputFormat format = OutputFormat::kTable;
  Listing subject = Listing::kPods;
  report::Scope scope = {};
};

/// Writes a plan to `console.out`. For people, trouble comes first: the verdict, what is pending and why, what was
/// rejected or preempted; then workloads, nodes and totals.
void write_plan(const simulator::Plan& plan, const OutputOptions& options, Console& console);

}  // namespace loadline::cli
