#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <tl/expected.hpp>

#include "foundation/document/value.h"
#include "hosts/operators/kueue/known_objects.h"
#include "objects/kube/kueue/configuration.h"
#include "objects/kube/meta.h"

namespace loadline::operators::kueue {

// Which jobs are managed: held until their Workload is admitted.
//
// A queue label means something only in a cluster that has queues: any ClusterQueue or LocalQueue. In one without, no
// job is held, whatever it is labelled with, and no Workload is made; Kueue itself, whose manager is there or not,
// would hold it for ever. When the first queue comes, jobs that run already are stopped and queued, as Kueue does where
// it is installed later.
//
// In a cluster with queues it is Kueue's rule. A job of a kind that `integrations.frameworks` lists, in a namespace
// that `managedJobsNamespaceSelector` selects, is managed if it has a queue label; or if it has none, and
// `manageJobsWithoutQueueName` is set. What another managed job made is that one's: it is held with it, and has no
// Workload of its own. A namespace whose LocalQueue is called "default" labels jobs that are created without a queue.
// Source: Kueue v0.19.2, pkg/controller/jobframework/{reconciler,utils,defaults}.go.

/// Whether a queue label means something.
[[nodiscard]] bool has_queues(const KnownObjects& objects);

/// Whether jobs of the namespace are managed at all; false: it is gone.
[[nodiscard]] bool selects_namespace(const KnownObjects& objects, const kube::KueueConfiguration& configuration,
                                     std::string_view name_space);

/// The topmost job above an object that is managed.
struct ManagedAncestor {
  std::string api_version;
  std::string kind;
  std::string name;
  std::string uid;
  std::string queue_name;  ///< empty: it is managed without one
};

/// Follows the controllers of an object upwards, as long as they are jobs of kinds that Kueue knows, whether it manages
/// them or not, or ReplicaSets. Nothing: there is none. An error: an owner that is not there, a circle, or more than
/// ten owners, in Kueue's words.
[[nodiscard]] tl::expected<std::optional<ManagedAncestor>, std::string> managed_ancestor(
    const KnownObjects& objects, const kube::KueueConfiguration& configuration, const document::Value& object);

/// Whether the object's controller is of a kind that is managed.
[[nodiscard]] bool has_managed_owner(const kube::KueueConfiguration& configuration, const document::Value& object);

/// "metadata.labels[kueue.x-k8s.io/queue-name]"; empty: none.
[[nodiscard]] std::string_view queue_label(const document::Value& object);

/// Whether a new job is held from the beginning.
[[nodiscard]] tl::expected<bool, std::string> is_created_suspended(const KnownObjects& objects,
                                                                   const kube::KueueConfiguration& configuration,
                                                                   const document::Value& job);

/// The job with the queue of its namespace that is called "default", if it names none and is no managed job's.
[[nodiscard]] document::Value with_default_queue(const KnownObjects& objects,
                                                 const kube::KueueConfiguration& configuration, document::Value job);
[[nodiscard]] bool has_default_queue(const KnownObjects& objects, std::string_view name_space);

}  // namespace loadline::operators::kueue
