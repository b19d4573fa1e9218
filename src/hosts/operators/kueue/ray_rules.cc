#include "hosts/operators/kueue/ray_rules.h"

#include <fmt/format.h>

#include <cstdint>
#include <string_view>

namespace loadline::operators::kueue {
namespace {

using apiserver::CheckedField;
using document::Value;

constexpr std::int64_t kMostPodSets = 18;
constexpr std::string_view kElastic = "kueue.x-k8s.io/elastic-job";

bool is_elastic_job(const CheckedField& object) {
  return object.at({"metadata", "annotations"}).key(kElastic).text() == "true";
}

void check_groups(const CheckedField& cluster_spec) {
  const CheckedField groups = cluster_spec.at("workerGroupSpecs");
  const std::int64_t sets = static_cast<std::int64_t>(groups.size()) + 1;
  if (sets > kMostPodSets) groups.too_many(kMostPodSets);
  for (const CheckedField& group : groups.elements()) {
    if (group.at("groupName").text() == "head") {
      group.at("groupName").forbidden("\"head\" is reserved for the head group");
    }
  }
}

}  // namespace

bool check_queued_ray_job(const CheckedField& job) {
  const CheckedField selector = job.at({"spec", "clusterSelector"});
  const CheckedField cluster = job.at({"spec", "rayClusterSpec"});
  if (selector.size() > 0) {
    if (cluster.is_set()) selector.invalid("a kueue managed job should not use an existing cluster");
    return false;
  }
  if (!cluster.is_set()) {
    cluster.required("rayClusterSpec is required for Kueue-managed jobs that don't use clusterSelector");
    return false;
  }
  const CheckedField shuts_down = job.at({"spec", "shutdownAfterJobFinishes"});
  if (!shuts_down.is_true()) {
    shuts_down.invalid(Value(false), "a kueue managed job should delete the cluster after finishing");
  }
  const CheckedField autoscaling = cluster.at("enableInTreeAutoscaling");
  if (autoscaling.is_true() && !is_elastic_job(job)) {
    autoscaling.invalid("a kueue managed job should only use autoscaling when workload slicing is enabled");
  }
  check_groups(cluster);
  return true;
}

bool check_queued_ray_cluster(const CheckedField& cluster) {
  const CheckedField autoscaling = cluster.at({"spec", "enableInTreeAutoscaling"});
  if (autoscaling.is_true() && !is_elastic_job(cluster)) {
    autoscaling.invalid(
        fmt::format("a kueue-managed RayCluster can use autoscaling only as an elastic job: enable the "
                    "ElasticJobsViaWorkloadSlices feature gate and set the \"{}\": \"true\" annotation",
                    kElastic));
  }
  check_groups(cluster.at("spec"));
  return true;
}

}  // namespace loadline::operators::kueue
