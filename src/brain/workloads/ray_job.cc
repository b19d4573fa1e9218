#include "brain/workloads/ray_job.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

#include "brain/workloads/container_document.h"
#include "brain/workloads/controller.h"
#include "brain/workloads/ray_cluster.h"
#include "foundation/base/contract.h"
#include "objects/kube/batch/cron_schedule.h"
#include "objects/kube/core/container_schema.h"
#include "objects/kube/view.h"
#include "objects/kube/workload_names.h"

namespace loadline::workloads {
namespace {

kube::Container submitter(const kube::RayClusterSpec& cluster) {
  return kube::view<kube::Container>(submitter_container(cluster), kube::kContainerSchema).object;
}

void add_origin(const kube::RayJob& job, kube::StringMap& labels) {
  labels.insert_or_assign(std::string(kube::kRayOriginName), job.metadata.name);
  labels.insert_or_assign(std::string(kube::kRayOriginKind), "RayJob");
}

}  // namespace

std::string_view submission_mode(const kube::RayJobSpec& job) {
  return job.submission_mode.empty() ? kJobMode : std::string_view(job.submission_mode);
}

std::string problem_of(const kube::RayJobSpec& job) {
  const auto named = job.cluster_selector.find(kube::kRayCluster);
  if (job.suspend && !job.shuts_down) {
    return "a RayJob with shutdownAfterJobFinishes set to false is not allowed to be suspended";
  }
  if (!job.cluster_selector.empty()) {
    if (job.suspend) return "the ClusterSelector mode doesn't support the suspend operation";
    if (named == job.cluster_selector.end() || named->second.empty()) {
      return "cluster name in ClusterSelector should not be empty";
    }
    if (submission_mode(job) == kSidecarMode) return "ClusterSelector is not supported in SidecarMode";
    return {};
  }
  if (!job.cluster) return "one of RayClusterSpec or ClusterSelector must be set";
  return problem_of(*job.cluster);
}

bool is_over(const kube::RayJobStatus& status) {
  const std::string& state = status.deployment_status;
  return state == "Complete" || state == "Failed" || state == "ValidationFailed";
}

bool has_submitter_job(const kube::RayJobSpec& job) { return submission_mode(job) == kJobMode; }

document::Value submitter_container(const kube::RayClusterSpec& cluster) {
  const auto& containers = cluster.head.template_.spec->containers;
  return container_document(kube::kRaySubmitterContainer,
                            containers.empty() ? std::string_view() : containers.front().image,
                            {{"cpu", "1"}, {"memory", "1Gi"}}, {{"cpu", "500m"}, {"memory", "200Mi"}});
}

kube::RayCluster cluster_of(const kube::RayJob& job, std::string name) {
  REQUIRES(job.spec.cluster.has_value());
  kube::RayCluster cluster;
  cluster.metadata.name = std::move(name);
  cluster.metadata.namespace_ = job.metadata.namespace_;
  cluster.metadata.labels = job.metadata.labels;
  cluster.metadata.annotations = job.metadata.annotations;
  cluster.metadata.owner_references.push_back({"ray.io/v1", "RayJob", job.metadata.name, job.metadata.uid, true});
  cluster.metadata.source = job.metadata.source;
  add_origin(job, cluster.metadata.labels);
  cluster.metadata.labels.insert_or_assign(std::string(kube::kRaySubmissionMode),
                                           std::string(submission_mode(job.spec)));
  cluster.spec = *job.spec.cluster;
  if (submission_mode(job.spec) != kSidecarMode) return cluster;
  cluster.metadata.annotations.insert_or_assign(std::string(kube::kRayKeepsNoHead), "true");
  auto head = std::make_shared<kube::PodSpec>(*cluster.spec.head.template_.spec);
  head->containers.push_back(submitter(cluster.spec));
  head->restart_policy = kube::RestartPolicy::kNever;
  cluster.spec.head.template_.spec = std::move(head);
  return cluster;
}

kube::Job submitter_of(const kube::RayJob& job, const kube::RayClusterSpec& cluster) {
  constexpr std::int32_t kRetries = 2;
  kube::Job result;
  result.metadata.name = job.metadata.name;
  result.metadata.namespace_ = job.metadata.namespace_;
  add_origin(job, result.metadata.labels);
  result.metadata.labels.insert_or_assign("app.kubernetes.io/created-by", "kuberay-operator");
  result.metadata.owner_references.push_back({"ray.io/v1", "RayJob", job.metadata.name, job.metadata.uid, true});
  result.metadata.source = job.metadata.source;
  result.spec.parallelism = 1;
  result.spec.completions = 1;
  result.spec.backoff_limit = job.spec.submitter_backoff_limit.value_or(kRetries);
  if (job.spec.submitter_template) {
    result.spec.template_ = *job.spec.submitter_template;
    return result;
  }
  auto spec = std::make_shared<kube::PodSpec>();
  spec->containers.push_back(submitter(cluster));
  spec->restart_policy = kube::RestartPolicy::kNever;
  constexpr std::int64_t kGracePeriod = 30;  // as the API server fills it in
  spec->termination_grace_period_seconds = kGracePeriod;
  result.spec.template_.spec = std::move(spec);
  return result;
}

ObjectDraft run_draft(const kube::RayCronJob& cron_job, Instant at) {
  ObjectDraft draft;
  draft.generate_name = cron_job.metadata.name + '-';
  draft.labels = {{kube::kRayCronJobName, cron_job.metadata.name}};
  draft.annotations = {{kube::kRayCronJobTimestamp, format_rfc3339(at)}};
  return draft;
}

// ---- in a plan -----------------------------------------------------------------------------------------------------

namespace {

std::string generated_name(const View& view, std::string_view kind, const kube::ObjectMeta& owner) {
  return Names(view.seed, WorkloadReference{std::string(kind), owner.namespace_, owner.name}.to_string())
      .generate(owner.name + '-', 0);
}

/// The name of the job's cluster: one that is chosen already, or else a new one. A retry starts with a new cluster.
std::string cluster_name(const kube::RayJob& job, const View& view) {
  const kube::RayJobStatus& status = job.status;
  if (!status.cluster_name.empty() && status.deployment_status != "Retrying") return status.cluster_name;
  return generated_name(view, "RayJob", job.metadata);
}

const kube::RayCluster* find_cluster(const View& view, const std::string& name_space, std::string_view name) {
  const auto& clusters = view.objects.of<kube::RayCluster>();
  const auto found = std::ranges::find_if(clusters, [&](const kube::RayCluster& each) {
    return each.metadata.name == name && each.metadata.namespace_ == name_space;
  });
  return found == clusters.end() ? nullptr : &*found;
}

void expand_submitter(const kube::RayJob& job, const kube::RayClusterSpec& cluster, const WorkloadReference& workload,
                      const View& view, Expansion& expansion) {
  const kube::Job submitter = submitter_of(job, cluster);
  if (!view.has("Job", submitter.metadata)) expand_job(submitter, workload, view, expansion);
}

/// The cluster is somebody else's; what is submitted waits for it.
void use_cluster(const kube::RayJob& job, const WorkloadReference& workload, const View& view, Expansion& expansion) {
  const std::string& name = job.spec.cluster_selector.find(kube::kRayCluster)->second;
  const kube::RayCluster* const cluster = find_cluster(view, job.metadata.namespace_, name);
  if (cluster == nullptr) {
    expansion.notes.push_back({workload, fmt::format("waits for RayCluster {}, which is not there", name)});
    return;
  }
  if (has_submitter_job(job.spec)) expand_submitter(job, cluster->spec, workload, view, expansion);
}

}  // namespace

void expand_ray_job(const kube::RayJob& job, const WorkloadReference& workload, const View& view,
                    Expansion& expansion) {
  if (is_over(job.status)) return;
  if (is_managed_elsewhere(job.spec.managed_by)) {
    expansion.notes.push_back({workload, fmt::format("is left to {}", job.spec.managed_by)});
    return;
  }
  if (const std::string problem = problem_of(job.spec); !problem.empty()) {
    expansion.notes.push_back({workload, fmt::format("gets no pods from KubeRay: {}", problem)});
    return;
  }
  if (job.spec.suspend) {
    expansion.notes.push_back({workload, "is suspended"});
    return;
  }
  if (!job.spec.cluster_selector.empty()) return use_cluster(job, workload, view, expansion);
  const kube::RayCluster cluster = cluster_of(job, cluster_name(job, view));
  if (!view.has("RayCluster", cluster.metadata)) expand_ray_cluster(cluster, workload, view, expansion);
  const bool gets_ready = !cluster.spec.suspend && !is_managed_elsewhere(cluster.spec.managed_by);
  if (gets_ready && has_submitter_job(job.spec)) expand_submitter(job, cluster.spec, workload, view, expansion);
}

void expand(const kube::RayJob& job, const View& view, Expansion& expansion) {
  expand_ray_job(job, view.owners.top_of({"RayJob", job.metadata.namespace_, job.metadata.name}), view, expansion);
}

/// The next run is shown, whenever it is.
void expand(const kube::RayCronJob& cron_job, const View& view, Expansion& expansion) {
  const WorkloadReference workload{"RayCronJob", cron_job.metadata.namespace_, cron_job.metadata.name};
  if (cron_job.spec.suspend) {
    expansion.notes.push_back({workload, "is suspended"});
    return;
  }
  const Result<kube::CronSchedule> schedule = kube::CronSchedule::parse(cron_job.spec.schedule);
  if (!schedule) {
    expansion.notes.push_back({workload, fmt::format("has no next run: {}", schedule.error().message)});
    return;
  }
  const std::optional<Instant> at = schedule->next(view.now);
  if (!at) {
    expansion.notes.push_back({workload, "has no run within the next five years"});
    return;
  }
  kube::RayJob job;
  job.metadata.name = generated_name(view, "RayCronJob", cron_job.metadata);
  job.metadata.namespace_ = cron_job.metadata.namespace_;
  job.metadata.owner_references.push_back(
      {"ray.io/v1", "RayCronJob", cron_job.metadata.name, cron_job.metadata.uid, true});
  job.metadata.source = cron_job.metadata.source;
  apply(run_draft(cron_job, *at), job.metadata);
  job.spec = cron_job.spec.job;
  expand_ray_job(job, workload, view, expansion);
}

}  // namespace loadline::workloads
