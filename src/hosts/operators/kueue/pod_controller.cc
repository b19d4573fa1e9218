#include "hosts/operators/kueue/pod_controller.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <string>
#include <utility>

#include "foundation/document/at.h"
#include "hosts/operators/kueue/configuration.h"
#include "hosts/operators/kueue/held_pods.h"
#include "hosts/operators/kueue/job_sync.h"
#include "hosts/operators/kueue/job_workload_object.h"
#include "hosts/operators/kueue/management.h"
#include "hosts/operators/kueue/owner_kinds.h"
#include "hosts/operators/kueue/pod_index.h"
#include "hosts/operators/kueue/workload_index.h"
#include "objects/kube/core/namespace.h"
#include "objects/kube/core/service.h"
#include "objects/kube/kueue/cluster_queue.h"
#include "objects/kube/kueue/configuration_reader.h"
#include "objects/kube/kueue/job_names.h"
#include "objects/kube/kueue/local_queue.h"
#include "objects/kube/kueue/resource_flavor.h"
#include "objects/kube/kueue/workload_conditions.h"
#include "objects/kube/kueue/workload_priority_class.h"
#include "objects/kube/scheduling/priority_class.h"

namespace loadline::operators::kueue {
namespace {

using document::Value;
using watching::Action;
using watching::Change;
using watching::Keys;
using watching::ObjectKey;
using watching::Reconciliation;

/// A pod has no such name, so the key is a group's.
constexpr std::string_view kGroupKey = "group/";

bool is_managed_pod(const kube::ObjectMeta& pod) {
  const auto label = pod.labels.find(kManagedPod);
  return label != pod.labels.end() && label->second == "true";
}

ObjectKey key_of_pod(const kube::ObjectMeta& pod) {
  const std::string_view group = pod_group_of(pod);
  return {pod.namespace_, group.empty() ? pod.name : fmt::format("{}{}", kGroupKey, group)};
}

/// Whether it is a pod's owner's, too, which makes it before there are pods, and keeps it when they are gone.
bool has_other_owner(const kube::ObjectMeta& workload) {
  return std::ranges::any_of(workload.owner_references,
                             [](const kube::OwnerReference& owner) { return owner.kind != "Pod"; });
}

bool is_of_group(const kube::ObjectMeta& workload) {
  const auto mark = workload.annotations.find(kIsGroupWorkload);
  return mark != workload.annotations.end() && mark->second == "true";
}

class PodController final : public controllers::Controller {
 public:
  [[nodiscard]] std::string_view name() const override { return "pod-kueue-controller"; }

  void subscribe(watching::Subscriptions& to) override {
    const watching::Caches& caches = to.caches();
    to.on<kube::Pod>([this](const Change<kube::Pod>& change, Keys& keys) {
      groups_.on_change(change);
      for (const PodPtr& version : {change.before, change.after}) {
        if (version != nullptr && is_managed_pod(version->metadata())) keys.insert(key_of_pod(version->metadata()));
      }
    });
    to.on<kube::KueueWorkload>([this](const Change<kube::KueueWorkload>& change, Keys& keys) {
      index_.on_change(change);
      watching::controllers_of<kube::KueueWorkload>("Pod")(change, keys);
      // One that is no group's keeps the group of its name waiting until it is gone.
      const kube::ObjectMeta& workload = change.last().metadata();
      if (is_of_group(workload) || change.after == nullptr) {
        keys.insert({workload.namespace_, fmt::format("{}{}", kGroupKey, workload.name)});
      }
    });
    const auto add_all = [&caches](Keys& keys) {
      for (const auto& [name_space, pods] : caches.of<kube::Pod>().namespaces()) {
        for (const auto& [name, pod] : pods) {
          if (is_managed_pod(pod->metadata())) keys.insert(key_of_pod(pod->metadata()));
        }
      }
    };
    const auto when_new = [&]<class Kind>() {
      to.on<Kind>([add_all](const Change<Kind>& change, Keys& keys) {
        if (change.before == nullptr) add_all(keys);
      });
    };
    when_new.operator()<kube::ResourceFlavor>();
    when_new.operator()<kube::WorkloadPriorityClass>();
    when_new.operator()<kube::PriorityClass>();
    when_new.operator()<kube::Namespace>();
    to.reads<kube::ConfigMap>();
    to.reads<kube::ClusterQueue>();
    to.reads<kube::LocalQueue>();
    read_owner_kinds(to);
  }

  Reconciliation reconcile(const ObjectKey& key, const controllers::Context& context) override {
    const CachedObjects objects(context.caches);
    const Surroundings in{context, objects, configuration_.of(objects)};
    return key.name.starts_with(kGroupKey) ? of_group(key.name_space, key.name.substr(kGroupKey.size()), in)
                                           : of_pod(key, in);
  }

 private:
  [[nodiscard]] Reconciliation of_pod(const ObjectKey& key, const Surroundings& in) const {
    Reconciliation result;
    const auto& caches = in.context.caches;
    std::vector<WorkloadPtr> workloads = index_.of(key, caches.of<kube::KueueWorkload>());
    const PodPtr pod = caches.of<kube::Pod>().find(key);
    if (pod != nullptr && (!is_managed_pod(pod->metadata()) || !pod_group_of(pod->metadata()).empty())) return result;
    if (pod == nullptr || pod->is_being_deleted()) {
      for (const WorkloadPtr& each : workloads) let_go(*each, in.context.now, result);
      if (pod != nullptr) {
        if (auto release = pod_release(*pod)) result.then(std::move(*release));
      }
      return result;
    }
    const HeldPods held({pod}, {}, in.context.now);
    return JobSync(held, in, std::move(workloads)).run();
  }

  [[nodiscard]] Reconciliation of_group(const std::string& name_space, const std::string& group,
                                        const Surroundings& in) const {
    Reconciliation result;
    const auto& caches = in.context.caches;
    const WorkloadPtr workload = caches.of<kube::KueueWorkload>().find(name_space, group);
    std::vector<PodPtr> pods = groups_.of(name_space, group, caches.of<kube::Pod>());
    std::erase_if(pods, [](const PodPtr& pod) { return !is_managed_pod(pod->metadata()); });
    const bool is_ours = workload != nullptr && is_of_group(workload->metadata());
    if (pods.empty()) {
      if (is_ours) finalize_group(*workload, in.context.now, result);
      return result;
    }
    if (!prebuilt_workload_of(pods.front()->metadata()).empty()) return of_prebuilt_group(group, pods, workload, in);
    if (workload != nullptr && !is_ours) return refuse(*workload, pods);
    return workload == nullptr ? of_new_group(group, pods, in) : of_known_group(group, pods, workload, in);
  }

  /// Its pods are gone, so it is nobody's controller that lets it go.
  static void finalize_group(const WorkloadObject& workload, Instant now, Reconciliation& result) {
    if (!workload.is_being_deleted() && has_other_owner(workload.metadata())) return;
    if (!workload.is_being_deleted() && !kube::is_finished(workload.view)) {
      kube::KueueWorkload after = workload.view;
      finish(after, "OwnerNotFound", "The workload's owner no longer exists", now);
      if (auto patch = status_patch(workload, after)) result.then(std::move(*patch));
    }
    if (auto freed = finalizer_removal(workload)) result.then(std::move(*freed));
  }

  static Reconciliation refuse(const WorkloadObject& workload, const std::vector<PodPtr>& pods) {
    Reconciliation result;
    watching::Event event = told(
        watching::kind_name<kube::Pod>(), pods.front()->document, "WorkloadNameConflict",
        fmt::format("A Workload named \"{}\" already exists but is not a pod group workload; this pod group cannot "
                    "be admitted",
                    workload.metadata().name));
    event.type = watching::Event::Type::kWarning;
    result.events.push_back(std::move(event));
    for (const PodPtr& pod : pods) {
      if (is_runnable_or_succeeded(pod->view)) continue;
      if (auto release = pod_release(*pod)) result.then(std::move(*release));
    }
    return result;
  }

  [[nodiscard]] static Reconciliation of_new_group(const std::string& group, const std::vector<PodPtr>& pods,
                                                   const Surroundings& in) {
    const Result<GroupMembers> members = new_members_of(pods);
    if (!members || members->kept.empty()) {
      Reconciliation result;
      for (const PodPtr& pod : pods) {
        if (is_runnable_or_succeeded(pod->view)) continue;
        if (auto release = pod_release(*pod)) result.then(std::move(*release));
      }
      if (members) return result;
      watching::Event event =
          told(watching::kind_name<kube::Pod>(), pods.front()->document, "ErrWorkloadCompose", members.error().message);
      event.type = watching::Event::Type::kWarning;
      result.events.push_back(std::move(event));
      return result;
    }
    return synced(group, *members, nullptr, in);
  }

  [[nodiscard]] static Reconciliation of_known_group(const std::string& group, const std::vector<PodPtr>& pods,
                                                     const WorkloadPtr& workload, const Surroundings& in) {
    const GroupMembers members = members_of(pods, workload->view, in.context.now);
    const bool is_known = kube::is_finished(workload->view) ||
                          (!members.kept.empty() && is_same_group(group_documents(members.kept), workload->view));
    if (!is_known || members.kept.empty()) {
      GroupMembers all;
      all.kept = pods;
      return synced(group, all, workload, in, /*is_outdated=*/!is_known);
    }
    Reconciliation result;
    if (auto owned = with_owners(*workload, members.kept)) {
      result.then(std::move(*owned));
      return result;
    }
    kube::KueueWorkload after = workload->view;
    wait_for_replacements(after, members.absent, in.context.now);
    if (auto patch = status_patch(*workload, after)) {
      result.then(std::move(*patch));
      return result;
    }
    return synced(group, members, workload, in);
  }

  /// Pods whose Workload another object makes: their numbers are that one's to see to. Source: the prebuilt branch of
  /// ensureOneWorkload in pkg/controller/jobframework/reconciler.go.
  [[nodiscard]] static Reconciliation of_prebuilt_group(const std::string& group, const std::vector<PodPtr>& pods,
                                                        WorkloadPtr workload, const Surroundings& in) {
    if (workload != nullptr && workload->metadata().controller() != nullptr) workload = nullptr;
    Reconciliation result;
    if (workload != nullptr) {
      if (auto owned = with_owners(*workload, pods)) {
        result.then(std::move(*owned));
        return result;
      }
      if (!kube::is_finished(workload->view) && !is_same_group(group_documents(pods), workload->view)) {
        kube::KueueWorkload after = workload->view;
        finish(after, "OutOfSync", "The prebuilt workload is out of sync with its user job", in.context.now);
        if (auto patch = status_patch(*workload, after)) result.then(std::move(*patch));
        return result;
      }
    }
    const HeldPods held(pods, group, in.context.now);
    return JobSync(held, in, {}, FoundWorkload{workload, /*is_outdated=*/false, /*is_prebuilt=*/true}).run();
  }

  /// What is done for the group, before that of the pods that are not of it any more.
  [[nodiscard]] static Reconciliation synced(const std::string& group, const GroupMembers& members,
                                             const WorkloadPtr& workload, const Surroundings& in,
                                             bool is_outdated = false) {
    Reconciliation result;
    std::vector<Action> cleanup;
    for (const PodPtr& pod : members.excess) {
      if (auto release = pod_release(*pod)) cleanup.push_back(std::move(*release));
      if (pod->is_being_deleted()) continue;
      Action removal = watching::remove(watching::kind_name<kube::Pod>(), pod->key(), pod->metadata().uid);
      removal.said_when_done =
          told(watching::kind_name<kube::Pod>(), pod->document, "ExcessPodDeleted", "Excess pod deleted");
      cleanup.push_back(std::move(removal));
    }
    for (const PodPtr& pod : members.replaced) {
      if (auto release = pod_release(*pod)) cleanup.push_back(std::move(*release));
    }
    result.then(std::move(cleanup));
    const HeldPods held(members.kept, group, in.context.now);
    Reconciliation rest = JobSync(held, in, {}, FoundWorkload{workload, is_outdated}).run();
    for (auto& step : rest.steps) result.then(std::move(step));
    result.events = std::move(rest.events);
    result.again_after = rest.again_after;
    return result;
  }

  /// All pods own the Workload. Nothing: they do.
  [[nodiscard]] static std::optional<Action> with_owners(const WorkloadObject& workload,
                                                         const std::vector<PodPtr>& pods) {
    document::Array owners = document::items_at(workload.document, {"metadata", "ownerReferences"});
    const std::size_t before = owners.size();
    bool has_changed = false;
    for (const PodPtr& pod : pods) {
      // One that has taken the place of another is called as that was.
      const auto known = std::ranges::find_if(owners, [&](const Value& owner) {
        return document::text_at(owner, {"kind"}) == "Pod" &&
               document::text_at(owner, {"name"}) == pod->metadata().name;
      });
      if (known != owners.end() && document::text_at(*known, {"uid"}) == pod->metadata().uid) continue;
      Value owner = owner_reference_to(pod->metadata());
      known == owners.end() ? owners.push_back(std::move(owner)) : void(*known = std::move(owner));
      has_changed = true;
    }
    if (!has_changed) return std::nullopt;
    const std::size_t added = owners.size() - before;
    Action update = watching::update(
        watching::kind_name<kube::KueueWorkload>(), workload.key(),
        document::with_at(workload.document, {"metadata", "ownerReferences"}, Value(std::move(owners))));
    if (added == 0) return update;
    update.said_when_done = told(watching::kind_name<kube::KueueWorkload>(), workload.document, "OwnerReferencesAdded",
                                 fmt::format("Added {} owner reference(s)", added));
    return update;
  }

  PodIndex groups_{pod_group_of};
  WorkloadIndex index_{"Pod"};
  ConfigurationInForce configuration_;
};

}  // namespace

Controllers make_pod_controllers() {
  Controllers made;
  made.push_back(std::make_unique<PodController>());
  return made;
}

}  // namespace loadline::operators::kueue
