#include "brain/workloads/pod_clique_set_rules.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "brain/workloads/pod_clique_set.h"
#include "objects/schema/names.h"
#include "objects/schema/quoted.h"

namespace loadline::workloads {
namespace {

using kube::CliqueScalingGroup;
using kube::CliqueSpec;
using kube::CliqueTemplate;
using kube::PodCliqueSet;
using schema::quoted;

constexpr std::string_view kExplicit = "CliqueStartupTypeExplicit";
constexpr std::string_view kInOrder = "CliqueStartupTypeInOrder";
constexpr std::size_t kLongestNames = 45;

/// Collects what is wrong below one path.
struct Refusals {
  kube::FieldErrors& errors;
  std::string path;

  [[nodiscard]] Refusals at(std::string_view field) const { return {errors, fmt::format("{}.{}", path, field)}; }
  [[nodiscard]] Refusals at(std::size_t index) const { return {errors, fmt::format("{}[{}]", path, index)}; }

  void invalid(std::int64_t value, std::string_view why, std::string hint = {}) const {
    errors.push_back({path, fmt::format("Invalid value: {}: {}", value, why), std::move(hint)});
  }
  void invalid(std::string_view value, std::string_view why) const {
    errors.push_back({path, fmt::format("Invalid value: {}: {}", quoted(value), why), {}});
  }
  void required(std::string_view why) const { errors.push_back({path, fmt::format("Required value: {}", why), {}}); }
  void forbidden(std::string_view why) const { errors.push_back({path, fmt::format("Forbidden: {}", why), {}}); }

  /// Each that is there more than once.
  void unique(const std::vector<std::string>& values) const {
    std::set<std::string_view> seen;
    std::vector<std::string> twice;
    for (const std::string& value : values) {
      if (!seen.insert(value).second) twice.push_back(quoted(value));
    }
    if (twice.empty()) return;
    errors.push_back({path, fmt::format("Duplicate value: [{}]", fmt::join(twice, ",")), {}});
  }
};

void check_least(const Refusals& at, std::int32_t least, std::int32_t replicas) {
  if (least <= 0) at.invalid(least, "must be greater than 0");
  if (least > replicas) {
    at.invalid(least, "minAvailable must not be greater than replicas", fmt::format("at most {}", replicas));
  }
}

void check_autoscaling(const Refusals& at, const CliqueSpec& clique) {
  const kube::CliqueAutoscaling& bounds = *clique.autoscaling;
  const std::int32_t least = bounds.min_replicas.value_or(clique.replicas);
  if (least < clique.min_available.value_or(clique.replicas)) {
    at.at("minReplicas").invalid(least, "must be greater than or equal to podCliqueSpec.minAvailable");
  }
  if (bounds.max_replicas < least) {
    at.at("maxReplicas").invalid(bounds.max_replicas, "must be greater than or equal to podCliqueSpec.minReplicas");
  }
  if (bounds.max_replicas < clique.replicas) {
    at.at("maxReplicas").invalid(bounds.max_replicas, "must be greater than or equal to replicas");
  }
}

void check_starts_after(const Refusals& at, const CliqueTemplate& clique) {
  for (const std::string& parent : clique.spec.starts_after) {
    if (parent.empty()) at.required("clique dependency must not be empty");
    if (parent == clique.name) at.invalid(parent, "clique dependency cannot refer to itself");
  }
  at.unique(clique.spec.starts_after);
}

/// Names of pods are made of these.
std::string length_problem(const PodCliqueSet& set, std::string_view group, std::string_view clique) {
  const std::size_t length = set.metadata.name.size() + group.size() + clique.size();
  if (length <= kLongestNames) return {};
  const std::string what = fmt::format(
      "combined resource name length {} exceeds 45-character limit required for pod naming. Consider "
      "shortening: PodCliqueSet '{}'",
      length, set.metadata.name);
  if (group.empty()) return fmt::format("{} or PodClique '{}'", what, clique);
  return fmt::format("{}, PodCliqueScalingGroup '{}', or PodClique '{}'", what, group, clique);
}

void check_clique(const Refusals& at, const PodCliqueSet& set, const CliqueTemplate& clique) {
  const Refusals spec = at.at("spec");
  if (clique.name.empty()) at.at("name").required("field cannot be empty");
  if (clique.spec.replicas <= 0) spec.at("replicas").invalid(clique.spec.replicas, "must be greater than 0");
  check_least(spec.at("minAvailable"), clique.spec.min_available.value_or(clique.spec.replicas), clique.spec.replicas);
  if (set.startup_type == kExplicit) check_starts_after(spec.at("startsAfter"), clique);
  if (clique.spec.autoscaling) check_autoscaling(spec.at("autoScalingConfig"), clique.spec);
  if (!schema::dns_subdomain_problems(clique.name).empty()) {
    at.at("name").invalid(clique.name, "invalid PodCliqueTemplateSpec name, must be a valid DNS subdomain");
  }
  if (scaling_group_of(set, clique.name) != nullptr) return;
  if (const std::string problem = length_problem(set, "", clique.name); !problem.empty()) {
    at.at("name").invalid(clique.name, problem);
    Refusals{at.errors, "metadata.name"}.invalid(set.metadata.name, problem);
  }
}

/// The cliques that wait for themselves, by way of others, in the order of the set.
std::vector<std::string> circle_of(const PodCliqueSet& set) {
  std::vector<std::string> circle;
  for (const CliqueTemplate& clique : set.cliques) {
    std::set<std::string_view> reached;
    std::vector<std::string_view> open = {clique.name};
    while (!open.empty()) {
      const CliqueTemplate* const next = find_clique(set, open.back());
      open.pop_back();
      if (next == nullptr) continue;
      for (const std::string& parent : next->spec.starts_after) {
        if (parent != next->name && reached.insert(parent).second) open.push_back(parent);
      }
    }
    if (reached.contains(clique.name)) circle.push_back(quoted(clique.name));
  }
  return circle;
}

void check_order(const Refusals& at, const PodCliqueSet& set) {
  std::vector<std::string> unknown;
  for (const CliqueTemplate& clique : set.cliques) {
    for (const std::string& parent : clique.spec.starts_after) {
      if (find_clique(set, parent) == nullptr) unknown.push_back(parent);
    }
  }
  if (!unknown.empty()) {
    at.at("startsAfter")
        .invalid(fmt::format("{}", fmt::join(unknown, ",")),
                 "unknown clique names found, all clique dependencies must be defined as cliques");
  }
  const std::vector<std::string> circle = circle_of(set);
  if (circle.empty()) return;
  at.errors.push_back(
      {at.path,
       fmt::format("Invalid value: [[{}]]: clique must not have circular dependencies", fmt::join(circle, ",")),
       {}});
}

void check_cliques(const Refusals& at, const PodCliqueSet& set) {
  if (set.cliques.empty()) return at.required("at least one PodClique must be defined");
  std::vector<std::string> names;
  std::vector<std::string> roles;
  std::vector<std::string> schedulers;
  for (std::size_t i = 0; i < set.cliques.size(); ++i) {
    const CliqueTemplate& clique = set.cliques[i];
    check_clique(at.at(i), set, clique);
    names.push_back(clique.name);
    roles.push_back(clique.spec.role_name);
    const std::string& written = clique.spec.template_.spec->scheduler_name;
    const std::string scheduler = written.empty() ? "default-scheduler" : written;
    if (std::ranges::find(schedulers, scheduler) == schedulers.end()) schedulers.push_back(scheduler);
  }
  at.at("name").unique(names);
  at.at("roleName").unique(roles);
  if (schedulers.size() > 1) {
    at.at("spec.podSpec.schedulerName")
        .invalid(fmt::format("{}", fmt::join(schedulers, ", ")), "the schedulerName for all pods have to be the same");
  }
  if (set.startup_type == kExplicit) check_order(at, set);
}

void check_group(const Refusals& at, const PodCliqueSet& set, const CliqueScalingGroup& group) {
  if (!schema::dns_subdomain_problems(group.name).empty()) {
    at.at("name").invalid(group.name, "invalid PodCliqueScalingGroupConfig name, must be a valid DNS subdomain");
  }
  std::vector<std::string> unknown;
  for (const std::string& name : group.cliques) {
    if (find_clique(set, name) == nullptr) unknown.push_back(name);
  }
  if (!unknown.empty()) {
    at.at("cliqueNames").invalid(fmt::format("{}", fmt::join(unknown, ",")), "unidentified PodClique names found");
  }
  for (std::size_t i = 0; i < group.cliques.size(); ++i) {
    const std::string problem = length_problem(set, group.name, group.cliques[i]);
    if (problem.empty()) continue;
    at.at("cliqueNames").at(i).at("name").invalid(group.cliques[i], problem);
    at.at("name").invalid(group.cliques[i], problem);
    Refusals{at.errors, "metadata.name"}.invalid(set.metadata.name, problem);
  }
  const std::int32_t replicas = group.replicas.value_or(1);
  if (replicas <= 0) at.at("replicas").invalid(replicas, "must be greater than 0");
  const auto least = static_cast<std::int32_t>(least_available(group));
  check_least(at.at("minAvailable"), least, replicas);
  if (!group.autoscaling) return;
  const std::int32_t bound = group.autoscaling->min_replicas.value_or(replicas);
  if (bound < least) {
    at.at("scaleConfig.minReplicas")
        .invalid(bound, "scaleConfig.minReplicas must be greater than or equal to minAvailable");
  }
}

void check_groups(const Refusals& at, const PodCliqueSet& set) {
  std::vector<std::string> names;
  std::vector<std::string> members;
  for (std::size_t i = 0; i < set.scaling_groups.size(); ++i) {
    const CliqueScalingGroup& group = set.scaling_groups[i];
    check_group(at.at(i), set, group);
    names.push_back(group.name);
    members.insert(members.end(), group.cliques.begin(), group.cliques.end());
  }
  at.at("name").unique(names);
  at.at("cliqueNames").unique(members);
  for (const CliqueTemplate& clique : set.cliques) {
    if (!clique.spec.autoscaling || scaling_group_of(set, clique.name) == nullptr) continue;
    at.invalid(clique.name,
               "AutoScalingConfig is not allowed to be defined for PodClique that is part of scaling group");
  }
}

// ---- changes -------------------------------------------------------------------------------------------------------

constexpr std::string_view kImmutable = "field is immutable";

void check_clique_change(const Refusals& at, const CliqueSpec& before, const CliqueSpec& clique) {
  if (clique.role_name != before.role_name) at.at("roleName").invalid(clique.role_name, kImmutable);
  if (clique.min_available != before.min_available) {
    at.at("minAvailable").invalid(clique.min_available.value_or(0), kImmutable);
  }
  if (clique.starts_after != before.starts_after) {
    std::vector<std::string> names;
    for (const std::string& name : clique.starts_after) names.push_back(quoted(name));
    at.errors.push_back(
        {at.at("startsAfter").path, fmt::format("Invalid value: [{}]: {}", fmt::join(names, ","), kImmutable), {}});
  }
  const std::string& scheduler = clique.template_.spec->scheduler_name;
  if (scheduler != before.template_.spec->scheduler_name) {
    at.at("podSpec.schedulerName").invalid(scheduler, kImmutable);
  }
}

void check_clique_changes(const Refusals& at, const PodCliqueSet& before, const PodCliqueSet& set) {
  if (set.cliques.size() != before.cliques.size()) at.forbidden("not allowed to change clique composition");
  const bool has_order = set.startup_type == kExplicit || set.startup_type == kInOrder;
  for (std::size_t i = 0; i < set.cliques.size(); ++i) {
    const CliqueTemplate& clique = set.cliques[i];
    const CliqueTemplate* const old = find_clique(before, clique.name);
    if (old == nullptr) {
      at.at("name").forbidden(
          fmt::format("not allowed to change clique composition, new clique name '{}' is not allowed", clique.name));
      continue;
    }
    if (has_order && static_cast<std::size_t>(old - before.cliques.data()) != i) {
      at.invalid(clique.name, fmt::format("clique order cannot be changed when StartupType is InOrder or Explicit. "
                                          "Expected '{}' at position {}, got '{}'",
                                          old->name, i, clique.name));
    }
    check_clique_change(at.at("spec"), old->spec, clique.spec);
  }
}

void check_group_changes(const Refusals& at, const PodCliqueSet& before, const PodCliqueSet& set) {
  if (set.scaling_groups.size() != before.scaling_groups.size()) {
    return at.forbidden("not allowed to add or remove PodCliqueScalingGroupConfigs");
  }
  for (const CliqueScalingGroup& group : set.scaling_groups) {
    const auto old = std::ranges::find(before.scaling_groups, group.name, &CliqueScalingGroup::name);
    if (old == before.scaling_groups.end()) {
      at.at("name").forbidden(fmt::format(
          "not allowed to change scaling group composition, new scaling group name '{}' is not allowed", group.name));
      continue;
    }
    if (group.cliques != old->cliques) {
      std::vector<std::string> names;
      for (const std::string& name : group.cliques) names.push_back(quoted(name));
      at.errors.push_back(
          {at.at("cliqueNames").path, fmt::format("Invalid value: [{}]: {}", fmt::join(names, ","), kImmutable), {}});
    }
    if (group.min_available != old->min_available) {
      at.at("minAvailable").invalid(group.min_available.value_or(0), kImmutable);
    }
  }
}

}  // namespace

kube::FieldErrors refusals_of(const PodCliqueSet& set) {
  kube::FieldErrors errors;
  const Refusals spec{errors, "spec"};
  if (set.replicas < 0) spec.at("replicas").invalid(set.replicas, "must be greater than or equal to 0");
  const Refusals whole = spec.at("template");
  check_cliques(whole.at("cliques"), set);
  check_groups(whole.at("podCliqueScalingGroups"), set);
  return errors;
}

kube::FieldErrors update_refusals(const PodCliqueSet& before, const PodCliqueSet& set) {
  kube::FieldErrors errors;
  const Refusals whole{errors, "spec.template"};
  check_clique_changes(whole.at("cliques"), before, set);
  if (set.startup_type != before.startup_type) whole.at("cliqueStartupType").invalid(set.startup_type, kImmutable);
  check_group_changes(whole.at("podCliqueScalingGroups"), before, set);
  return errors;
}

}  // namespace loadline::workloads
