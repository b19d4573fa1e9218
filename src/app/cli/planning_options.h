#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "app/cli/console.h"
#include "app/cli/plan_input.h"
#include "hosts/simulator/plan.h"

namespace CLI {
class App;
}

namespace loadline::cli {

/// What every command that makes a plan lets its user choose: what is read, and how it is planned.
struct PlanningArguments {
  PlanFiles files;
  workloads::Gates gates;
  std::string now;
  std::uint64_t seed = 1;
  std::optional<std::int32_t> percentage_of_nodes_to_score;
  std::vector<std::string> reserve;   ///< room to be held, see reserve_option.h
  std::string default_storage_class;  ///< to assume if the input has none; empty: none is assumed
  bool keep_going = false;
  std::string colour = "auto";
  bool quiet = false;
  bool no_progress = false;
};

/// --filename, --cluster, --live, --kubeconfig, --context, --config, --policy, --plugin, --accept-retired,
/// --max-pods, --keep-going.
void add_input_options(CLI::App& command, PlanningArguments& arguments);
/// --accept-retired.
void add_accept_retired(CLI::App& command, bool& accept_retired);
/// --now, --seed, --percentage-of-nodes-to-score, --reserve, --without-extenders, --assume-default-storage-class,
/// --feature-gates.
void add_decision_options(CLI::App& command, PlanningArguments& arguments);
/// --color, --quiet, --no-progress.
void add_manners(CLI::App& command, PlanningArguments& arguments);

/// What is wrong with the arguments; empty: nothing.
std::string misuse(const PlanningArguments& arguments);

/// Where results go, coloured as wished.
Terminal output_terminal(const PlanningArguments& arguments, const Console& console);

/// Writes what is wrong with the input; true if planning may go on.
bool report_problems(const PlanningArguments& arguments, const PlanInput& input, Console& console);

/// Writes what is worth knowing, unless quiet is wanted.
void write_notes(const PlanningArguments& arguments, const Diagnostics& notes, Console& console);

/// How to plan the input; lays --percentage-of-nodes-to-score into its configuration, and the StorageClass that is
/// assumed into its objects. Progress is the caller's.
simulator::PlanOptions planning_options(const PlanningArguments& arguments, PlanInput& input);

/// Names the plugins that did not last: then not all went well, even if every pod found a node without them.
int write_losses(const PlanInput& input, Console& console);

}  // namespace loadline::cli
