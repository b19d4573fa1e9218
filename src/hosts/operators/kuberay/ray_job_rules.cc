#include "hosts/operators/kuberay/ray_job_rules.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "brain/workloads/ray_job.h"
#include "foundation/document/at.h"
#include "foundation/document/reader.h"
#include "hosts/operators/kuberay/ray_rules.h"
#include "objects/kube/batch/cron_schedule.h"
#include "objects/kube/scalars.h"
#include "objects/kube/workload_names.h"

namespace loadline::operators {
namespace {

using document::text_at;
using document::Value;

constexpr std::size_t kLongestJobName = 47;
constexpr std::string_view kSpecIsInvalid = "The RayJob spec is invalid: ";

const Value* member(const Value& object, std::string_view name) {
  const Value* found = object.find(name);
  return found == nullptr || found->is_null() ? nullptr : found;
}

// ---- rules of deletion ---------------------------------------------------------------------------------------------

using Ttls = std::map<std::string, std::int64_t, std::less<>>;

/// Workers go no later than their cluster, and that no later than the job.
void check_order(const Ttls& ttls, std::string_view type, std::string_view value, std::vector<std::string>& faults) {
  std::optional<std::pair<std::string_view, std::int64_t>> previous;
  for (const std::string_view policy : {"DeleteWorkers", "DeleteCluster", "DeleteSelf"}) {
    const auto ttl = ttls.find(policy);
    if (ttl == ttls.end()) continue;
    if (previous && ttl->second < previous->second) {
      faults.push_back(fmt::format("for {} '{}': {} TTL ({}) must be >= {} TTL ({})", type, value, policy, ttl->second,
                                   previous->first, previous->second));
    }
    previous = std::pair(policy, ttl->second);
  }
}

std::string condition_problem(const Value& rule) {
  const bool has_status = !text_at(rule, {"condition", "jobStatus"}).empty();
  const bool has_deployment_status = !text_at(rule, {"condition", "jobDeploymentStatus"}).empty();
  if (has_status && has_deployment_status) return "cannot set both JobStatus and JobDeploymentStatus at the same time";
  if (!has_status && !has_deployment_status) return "exactly one of JobStatus and JobDeploymentStatus must be set";
  const Value ttl = document::value_at(rule, {"condition", "ttlSeconds"});
  return ttl.is_integer() && ttl.integer() < 0 ? "TTLSeconds must be non-negative" : std::string();
}

/// All that is wrong with the rules, a line each.
std::string rules_problem(const kube::RayJobSpec& view, const Value& rules) {
  std::map<std::pair<std::string_view, std::string>, Ttls> by_condition;
  std::vector<std::string> faults;
  for (std::size_t i = 0; i < rules.array().size(); ++i) {
    const Value& rule = rules.array()[i];
    const std::string_view policy = text_at(rule, {"policy"});
    std::string problem = condition_problem(rule);
    if (problem.empty() && !view.cluster_selector.empty() && (policy == "DeleteCluster" || policy == "DeleteWorkers")) {
      problem = fmt::format("DeletionPolicyType '{}' not supported when ClusterSelector is set", policy);
    }
    if (problem.empty() && view.cluster && view.cluster->has_autoscaler && policy == "DeleteWorkers") {
      problem = "DeletionPolicyType 'DeleteWorkers' not supported with autoscaling enabled";
    }
    if (problem.empty()) {
      const bool is_status = !text_at(rule, {"condition", "jobStatus"}).empty();
      const std::string_view type = is_status ? "JobStatus" : "JobDeploymentStatus";
      const std::string value(text_at(rule, {"condition", is_status ? "jobStatus" : "jobDeploymentStatus"}));
      const Value ttl = document::value_at(rule, {"condition", "ttlSeconds"});
      const bool is_new =
          by_condition[{type, value}].try_emplace(std::string(policy), ttl.is_integer() ? ttl.integer() : 0).second;
      if (is_new) continue;
      problem = fmt::format("duplicate rule for DeletionPolicyType '{}' and {} '{}'", policy, type, value);
    }
    faults.push_back(fmt::format("deletionRules[{}]: {}", i, problem));
  }
  for (const std::string_view type : {"JobStatus", "JobDeploymentStatus"}) {
    for (const auto& [condition, ttls] : by_condition) {
      if (condition.first == type) check_order(ttls, type, condition.second, faults);
    }
  }
  return fmt::format("{}", fmt::join(faults, "\n"));
}

/// Of onSuccess and onFailure, which rules have replaced.
std::string old_policies_problem(const kube::RayJobSpec& view, const Value& strategy) {
  if (member(strategy, "onSuccess") == nullptr || member(strategy, "onFailure") == nullptr) {
    return "both DeletionStrategy.OnSuccess and DeletionStrategy.OnFailure must be set when using the legacy deletion "
           "policy fields of DeletionStrategy";
  }
  const std::string_view on_success = text_at(strategy, {"onSuccess", "policy"});
  const std::string_view on_failure = text_at(strategy, {"onFailure", "policy"});
  for (const auto& [policy, name] : {std::pair(on_success, "OnSuccess"), std::pair(on_failure, "OnFailure")}) {
    if (!policy.empty()) continue;
    return fmt::format(
        "the DeletionPolicyType field of DeletionStrategy.{} cannot be unset when DeletionStrategy is enabled", name);
  }
  if (!view.cluster_selector.empty()) {
    for (const auto& [policy, when] : {std::pair(on_success, "success"), std::pair(on_failure, "failure")}) {
      if (policy != "DeleteCluster" && policy != "DeleteWorkers") continue;
      return fmt::format("the ClusterSelector mode doesn't support DeletionStrategy={} on {}", policy, when);
    }
  }
  const auto either = [&](std::string_view policy) { return on_success == policy || on_failure == policy; };
  if (either("DeleteWorkers") && view.cluster && view.cluster->has_autoscaler) {
    return "DeletionStrategy=DeleteWorkers currently does not support RayCluster with autoscaling enabled";
  }
  if (view.shuts_down && either("DeleteNone")) {
    return fmt::format("{}shutdownAfterJobFinshes is set to 'true' while deletion policy is 'DeleteNone'",
                       kSpecIsInvalid);
  }
  return {};
}

std::string deletion_problem(const kube::RayJobSpec& view, const Value& spec) {
  if (!view.shuts_down && view.ttl_seconds_after_finished > 0) {
    return fmt::format("{}a RayJob with shutdownAfterJobFinishes set to false cannot have TTLSecondsAfterFinished",
                       kSpecIsInvalid);
  }
  const Value* strategy = member(spec, "deletionStrategy");
  if (strategy == nullptr) return {};
  const bool is_old = member(*strategy, "onSuccess") != nullptr || member(*strategy, "onFailure") != nullptr;
  const Value* rules = member(*strategy, "deletionRules");
  const bool has_rules = rules != nullptr && rules->is_array() && !rules->array().empty();
  if (has_rules && view.shuts_down) {
    return fmt::format("{}spec.shutdownAfterJobFinishes and spec.deletionStrategy.deletionRules are mutually exclusive",
                       kSpecIsInvalid);
  }
  if (has_rules && is_old) {
    return fmt::format("{}Cannot use both legacy onSuccess/onFailure fields and deletionRules simultaneously",
                       kSpecIsInvalid);
  }
  if (is_old) return old_policies_problem(view, *strategy);
  if (has_rules) return rules_problem(view, *rules);
  return fmt::format(
      "{}DeletionStrategy requires either BOTH onSuccess and onFailure, OR the deletionRules field (cannot be empty)",
      kSpecIsInvalid);
}

// ---- the rest ------------------------------------------------------------------------------------------------------

std::string selector_problem(const kube::RayJobSpec& view) {
  if (view.cluster_selector.empty()) {
    if (view.cluster) return {};
    return fmt::format("{}one of RayClusterSpec or ClusterSelector must be set", kSpecIsInvalid);
  }
  if (view.suspend) {
    return fmt::format("{}the ClusterSelector mode doesn't support the suspend operation", kSpecIsInvalid);
  }
  const auto name = view.cluster_selector.find(kube::kRayCluster);
  if (name == view.cluster_selector.end() || name->second.empty()) {
    return "cluster name in ClusterSelector should not be empty";
  }
  if (workloads::submission_mode(view) == workloads::kSidecarMode)
    return "ClusterSelector is not supported in SidecarMode";
  if (view.backoff_limit.value_or(0) > 0) {
    return fmt::format("{}BackoffLimit is incompatible with ClusterSelector mode", kSpecIsInvalid);
  }
  return {};
}

std::string mode_problem(const kube::RayJobSpec& view, const Value& spec) {
  if (workloads::submission_mode(view) == workloads::kInteractiveMode && view.backoff_limit.value_or(0) > 0) {
    return fmt::format("{}BackoffLimit is incompatible with InteractiveMode", kSpecIsInvalid);
  }
  if (workloads::submission_mode(view) != workloads::kSidecarMode) return {};
  if (view.submitter_template) return "Currently, SidecarMode doesn't support SubmitterPodTemplate";
  if (member(spec, "submitterConfig") != nullptr) return "Currently, SidecarMode doesn't support SubmitterConfig";
  const std::string_view policy =
      text_at(spec, {"rayClusterSpec", "headGroupSpec", "template", "spec", "restartPolicy"});
  if (policy.empty() || policy == "Never") return {};
  return "restartPolicy for head Pod should be Never or unset when using SidecarMode";
}

std::string cluster_problem(const kube::RayJobSpec& view, const Value& spec, const kube::StringMap& annotations) {
  if (!view.cluster) return {};
  kube::RayCluster cluster;
  cluster.metadata.annotations = annotations;
  cluster.spec = *view.cluster;
  const Value written(document::Object{{"spec", document::value_at(spec, {"rayClusterSpec"}), {}}});
  const std::string problem = ray_cluster_spec_problem(cluster, written);
  return problem.empty() ? std::string() : fmt::format("{}{}", kSpecIsInvalid, problem);
}

std::string runtime_problem(const Value& spec) {
  const std::string_view text = text_at(spec, {"runtimeEnvYAML"});
  if (text.empty()) return {};
  const document::Reading reading = document::read_yaml(text, "runtimeEnvYAML", document::EqualKeys::kLast);
  if (reading.problems.empty()) return {};
  // Of what does not parse go-yaml counts lines from 0, of what it cannot even scan from 1.
  const Diagnostic& problem = reading.problems.front();
  const bool is_parsed = problem.message.find(" while parsing ") != std::string::npos;
  return fmt::format("failed to unmarshal RuntimeEnvYAML: {}: error converting YAML to JSON: yaml: line {}: {}", text,
                     problem.at.line - (is_parsed ? 1 : 0), problem.message.substr(0, problem.message.find(" while ")));
}

std::string limits_problem(const kube::RayJobSpec& view) {
  if (view.active_deadline_seconds && *view.active_deadline_seconds <= 0) {
    return fmt::format("{}activeDeadlineSeconds must be a positive integer", kSpecIsInvalid);
  }
  if (view.pre_running_deadline_seconds && *view.pre_running_deadline_seconds <= 0) {
    return fmt::format("{}preRunningDeadlineSeconds must be a positive integer", kSpecIsInvalid);
  }
  if (view.backoff_limit.value_or(0) < 0) {
    return fmt::format("{}backoffLimit must be a positive integer", kSpecIsInvalid);
  }
  return {};
}

}  // namespace

std::string ray_job_name_problem(std::string_view name) {
  if (name.size() > kLongestJobName) {
    return fmt::format("The RayJob metadata is invalid: RayJob name should be no more than {} characters",
                       kLongestJobName);
  }
  const kube::NameProblems problems = kube::dns_1035_label_problems(std::string(name));
  if (problems.empty()) return {};
  return fmt::format("The RayJob metadata is invalid: RayJob name should be a valid DNS1035 label: [{}]",
                     fmt::join(problems, " "));
}

std::string ray_job_spec_problem(const kube::RayJobSpec& view, const Value& spec, const kube::StringMap& annotations) {
  if (view.suspend && !view.shuts_down) {
    return fmt::format("{}a RayJob with shutdownAfterJobFinishes set to false is not allowed to be suspended",
                       kSpecIsInvalid);
  }
  if (view.ttl_seconds_after_finished < 0) {
    return fmt::format("{}TTLSecondsAfterFinished must be a non-negative integer", kSpecIsInvalid);
  }
  for (std::string problem : {deletion_problem(view, spec), selector_problem(view), mode_problem(view, spec),
                              cluster_problem(view, spec, annotations), runtime_problem(spec), limits_problem(view)}) {
    if (!problem.empty()) return problem;
  }
  return {};
}

std::string ray_cron_job_spec_problem(const kube::RayCronJobSpec& view, const Value& spec) {
  if (const auto schedule = kube::CronSchedule::parse(view.schedule); !schedule) {
    return fmt::format("invalid cron schedule: {}", schedule.error().message);
  }
  const std::string problem = ray_job_spec_problem(view.job, document::value_at(spec, {"jobTemplate"}), {});
  return problem.empty() ? std::string() : fmt::format("invalid RayJob template: {}", problem);
}

std::string ray_job_refusal(const Value& job) {
  const std::string_view name = text_at(job, {"metadata", "name"});
  const std::string problem = ray_job_name_problem(name);
  if (problem.empty()) return {};
  return fmt::format("RayJob.ray.io \"{0}\" is invalid: metadata.name: Invalid value: \"{0}\": {1}", name, problem);
}

}  // namespace loadline::operators
