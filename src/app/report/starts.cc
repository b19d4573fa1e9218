#include "app/report/starts.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <utility>

#include "app/report/members.h"
#include "app/report/words.h"
#include "foundation/base/text.h"

namespace loadline::report {
namespace {

using decision::PassingRule;
using document::Array;
using document::Value;

/// At most so many of the names, and how many more there are.
std::string first_of(const std::vector<std::string>& names, std::string_view noun) {
  constexpr std::size_t kShown = 4;
  if (names.size() <= kShown + 1) return fmt::format("{}", fmt::join(names, ", "));
  const std::vector<std::string> first(names.begin(), names.begin() + kShown);
  return fmt::format("{} and {}", fmt::join(first, ", "), counted(names.size() - kShown, noun));
}

std::string_view rule_word(PassingRule rule) {
  switch (rule) {
    case PassingRule::kEndsBefore:
      return "EndsBefore";
    case PassingRule::kFitsBeside:
      return "FitsBeside";
    case PassingRule::kMovedBeside:
      return "MovedBeside";
    case PassingRule::kPlannedAnew:
      break;
  }
  return "PlannedAnew";
}

std::string_view rule_text(PassingRule rule) {
  switch (rule) {
    case PassingRule::kEndsBefore:
      return "it ends by then";
    case PassingRule::kFitsBeside:
      return "the places planned for that hold beside it";
    case PassingRule::kMovedBeside:
      return "it went where the places planned for that hold beside it";
    case PassingRule::kPlannedAnew:
      break;
  }
  return "there are other places for that at the same time";
}

}  // namespace

std::string start_text(const simulator::StartPlan& start) {
  std::vector<std::string> awaits;
  for (const simulator::WorkloadName& workload : start.awaits) awaits.push_back(workload_text(workload));
  std::string text = fmt::format("starts at {} (in {}) on {}", format_rfc3339(start.at), span_text(start.after),
                                 first_of(start.nodes, "more node"));
  if (!awaits.empty()) text += ", once these have ended: " + first_of(awaits, "more workload");
  return text;
}

Value start_value(const simulator::StartPlan& start) {
  Array nodes;
  for (const std::string& node : start.nodes) nodes.push_back(Value(node));
  Array awaits;
  for (const simulator::WorkloadName& workload : start.awaits) awaits.push_back(workload_value(workload));
  return Members()
      .add("at", Value(format_rfc3339(start.at)))
      .add("afterSeconds", seconds_value(start.after))
      .add_list("nodes", std::move(nodes))
      .add_list("awaits", std::move(awaits))
      .finish();
}

std::string passed_text(const simulator::PassedStart& passed) {
  return fmt::format("passes {}, which is planned to start at {}: {}", passed.unit, format_rfc3339(passed.at),
                     rule_text(passed.rule));
}

Array passed_array(const std::vector<simulator::PassedStart>& passed) {
  Array array;
  for (const simulator::PassedStart& each : passed) {
    array.push_back(Members()
                        .add("unit", Value(each.unit))
                        .add("plannedStart", Value(format_rfc3339(each.at)))
                        .add("rule", Value(rule_word(each.rule)))
                        .add("text", Value(passed_text(each)))
                        .finish());
  }
  return array;
}

}  // namespace loadline::report
