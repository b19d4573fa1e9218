#pragma once

#include <memory>
#include <optional>

#include "admission/rejection.h"
#include "kube/objects.h"

namespace loadline::admission {

/// Empty: admitted.
using Verdict = std::optional<Rejection>;

/// What an API server's admission would say to objects that are created one after another.
///
/// The order for a pod is upstream's: LimitRanger (defaults), default tolerations, Priority, validation of what the
/// defaults made of it, LimitRanger (bounds), ResourceQuota. Policies (PriorityClasses, LimitRanges, ResourceQuotas)
/// are those of the input and exist from the start. Namespaces are taken to exist.
///
/// Quota in use at the start: pods and claims that exist already (`metadata.from_cluster()`), and all objects that are
/// not pods' owners' doing (Services, ConfigMaps, Deployments, …) read from a live cluster. What comes from manifests
/// is charged when it is admitted.
///
/// Cost: equal pods (same spec pointer, namespace, labels without meaning to admission) share one admitted spec,
/// decided once; a further replica costs a hash look-up and the arithmetic of the quotas that match it. Not thread
/// safe. The same calls in the same order give the same answers.
class Admission {
 public:
  explicit Admission(const kube::Objects& cluster);
  ~Admission();
  Admission(Admission&&) noexcept;
  Admission& operator=(Admission&&) noexcept;

  /// Completes the pod (its spec is replaced by the admitted one, shared among equal pods) and charges quota, or says
  /// why not and leaves both as they were. A pod that exists already (`from_cluster`) is admitted unchanged: it was
  /// counted at the start.
  Verdict admit(kube::Pod& pod);

  /// LimitRange bounds on storage, then quota.
  Verdict admit(const kube::PersistentVolumeClaim& claim);

  // Object counts (`services`, `count/deployments.apps`, …). Objects from a live cluster are admitted: they were
  // counted.
  Verdict admit(const kube::Service& service);
  Verdict admit(const kube::ReplicationController& controller);
  Verdict admit(const kube::ConfigMap& config_map);
  Verdict admit(const kube::ResourceQuota& quota);
  Verdict admit(const kube::Deployment& deployment);
  Verdict admit(const kube::ReplicaSet& replica_set);
  Verdict admit(const kube::StatefulSet& stateful_set);
  Verdict admit(const kube::DaemonSet& daemon_set);
  Verdict admit(const kube::Job& job);
  Verdict admit(const kube::CronJob& cron_job);

  /// Gives back what an admitted pod held, when it is deleted or has reached a terminal phase. `pod` is the admitted
  /// one; its current phase does not matter. Object counts (`count/pods`) are given back only on deletion.
  enum class Ending { kFinished, kDeleted };
  void release(const kube::Pod& pod, Ending ending = Ending::kDeleted);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace loadline::admission
