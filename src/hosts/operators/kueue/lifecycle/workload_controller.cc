#include "hosts/operators/kueue/lifecycle/workload_controller.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "foundation/document/at.h"
#include "hosts/operators/kueue/lifecycle/workload_lifecycle.h"
#include "hosts/watching/kueue_configuration.h"
#include "hosts/watching/kueue_workload_patch.h"
#include "objects/kube/condition.h"
#include "objects/kube/kueue/job_names.h"

namespace loadline::operators::kueue {
namespace {

using document::Array;
using document::Object;
using document::Value;
using watching::Change;
using watching::Keys;
using watching::ObjectKey;
using WorkloadObject = watching::Observed<kube::KueueWorkload>;
using Deed = LifecycleStep::Deed;

bool is_active(const kube::ClusterQueue& queue) {
  const kube::MetaCondition* active = kube::find_condition(queue.conditions, "Active");
  return active == nullptr || active->status == "True";
}

/// Whether Workloads mind the difference. Statuses change every second.
bool differs(const Change<kube::LocalQueue>& change) {
  if (change.before == nullptr || change.after == nullptr) return true;
  const kube::LocalQueue& before = change.before->view;
  const kube::LocalQueue& after = change.after->view;
  return before.stop_policy != after.stop_policy || before.cluster_queue != after.cluster_queue ||
         change.before->is_being_deleted() != change.after->is_being_deleted();
}

bool differs(const Change<kube::ClusterQueue>& change) {
  if (change.before == nullptr || change.after == nullptr) return true;
  const kube::ClusterQueue& before = change.before->view;
  const kube::ClusterQueue& after = change.after->view;
  return before.stop_policy != after.stop_policy || is_active(before) != is_active(after) ||
         before.metadata.generation != after.metadata.generation ||
         change.before->is_being_deleted() != change.after->is_being_deleted();
}

watching::Action merge(const WorkloadObject& object, std::string_view part, Value value) {
  return watching::patch(
      watching::kind_name<kube::KueueWorkload>(), object.key(), kube::PatchType::kMerge,
      Value(Object{{"metadata", Value(watching::identity(object)), {}}}).with(part, std::move(value)));
}

/// Takes Kueue's finalizer away; the others stay.
watching::Action without_finalizer(const WorkloadObject& object) {
  Array left;
  for (const std::string& finalizer : object.metadata().finalizers) {
    if (finalizer != kube::kResourceInUse) left.emplace_back(finalizer);
  }
  Object metadata = watching::identity(object);
  metadata.push_back({"finalizers", Value(std::move(left)), {}});
  return merge(object, "metadata", Value(std::move(metadata)));
}

class WorkloadController final : public controllers::Controller {
 public:
  [[nodiscard]] std::string_view name() const override { return "kueue-workload-controller"; }

  void subscribe(watching::Subscriptions& to) override {
    caches_ = &to.caches();
    to.on<kube::KueueWorkload>([this](const Change<kube::KueueWorkload>& change, Keys& keys) {
      index(change);
      keys.insert(change.last().key());
    });
    to.on<kube::LocalQueue>([this](const Change<kube::LocalQueue>& change, Keys& keys) {
      if (differs(change)) add_queued_in(change.last().key(), keys);
    });
    to.on<kube::ClusterQueue>([this](const Change<kube::ClusterQueue>& change, Keys& keys) {
      if (!differs(change)) return;
      for (const auto& [name_space, named] : caches_->of<kube::LocalQueue>().namespaces()) {
        for (const auto& [name, local] : named) {
          if (local->view.cluster_queue == change.last().key().name) add_queued_in(local->key(), keys);
        }
      }
    });
    to.on<kube::ConfigMap>([this](const Change<kube::ConfigMap>& change, Keys& keys) {
      if (!watching::ClustersKueueConfiguration::is_concerned_by(change)) return;
      for (const auto& [queue, workloads] : by_queue_) keys.insert(workloads.begin(), workloads.end());
    });
  }

  watching::Reconciliation reconcile(const ObjectKey& key, const controllers::Context& context) override {
    const auto object = context.caches.of<kube::KueueWorkload>().find(key);
    if (object == nullptr) return {};
    const auto local = context.caches.of<kube::LocalQueue>().find(key.name_space, object->view.queue_name);
    const auto queue =
        local == nullptr ? nullptr : context.caches.of<kube::ClusterQueue>().find("", local->view.cluster_queue);
    const LifecycleFacts facts{.configuration = configuration_.read(context.caches),
                               .local_queue = local == nullptr ? nullptr : &local->view,
                               .cluster_queue = queue == nullptr ? nullptr : &queue->view,
                               .now = context.now};
    const LifecycleStep step = next_step(object->view, facts);
    watching::Reconciliation result;
    result.again_after = step.again_after;
    carry_out(step, *object, result);
    return result;
  }

 private:
  static void carry_out(const LifecycleStep& step, const WorkloadObject& object, watching::Reconciliation& result) {
    switch (step.deed) {
      case Deed::kStatus:
        if (auto action = watching::status_patch_of(object, step.after)) result.then(*std::move(action));
        break;
      case Deed::kDeactivate:
        result.then(merge(object, "spec", Value(Object{{"active", Value(false), {}}})));
        break;
      case Deed::kDelete:
        if (std::ranges::count(object.metadata().finalizers, kube::kResourceInUse) > 0)
          result.then(without_finalizer(object));
        if (!object.is_being_deleted()) {
          result.then(
              watching::remove(watching::kind_name<kube::KueueWorkload>(), object.key(), object.metadata().uid));
        }
        break;
      case Deed::kRemoveFinalizer:
        result.then(without_finalizer(object));
        break;
    }
    if (result.steps.empty()) return;
    for (const LifecycleStep::Said& said : step.said) {
      result.events_when_done.push_back(
          {watching::reference_to(object),
           said.is_warning ? watching::Event::Type::kWarning : watching::Event::Type::kNormal, said.reason,
           said.message});
    }
  }

  void index(const Change<kube::KueueWorkload>& change) {
    const ObjectKey key = change.last().key();
    if (change.before != nullptr) {
      const auto found = by_queue_.find({key.name_space, change.before->view.queue_name});
      if (found != by_queue_.end()) {
        found->second.erase(key);
        if (found->second.empty()) by_queue_.erase(found);
      }
    }
    if (change.after != nullptr) by_queue_[{key.name_space, change.after->view.queue_name}].insert(key);
  }

  void add_queued_in(const ObjectKey& local_queue, Keys& keys) const {
    const auto found = by_queue_.find(local_queue);
    if (found != by_queue_.end()) keys.insert(found->second.begin(), found->second.end());
  }

  watching::Caches* caches_ = nullptr;
  watching::ClustersKueueConfiguration configuration_;
  std::map<ObjectKey, std::set<ObjectKey>> by_queue_;  // Workloads, by the LocalQueue that they name
};

}  // namespace

std::unique_ptr<controllers::Controller> make_workload_controller() { return std::make_unique<WorkloadController>(); }

}  // namespace loadline::operators::kueue
