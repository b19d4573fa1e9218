#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>

#include "brain/admission/rejection.h"
#include "foundation/base/time.h"
#include "objects/kube/apps/apps.h"
#include "objects/kube/batch/batch.h"
#include "objects/kube/core/pod.h"
#include "objects/kube/core/quota.h"
#include "objects/kube/core/service.h"
#include "objects/kube/core/volume.h"
#include "objects/kube/meta.h"
#include "objects/kube/objects.h"

namespace loadline::admission {

/// Empty: admitted.
using Verdict = std::optional<RejectedObject>;

/// Whether a pod's spec was validated when it was read, as pods and the templates of built-in kinds are. A template in
/// a custom resource is what its definition takes, and its pods may be refused.
enum class SpecFrom : std::uint8_t { kValidated, kCustomResource };

/// What an API server's admission decides about objects that are created one after another.
///
/// The order for a pod is upstream's: LimitRanger's defaults, ServiceAccount, Priority, default tolerations,
/// RuntimeClass, validation of what the defaults made of it, LimitRanger's bounds, the RuntimeClass's overhead,
/// ResourceQuota. Policies (PriorityClasses, RuntimeClasses, LimitRanges, ResourceQuotas, the default StorageClass) are
/// those of the input and exist from the start. Namespaces are taken to exist; ServiceAccounts, and RuntimeClasses that
/// a dump may lack, as `ServiceAccounts` and `RuntimeClasses` say.
///
/// Quota in use at the start: status.used of quotas from a live cluster; else what objects read from a live cluster
/// (`metadata.from_cluster()`) use. What comes from manifests is charged when it is admitted.
///
/// Cost: pods that share a spec (same pointer, same namespace) share one admitted spec, decided once; a further replica
/// costs a hash look-up and the sums of the quotas that apply to it.
/// Not thread safe. The same calls in the same order give the same answers.
class Admission {
 public:
  /// Keeps nothing of `cluster`. `now` tells which terminating pods have outstayed their grace period, so that they use
  /// no quota.
  explicit Admission(const kube::Objects& cluster, Instant now = {});
  ~Admission();
  Admission(Admission&&) noexcept;
  Admission& operator=(Admission&&) noexcept;

  /// Completes the pod (its spec becomes the admitted one, shared among equal pods) and charges quota; or says why not,
  /// and charges nothing. A refused pod is completed as far as admission got, so that its priority can be shown. A pod
  /// that exists already (`from_cluster`) is admitted unchanged: it was counted at the start.
  Verdict admit(kube::Pod& pod, SpecFrom from = SpecFrom::kValidated);

  /// The same of a pod that is never created, as one that room is held for: no quota is asked or charged.
  Verdict complete(kube::Pod& pod) const;

  /// Charges the quotas of the namespace for so many pods like this one, which is completed: room is held for them.
  /// Nothing is charged if that is too much.
  Verdict hold(const kube::Pod& placeholder, std::int64_t pods);
  /// Room that was there before is still held.
  void count_held(const kube::Pod& placeholder, std::int64_t pods);
  /// Room for so many is held no more.
  void give_up(const kube::Pod& placeholder, std::int64_t pods);

  /// Gives the claim the default storage class if it names none; LimitRange bounds on storage; quota.
  Verdict admit(kube::PersistentVolumeClaim& claim);
  /// The same for a claim that stays as it is written: it is judged as if it had the default class.
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

  enum class Ending {
    kFinished,  ///< reached a terminal phase: gives back everything but `count/pods`
    kDeleted,   ///< gives back what it still holds: only `count/pods` if `pod.finished()`
  };
  /// REQUIRES: `pod` was admitted, or existed at the start, and each ending is told once.
  void release(const kube::Pod& pod, Ending ending = Ending::kDeleted);

  /// What is used of a ResourceQuota now; null if there is none of that name.
  [[nodiscard]] const kube::ResourceList* quota_used(std::string_view namespace_, std::string_view quota) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace loadline::admission
