#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "foundation/document/value.h"
#include "hosts/operators/kueue/pod_group.h"
#include "hosts/watching/action.h"
#include "hosts/watching/subscriptions.h"
#include "objects/kube/apps/apps.h"
#include "objects/kube/core/namespace.h"
#include "objects/kube/core/service.h"
#include "objects/kube/kueue/cluster_queue.h"
#include "objects/kube/kueue/configuration_reader.h"
#include "objects/kube/kueue/local_queue.h"
#include "objects/kube/kueue/workload_priority_class.h"
#include "objects/kube/scheduling/priority_class.h"

namespace loadline::operators::kueue {

// Pods of objects that are held in their pods: the webhook has gated them, and a controller tells them which group they
// are of, so that they stand in queues as one. Source: Kueue v0.19.2, setDefault in
// pkg/controller/jobs/{statefulset,leaderworkerset}, pkg/util/statefulset.

struct GroupMembership {
  std::string group;  ///< the name of its Workload, too
  std::int64_t total = 1;
  std::string role;
  std::string queue;           ///< empty: none is named
  std::string priority_class;  ///< a WorkloadPriorityClass; empty: as the pods' own
  bool is_admitted_fast = false;
};

/// The framework of the kind that holds the pod; empty: it is not held in this way.
[[nodiscard]] std::string_view holder_of(const kube::ObjectMeta& pod);

/// Makes the pod a member, or a member that waits the one that it should be: its object may have another queue by now,
/// or other numbers. Nothing: it is, or it runs already, or is about to go.
[[nodiscard]] std::optional<watching::Action> enrol(const watching::Observed<kube::Pod>& pod,
                                                    const GroupMembership& membership);

/// Whether the pod is of a revision that its StatefulSet (null: it is gone) is about to replace: such a pod need not
/// wait any more, or the next revision would wait for it.
[[nodiscard]] bool is_of_old_revision(const kube::StatefulSet* set, const kube::ObjectMeta& pod);
/// Nothing: it waits for nothing.
[[nodiscard]] std::optional<watching::Action> ungate(const watching::Observed<kube::Pod>& pod);

/// "queue" and "priority class" of an object's labels.
[[nodiscard]] std::string label_of_object(const kube::ObjectMeta& object, std::string_view name);

/// All objects of a kind are looked at when something comes that makes labels mean something, or that was missing: a
/// queue, a class, a namespace, the configuration.
template <class Kind>
void look_at_all_when_queues_change(watching::Subscriptions& to) {
  const watching::Caches& caches = to.caches();
  const auto add_all = [&caches](watching::Keys& keys) {
    for (const watching::ObjectKey& key : caches.of<Kind>().keys()) keys.insert(key);
  };
  const auto when_new = [&]<class Other>() {
    to.on<Other>([add_all](const watching::Change<Other>& change, watching::Keys& keys) {
      if (change.before == nullptr) add_all(keys);
    });
  };
  when_new.template operator()<kube::ClusterQueue>();
  when_new.template operator()<kube::LocalQueue>();
  when_new.template operator()<kube::WorkloadPriorityClass>();
  when_new.template operator()<kube::PriorityClass>();
  when_new.template operator()<kube::Namespace>();
  to.on<kube::ConfigMap>([add_all](const watching::Change<kube::ConfigMap>& change, watching::Keys& keys) {
    if (change.last().metadata().namespace_ == kube::kKueueNamespace) add_all(keys);
  });
}

}  // namespace loadline::operators::kueue
