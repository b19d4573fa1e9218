#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "foundation/base/time.h"
#include "objects/kube/kueue/cluster_queue.h"
#include "objects/kube/kueue/configuration.h"
#include "objects/kube/kueue/local_queue.h"
#include "objects/kube/kueue/workload.h"

namespace loadline::operators::kueue {

/// What there is to go by, beside the Workload.
struct LifecycleFacts {
  const kube::KueueConfiguration& configuration;
  const kube::LocalQueue* local_queue = nullptr;      ///< that it names; null: it is not there
  const kube::ClusterQueue* cluster_queue = nullptr;  ///< that this leads to; null: it is not there
  Instant now = {};
};

/// What is to be done about a Workload next: one thing at a time, and then it is looked at anew.
struct LifecycleStep {
  /// What is said of it.
  struct Said {
    bool is_warning = false;
    std::string reason;
    std::string message;
  };
  enum class Deed : std::uint8_t {
    kStatus,           ///< write `after`'s status, if it differs
    kDeactivate,       ///< set spec.active=false
    kDelete,           ///< and take away Kueue's finalizer before
    kRemoveFinalizer,  ///< Kueue's
  };
  Deed deed = Deed::kStatus;
  kube::KueueWorkload after;
  std::vector<Said> said;               ///< once it is done
  std::optional<Duration> again_after;  ///< nothing: when something happens
};

/// What Kueue's workload controller does about a Workload: follows its checks, evicts it when a check, a queue that is
/// stopped, the time that its pods take to get ready or that it runs, or its owner says so, lets it wait before it goes
/// on, and says of one that waits for no round why.
///
/// Where ours differs: a backoff has no jitter. Resource claims, topologies, MultiKueue and concurrent admission are
/// not part of it. Source: Kueue v0.19.2, Reconcile in pkg/controller/core/workload_controller.go, in its order.
[[nodiscard]] LifecycleStep next_step(const kube::KueueWorkload& workload, const LifecycleFacts& facts);

/// The checks that a workload has to pass, by name: those of its ClusterQueue on flavors that it was given; as long as
/// it was given none, those that are on all.
[[nodiscard]] std::vector<std::string> checks_of(const kube::KueueWorkload& workload, const kube::ClusterQueue& queue);

}  // namespace loadline::operators::kueue
