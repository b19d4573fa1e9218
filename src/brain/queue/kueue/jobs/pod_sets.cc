#include "brain/queue/kueue/jobs/pod_sets.h"

#include <algorithm>
#include <charconv>
#include <limits>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>

#include "brain/workloads/job.h"
#include "brain/workloads/pod_set.h"
#include "brain/workloads/ray_cluster.h"
#include "brain/workloads/ray_job.h"
#include "objects/kube/core/container_schema.h"
#include "objects/kube/kueue/job_names.h"
#include "objects/kube/scalars.h"
#include "objects/kube/view.h"
#include "objects/kube/workload_names.h"

namespace loadline::queue::kueue {
namespace {

/// Upstream's counts are of 32 bits, and so are those of the objects that they are made of.
std::int32_t as_count(std::int64_t count) {
  constexpr std::int64_t kMost = std::numeric_limits<std::int32_t>::max();
  return static_cast<std::int32_t>(std::clamp<std::int64_t>(count, 0, kMost));
}

std::optional<std::int32_t> whole_number_in(const kube::StringMap& annotations, std::string_view name) {
  const auto found = annotations.find(name);
  if (found == annotations.end()) return std::nullopt;
  const std::string& text = found->second;
  std::int32_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

/// The Job controller's own labels are a Job's, and a Workload outlives one.
kube::PodTemplateSpec without_managed_labels(kube::PodTemplateSpec pod_template) {
  for (const std::string_view label :
       {kube::kJobName, kube::kControllerUid, kube::kLegacyJobName, kube::kLegacyControllerUid}) {
    pod_template.metadata.labels.erase(label);
  }
  return pod_template;
}

kube::PodSet pod_set(std::string name, kube::PodTemplateSpec pod_template, std::int64_t count) {
  kube::PodSet set;
  set.name = kube::lower_case(name);
  set.template_ = std::move(pod_template);
  set.count = as_count(count);
  return set;
}

/// One of each template of the job.
JobPodSets sets_of_roles(const workloads::PodSets& roles) {
  JobPodSets sets;
  for (const workloads::PodSet& role : roles) sets.push_back(pod_set(role.role, *role.pod_template, role.count));
  return sets;
}

void add_containers(kube::PodTemplateSpec& pod_template, const std::vector<document::Value>& containers) {
  auto spec = std::make_shared<kube::PodSpec>(*pod_template.spec);
  for (const document::Value& container : containers) {
    spec->containers.push_back(kube::view<kube::Container>(container, kube::kContainerSchema).object);
  }
  pod_template.spec = std::move(spec);
}

std::int64_t workers_of(const kube::RayWorkerGroup& group) {
  return std::int64_t{group.replicas.value_or(1)} * std::max(group.hosts_per_replica, 1);
}

JobPodSets sets_of_cluster(const kube::RayClusterSpec& spec) {
  kube::RayCluster cluster;
  cluster.spec = spec;
  JobPodSets sets = {pod_set(std::string(workloads::kRayHead), spec.head.template_, 1)};
  const workloads::PodDraft head = workloads::head_draft(cluster);
  if (!head.containers.empty()) add_containers(sets.front().template_, head.containers);
  for (const kube::RayWorkerGroup& group : spec.worker_groups) {
    sets.push_back(pod_set(group.name, group.template_, workers_of(group)));
  }
  return sets;
}

}  // namespace

JobPodSets job_pod_sets(const kube::Job& job) {
  kube::PodSet set = pod_set("main", without_managed_labels(job.spec.template_), workloads::pods_at_once(job.spec));
  set.min_count = whole_number_in(job.metadata.annotations, kube::kJobMinParallelism);
  return {std::move(set)};
}

JobPodSets job_pod_sets(const kube::JobSet& set) { return sets_of_roles(workloads::pod_sets(set)); }

JobPodSets job_pod_sets(const workloads::TrainingView& job) { return sets_of_roles(workloads::pod_sets(job)); }

JobPodSets job_pod_sets(const kube::RayCluster& cluster) { return sets_of_cluster(cluster.spec); }

JobPodSets job_pod_sets(const kube::RayJob& job) {
  if (!job.spec.cluster || !job.spec.cluster_selector.empty()) return {};
  JobPodSets sets = sets_of_cluster(*job.spec.cluster);
  if (workloads::submission_mode(job.spec) == workloads::kSidecarMode) {
    add_containers(sets.front().template_, {workloads::submitter_container(*job.spec.cluster)});
  }
  if (workloads::has_submitter_job(job.spec)) {
    const kube::Job submitter = workloads::submitter_of(job, *job.spec.cluster);
    sets.push_back(pod_set(std::string(workloads::kRaySubmitter), submitter.spec.template_, 1));
  }
  return sets;
}

}  // namespace loadline::queue::kueue
