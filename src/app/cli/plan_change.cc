#include "app/cli/plan_change.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <cstddef>
#include <string_view>
#include <utility>

#include "app/cli/plan_input.h"
#include "app/report/words.h"
#include "brain/capacity/node_template_text.h"
#include "objects/kube/expected_run.h"
#include "objects/kube/loadline/policy.h"

namespace loadline::cli {
namespace {

constexpr const char* kAddNodes = "--add-nodes";
constexpr const char* kGroup = "What --diff compares (NODES: names, globs or a label selector)";

template <class Value>
CLI::Option* add(CLI::App& command, const char* name, Value& value, const char* placeholder, const char* help) {
  return command.add_option(name, value, help)->type_name(placeholder)->allow_extra_args(false)->group(kGroup);
}

std::string joined(const std::vector<std::string>& texts) { return fmt::format("{}", fmt::join(texts, ", ")); }

bool is_number(std::string_view word) {
  return !word.empty() && word.find_first_not_of("0123456789") == std::string_view::npos;
}

/// Errors as CLI11 wants them.
capacity::NodeTemplate read_nodes(const std::string& text) {
  Result<capacity::NodeTemplate> nodes = capacity::parse_node_template(text);
  if (!nodes) throw CLI::ValidationError(kAddNodes, nodes.error().message);
  if (is_number(text)) {
    throw CLI::ValidationError(
        kAddNodes, fmt::format("{0} does not say what they look like; write {0} NODE for more nodes like one "
                               "that is there, or describe them, as {0}:gpu=a100:8",
                               text));
  }
  return std::move(*nodes);
}

void add_nodes_option(CLI::App& command, std::vector<capacity::NodeTemplate>& added) {
  const auto read = [&added](const std::vector<std::string>& texts) {
    for (const std::string& text : texts) added.push_back(read_nodes(text));
  };
  command
      .add_option_function<std::vector<std::string>>(
          kAddNodes, read,
          "More nodes: COUNT NODE like one that is there, or described as for loadline up: 2:gpu=a100:8")
      ->type_name("COUNT[:KEY=VALUE,...]")
      ->allow_extra_args(false)
      ->group(kGroup);
}

}  // namespace

bool ChangeArguments::any() const {
  return !with.empty() || !without.empty() || !scale.empty() || !add_nodes.empty() || !uncordon.empty() ||
         !label.empty() || !taint.empty() || !cordon.empty() || !drain.empty() || !remove_nodes.empty();
}

void add_change_options(CLI::App& command, ChangeArguments& arguments) {
  command
      .add_flag("--diff", arguments.diff,
                "Plan before and after a change, and show what it does: which pods move, become pending, get a node")
      ->group(kGroup);
  add(command, "--with", arguments.with, "PATH",
      "Manifests to apply; an object of the same name is replaced, and rolled out if its template differs");
  add(command, "--without", arguments.without, "KIND/NAME[.NAMESPACE]", "Delete a workload and its pods");
  add(command, "--scale", arguments.scale, "KIND/NAME[.NAMESPACE]=REPLICAS", "As kubectl scale");
  add_nodes_option(command, arguments.add_nodes);
  add(command, "--uncordon", arguments.uncordon, "NODES", "As kubectl uncordon");
  add(command, "--label", arguments.label, "NODES LABEL", "key=value puts a label, key- removes it");
  add(command, "--taint", arguments.taint, "NODES TAINT",
      "key=value:Effect puts a taint, key:Effect- or key- removes it");
  add(command, "--cordon", arguments.cordon, "NODES", "As kubectl cordon");
  add(command, "--drain", arguments.drain, "NODES",
      "As kubectl drain --ignore-daemonsets: cordon, then evict as PodDisruptionBudgets allow");
  add(command, "--remove-nodes", arguments.remove_nodes, "NODES",
      "The machines are gone: their pods die, and controllers bring back theirs");
  add(command, "--drain-by", arguments.drain_by, "WHEN",
      "--drain has time until then (2h, or a time): gangs leave whole, right after their next checkpoint");
  command.add_flag("--force", arguments.force, "--drain also evicts pods that no controller brings back")
      ->group(kGroup);
}

std::vector<std::string> with_joined_node_counts(std::vector<std::string> words) {
  const std::string option = kAddNodes;
  for (std::size_t i = 0; i < words.size() && words[i] != "--"; ++i) {
    const bool is_apart = words[i] == option;
    if (!is_apart && !words[i].starts_with(option + "=")) continue;
    const std::size_t at = is_apart ? i + 1 : i;
    const std::size_t node = at + 1;
    if (node >= words.size() || words[node].starts_with("-")) continue;
    if (!is_number(is_apart ? words[at] : std::string_view(words[at]).substr(option.size() + 1))) continue;
    words[at] += ":like=" + words[node];
    words.erase(words.begin() + static_cast<std::ptrdiff_t>(node));
  }
  return words;
}

std::string misuse(const ChangeArguments& arguments) {
  if (arguments.force && arguments.drain.empty()) return "--force goes with --drain only";
  if (!arguments.drain_by.empty() && arguments.drain.empty()) return "--drain-by goes with --drain only";
  if (!arguments.drain_by.empty() && !parse_rfc3339(arguments.drain_by)) {
    if (const Result<Duration> span = kube::parse_span(arguments.drain_by); !span) {
      return fmt::format("--drain-by: {} (a time, as 2026-01-01T14:00:00Z, will do, too)", span.error().message);
    }
  }
  if (arguments.diff && !arguments.any()) {
    return "--diff compares the plan before and after a change; name one:\n"
           "  --with PATH, --without KIND/NAME, --scale KIND/NAME=REPLICAS, --add-nodes COUNT NODE, --drain NODES,\n"
           "  --cordon NODES, --uncordon NODES, --remove-nodes NODES, --taint NODES TAINT, --label NODES LABEL";
  }
  if (!arguments.diff && arguments.any()) {
    return fmt::format("\"{}\" is a change to compare with what is; add --diff", title_of(arguments));
  }
  return "";
}

std::string title_of(const ChangeArguments& arguments) {
  std::vector<std::string> parts;
  const auto add = [&](std::string_view verb, const std::vector<std::string>& texts) {
    if (!texts.empty()) parts.push_back(fmt::format("{} {}", verb, joined(texts)));
  };
  add("with", arguments.with);
  add("without", arguments.without);
  add("scale", arguments.scale);
  for (const capacity::NodeTemplate& nodes : arguments.add_nodes) {
    const std::string what = report::node_template_text(nodes);
    parts.push_back(fmt::format("{} more node{} {}", nodes.count, nodes.count == 1 ? "" : "s", what));
  }
  add("uncordon", arguments.uncordon);
  for (const auto& [nodes, label] : arguments.label) parts.push_back(fmt::format("label {} {}", nodes, label));
  for (const auto& [nodes, taint] : arguments.taint) parts.push_back(fmt::format("taint {} {}", nodes, taint));
  add("cordon", arguments.cordon);
  add("drain", arguments.drain);
  if (!arguments.drain_by.empty() && !parts.empty()) parts.back() += " by " + arguments.drain_by;
  add("remove", arguments.remove_nodes);
  return fmt::format("{}", fmt::join(parts, "; "));
}

Result<std::optional<Instant>> drain_deadline(const ChangeArguments& arguments, Instant now) {
  if (arguments.drain_by.empty()) return std::optional<Instant>();
  std::optional<Instant> deadline = parse_rfc3339(arguments.drain_by);
  if (!deadline) deadline = now + *kube::parse_span(arguments.drain_by);
  if (*deadline <= now) {
    return failure(fmt::format("--drain-by: {} is not after {}, when the plan begins (--now says another time)",
                               arguments.drain_by, format_rfc3339(now)));
  }
  return deadline;
}

simulator::Change read_change(const ChangeArguments& arguments, const InputReading& reading,
                              std::istream& standard_input, Diagnostics& diagnostics) {
  simulator::Change change;
  if (!arguments.with.empty()) change.added = read_objects(arguments.with, reading, standard_input, diagnostics);
  change.deleted = arguments.without;
  change.scaled = arguments.scale;
  change.added_nodes = arguments.add_nodes;
  change.uncordoned = arguments.uncordon;
  for (const auto& [nodes, label] : arguments.label) change.labels.push_back({nodes, label});
  for (const auto& [nodes, taint] : arguments.taint) change.taints.push_back({nodes, taint});
  change.cordoned = arguments.cordon;
  change.drained = arguments.drain;
  change.removed_nodes = arguments.remove_nodes;
  change.evicts_unmanaged = arguments.force;
  const auto refuse = [&](const char* what, const char* option) {
    Diagnostic problem;
    problem.message = fmt::format("--with holds a {}, which cannot be part of a change", what);
    problem.hint = fmt::format("plan twice, with another {}", option);
    diagnostics.push_back(std::move(problem));
  };
  if (!change.added.of<kube::SchedulerConfiguration>().empty()) refuse("KubeSchedulerConfiguration", "--config");
  if (!change.added.of<kube::Policy>().empty()) refuse("Policy", "--policy");
  return change;
}

}  // namespace loadline::cli
