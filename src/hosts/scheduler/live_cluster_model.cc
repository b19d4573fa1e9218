#include "hosts/scheduler/live_cluster_model.h"

#include <algorithm>
#include <type_traits>
#include <utility>

#include "brain/admission/group_priority.h"
#include "brain/cluster/spellings/kinds.h"
#include "brain/cluster/spellings/membership.h"
#include "brain/decision/eviction_text.h"
#include "hosts/scheduler/live_topologies.h"
#include "hosts/watching/claim_use.h"
#include "objects/kube/apps/apps.h"
#include "objects/kube/condition.h"
#include "objects/kube/core/namespace.h"

namespace loadline::scheduler {

using cluster::NodeId;
using cluster::PodId;
using watching::Change;
using watching::Keys;
using watching::ObjectKey;
using watching::ObjectPtr;

namespace {

bool same_amounts(const std::optional<kube::ResourceRequirements>& before,
                  const std::optional<kube::ResourceRequirements>& after) {
  if (!before || !after) return before.has_value() == after.has_value();
  return before->requests == after->requests && before->limits == after->limits;
}

bool same_amounts(const std::vector<kube::ContainerStatus>& before, const std::vector<kube::ContainerStatus>& after) {
  return std::equal(before.begin(), before.end(), after.begin(), after.end(), [](const auto& a, const auto& b) {
    return a.name == b.name && same_amounts(a.resources, b.resources) && a.allocated_resources == b.allocated_resources;
  });
}

bool same_resizing(const std::vector<kube::Condition>& before, const std::vector<kube::Condition>& after) {
  const auto reason = [](const std::vector<kube::Condition>& conditions) {
    const auto pending = std::ranges::find(conditions, "PodResizePending", &kube::Condition::type);
    return pending == conditions.end() ? std::string_view() : std::string_view(pending->reason);
  };
  return reason(before) == reason(after);
}

/// Whether a decision could read the difference, apart from where the pod is.
bool differs(const kube::Pod& before, const kube::Pod& after) {
  // Scoring plugins that are not built in, and extenders, may look at annotations.
  if (before.spec != after.spec || before.metadata.labels != after.metadata.labels ||
      before.metadata.annotations != after.metadata.annotations) {
    return true;
  }
  // A pod that is resized in place counts for what its node has made of it.
  const kube::PodStatus& was = before.status;
  const kube::PodStatus& is = after.status;
  return !same_amounts(was.resources, is.resources) || was.allocated_resources != is.allocated_resources ||
         !same_amounts(was.container_statuses, is.container_statuses) ||
         !same_amounts(was.init_container_statuses, is.init_container_statuses) ||
         !same_resizing(was.conditions, is.conditions);
}

/// The labels that people gave the pod: the API server adds where it is when it is bound.
kube::StringMap own_labels(const kube::Pod& pod) {
  kube::StringMap labels = pod.metadata.labels;
  if (!pod.spec->node_name.empty()) {
    labels.erase("topology.kubernetes.io/zone");
    labels.erase("topology.kubernetes.io/region");
  }
  return labels;
}

/// Registers for changes that concern no key: the model itself takes them.
template <class Kind, class Take>
void listen(watching::Subscriptions& subscriptions, Take take) {
  subscriptions.on<Kind>([take](const Change<Kind>& change, Keys&) { take(change); });
}

}  // namespace

LiveClusterModel::LiveClusterModel(watching::Subscriptions& subscriptions)
    : caches_(subscriptions.caches()),
      expected_runs_(subscriptions, cluster_, [this] { dispatcher_->capacity_freed(); }),
      success_records_(subscriptions, cluster_, [this](std::string_view name_space, const cluster::GroupName& group) {
        group_changed(name_space, group);
      }) {
  cluster_.volumes().leave_binding_to_others();
  listen<kube::Namespace>(subscriptions, [this](const Change<kube::Namespace>& change) {
    const kube::ObjectMeta& metadata = change.last().metadata();
    if (change.after == nullptr) {
      cluster_.remove_namespace(metadata.name);
    } else if (change.before == nullptr || change.before->metadata().labels != metadata.labels) {
      cluster_.set_namespace(metadata.name, metadata.labels);
      dispatcher_->capacity_freed();
    }
  });
  listen<kube::Node>(subscriptions, [this](const Change<kube::Node>& change) { on_node(change); });
  listen<kube::Pod>(subscriptions, [this](const Change<kube::Pod>& change) { on_pod(change); });
  listen<kube::PodDisruptionBudget>(subscriptions, [this](const Change<kube::PodDisruptionBudget>& change) {
    const kube::ObjectMeta& metadata = change.last().metadata();
    if (change.after == nullptr) {
      cluster_.remove_budget(metadata.namespace_, metadata.name);
    } else {
      cluster_.set_budget(change.after->view, change.after->view.disruptions_allowed.value_or(0));
    }
    dispatcher_->changed();
  });
  listen_to_groups(subscriptions);
  follow_topologies(subscriptions, cluster_, [this] { dispatcher_->capacity_freed(); });
  listen_to_owners(subscriptions);
  listen_to_volumes(subscriptions);
}

void LiveClusterModel::listen_to_groups(watching::Subscriptions& subscriptions) {
  cluster::spellings::for_each_group_kind([&]<class Kind>() {
    listen<Kind>(subscriptions, [this](const Change<Kind>& change) {
      const kube::ObjectMeta& metadata = change.last().metadata();
      const cluster::GroupName group{cluster::spellings::kSpellingOf<Kind>, metadata.name};
      const bool is_different =
          change.after == nullptr ? cluster_.remove_group(metadata.namespace_, group) : take_group(change.after->view);
      if (is_different) group_changed(metadata.namespace_, group);
    });
  });
  listen<kube::PriorityClass>(subscriptions, [this](const Change<kube::PriorityClass>&) { renew_priorities(); });
}

template <class Kind>
bool LiveClusterModel::take_group(const Kind& group) {
  return cluster_.set_group(
      admission::with_priority(classes_, cluster::spellings::describe(group, cluster_.symbols())));
}

/// Groups whose objects name a class have its number as it is now.
void LiveClusterModel::renew_priorities() {
  std::vector<kube::PriorityClass> written;
  for (const auto& [name_space, named] : caches_.of<kube::PriorityClass>().namespaces()) {
    for (const auto& [name, object] : named) written.push_back(object->view);
  }
  classes_ = admission::PriorityClasses(written);
  cluster::spellings::for_each_group_kind([&]<class Kind>() {
    for (const auto& [name_space, named] : caches_.of<Kind>().namespaces()) {
      for (const auto& [name, object] : named) {
        if (take_group(object->view)) group_changed(name_space, {cluster::spellings::kSpellingOf<Kind>, name});
      }
    }
  });
}

void LiveClusterModel::group_changed(std::string_view name_space, const cluster::GroupName& group) {
  const cluster::GroupId id = cluster_.find_group(name_space, group);
  if (id.valid()) dispatcher_->group_changed(id);
}

void LiveClusterModel::set_group_minimum(gang::GroupMinimum minimum) {
  if (minimum == minimum_) return;
  minimum_ = minimum;
  const bool counts = minimum == gang::GroupMinimum::kFinishedToo;
  for (const auto& [key, group] : succeeded_) {
    if (const auto pod = counts ? caches_.of<kube::Pod>().find(key) : nullptr; pod != nullptr) {
      cluster_.add_succeeded(key.name_space, group, workloads::succeeded_pod(pod->view));
    } else {
      cluster_.remove_succeeded(key.name_space, group, key.name);
    }
    group_changed(key.name_space, group);
  }
  success_records_.set_counting(counts);
}

/// A pod that has succeeded goes on to count for its group until it is deleted; then it does if its owner has it on
/// record.
void LiveClusterModel::follow_success(const Change<kube::Pod>& change) {
  const ObjectKey key = change.last().key();
  const bool is_counted = succeeded_.contains(key);
  const bool counts = change.after != nullptr && change.after->view.status.phase == kube::PodPhase::kSucceeded;
  if (counts == is_counted) return;
  std::optional<cluster::GroupName> group;
  if (counts) {
    group = cluster::spellings::group_of(change.after->view);
    if (!group) return;
    succeeded_.emplace(key, *group);
  } else {
    group = succeeded_.extract(key).mapped();
  }
  if (minimum_ != gang::GroupMinimum::kFinishedToo) return;
  if (counts) {
    cluster_.add_succeeded(key.name_space, *group, workloads::succeeded_pod(change.after->view));
  } else {
    cluster_.remove_succeeded(key.name_space, *group, key.name);
  }
  group_changed(key.name_space, *group);
}

/// Services and controllers tell which pods are of one application, and so how the default constraints spread them.
void LiveClusterModel::listen_to_owners(watching::Subscriptions& subscriptions) {
  listen<kube::Service>(subscriptions, [this](const Change<kube::Service>& change) {
    const kube::ObjectMeta& metadata = change.last().metadata();
    if (change.after == nullptr) {
      cluster_.remove_service(metadata.namespace_, metadata.name);
    } else {
      cluster_.set_service(change.after->view);
    }
    dispatcher_->changed();
  });
  const auto take = [this](const char* kind, const auto& change, auto selector_of) {
    const kube::ObjectMeta& metadata = change.last().metadata();
    if (change.after == nullptr) {
      cluster_.remove_controller(kind, metadata.namespace_, metadata.name);
    } else {
      cluster_.set_controller(kind, metadata, selector_of(change.after->view));
    }
    dispatcher_->changed();
  };
  const auto selector_of = [this](const auto& object) {
    return cluster::PodSelector::of(object.selector, cluster_.symbols());
  };
  listen<kube::ReplicaSet>(subscriptions, [take, selector_of](const Change<kube::ReplicaSet>& change) {
    take("ReplicaSet", change, selector_of);
  });
  listen<kube::StatefulSet>(subscriptions, [take, selector_of](const Change<kube::StatefulSet>& change) {
    take("StatefulSet", change, selector_of);
  });
  listen<kube::ReplicationController>(subscriptions, [this, take](const Change<kube::ReplicationController>& change) {
    take("ReplicationController", change, [this](const kube::ReplicationController& controller) {
      return cluster::PodSelector::of_labels(controller.selector, cluster_.symbols());
    });
  });
}

void LiveClusterModel::listen_to_volumes(watching::Subscriptions& subscriptions) {
  const auto follow = [this, &subscriptions]<class Kind>(auto remove) {
    listen<Kind>(subscriptions, [this, remove](const Change<Kind>& change) {
      if (change.after == nullptr) {
        remove(cluster_.volumes(), change.last().metadata());
      } else if constexpr (std::is_same_v<Kind, kube::PersistentVolumeClaim>) {
        take_claim(*change.after);
      } else {
        cluster_.volumes().add(change.after->view);
      }
      dispatcher_->capacity_freed();
    });
  };
  using Volumes = cluster::VolumeCatalog;
  using Metadata = kube::ObjectMeta;
  follow.operator()<kube::StorageClass>(
      [](Volumes& all, const Metadata& gone) { all.remove_storage_class(gone.name); });
  follow.operator()<kube::PersistentVolume>([](Volumes& all, const Metadata& gone) { all.remove_volume(gone.name); });
  follow.operator()<kube::PersistentVolumeClaim>(
      [](Volumes& all, const Metadata& gone) { all.remove_claim(gone.namespace_, gone.name); });
  follow.operator()<kube::CsiNode>([](Volumes& all, const Metadata& gone) { all.remove_csi_node(gone.name); });
  follow.operator()<kube::CsiDriver>([](Volumes& all, const Metadata& gone) { all.remove_csi_driver(gone.name); });
  follow.operator()<kube::CsiStorageCapacity>(
      [](Volumes& all, const Metadata& gone) { all.remove_capacity(gone.namespace_, gone.name); });
  follow.operator()<kube::VolumeAttachment>(
      [](Volumes& all, const Metadata& gone) { all.remove_attachment(gone.name); });
}

/// Placement tells pods apart by their names. A claim that was made for an earlier pod of the same name is no pod's.
void LiveClusterModel::take_claim(const watching::Observed<kube::PersistentVolumeClaim>& claim) {
  kube::PersistentVolumeClaim seen = claim.view;
  const kube::OwnerReference* owner = seen.metadata.controller();
  if (owner != nullptr && owner->kind == "Pod") {
    const auto pod = caches_.of<kube::Pod>().find(seen.metadata.namespace_, owner->name);
    if (pod != nullptr && pod->metadata().uid != owner->uid) seen.metadata.owner_references.clear();
  }
  cluster_.volumes().add(std::move(seen));
}

/// The pod may have the name of another one, whose claims are still there.
void LiveClusterModel::take_own_claims(const kube::Pod& pod) {
  for (const kube::Volume& volume : pod.spec->volumes) {
    if (!volume.ephemeral_claim) continue;
    const auto claim =
        caches_.of<kube::PersistentVolumeClaim>().find(pod.metadata.namespace_, watching::claim_of(pod, volume));
    if (claim != nullptr) take_claim(*claim);
  }
}

void LiveClusterModel::on_node(const Change<kube::Node>& change) {
  const std::string& name = change.last().metadata().name;
  const NodeId node = cluster_.find_node(name);
  if (change.after == nullptr) {
    if (!node.valid()) return;
    remove_node(node, name);
    return dispatcher_->capacity_freed();
  }
  if (node.valid()) {
    const cluster::ChangeLog::Mark before = cluster_.changes().end();
    cluster_.update_node(node, change.after->view);
    // A heartbeat helps no pod.
    if (cluster_.changes().end() != before) dispatcher_->capacity_freed();
    return;
  }
  restore_assumed(cluster_.add_node(change.after->view), name);
  // Pods that were bound to it before it was heard of.
  for (const auto& [key, pod] : caches_.pods_on(name)) {
    if (TrackedPod* tracked = find(key); tracked != nullptr) follow_node(*tracked);
  }
  dispatcher_->capacity_freed();
}

void LiveClusterModel::remove_node(NodeId node, const std::string& name) {
  std::erase_if(displaced_, [this](const auto& entry) {
    const TrackedPod* pod = find(entry.first);
    return pod == nullptr || !is_assumed(*pod);
  });
  for (const PodId id : cluster_.remove_node(node)) {
    if (is_placeholder(id)) {
      dispatcher_->keeper().displaced(id);
      continue;
    }
    if (is_assumed(tracked(id))) displaced_[tracked(id).object->key()] = name;
  }
}

/// A node that comes back under its name has the pods whose bindings to it are still under way.
void LiveClusterModel::restore_assumed(NodeId node, const std::string& name) {
  for (const auto& [key, node_name] : displaced_) {
    TrackedPod* pod = node_name == name ? find(key) : nullptr;
    if (pod == nullptr || !is_assumed(*pod) || cluster_.pod(pod->id).node.valid()) continue;
    cluster_.place(pod->id, node);
    dispatcher_->placed_elsewhere(pod->id);
  }
  std::erase_if(displaced_, [&name](const auto& entry) { return entry.second == name; });
}

const kube::Pod& LiveClusterModel::at(PodId pod) const {
  if (is_placeholder(pod)) return dispatcher_->keeper().placeholder(pod);
  REQUIRES(pod.index() < by_id_.size() && by_id_[pod.index()] != nullptr);
  return by_id_[pod.index()]->object->view;
}

TrackedPod* LiveClusterModel::find(const ObjectKey& key) {
  const auto found = pods_.find(key);
  return found == pods_.end() ? nullptr : &found->second;
}

void LiveClusterModel::on_pod(const Change<kube::Pod>& change) {
  const ObjectKey key = change.last().key();
  follow_success(change);
  if (change.after != nullptr && change.after->view.finished()) confirm_finished(*change.after);
  if (change.after == nullptr || change.after->view.finished()) return forget(key);
  if (TrackedPod* pod = find(key); pod != nullptr) {
    update(*pod, change.after);
  } else {
    adopt(change.after);
  }
}

/// A pod that is seen on its node only once it has finished had the place that we gave it, and consumed what is there.
void LiveClusterModel::confirm_finished(const watching::Observed<kube::Pod>& pod) {
  const std::string& node = pod.view.spec->node_name;
  const TrackedPod* tracked = find(pod.key());
  if (tracked == nullptr || node.empty() || !is_assumed(*tracked)) return;
  const NodeId placed = cluster_.pod(tracked->id).node;
  if (placed.valid() && cluster_.node_name(placed) == node) dispatcher_->confirm(tracked->id);
}

void LiveClusterModel::adopt(const ObjectPtr<kube::Pod>& object) {
  take_own_claims(object->view);
  TrackedPod& pod = pods_[object->key()];
  pod.object = object;
  const NodeId node = cluster_.find_node(object->view.spec->node_name);
  pod.id = node.valid() ? cluster_.add_pod(object->view, node) : cluster_.add_pod(object->view);
  if (by_id_.size() <= pod.id.index()) by_id_.resize(pod.id.index() + 1);
  by_id_[pod.id.index()] = &pod;
  expected_runs_.follow(pod.id, object->metadata());
  if (node.valid()) dispatcher_->placed_elsewhere(pod.id);
  if (const cluster::GroupId group = cluster_.pod(pod.id).group; group.valid()) dispatcher_->group_changed(group);
  if (!object->view.status.nominated_node_name.empty()) {
    cluster_.nominate(pod.id, cluster_.find_node(object->view.status.nominated_node_name));
  }
  follow_node(pod);
  if (object->is_being_deleted()) dispatcher_->leaving(pod.id, decision::told_cause(object->view));
  enqueue(pod);
}

void LiveClusterModel::update(TrackedPod& pod, const ObjectPtr<kube::Pod>& object) {
  const ObjectPtr<kube::Pod> before = std::exchange(pod.object, object);
  const bool is_different = differs(before->view, object->view);
  const bool is_leaving = object->is_being_deleted();
  const bool was_leaving = cluster_.pod(pod.id).terminating;  // before update_pod() says so
  if (pod.is_waiting && (is_leaving || is_different)) withdraw(pod);
  // A binding of ours was carried out: that was known when it was decided.
  const bool is_confirmed = is_assumed(pod) && !is_leaving && before->view.spec->node_name.empty() &&
                            cluster_.find_node(object->view.spec->node_name) == cluster_.pod(pod.id).node;
  if (is_different) {
    const kube::ResourceList room = cluster_.shape_of(pod.id).requests_list;
    const std::optional<cluster::GroupName> group = cluster::spellings::group_of(before->view);
    expected_runs_.forget(pod.id, before->metadata());
    cluster_.update_pod(pod.id, object->view);
    expected_runs_.follow(pod.id, object->metadata());
    if (const auto now = cluster::spellings::group_of(object->view); now != group) {
      if (group) group_changed(object->metadata().namespace_, *group);
      if (now) group_changed(object->metadata().namespace_, *now);
    }
    const bool takes_as_much = cluster_.shape_of(pod.id).requests_list == room;
    const bool is_same = (before->view.spec == object->view.spec || is_confirmed) &&
                         own_labels(before->view) == own_labels(object->view) && takes_as_much;
    // On its node, it may match affinity terms now, or no anti-affinity term any more, or request less.
    if (cluster_.pod(pod.id).node.valid() && !is_same) {
      dispatcher_->capacity_freed();
    } else {
      dispatcher_->changed();
    }
  }
  follow_node(pod);
  if (is_leaving && !was_leaving) dispatcher_->leaving(pod.id, decision::told_cause(object->view));
  enqueue(pod);
}

/// Places the pod where the API server says it is.
void LiveClusterModel::follow_node(TrackedPod& pod) {
  const std::string& name = pod.object->view.spec->node_name;
  if (name.empty()) return;
  if (pod.is_waiting) withdraw(pod);
  const NodeId node = cluster_.find_node(name);
  if (is_assumed(pod) && cluster_.pod(pod.id).node != node) {
    dispatcher_->release(pod.id);  // others have bound it elsewhere
  } else {
    dispatcher_->confirm(pod.id);
  }
  const NodeId nominated = cluster_.pod(pod.id).nominated;
  cluster_.nominate(pod.id, NodeId{});
  // Room was kept for it elsewhere.
  if (nominated.valid() && nominated != node) dispatcher_->capacity_freed();
  const NodeId placed = cluster_.pod(pod.id).node;
  if (placed != node) {
    if (placed.valid()) {
      cluster_.unplace(pod.id);
      dispatcher_->capacity_freed();
    }
    if (node.valid()) {
      cluster_.place(pod.id, node);
      dispatcher_->placed_elsewhere(pod.id);
    }
  }
  if (const auto started = pod.object->view.status.start_time; started) cluster_.set_started(pod.id, *started);
}

/// Whether the pod belongs into the queue.
bool LiveClusterModel::may_wait(const TrackedPod& pod) const {
  const kube::Pod& view = pod.object->view;
  return view.spec->node_name.empty() && !is_assumed(pod) && !pod.is_resting && !pod.object->is_being_deleted() &&
         dispatcher_->scheduler().profile(view.spec->scheduler_name) != nullptr && !dispatcher_->scheduler().gate(view);
}

void LiveClusterModel::enqueue(TrackedPod& pod) {
  if (pod.is_waiting || !may_wait(pod)) return;
  pod.is_waiting = true;
  dispatcher_->add(pod.id);
}

void LiveClusterModel::reconsider() {
  for (auto& [key, pod] : pods_) {
    if (pod.is_waiting && !may_wait(pod)) withdraw(pod);
    enqueue(pod);
  }
  dispatcher_->capacity_freed();
}

void LiveClusterModel::withdraw(TrackedPod& pod) {
  dispatcher_->withdraw(pod.id);
  pod.is_waiting = false;
}

void LiveClusterModel::set_aside(TrackedPod& pod) {
  if (pod.object->view.spec->node_name.empty()) dispatcher_->release(pod.id);
  if (pod.is_waiting) withdraw(pod);
  pod.is_resting = true;
}

void LiveClusterModel::forget(const ObjectKey& key) {
  TrackedPod* pod = find(key);
  if (pod == nullptr) return;
  if (pod->is_waiting) withdraw(*pod);
  if (is_assumed(*pod)) dispatcher_->release(pod->id);
  const cluster::PodRecord& record = cluster_.pod(pod->id);
  const bool makes_room = record.node.valid() || record.nominated.valid();
  by_id_[pod->id.index()] = nullptr;
  expected_runs_.forget(pod->id, pod->object->metadata());
  cluster_.remove_pod(pod->id);
  pods_.erase(key);
  if (makes_room) dispatcher_->capacity_freed();
}

}  // namespace loadline::scheduler
