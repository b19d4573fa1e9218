#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/cli/console.h"
#include "app/cli/input_files.h"
#include "brain/capacity/node_template.h"
#include "foundation/base/diagnostic.h"
#include "foundation/base/result.h"
#include "foundation/base/time.h"
#include "hosts/simulator/change.h"

namespace CLI {
class App;
}

namespace loadline::cli {

/// The options of `plan --diff`: what is to be changed.
struct ChangeArguments {
  bool diff = false;
  std::vector<std::string> with;
  std::vector<std::string> without;
  std::vector<std::string> scale;
  std::vector<capacity::NodeTemplate> add_nodes;
  std::vector<std::string> uncordon;
  std::vector<std::pair<std::string, std::string>> label;
  std::vector<std::pair<std::string, std::string>> taint;
  std::vector<std::string> cordon;
  std::vector<std::string> drain;
  std::vector<std::string> remove_nodes;
  std::string drain_by;  ///< a span from the start of the plan on, or a time; empty: drains have no deadline
  bool force = false;

  [[nodiscard]] bool any() const;
};

void add_change_options(CLI::App& command, ChangeArguments& arguments);

/// `--add-nodes COUNT NODE` written as `--add-nodes COUNT:like=NODE`, for an option takes as many words each time.
std::vector<std::string> with_joined_node_counts(std::vector<std::string> words);

/// What is wrong with the options taken together, and what to write; empty if nothing is.
std::string misuse(const ChangeArguments& arguments);

/// "drain of l4-a", "2 nodes like l4-a, 3 replicas of deployment/web": what the change is, for a headline.
std::string title_of(const ChangeArguments& arguments);

/// What --drain-by says, of a plan that starts `now`. Errors: that time has passed. REQUIRES: misuse() found nothing.
Result<std::optional<Instant>> drain_deadline(const ChangeArguments& arguments, Instant now);

/// Reads the manifests of --with, as `reading` says; what is wrong with them goes to `diagnostics`.
simulator::Change read_change(const ChangeArguments& arguments, const InputReading& reading,
                              std::istream& standard_input, Diagnostics& diagnostics);

}  // namespace loadline::cli
