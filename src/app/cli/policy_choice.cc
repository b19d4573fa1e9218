#include "app/cli/policy_choice.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>
#include <iterator>
#include <memory>
#include <utility>

#include "app/cli/plan_input.h"
#include "foundation/base/closest.h"

namespace loadline::cli {
namespace {

constexpr std::array<std::string_view, 2> kBases = {"parity", "recommended"};

std::string small(std::string_view text) {
  std::string result(text);
  std::ranges::transform(result, result.begin(), [](unsigned char letter) { return std::tolower(letter); });
  return result;
}

void fail(PlanInput& input, std::string message, std::string hint = "", const std::string& file = "") {
  Diagnostic problem;
  problem.message = std::move(message);
  problem.hint = std::move(hint);
  if (!file.empty()) problem.at.file = std::make_shared<const std::string>(file);
  input.configuration_failed = true;
  input.diagnostics.push_back(std::move(problem));
}

void take(PlanInput& input, const kube::Policy& object) {
  engine::PolicyReading reading = engine::read_policy(object);
  if (has_errors(reading.problems)) input.configuration_failed = true;
  std::ranges::move(reading.problems, std::back_inserter(input.diagnostics));
  input.policy = std::move(reading.chosen);
}

/// Whether nothing but a misspelt word can be meant.
bool is_no_file(const std::string& named) {
  std::error_code unreadable;
  return named.find_first_of("*?[/.") == std::string::npos && named != "-" &&
         !std::filesystem::exists(named, unreadable);
}

/// Reads the Policy that --policy names; it must hold exactly one.
void read_named(const PlanFiles& files, std::istream& standard_input, PlanInput& input,
                std::vector<kube::SourceDocument>* kept) {
  const std::string& file = files.policy;
  if (is_no_file(file)) {
    const std::string_view nearest = closest(small(file), kBases);
    return fail(input, fmt::format("--policy: \"{}\" is neither parity nor recommended, nor a file", file),
                nearest.empty() ? "" : fmt::format("did you mean {}?", nearest));
  }
  Diagnostics problems;
  const kube::Objects objects = read_objects({file}, files.reading("--policy"), standard_input, problems, kept);
  const bool failed = has_errors(problems);
  std::ranges::move(problems, std::back_inserter(input.diagnostics));
  if (failed) {
    input.configuration_failed = true;
    return;
  }
  const std::vector<kube::Policy>& found = objects.of<kube::Policy>();
  if (found.size() == 1) return take(input, found.front());
  fail(input,
       fmt::format("--policy must name parity, recommended, or a file with one Policy (loadline.dev/v1alpha1); this "
                   "holds {}",
                   found.empty() ? "none" : std::to_string(found.size())),
       "", file);
}

/// The cluster's may say the same: then there is nothing to tell.
void leave_out(PlanInput& input, const kube::Policy& object) {
  if (engine::read_policy(object).chosen.policy == input.policy.policy) return;
  input.diagnostics.push_back({Severity::kWarning, object.metadata.source, "Policy " + object.metadata.name, "",
                               "left out: --policy says what counts", ""});
}

}  // namespace

void add_policy_option(CLI::App& command, std::string& policy, std::string_view otherwise) {
  command.add_option(
      "--policy", policy,
      fmt::format("Where Loadline may decide otherwise than Kubernetes: parity (as Kubernetes), recommended, or a file "
                  "with a Policy; loadline policy lists the switches. Default: {}, else recommended",
                  otherwise));
}

std::optional<kube::PolicyBase> named_base(std::string_view policy) {
  const std::string word = small(policy);
  if (word == kBases[0]) return kube::PolicyBase::kParity;
  if (word == kBases[1]) return kube::PolicyBase::kRecommended;
  return std::nullopt;
}

void choose_policy(const PlanFiles& files, std::istream& standard_input, PlanInput& input,
                   std::vector<kube::SourceDocument>* kept) {
  const std::vector<kube::Policy>& found = input.objects.of<kube::Policy>();
  if (files.policy.empty()) {
    for (const kube::Policy& object : found) take(input, object);
    return;
  }
  if (const auto base = named_base(files.policy)) {
    input.policy = engine::ChosenPolicy(*base);
  } else {
    read_named(files, standard_input, input, kept);
  }
  for (const kube::Policy& object : found) leave_out(input, object);
}

}  // namespace loadline::cli
