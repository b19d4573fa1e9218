#pragma once

#include <cstdint>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "brain/workloads/existing_pods.h"
#include "brain/workloads/expansion.h"
#include "brain/workloads/job_gang.h"
#include "brain/workloads/names.h"
#include "brain/workloads/pod_draft.h"
#include "foundation/base/time.h"
#include "objects/kube/apps/apps.h"
#include "objects/kube/batch/batch.h"
#include "objects/kube/core/pod.h"
#include "objects/kube/core/service.h"
#include "objects/kube/grove/pod_clique_set.h"
#include "objects/kube/jobset/job_set.h"
#include "objects/kube/kubeflow/training_job.h"
#include "objects/kube/leaderworkerset/leader_worker_set.h"
#include "objects/kube/ray/ray_cluster.h"
#include "objects/kube/ray/ray_job.h"
#include "objects/kube/volcano/volcano_job.h"

namespace loadline::workloads {

/// What every controller sees: the objects and who owns them, which pods exist, the time, and the seed of names.
struct View {
  const kube::Objects& objects;
  const Owners& owners;
  const ExistingPods& existing;
  Instant now;
  std::uint64_t seed = 0;
  const GangIndex* gangs = nullptr;  ///< null: Jobs have no gangs (gates.h)
  /// Only the pod that follows this one is asked for, which its controller has lost; null: all that are missing.
  const kube::Pod* lost = nullptr;

  /// Whether pods of that controller are asked for.
  [[nodiscard]] bool asks_for(std::string_view kind, std::string_view name) const;
  /// Whether the child of a workload is among the objects, and so has its own turn.
  [[nodiscard]] bool has(std::string_view kind, const kube::ObjectMeta& child) const {
    return owners.knows({std::string(kind), child.namespace_, child.name});
  }
};

/// Makes the pods of one controller object: labels, owner reference and spec are prepared once and copied.
class PodMaker {
 public:
  /// `workload` is the top-level owner. `controller` may lack a uid; then one is made up.
  /// Names of `existing` pods, which outlive the maker, are not given again.
  PodMaker(const View& view, WorkloadReference workload, std::string_view api_version, std::string_view kind,
           const kube::ObjectMeta& controller, const kube::PodTemplateSpec& pod_template,
           std::span<const kube::Pod* const> existing);

  /// Labels, annotations, finalizers and spec of all pods made from now on.
  [[nodiscard]] kube::Pod& prototype() { return prototype_; }
  [[nodiscard]] const std::string& controller_uid() const { return uid_; }
  /// What all pods made from now on get.
  void share(const PodDraft& draft);

  /// A pod like all others, but for its name.
  [[nodiscard]] CreatedPod make() { return make(PodDraft()); }
  /// A pod with what the draft says besides.
  [[nodiscard]] CreatedPod make(const PodDraft& draft);

 private:
  WorkloadReference workload_;
  Names names_;
  std::string uid_;
  kube::Pod prototype_;
  std::string generate_name_;
  [[nodiscard]] bool is_taken(std::string_view name);

  std::span<const kube::Pod* const> existing_;
  std::set<std::string_view> taken_;  // names of pods that exist, once more than one is made
  std::uint64_t next_number_ = 0;
};

/// Pods that differ in name only.
void create_replicas(PodMaker& maker, std::int64_t count, Expansion& expansion);

// One function per kind; each adds to `expansion` what its controller would create.
void expand(const kube::Deployment& deployment, const View& view, Expansion& expansion);
void expand(const kube::ReplicaSet& replica_set, const View& view, Expansion& expansion);
void expand(const kube::ReplicationController& controller, const View& view, Expansion& expansion);
void expand(const kube::StatefulSet& stateful_set, const View& view, Expansion& expansion);
void expand(const kube::DaemonSet& daemon_set, const View& view, Expansion& expansion);
void expand(const kube::Job& job, const View& view, Expansion& expansion);
void expand(const kube::CronJob& cron_job, const View& view, Expansion& expansion);
void expand(const kube::JobSet& set, const View& view, Expansion& expansion);
void expand(const kube::LeaderWorkerSet& set, const View& view, Expansion& expansion);
void expand(const kube::PyTorchJob& job, const View& view, Expansion& expansion);
void expand(const kube::TensorFlowJob& job, const View& view, Expansion& expansion);
void expand(const kube::XgBoostJob& job, const View& view, Expansion& expansion);
void expand(const kube::PaddleJob& job, const View& view, Expansion& expansion);
void expand(const kube::JaxJob& job, const View& view, Expansion& expansion);
void expand(const kube::MpiJob& job, const View& view, Expansion& expansion);
void expand(const kube::RayCluster& cluster, const View& view, Expansion& expansion);
void expand(const kube::RayJob& job, const View& view, Expansion& expansion);
void expand(const kube::RayCronJob& cron_job, const View& view, Expansion& expansion);
void expand(const kube::VolcanoJob& job, const View& view, Expansion& expansion);
void expand(const kube::PodCliqueSet& set, const View& view, Expansion& expansion);
void expand(const kube::PodCliqueScalingGroup& group, const View& view, Expansion& expansion);
void expand(const kube::PodClique& clique, const View& view, Expansion& expansion);

// The same for what another object controls: `workload`, the top-level owner.
void expand_replica_set(const kube::ReplicaSet& set, const WorkloadReference& workload, const View& view,
                        Expansion& expansion);
void expand_stateful_set(const kube::StatefulSet& set, const WorkloadReference& workload, const View& view,
                         Expansion& expansion);
void expand_job(const kube::Job& job, const WorkloadReference& workload, const View& view, Expansion& expansion);
void expand_ray_cluster(const kube::RayCluster& cluster, const WorkloadReference& workload, const View& view,
                        Expansion& expansion);
void expand_ray_job(const kube::RayJob& job, const WorkloadReference& workload, const View& view, Expansion& expansion);

/// How many pods the Job controller would create, or, below zero, delete.
std::int64_t missing_pods(const kube::Job& job, const std::vector<const kube::Pod*>& pods);

}  // namespace loadline::workloads
