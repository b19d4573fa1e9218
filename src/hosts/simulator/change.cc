#include "hosts/simulator/change.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <type_traits>
#include <utility>

#include "brain/admission/admission.h"
#include "brain/workloads/kinds.h"
#include "brain/workloads/replacement.h"
#include "brain/workloads/stateful_set.h"
#include "brain/workloads/surplus.h"
#include "brain/workloads/workload.h"
#include "hosts/simulator/drain.h"
#include "hosts/simulator/node_changes.h"
#include "hosts/simulator/node_choice.h"
#include "hosts/simulator/pod_bound.h"
#include "hosts/simulator/reserved_room.h"
#include "hosts/simulator/rollout.h"
#include "hosts/simulator/workload_choice.h"
#include "objects/kube/core/ephemeral_claims.h"
#include "objects/kube/defaults.h"
#include "objects/kube/overlay.h"
#include "objects/kube/registry.h"
#include "objects/kube/scheduling/pod_group.h"
#include "objects/kube/scheduling/workload.h"

namespace loadline::simulator {
namespace {

using workloads::WorkloadReference;
using Problem = std::optional<Error>;

PodName pod_name(const kube::Pod& pod) { return {pod.metadata.namespace_, pod.metadata.name}; }

Error about(std::string_view option, const Error& error) { return Error{fmt::format("{}: {}", option, error.message)}; }

template <class Kind>
void erase_named(std::vector<Kind>& objects, const WorkloadReference& workload) {
  std::erase_if(objects, [&](const Kind& item) {
    return item.metadata.name == workload.name && item.metadata.namespace_ == workload.namespace_;
  });
}

template <class Kind>
Kind* find(std::vector<Kind>& objects, const WorkloadReference& workload) {
  const auto found = std::find_if(objects.begin(), objects.end(), [&](const Kind& item) {
    return item.metadata.name == workload.name && item.metadata.namespace_ == workload.namespace_;
  });
  return found == objects.end() ? nullptr : &*found;
}

bool is_controlled_by(const kube::ObjectMeta& object, const WorkloadReference& workload) {
  const kube::OwnerReference* const controller = object.controller();
  return controller != nullptr && workloads::kind_of(*controller) == workload.kind &&
         controller->name == workload.name && object.namespace_ == workload.namespace_;
}

/// Removes the objects of a kind that the workload controls.
template <class Kind>
void erase_controlled(std::vector<Kind>& objects, const WorkloadReference& workload) {
  std::erase_if(objects, [&](const Kind& item) { return is_controlled_by(item.metadata, workload); });
}

/// KIND/NAME=REPLICAS taken apart.
Result<std::pair<std::string_view, std::int32_t>> parse_scale(std::string_view text) {
  const std::size_t equals = text.rfind('=');
  std::int32_t replicas = -1;
  if (equals != std::string_view::npos) {
    const std::string_view number = text.substr(equals + 1);
    const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), replicas);
    if (error != std::errc() || end != number.data() + number.size()) replicas = -1;
  }
  if (replicas < 0) {
    return failure(fmt::format("\"{}\" is no scale; write KIND/NAME=REPLICAS, as deployment/web=3", text));
  }
  return std::pair(text.substr(0, equals), replicas);
}

class Application {
 public:
  Application(const Change& change, kube::Objects cluster, std::uint64_t replacements, std::uint64_t seed,
              std::int64_t most_pods)
      : change_(change), before_(cluster), seed_(seed), most_pods_(most_pods) {
    result_.objects = std::move(cluster);
    result_.replacements = replacements;
  }

  Result<ChangedCluster> run() {
    apply_manifests();
    for (const auto step : {&Application::delete_workloads, &Application::scale_workloads, &Application::change_nodes,
                            &Application::drain_nodes, &Application::remove_nodes}) {
      if (const Problem problem = (this->*step)()) return tl::unexpected(*problem);
    }
    if (result_.objects.of<kube::Node>().empty()) return failure("the change leaves no nodes");
    if (const Result<void> counted = check_pods(most_pods_, result_.objects); !counted) {
      return tl::unexpected(counted.error());
    }
    remove_surplus();
    release_quotas();
    return std::move(result_);
  }

 private:
  // ---- workloads ----------------------------------------------------------------------------------------------------

  void apply_manifests() {
    result_.notes = kube::apply_over(result_.objects, change_.added);
    const std::set<std::string> old_nodes = node_names(before_);
    for (const kube::Node& node : result_.objects.of<kube::Node>()) {
      if (!old_nodes.contains(node.metadata.name)) result_.nodes_added.push_back(node.metadata.name);
    }
    for (const auto& [workload, first] : changed_templates(before_, result_.objects, result_.notes)) {
      remove_pods_of(workload, workload.to_string() + " rolls out another template", first);
      if (workload.kind == "Deployment") erase_controlled(result_.objects.of<kube::ReplicaSet>(), workload);
    }
  }

  Problem delete_workloads() {
    for (const std::string& text : change_.deleted) {
      const Result<WorkloadReference> workload = choose_workload(text, result_.objects);
      if (!workload) return about("--without", workload.error());
      delete_workload(*workload);
    }
    return std::nullopt;
  }

  /// With everything that it controls, as the garbage collector would.
  void delete_workload(const WorkloadReference& workload) {
    remove_pods_of(workload, workload.to_string() + " is deleted");
    erase_dependents(workload);
    workloads::for_kind(workload.kind, [&]<class Kind>() { erase_named(result_.objects.of<Kind>(), workload); });
  }

  void erase_dependents(const WorkloadReference& owner) {
    erase_dependents_of_kind<kube::ReplicaSet>(owner);
    erase_dependents_of_kind<kube::Job>(owner);
    erase_dependents_of_kind<kube::Workload>(owner);
    erase_dependents_of_kind<kube::PodGroup>(owner);
  }

  /// With their own.
  template <class Kind>
  void erase_dependents_of_kind(const WorkloadReference& owner) {
    std::vector<Kind>& objects = result_.objects.of<Kind>();
    std::vector<WorkloadReference> erased;
    for (const Kind& object : objects) {
      if (!is_controlled_by(object.metadata, owner)) continue;
      erased.push_back({std::string(kube::kind_of<Kind>().kind), object.metadata.namespace_, object.metadata.name});
    }
    if (erased.empty()) return;
    erase_controlled(objects, owner);
    for (const WorkloadReference& each : erased) erase_dependents(each);
  }

  Problem scale_workloads() {
    for (const std::string& text : change_.scaled) {
      const auto parts = parse_scale(text);
      if (!parts) return about("--scale", parts.error());
      const Result<WorkloadReference> workload = choose_workload(parts->first, result_.objects);
      if (!workload) return about("--scale", workload.error());
      if (!scale(*workload, parts->second)) {
        return Error{fmt::format(
            "--scale: a {} has no replicas; Deployments, StatefulSets, ReplicaSets, ReplicationControllers, "
            "LeaderWorkerSets, PyTorchJobs, PaddleJobs, JAXJobs and PodCliqueSets have",
            workload->kind)};
      }
    }
    return std::nullopt;
  }

  /// Of the kinds that Kubernetes scales, and of those whose definitions have the scale subresource: what that counts.
  template <class Kind>
  static std::int32_t* replicas_of(Kind& object) {
    if constexpr (requires { object.replicas; }) {
      return &object.replicas;
    } else if constexpr (std::is_same_v<Kind, kube::PodClique>) {
      return &object.spec.replicas;
    } else if constexpr (std::is_same_v<Kind, kube::PyTorchJob> || std::is_same_v<Kind, kube::PaddleJob> ||
                         std::is_same_v<Kind, kube::JaxJob>) {
      const auto workers = object.spec.replicas.find("Worker");
      if (workers == object.spec.replicas.end()) return nullptr;
      return &workers->second.replicas.emplace(workers->second.replicas.value_or(1));
    } else {
      return nullptr;
    }
  }

  /// False if it has no replicas.
  bool scale(const WorkloadReference& workload, std::int32_t replicas) {
    bool has_replicas = false;
    workloads::for_kind(workload.kind, [&]<class Kind>() {
      Kind* const object = find(result_.objects.of<Kind>(), workload);
      std::int32_t* const counted = object == nullptr ? nullptr : replicas_of(*object);
      if (counted == nullptr) return;
      has_replicas = true;
      *counted = replicas;
    });
    return has_replicas;
  }

  // ---- nodes --------------------------------------------------------------------------------------------------------

  Problem change_nodes() {
    kube::Objects& objects = result_.objects;
    const auto names = add_nodes(objects, change_.added_nodes);
    if (!names) return about("--add-nodes", names.error());
    result_.nodes_added.insert(result_.nodes_added.end(), names->begin(), names->end());
    for (const std::string& nodes : change_.uncordoned) {
      if (const auto done = cordon(objects, nodes, Cordon::kOff); !done) return about("--uncordon", done.error());
    }
    for (const NodeEdit& edit : change_.labels) {
      if (const auto done = label_nodes(objects, edit.nodes, edit.what); !done) return about("--label", done.error());
    }
    for (const NodeEdit& edit : change_.taints) {
      if (const auto done = taint_nodes(objects, edit.nodes, edit.what); !done) return about("--taint", done.error());
    }
    for (const std::string& nodes : change_.cordoned) {
      if (const auto done = cordon(objects, nodes, Cordon::kOn); !done) return about("--cordon", done.error());
    }
    return std::nullopt;
  }

  Problem drain_nodes() {
    const Unmanaged wish = change_.evicts_unmanaged ? Unmanaged::kEvicted : Unmanaged::kStay;
    std::set<std::size_t> chosen;
    for (const std::string& nodes : change_.drained) {
      const auto done = cordon(result_.objects, nodes, Cordon::kOn);
      if (!done) return about("--drain", done.error());
      chosen.insert(done->begin(), done->end());
    }
    for (const std::size_t index : chosen) {
      give_up_room(result_.objects.of<kube::Node>()[index].metadata.name, result_.objects);
      DrainedNode drained = drain(result_.objects, result_.objects.of<kube::Node>()[index].metadata.name, wish);
      result_.evictions.insert(result_.evictions.end(), drained.evicted.begin(), drained.evicted.end());
      result_.drains.push_back(std::move(drained));
    }
    return std::nullopt;
  }

  Problem remove_nodes() {
    std::set<std::string> names;
    for (const std::string& nodes : change_.removed_nodes) {
      const auto chosen = choose_nodes(nodes, result_.objects.of<kube::Node>());
      if (!chosen) return about("--remove-nodes", chosen.error());
      for (const std::size_t index : *chosen) names.insert(result_.objects.of<kube::Node>()[index].metadata.name);
    }
    if (names.empty()) return std::nullopt;
    kube::Objects& objects = result_.objects;
    result_.nodes_removed.assign(names.begin(), names.end());
    std::erase_if(objects.of<kube::Node>(), [&](const kube::Node& node) { return names.contains(node.metadata.name); });
    std::erase_if(objects.of<kube::CsiNode>(),
                  [&](const kube::CsiNode& node) { return names.contains(node.metadata.name); });
    std::erase_if(objects.of<kube::VolumeAttachment>(),
                  [&](const kube::VolumeAttachment& attachment) { return names.contains(attachment.node_name); });
    // Those that have finished still count for their Jobs.
    const auto dies = [&](const kube::Pod& pod) { return !pod.finished() && names.contains(pod.spec->node_name); };
    Survivors survivors(objects, seed_);
    for (const kube::Pod& pod : objects.of<kube::Pod>()) {
      if (!pod.finished() && !dies(pod)) survivors.add(pod);
    }
    remove_pods(dies, [&](const kube::Pod& pod) { return dies_with_its_node(pod, survivors); });
    for (kube::Pod& next : survivors.replacements) objects.of<kube::Pod>().push_back(std::move(next));
    return std::nullopt;
  }

  /// The pods that are left when others have died, and those that follow them.
  struct Survivors {
    Survivors(const kube::Objects& objects, std::uint64_t seed) : owners(objects), controllers(objects, none, seed) {}
    void add(const kube::Pod& pod) { by_owner[owners.owner_of(pod)].push_back(&pod); }

    const kube::Objects none = {};  // what controllers made on the way is among the objects of a settled cluster
    workloads::Owners owners;
    workloads::Replacements controllers;
    std::map<WorkloadReference, std::vector<const kube::Pod*>> by_owner;
    std::deque<kube::Pod> replacements;
  };

  /// Its controller makes another one, with the quota that the dead one frees.
  Departure dies_with_its_node(const kube::Pod& pod, Survivors& survivors) {
    const kube::OwnerReference* const controller = pod.metadata.controller();
    const bool of_the_node = controller != nullptr && (controller->kind == "DaemonSet" || controller->kind == "Node");
    Departure departure{pod_name(pod), fmt::format("node {} is removed", pod.spec->node_name), of_the_node};
    if (of_the_node) return departure;
    const WorkloadReference owner = survivors.owners.owner_of(pod);
    std::optional<workloads::Replacement> made =
        survivors.controllers.replace(pod, owner, survivors.by_owner[owner], ++result_.replacements);
    released_.push_back(pod);
    if (!made) return departure;
    kube::Pod& next = survivors.replacements.emplace_back(std::move(made->pod));
    kube::set_defaults(next);
    kube::prepare_for_create(next);
    survivors.by_owner[owner].push_back(&next);
    add_missing_claims(std::move(made->claims));
    return departure;
  }

  void add_missing_claims(std::vector<kube::PersistentVolumeClaim> claims) {
    std::vector<kube::PersistentVolumeClaim>& known = result_.objects.of<kube::PersistentVolumeClaim>();
    for (kube::PersistentVolumeClaim& claim : claims) {
      const bool is_there = std::ranges::any_of(known, [&](const kube::PersistentVolumeClaim& each) {
        return each.metadata.name == claim.metadata.name && each.metadata.namespace_ == claim.metadata.namespace_;
      });
      if (!is_there) known.push_back(std::move(claim));
    }
  }

  // ---- pods ---------------------------------------------------------------------------------------------------------

  /// What controllers would delete because of the change, and not without it.
  void remove_surplus() {
    std::set<PodName> old;
    for (const kube::Pod* const pod : workloads::surplus(before_)) old.insert(pod_name(*pod));
    std::set<PodName> surplus;
    for (const kube::Pod* const pod : workloads::surplus(result_.objects)) {
      if (!old.contains(pod_name(*pod))) surplus.insert(pod_name(*pod));
    }
    if (surplus.empty()) return;
    std::erase_if(result_.evictions, [&](const PodName& pod) { return surplus.contains(pod); });
    const workloads::Owners owners(result_.objects);
    remove_pods([&](const kube::Pod& pod) { return surplus.contains(pod_name(pod)); },
                [&](const kube::Pod& pod) {
                  released_.push_back(pod);
                  return Departure{pod_name(pod), owners.owner_of(pod).to_string() + " wants it no more", true};
                });
    // The workers of a LeaderWorkerSet's leader go with it.
    std::erase_if(result_.objects.of<kube::StatefulSet>(), [&](const kube::StatefulSet& set) {
      const kube::OwnerReference* const leader = set.metadata.controller();
      return leader != nullptr && leader->kind == "Pod" &&
             surplus.contains(PodName{set.metadata.namespace_, leader->name});
    });
  }

  /// Those of a StatefulSet from an ordinal on.
  void remove_pods_of(const WorkloadReference& workload, const std::string& why, std::int64_t first_ordinal = 0) {
    const workloads::Owners owners(result_.objects);
    const auto goes = [&](const kube::Pod& pod) {
      if (pod.finished() || owners.owner_of(pod) != workload) return false;
      return first_ordinal == 0 || workloads::ordinal_in(pod.metadata.name, workload.name).value_or(0) >= first_ordinal;
    };
    remove_pods(goes, [&](const kube::Pod& pod) {
      released_.push_back(pod);
      return Departure{pod_name(pod), why, true};
    });
  }

  template <class Goes, class Depart>
  void remove_pods(Goes goes, Depart depart) {
    std::vector<kube::Pod>& pods = result_.objects.of<kube::Pod>();
    for (const kube::Pod& pod : pods) {
      if (!goes(pod)) continue;
      result_.departures.push_back(depart(pod));
      remove_ephemeral_claims(pod);
    }
    std::erase_if(pods, goes);
  }

  /// The claims that the pod owned, and the volumes that were made for them.
  void remove_ephemeral_claims(const kube::Pod& pod) {
    kube::Objects& objects = result_.objects;
    for (const kube::PersistentVolumeClaim& claim : kube::ephemeral_claims(pod)) {
      const auto is_claim = [&](const kube::ObjectMeta& other) {
        return other.name == claim.metadata.name && other.namespace_ == claim.metadata.namespace_;
      };
      std::erase_if(objects.of<kube::PersistentVolumeClaim>(),
                    [&](const auto& other) { return is_claim(other.metadata); });
      std::erase_if(objects.of<kube::PersistentVolume>(), [&](const kube::PersistentVolume& volume) {
        return volume.claim_ref && volume.claim_ref->name == claim.metadata.name &&
               volume.claim_ref->namespace_ == claim.metadata.namespace_;
      });
    }
  }

  /// Gives back to the quotas what the pods that went had used.
  void release_quotas() {
    if (released_.empty() || result_.objects.of<kube::ResourceQuota>().empty()) return;
    admission::Admission admission(before_);
    for (const kube::Pod& pod : released_) {
      if (pod.metadata.from_cluster()) admission.release(pod);
    }
    for (kube::ResourceQuota& quota : result_.objects.of<kube::ResourceQuota>()) {
      const bool replaced = quota.status_used.empty();  // by a manifest: counted from the pods that are there
      const kube::ResourceList* used = admission.quota_used(quota.metadata.namespace_, quota.metadata.name);
      if (used != nullptr && !replaced) quota.status_used = *used;
    }
  }

  static std::set<std::string> node_names(const kube::Objects& objects) {
    std::set<std::string> names;
    for (const kube::Node& node : objects.of<kube::Node>()) names.insert(node.metadata.name);
    return names;
  }

  const Change& change_;
  const kube::Objects before_;
  std::uint64_t seed_;
  std::int64_t most_pods_;
  ChangedCluster result_;
  std::vector<kube::Pod> released_;  // those whose quota is free again
};

}  // namespace

Result<ChangedCluster> apply(const Change& change, kube::Objects cluster, std::uint64_t replacements,
                             std::uint64_t seed, std::int64_t most_pods) {
  return Application(change, std::move(cluster), replacements, seed, most_pods).run();
}

}  // namespace loadline::simulator
