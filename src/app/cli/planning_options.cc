#include "app/cli/planning_options.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <ostream>
#include <string_view>

#include "app/cli/choices.h"
#include "app/cli/complaints.h"
#include "app/cli/configuration_options.h"
#include "app/cli/feature_gates.h"
#include "app/cli/most_pods.h"
#include "app/cli/plugins.h"
#include "app/cli/policy_choice.h"
#include "app/cli/reserve_option.h"
#include "foundation/base/time.h"
#include "hosts/extension/http_extender.h"
#include "objects/kube/storage/storage_classes.h"

namespace loadline::cli {
namespace {

constexpr std::string_view kAssumedClass = "assumed-default";

ColourWish colour_wish(std::string_view name) {
  if (name == "always") return ColourWish::kAlways;
  return name == "never" ? ColourWish::kNever : ColourWish::kAuto;
}

}  // namespace

void add_input_options(CLI::App& command, PlanningArguments& arguments) {
  command
      .add_option("-f,--filename", arguments.files.manifests,
                  "Manifests to plan: a file, a folder (read recursively), a glob, or - for standard input; .gz too. "
                  "May be given again")
      ->allow_extra_args(false);
  command
      .add_option("--cluster", arguments.files.cluster,
                  "The cluster as it is: nodes and what runs on them, for example what loadline dump wrote. "
                  "May be given again")
      ->allow_extra_args(false);
  command.add_flag("--live", arguments.files.is_live,
                   "The cluster as it is: the one that runs, as the kubeconfig says");
  add_access_options(command, arguments.files.access);
  command.add_option("--config", arguments.files.configuration,
                     "A KubeSchedulerConfiguration, or a ConfigMap that carries one. Default: those in the input, else "
                     "Kubernetes' defaults");
  add_scope_options(command, arguments.files.scope);
  add_trust_option(command, arguments.files.trusts_input);
  add_policy_option(command, arguments.files.policy, "the Policy of the input");
  add_plugin_options(command, arguments.files.plugins);
  add_accept_retired(command, arguments.files.accept_retired);
  command.add_flag("--guess-workloads", arguments.files.guess_workloads,
                   "Plan pods of custom resources that Loadline does not know, where one holds a pod template: as many "
                   "as a number beside it says");
  add_most_pods(command, arguments.files.most_pods);
  command.add_flag("--keep-going", arguments.keep_going, "Plan what is valid even if some objects are not");
}

void add_accept_retired(CLI::App& command, bool& accept_retired) {
  command.add_flag("--accept-retired", accept_retired,
                   "Read objects of API versions that Kubernetes 1.36 no longer serves, such as policy/v1beta1, as the "
                   "versions that took their place, with a warning instead of an error");
}

void add_decision_options(CLI::App& command, PlanningArguments& arguments) {
  command.add_option(
      "--now", arguments.now,
      "The time at which the plan starts, as 2026-01-01T00:00:00Z. Default: the newest creationTimestamp "
      "of the input, else 2026-01-01T00:00:00Z");
  command.add_option("--seed", arguments.seed, "Seed of what Kubernetes leaves to chance, such as names of pods");
  command
      .add_option("--percentage-of-nodes-to-score", arguments.percentage_of_nodes_to_score,
                  "Stop looking once this share of the nodes is found feasible; 0: Kubernetes' adaptive rule. Default: "
                  "what the configuration says, else the policy: score every node")
      ->check(CLI::Range(0, 100));
  command
      .add_option("--reserve", arguments.reserve,
                  "Hold room for so many pods of a shape, as a Reservation does: 4:gpu=8,label=app=train. Keys: name, "
                  "namespace, cpu, memory, gpu, other resources by their names, label (of the pods that may have the "
                  "room), node, priority, from, until. May be given again")
      ->type_name("COUNT:KEY=VALUE,…")
      ->allow_extra_args(false);
  // A value has to follow an equals sign, so that what stands behind the bare option goes on meaning what it means.
  command.add_flag("--assume-default-storage-class{" + std::string(kAssumedClass) + "}",
                   arguments.default_storage_class,
                   "If the input has no default StorageClass: claims that name none get the one called NAME "
                   "(--assume-default-storage-class=NAME), or one that provisions wherever a pod goes");
  add_feature_gates(command, arguments.gates);
  command.add_flag_callback(
      "--without-extenders", [&arguments] { arguments.files.calls_extenders = false; },
      "Call none of the extenders that the configuration names, and decide without them");
}

void add_manners(CLI::App& command, PlanningArguments& arguments) {
  command.add_option("--color", arguments.colour, "auto (on a terminal, unless NO_COLOR is set), always or never")
      ->check(CLI::IsMember(fixed_choices("color", command.get_name())));
  command.add_flag("-q,--quiet", arguments.quiet, "No warnings and no notes, only errors");
  command.add_flag("--no-progress", arguments.no_progress, "No progress bar");
}

std::string misuse(const PlanningArguments& arguments) {
  for (const std::string& text : arguments.reserve) {
    if (const auto reservation = parse_reservation(text, 1); !reservation) return reservation.error().message;
  }
  if (arguments.now.empty() || parse_rfc3339(arguments.now)) return "";
  return fmt::format("--now: \"{}\" is not a time; write it like 2026-01-01T00:00:00Z", arguments.now);
}

Terminal output_terminal(const PlanningArguments& arguments, const Console& console) {
  return with_colour(console.out_terminal, colour_wish(arguments.colour));
}

bool report_problems(const PlanningArguments& arguments, const PlanInput& input, Console& console) {
  const Complaints complaints =
      sorted_complaints(input.diagnostics, arguments.quiet ? Warnings::kHidden : Warnings::kShown);
  for (const std::string& line : complaints.lines) console.err << line << '\n';
  const std::string skipped = skipped_text(input.objects.skipped);
  if (!skipped.empty() && !arguments.quiet) console.err << skipped << '\n';
  for (const std::string& line : inert_texts(input.objects.skipped)) {
    if (!arguments.quiet) console.err << line << '\n';
  }
  for (const std::string& line : unplanned_texts(input.objects.skipped)) {
    if (!arguments.quiet) console.err << line << '\n';
  }
  if (complaints.errors == 0) return true;
  console.err << complaint_count(complaints);
  const bool may_go_on = !input.configuration_failed && !input.makes_too_many_pods;
  if (arguments.keep_going && may_go_on) {
    console.err << "; what is faulty was left out of the plan.\n";
    return true;
  }
  console.err << "; nothing was planned. Mend them"
              << (!may_go_on ? ".\n" : ", or pass --keep-going to plan the rest.\n");
  return false;
}

void write_notes(const PlanningArguments& arguments, const Diagnostics& notes, Console& console) {
  if (arguments.quiet) return;
  for (const std::string& line : sorted_complaints(notes, Warnings::kShown).lines) console.err << line << '\n';
}

simulator::PlanOptions planning_options(const PlanningArguments& arguments, PlanInput& input) {
  if (arguments.percentage_of_nodes_to_score) {
    input.configuration.percentage_of_nodes_to_score = arguments.percentage_of_nodes_to_score;
    for (kube::SchedulerProfile& profile : input.configuration.profiles) profile.percentage_of_nodes_to_score.reset();
  }
  std::vector<kube::StorageClass>& classes = input.objects.of<kube::StorageClass>();
  if (!arguments.default_storage_class.empty() && kube::default_class(classes) == nullptr) {
    kube::make_default_class(classes, arguments.default_storage_class);
  }
  simulator::PlanOptions options;
  options.now = arguments.now.empty() ? default_start(input.objects) : *parse_rfc3339(arguments.now);
  options.seed = arguments.seed;
  options.policy = input.policy.policy;
  options.gates = arguments.gates;
  options.most_pods = arguments.files.most_pods.value_or(simulator::kMostPlannedPods);
  input.plugins.add_to(options.extensions);
  if (arguments.files.calls_extenders) options.extensions.extenders = std::make_shared<extension::HttpExtenders>();
  return options;
}

int write_losses(const PlanInput& input, Console& console) {
  const std::vector<std::string> losses = input.plugins.losses();
  for (const std::string& loss : losses) console.err << "error: " << loss << '\n';
  return losses.empty() ? kDone : kNotAllPlaced;
}

}  // namespace loadline::cli
