#include "hosts/operators/kuberay/ray_rules.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdint>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "brain/workloads/ray_cluster.h"
#include "foundation/document/at.h"
#include "foundation/document/writer.h"
#include "objects/kube/scalars.h"
#include "objects/kube/workload_names.h"

namespace loadline::operators {
namespace {

using document::find_at;
using document::text_at;
using document::Value;

constexpr std::size_t kLongestName = 53;
/// All hosts of a replica are made at once. The largest slices of TPUs have some 2,300.
constexpr std::int32_t kMostHosts = 4096;

bool is_written(const Value& group, std::string_view parameter) {
  return !text_at(group, {"rayStartParams", parameter}).empty();
}

std::string resources_problem(std::string_view name, const Value& group) {
  const Value* resources = group.find("resources");
  if (resources == nullptr || !resources->is_object() || resources->object().empty()) return {};
  for (const std::string_view parameter : {"num-cpus", "num-gpus", "memory", "resources"}) {
    if (!is_written(group, parameter)) continue;
    return fmt::format(
        "resource fields should not be set in both rayStartParams and Resources for {} group; please use only one",
        name);
  }
  return {};
}

std::string labels_problem(std::string_view name, const Value& group) {
  if (find_at(group, {"rayStartParams", "labels"}) != nullptr) {
    return fmt::format(
        "rayStartParams['labels'] is not supported for {} group; please use the top-level Labels field instead", name);
  }
  const Value* labels = group.find("labels");
  if (labels == nullptr || !labels->is_object()) return {};
  std::vector<std::string> problems;
  for (const auto& [key, value, mark] : labels->object()) {
    for (const auto& problem : kube::qualified_name_problems(key)) {
      problems.push_back(fmt::format("invalid label key for {} group: '{}', error: {}", name, key, problem));
    }
    const std::string_view text = value.is_string() ? std::string_view(value.string()) : std::string_view();
    for (const auto& problem : kube::label_value_problems(text)) {
      problems.push_back(
          fmt::format("invalid label value for key '{}' in {} group: '{}', error: {}", key, name, text, problem));
    }
  }
  return fmt::format("{}", fmt::join(problems, "; "));
}

/// Of the head's Ray container.
bool has_variable(const Value& head, std::string_view name) {
  const Value* containers = find_at(head, {"template", "spec", "containers"});
  if (containers == nullptr || !containers->is_array() || containers->array().empty()) return false;
  const Value* env = containers->array().front().find("env");
  return env != nullptr && env->is_array() &&
         std::ranges::any_of(env->array(), [&](const Value& each) { return text_at(each, {"name"}) == name; });
}

std::string fault_tolerance_problem(const kube::RayCluster& view, const Value& cluster) {
  const bool has_options = view.spec.is_fault_tolerant;
  const auto annotated = [&](std::string_view name) {
    const auto found = view.metadata.annotations.find(name);
    return found != view.metadata.annotations.end() && !found->second.empty();
  };
  if (has_options && annotated(kube::kRayFaultTolerance)) {
    return fmt::format(
        "{} annotation and GcsFaultToleranceOptions are both set. Please use only GcsFaultToleranceOptions to "
        "configure GCS fault tolerance",
        kube::kRayFaultTolerance);
  }
  const Value head = document::value_at(cluster, {"spec", "headGroupSpec"});
  if (!workloads::is_fault_tolerant(view) && has_variable(head, "RAY_REDIS_ADDRESS")) {
    return "RAY_REDIS_ADDRESS is set which implicitly enables GCS fault tolerance, but GcsFaultToleranceOptions is not "
           "set. Please set GcsFaultToleranceOptions to enable GCS fault tolerance";
  }
  if (has_options) {
    if (is_written(head, "redis-password")) {
      return "cannot set `redis-password` in rayStartParams when GcsFaultToleranceOptions is enabled - use "
             "GcsFaultToleranceOptions.RedisPassword instead";
    }
    if (has_variable(head, "REDIS_PASSWORD")) {
      return "cannot set `REDIS_PASSWORD` env var in head Pod when GcsFaultToleranceOptions is enabled - use "
             "GcsFaultToleranceOptions.RedisPassword instead";
    }
    if (has_variable(head, "RAY_REDIS_ADDRESS")) {
      return "cannot set `RAY_REDIS_ADDRESS` env var in head Pod when GcsFaultToleranceOptions is enabled - use "
             "GcsFaultToleranceOptions.RedisAddress instead";
    }
    if (annotated("ray.io/external-storage-namespace")) {
      return "cannot set `ray.io/external-storage-namespace` annotation when GcsFaultToleranceOptions is enabled - use "
             "GcsFaultToleranceOptions.ExternalStorageNamespace instead";
    }
  }
  if (is_written(head, "redis-username") || has_variable(head, "REDIS_USERNAME")) {
    return "cannot set redis username in rayStartParams or environment variables - use "
           "GcsFaultToleranceOptions.RedisUsername instead";
  }
  return {};
}

std::string autoscaler_problem(const kube::RayCluster& view, const Value& cluster) {
  const auto& options = view.spec.autoscaler;
  if (view.spec.has_autoscaler && options && options->version == "v2") {
    const auto is_other = [](const Value& group) {
      const std::string_view policy = text_at(group, {"template", "spec", "restartPolicy"});
      return !policy.empty() && policy != "Never";
    };
    if (is_other(document::value_at(cluster, {"spec", "headGroupSpec"}))) {
      return "restartPolicy for head Pod should be Never or unset when using autoscaler V2";
    }
    const Value groups = document::value_at(cluster, {"spec", "workerGroupSpecs"});
    for (std::size_t i = 0; groups.is_array() && i < groups.array().size(); ++i) {
      if (!is_other(groups.array()[i])) continue;
      return fmt::format("restartPolicy for worker group {} should be Never or unset when using autoscaler V2",
                         text_at(groups.array()[i], {"groupName"}));
    }
  }
  if (options && options->idle_timeout_seconds && *options->idle_timeout_seconds < 0) {
    return fmt::format("autoscalerOptions.idleTimeoutSeconds must be non-negative, got {}",
                       *options->idle_timeout_seconds);
  }
  return {};
}

std::string group_problem(const kube::RayCluster& view, const Value& cluster) {
  const Value groups = document::value_at(cluster, {"spec", "workerGroupSpecs"});
  for (std::size_t i = 0; i < view.spec.worker_groups.size(); ++i) {
    const kube::RayWorkerGroup& group = view.spec.worker_groups[i];
    if (group.template_.spec->containers.empty()) return "workerGroupSpec should have at least one container";
    if (!view.spec.has_autoscaler && (!group.min_replicas || !group.max_replicas)) {
      return fmt::format("worker group {} must set both minReplicas and maxReplicas when autoscaling is disabled",
                         group.name);
    }
    const std::int32_t least = group.min_replicas.value_or(0);
    if (least < 0) return fmt::format("worker group {} has negative minReplicas {}", group.name, least);
    if (group.max_replicas.value_or(0) < 0) {
      return fmt::format("worker group {} has negative maxReplicas {}", group.name, *group.max_replicas);
    }
    if (group.min_replicas && group.max_replicas && least > *group.max_replicas) {
      return fmt::format("worker group {} has minReplicas {} greater than maxReplicas {}", group.name, least,
                         *group.max_replicas);
    }
    if (group.hosts_per_replica > kMostHosts) {
      return fmt::format("worker group {} has numOfHosts {}, and no replica is made of more than {} hosts", group.name,
                         group.hosts_per_replica, kMostHosts);
    }
    if (!groups.is_array() || i >= groups.array().size()) continue;
    if (std::string problem = resources_problem(group.name, groups.array()[i]); !problem.empty()) return problem;
    if (std::string problem = labels_problem(group.name, groups.array()[i]); !problem.empty()) return problem;
  }
  return {};
}

/// The first group whose name an earlier one has; empty: each has its own.
std::string repeated_group(const Value& cluster) {
  const Value groups = document::value_at(cluster, {"spec", "workerGroupSpecs"});
  std::set<std::string_view> names;
  for (std::size_t i = 0; groups.is_array() && i < groups.array().size(); ++i) {
    const Value& group = groups.array()[i];
    if (names.insert(text_at(group, {"groupName"})).second) continue;
    return fmt::format("spec.workerGroupSpecs[{}]: Invalid value: {}: worker group names must be unique", i,
                       document::write_json(group));
  }
  return {};
}

}  // namespace

std::string ray_cluster_refusal(const Value& cluster) {
  const std::string_view name = text_at(cluster, {"metadata", "name"});
  std::vector<std::string> faults;
  if (const std::string problem = ray_cluster_name_problem(name); !problem.empty()) {
    faults.push_back(fmt::format("metadata.name: Invalid value: \"{}\": {}", name, problem));
  }
  if (std::string repeated = repeated_group(cluster); !repeated.empty()) faults.push_back(std::move(repeated));
  if (faults.empty()) return {};
  const std::string all = faults.size() == 1 ? faults.front() : fmt::format("[{}]", fmt::join(faults, ", "));
  return fmt::format("RayCluster.ray.io \"{}\" is invalid: {}", name, all);
}

std::string ray_cluster_name_problem(std::string_view name) {
  if (name.size() > kLongestName) {
    return fmt::format("RayCluster name should be no more than {} characters", kLongestName);
  }
  const kube::NameProblems problems = kube::dns_1035_label_problems(std::string(name));
  if (problems.empty()) return {};
  return fmt::format("RayCluster name should be a valid DNS1035 label: [{}]", fmt::join(problems, " "));
}

std::string ray_cluster_spec_problem(const kube::RayCluster& view, const Value& cluster) {
  if (view.spec.head.template_.spec->containers.empty()) return "headGroupSpec should have at least one container";
  const Value head = document::value_at(cluster, {"spec", "headGroupSpec"});
  for (std::string problem : {resources_problem("Head", head), labels_problem("Head", head),
                              group_problem(view, cluster), fault_tolerance_problem(view, cluster)}) {
    if (!problem.empty()) return problem;
  }
  if (view.spec.has_autoscaler) {
    for (const kube::RayWorkerGroup& group : view.spec.worker_groups) {
      if (group.suspend) return fmt::format("worker group {} cannot be suspended with Autoscaler enabled", group.name);
    }
  }
  return autoscaler_problem(view, cluster);
}

}  // namespace loadline::operators
