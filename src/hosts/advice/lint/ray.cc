#include "hosts/advice/lint/ray.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>

#include "brain/workloads/ray_cluster.h"
#include "foundation/base/text.h"
#include "objects/kube/gpu_resource.h"
#include "objects/kube/ray/ray_cluster.h"
#include "objects/kube/ray/ray_job.h"

namespace loadline::advice::lint {
namespace {

/// A cluster, wherever in an object it stands.
struct WrittenCluster {
  std::string subject;  ///< "RayJob default/tune"
  const kube::ObjectMeta& metadata;
  const kube::RayClusterSpec& spec;
  std::string path;  ///< "spec.rayClusterSpec"
};

template <class Visit>
void for_each_cluster(const LintInput& input, Visit visit) {
  const auto visit_one = [&](std::string_view kind, const kube::ObjectMeta& metadata, const kube::RayClusterSpec& spec,
                             std::string_view path) {
    if (!input.judges(metadata) || metadata.controller() != nullptr) return;
    visit(WrittenCluster{fmt::format("{} {}/{}", kind, metadata.namespace_, metadata.name), metadata, spec,
                         std::string(path)});
  };
  for (const kube::RayCluster& each : input.objects().of<kube::RayCluster>()) {
    visit_one("RayCluster", each.metadata, each.spec, "spec");
  }
  for (const kube::RayJob& each : input.objects().of<kube::RayJob>()) {
    if (each.spec.cluster) visit_one("RayJob", each.metadata, *each.spec.cluster, "spec.rayClusterSpec");
  }
  for (const kube::RayCronJob& each : input.objects().of<kube::RayCronJob>()) {
    if (!each.spec.job.cluster) continue;
    visit_one("RayCronJob", each.metadata, *each.spec.job.cluster, "spec.jobTemplate.rayClusterSpec");
  }
}

void check_group(const WrittenCluster& cluster, std::size_t index, Findings& findings) {
  const kube::RayWorkerGroup& group = cluster.spec.worker_groups[index];
  const auto report = [&](std::string_view field, std::string message, std::string hint) {
    findings.add(cluster.subject, cluster.metadata.source,
                 fmt::format("{}.workerGroupSpecs[{}].{}", cluster.path, index, field), std::move(message),
                 std::move(hint));
  };
  if (group.suspend) return;
  const std::int32_t asked = group.replicas.value_or(0);
  const std::int32_t least = group.min_replicas.value_or(0);
  if (group.max_replicas && least > *group.max_replicas) {
    report("minReplicas",
           fmt::format("{} is above the maxReplicas of {}, so KubeRay makes no pod of the cluster", least,
                       *group.max_replicas),
           fmt::format("a maxReplicas of {}", least));
  } else if (group.max_replicas && asked > *group.max_replicas) {
    report("replicas",
           fmt::format("{} is above the maxReplicas of {}, so the group {} gets {}", asked, *group.max_replicas,
                       group.name, counted(static_cast<std::size_t>(*group.max_replicas), "replica")),
           fmt::format("a maxReplicas of {}", asked));
  } else if (asked != 0 && asked < least) {
    report("replicas",
           fmt::format("{} is below the minReplicas of {}, so the group {} gets {}", asked, least, group.name,
                       counted(static_cast<std::size_t>(least), "replica")),
           fmt::format("a minReplicas of {}", asked));
  }
}

}  // namespace

void check_ray_replicas(const LintInput& input, Findings& findings) {
  for_each_cluster(input, [&](const WrittenCluster& cluster) {
    for (std::size_t i = 0; i < cluster.spec.worker_groups.size(); ++i) check_group(cluster, i, findings);
  });
}

void check_ray_heads(const LintInput& input, Findings& findings) {
  for_each_cluster(input, [&](const WrittenCluster& cluster) {
    const auto& groups = cluster.spec.worker_groups;
    if (std::ranges::none_of(groups, [](const auto& group) { return workloads::wanted_workers(group) > 0; })) return;
    const auto& containers = cluster.spec.head.template_.spec->containers;
    for (std::size_t i = 0; i < containers.size(); ++i) {
      for (const auto& [resource, amount] : containers[i].resources.limits) {
        if (!kube::is_gpu_resource(resource) || amount.is_zero()) continue;
        findings.add(cluster.subject, cluster.metadata.source,
                     fmt::format("{}.headGroupSpec.template.spec.containers[{}].resources.limits[{}]", cluster.path, i,
                                 resource),
                     fmt::format("the head takes {} {}, and coordinates the workers", amount.to_string(), resource),
                     "a head without, on a node without");
      }
    }
  });
}

}  // namespace loadline::advice::lint
