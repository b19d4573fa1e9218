#include "hosts/advice/edit.h"

#include <algorithm>
#include <array>
#include <memory>
#include <set>
#include <string_view>
#include <type_traits>
#include <utility>

#include "brain/workloads/kinds.h"
#include "brain/workloads/pod_set.h"
#include "brain/workloads/surplus.h"
#include "brain/workloads/workload.h"
#include "foundation/base/contract.h"
#include "hosts/simulator/node_changes.h"
#include "hosts/simulator/simulated_pods.h"
#include "objects/kube/core/quota.h"
#include "objects/kube/kueue/cluster_queue.h"
#include "objects/kube/kueue/job_names.h"
#include "objects/kube/kueue/local_queue.h"
#include "objects/kube/node/runtime_class.h"
#include "objects/kube/resource_names.h"
#include "objects/kube/storage/storage_classes.h"
#include "objects/kube/workload_names.h"

namespace loadline::advice {
namespace {

constexpr std::int32_t kStrongestPreference = 100;

// ---- on a pod's spec ------------------------------------------------------------------------------------------------

kube::Quantity request_of(const kube::ResourceRequirements& resources, const std::string& name) {
  if (const auto found = resources.requests.find(name); found != resources.requests.end()) return found->second;
  const auto limit = resources.limits.find(name);
  return limit == resources.limits.end() ? kube::Quantity() : limit->second;
}

/// What is not overcommitted is requested and limited alike.
void set_request(kube::ResourceRequirements& resources, const std::string& name, const kube::Quantity& amount) {
  const bool alike = kube::is_extended_resource(name) || name.starts_with("hugepages-");
  if (amount.is_zero() && alike) {
    resources.requests.erase(name);
    resources.limits.erase(name);
    return;
  }
  resources.requests[name] = amount;
  if (alike) resources.limits[name] = amount;
}

void rename(const RenameRequest& edit, kube::ResourceList& amounts) {
  auto amount = amounts.extract(edit.from);
  if (amount.empty()) return;
  amount.key() = edit.to;
  amounts.insert(std::move(amount));
}

struct OnSpec {
  kube::PodSpec& spec;

  void operator()(const Tolerate& edit) const { spec.tolerations.push_back(edit.toleration); }

  void operator()(const SelectLabel& edit) const {
    if (edit.to) {
      spec.node_selector[edit.key] = *edit.to;
    } else {
      spec.node_selector.erase(edit.key);
    }
  }

  void operator()(const AcceptLabel& edit) const {
    if (!spec.affinity || !spec.affinity->node || !spec.affinity->node->required) return;
    for (kube::NodeSelectorTerm& term : spec.affinity->node->required->terms) {
      std::erase_if(term.match_expressions, [&](kube::NodeSelectorRequirement& requirement) {
        if (requirement.key != edit.key) return false;
        if (requirement.op != kube::NodeSelectorOperator::kIn || edit.value.empty()) return true;
        if (std::ranges::find(requirement.values, edit.value) == requirement.values.end()) {
          requirement.values.push_back(edit.value);
        }
        return false;
      });
    }
    // A term that asks for nothing matches nothing, and a list of such terms neither.
    std::vector<kube::NodeSelectorTerm>& terms = spec.affinity->node->required->terms;
    const bool anything_goes = std::ranges::any_of(terms, [](const kube::NodeSelectorTerm& term) {
      return term.match_expressions.empty() && term.match_fields.empty();
    });
    if (anything_goes) spec.affinity->node->required.reset();
  }

  /// Takes it from the containers that ask for most.
  void operator()(const RequestLess& edit) const {
    if (spec.resources && spec.resources->requests.contains(edit.resource)) {
      spec.resources->requests[edit.resource] = edit.to;
    }
    kube::Quantity surplus = edit.from - edit.to;
    std::vector<kube::Container*> containers;
    containers.reserve(spec.containers.size());
    for (kube::Container& container : spec.containers) containers.push_back(&container);
    std::ranges::stable_sort(containers, [&](const kube::Container* a, const kube::Container* b) {
      return request_of(a->resources, edit.resource) > request_of(b->resources, edit.resource);
    });
    for (kube::Container* container : containers) {
      const kube::Quantity asked = request_of(container->resources, edit.resource);
      const kube::Quantity cut = std::min(asked, surplus);
      if (cut.sign() <= 0) break;
      set_request(container->resources, edit.resource, asked - cut);
      surplus -= cut;
    }
  }

  void operator()(const LimitLess& edit) const {
    for (std::vector<kube::Container>* containers : {&spec.containers, &spec.init_containers}) {
      for (kube::Container& container : *containers) {
        for (kube::ResourceList* list : {&container.resources.limits, &container.resources.requests}) {
          const auto amount = list->find(edit.resource);
          if (amount != list->end() && amount->second > edit.to) amount->second = edit.to;
        }
      }
    }
  }

  void operator()(const RelaxSpread& edit) const {
    for (kube::TopologySpreadConstraint& constraint : spec.topology_spread_constraints) {
      const bool hard = constraint.when_unsatisfiable == kube::UnsatisfiableAction::kDoNotSchedule;
      if (constraint.topology_key != edit.topology_key || !hard) continue;
      if (edit.max_skew) {
        constraint.max_skew = std::max(constraint.max_skew, *edit.max_skew);
      } else {
        constraint.when_unsatisfiable = kube::UnsatisfiableAction::kScheduleAnyway;
        constraint.min_domains.reset();
      }
    }
  }

  void operator()(const PreferPodAffinity& edit) const {
    if (!spec.affinity) return;
    std::optional<kube::PodAffinity>& affinity = edit.anti ? spec.affinity->pod_anti : spec.affinity->pod;
    if (!affinity) return;
    std::erase_if(affinity->required, [&](kube::PodAffinityTerm& term) {
      if (term.topology_key != edit.topology_key) return false;
      affinity->preferred.push_back({kStrongestPreference, std::move(term)});
      return true;
    });
  }

  void operator()(const DropHostPort& edit) const {
    for (std::vector<kube::Container>* containers : {&spec.containers, &spec.init_containers}) {
      for (kube::Container& container : *containers) {
        for (kube::ContainerPort& port : container.ports) {
          if (port.host_port == edit.port) port.host_port = 0;
        }
      }
    }
  }

  void operator()(const UsePriorityClass& edit) const {
    spec.priority_class_name = edit.name;
    if (spec.priority) spec.priority = edit.value;
    spec.preemption_policy = edit.preemption_policy;
  }

  void operator()(const UseScheduler& edit) const { spec.scheduler_name = edit.name; }
  void operator()(const DropGate& edit) const { std::erase(spec.scheduling_gates, edit.name); }

  void operator()(const UseClaim& edit) const {
    for (kube::Volume& volume : spec.volumes) {
      auto& claim = volume.persistent_volume_claim;
      if (claim && claim->claim_name == edit.from) claim->claim_name = edit.to;
    }
  }

  void operator()(const RenameRequest& edit) const {
    for (std::vector<kube::Container>* containers : {&spec.containers, &spec.init_containers}) {
      for (kube::Container& container : *containers) {
        rename(edit, container.resources.requests);
        rename(edit, container.resources.limits);
      }
    }
  }

  template <class Other>
  void operator()(const Other&) const {}
};

// ---- on everything --------------------------------------------------------------------------------------------------

void edit_spec(const Edit& edit, std::shared_ptr<const kube::PodSpec>& spec) {
  auto changed = std::make_shared<kube::PodSpec>(*spec);
  apply(edit, *changed);
  spec = std::move(changed);
}

template <class Kind>
Kind* find(std::vector<Kind>& objects, const simulator::WorkloadName& name) {
  const auto found = std::ranges::find_if(objects, [&](const Kind& object) {
    return object.metadata.namespace_ == name.name_space && object.metadata.name == name.name;
  });
  return found == objects.end() ? nullptr : &*found;
}

/// The templates that the pods of a workload's role are made from.
std::vector<kube::PodTemplateSpec*> templates_of(const Target& target, kube::Objects& objects) {
  std::vector<kube::PodTemplateSpec*> found;
  workloads::for_kind(target.workload.kind, [&]<class Kind>() {
    if (Kind* object = find(objects.of<Kind>(), target.workload)) found = workloads::templates_of(*object, target.role);
  });
  return found;
}

simulator::PodName name_of(const kube::Pod& pod) { return {pod.metadata.namespace_, pod.metadata.name}; }

bool is_made_by(const simulator::WorkloadName& workload, const kube::ObjectMeta& metadata) {
  const kube::OwnerReference* controller = metadata.controller();
  return controller != nullptr && workloads::kind_of(*controller) == workload.kind &&
         controller->name == workload.name && metadata.namespace_ == workload.name_space;
}

/// Whether what a workload made makes its pods of that role.
template <class Kind>
bool makes_role(const Kind& child, const workloads::PodSet& set, const Target& target) {
  if (!set.role.empty()) return set.role == target.role;
  kube::ObjectMeta pod = set.pod_template->metadata;
  if constexpr (std::is_same_v<Kind, kube::Job>)
    pod.labels.try_emplace(std::string(kube::kJobName), child.metadata.name);
  return workloads::role_of({target.workload.kind, {}, {}}, pod) == target.role;
}

template <class Kind>
void edit_child(const Edit& edit, const Target& target, Kind& child) {
  for (const workloads::PodSet& set : workloads::pod_sets(child)) {
    if (!makes_role(child, set, target)) continue;
    // It is a part of the child, which is ours to change.
    edit_spec(edit, const_cast<kube::PodTemplateSpec*>(set.pod_template)->spec);
  }
}

void edit_pods(const Edit& edit, const Target& target, kube::Objects& objects) {
  for (kube::PodTemplateSpec* each : templates_of(target, objects)) edit_spec(edit, each->spec);
  // A Deployment's current ReplicaSet, a CronJob's current Job, and a RayJob's current cluster go on making pods until
  // others replace them.
  workloads::for_each_kind([&]<class Kind>() {
    for (Kind& child : objects.of<Kind>()) {
      if (is_made_by(target.workload, child.metadata)) edit_child(edit, target, child);
    }
  });
  const workloads::Owners owners(objects);
  for (kube::Pod& pod : objects.of<kube::Pod>()) {
    if (!pod.spec->node_name.empty()) continue;  // what runs keeps the spec it was started with
    const workloads::WorkloadReference owner = owners.owner_of(pod);
    const bool is_sibling =
        simulator::name_of(owner) == target.workload && workloads::role_of(owner, pod.metadata) == target.role;
    if (is_sibling || name_of(pod) == target.pod) edit_spec(edit, pod.spec);
  }
}

void set_replicas(const Scale& edit, kube::Objects& objects) {
  workloads::for_kind(edit.workload.kind, [&]<class Kind>() {
    Kind* object = find(objects.of<Kind>(), edit.workload);
    if (object == nullptr) return;
    if constexpr (requires { object->replicas; }) object->replicas = edit.to;
    if constexpr (std::is_same_v<Kind, kube::Job>) object->spec.parallelism = edit.to;
  });
  // Which of the pods that are there go is their controller's choice.
  const workloads::Owners owners(objects);
  std::set<simulator::PodName> leaving;
  for (const kube::Pod* pod : workloads::surplus(objects)) {
    if (simulator::name_of(owners.owner_of(*pod)) == edit.workload) leaving.insert(name_of(*pod));
  }
  std::erase_if(objects.of<kube::Pod>(), [&](const kube::Pod& pod) {
    const bool bare = edit.workload.kind == "Pod" && simulator::name_of(owners.owner_of(pod)) == edit.workload;
    return bare || leaving.contains(name_of(pod));
  });
}

/// Sets a label of the workload itself; of one that is a pod, and of a group of pods by Kueue's label, those of all.
void set_label(std::string_view key, const std::string& value, const Target& target, kube::Objects& objects) {
  const simulator::WorkloadName& name = target.workload;
  if (name.kind != "Pod") {
    workloads::for_kind(name.kind, [&]<class Kind>() {
      if (Kind* object = find(objects.of<Kind>(), name))
        object->metadata.labels.insert_or_assign(std::string(key), value);
    });
    return;
  }
  const auto group_of = [](const kube::Pod& pod) {
    const auto found = pod.metadata.labels.find(kube::kPodGroupName);
    return found == pod.metadata.labels.end() ? std::string() : found->second;
  };
  const kube::Pod* own = find(objects.of<kube::Pod>(), name);
  if (own == nullptr) return;
  const std::string group = group_of(*own);
  for (kube::Pod& pod : objects.of<kube::Pod>()) {
    const bool is_meant = name_of(pod) == target.pod ||
                          (!group.empty() && group_of(pod) == group && pod.metadata.namespace_ == name.name_space);
    if (is_meant) pod.metadata.labels.insert_or_assign(std::string(key), value);
  }
}

struct OnObjects {
  kube::Objects& objects;
  const Target& target;

  void operator()(const AddNodes& edit) const {
    const auto names = simulator::add_nodes(objects, {&edit.nodes, 1});
    REQUIRES(names.has_value());  // they are like a node that is there
  }

  void operator()(const Scale& edit) const { set_replicas(edit, objects); }

  void operator()(const RaiseQuota& edit) const {
    for (kube::ResourceQuota& quota : objects.of<kube::ResourceQuota>()) {
      const bool meant = quota.metadata.namespace_ == edit.name_space && quota.metadata.name == edit.quota;
      if (meant && quota.hard.contains(edit.resource)) quota.hard[edit.resource] = edit.to;
    }
  }

  void operator()(const DefaultStorageClass& edit) const {
    kube::make_default_class(objects.of<kube::StorageClass>(), edit.name);
  }

  void operator()(const AddRuntimeClass& edit) const {
    kube::RuntimeClass& made = objects.of<kube::RuntimeClass>().emplace_back();
    made.metadata.name = edit.name;
    made.handler = kube::handler_for(edit.name);
  }

  void operator()(const RaiseQueueQuota& edit) const {
    for (kube::ClusterQueue& queue : objects.of<kube::ClusterQueue>()) {
      if (queue.metadata.name != edit.queue) continue;
      const auto& [group, flavor, resource] = edit.at;
      kube::FlavorQuota& quota = queue.resource_groups.at(group).flavors.at(flavor).resources.at(resource);
      if (edit.limit == RaiseQueueQuota::Limit::kNominal) {
        quota.nominal = edit.to;
      } else {
        quota.borrowing_limit = edit.to;
      }
    }
  }

  void operator()(const ResumeQueue& edit) const {
    for (kube::ClusterQueue& queue : objects.of<kube::ClusterQueue>()) {
      const bool is_meant = edit.name_space.empty() && queue.metadata.name == edit.name;
      if (is_meant) queue.stop_policy = kube::StopPolicy::kNone;
    }
    for (kube::LocalQueue& queue : objects.of<kube::LocalQueue>()) {
      const bool is_meant = queue.metadata.namespace_ == edit.name_space && queue.metadata.name == edit.name;
      if (is_meant) queue.stop_policy = kube::StopPolicy::kNone;
    }
  }

  void operator()(const JoinCohort& edit) const {
    for (kube::ClusterQueue& queue : objects.of<kube::ClusterQueue>()) {
      if (queue.metadata.name == edit.queue) queue.cohort = edit.cohort;
    }
  }

  void operator()(const UseQueue& edit) const { set_label(kube::kQueueName, edit.to, target, objects); }
  void operator()(const UseWorkloadPriority& edit) const {
    set_label(kube::kWorkloadPriorityClassLabel, edit.name, target, objects);
  }

  template <class Other>
  void operator()(const Other&) const {}
};

struct OnNode {
  kube::Node& node;

  void operator()(const LabelNode& edit) const {
    if (edit.node == node.metadata.name) node.metadata.labels[edit.key] = edit.value;
  }
  void operator()(const Uncordon& edit) const {
    if (edit.node != node.metadata.name) return;
    node.unschedulable = false;
    std::erase_if(node.taints,
                  [](const kube::Taint& taint) { return taint.key == "node.kubernetes.io/unschedulable"; });
  }
  void operator()(const RemoveTaint& edit) const {
    if (edit.node != node.metadata.name) return;
    std::erase_if(node.taints, [&](const kube::Taint& taint) { return taint.key == edit.taint.key; });
  }
  template <class Other>
  void operator()(const Other&) const {}
};

}  // namespace

Reach reach_of(const Edit& edit) {
  return std::visit([]<class E>(const E&) { return E::kReach; }, edit);
}

bool edits_pod(const Edit& edit) { return reach_of(edit) == Reach::kPod; }

void apply(const Edit& edit, kube::PodSpec& spec) { std::visit(OnSpec{spec}, edit); }

void apply(const Edit& edit, const Target& target, kube::Objects& objects) {
  if (edits_pod(edit)) {
    edit_pods(edit, target, objects);
    return;
  }
  for (kube::Node& node : objects.of<kube::Node>()) std::visit(OnNode{node}, edit);
  std::visit(OnObjects{objects, target}, edit);
}

bool is_about(const Edit& edit, const kube::Node& node) {
  return std::visit(
      [&]<class E>(const E& each) {
        if constexpr (requires { each.node; }) return each.node == node.metadata.name;
        return false;
      },
      edit);
}

kube::Node edited(const Edit& edit, kube::Node node) {
  std::visit(OnNode{node}, edit);
  return node;
}

}  // namespace loadline::advice
