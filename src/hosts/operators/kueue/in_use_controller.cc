#include "hosts/operators/kueue/in_use_controller.h"

#include <algorithm>
#include <memory>
#include <string>
#include <utility>

#include "hosts/operators/custom_finalizers.h"
#include "objects/kube/kueue/cluster_queue.h"
#include "objects/kube/kueue/job_names.h"
#include "objects/kube/kueue/resource_flavor.h"
#include "objects/kube/kueue/workload.h"
#include "objects/kube/kueue/workload_conditions.h"

namespace loadline::operators::kueue {
namespace {

using watching::Change;
using watching::Keys;

/// The queue that a Workload has its quota of; empty: of none, or it is over.
std::string queue_of(const watching::ObjectPtr<kube::KueueWorkload>& workload) {
  if (workload == nullptr || !workload->view.status.admission || kube::is_finished(workload->view)) return {};
  return workload->view.status.admission->cluster_queue;
}

bool has_flavor(const kube::ClusterQueue& queue, std::string_view name) {
  return std::ranges::any_of(queue.resource_groups, [&](const kube::ResourceGroup& group) {
    return std::ranges::find(group.flavors, name, &kube::FlavorQuotas::flavor) != group.flavors.end();
  });
}

void add_flavors(const watching::ObjectPtr<kube::ClusterQueue>& queue, Keys& keys) {
  if (queue == nullptr) return;
  for (const kube::ResourceGroup& group : queue->view.resource_groups) {
    for (const kube::FlavorQuotas& flavor : group.flavors) keys.insert({{}, flavor.flavor});
  }
}

class QueueInUseController final : public controllers::Controller {
 public:
  [[nodiscard]] std::string_view name() const override { return "clusterqueue-in-use-controller"; }
  void subscribe(watching::Subscriptions& to) override {
    to.on<kube::ClusterQueue>(watching::own_key<kube::ClusterQueue>);
    to.on<kube::KueueWorkload>([](const Change<kube::KueueWorkload>& change, Keys& keys) {
      const std::string before = queue_of(change.before);
      if (!before.empty() && before != queue_of(change.after)) keys.insert({{}, before});
    });
  }
  watching::Reconciliation reconcile(const watching::ObjectKey& key, const controllers::Context& context) override {
    const auto queue = context.caches.of<kube::ClusterQueue>().find(key);
    if (queue == nullptr || !queue->is_being_deleted()) return {};
    for (const auto& [name_space, workloads] : context.caches.of<kube::KueueWorkload>().namespaces()) {
      for (const auto& [name, workload] : workloads) {
        if (queue_of(workload) == key.name) return {};
      }
    }
    return release(*queue, kube::kResourceInUse);
  }
};

class FlavorInUseController final : public controllers::Controller {
 public:
  [[nodiscard]] std::string_view name() const override { return "resourceflavor-in-use-controller"; }
  void subscribe(watching::Subscriptions& to) override {
    to.on<kube::ResourceFlavor>(watching::own_key<kube::ResourceFlavor>);
    to.on<kube::ClusterQueue>(
        [](const Change<kube::ClusterQueue>& change, Keys& keys) { add_flavors(change.before, keys); });
  }
  watching::Reconciliation reconcile(const watching::ObjectKey& key, const controllers::Context& context) override {
    const auto flavor = context.caches.of<kube::ResourceFlavor>().find(key);
    if (flavor == nullptr || !flavor->is_being_deleted()) return {};
    for (const auto& [name, queue] : context.caches.of<kube::ClusterQueue>().in("")) {
      if (has_flavor(queue->view, key.name)) return {};
    }
    return release(*flavor, kube::kResourceInUse);
  }
};

}  // namespace

Controllers make_in_use_controllers() {
  Controllers made;
  made.push_back(std::make_unique<QueueInUseController>());
  made.push_back(std::make_unique<FlavorInUseController>());
  return made;
}

}  // namespace loadline::operators::kueue
