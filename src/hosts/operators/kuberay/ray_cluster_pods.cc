#include "hosts/operators/kuberay/ray_cluster_pods.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <map>
#include <set>
#include <string_view>
#include <tuple>
#include <utility>

#include "brain/workloads/ray_cluster.h"
#include "foundation/base/digest.h"
#include "foundation/document/at.h"
#include "foundation/document/writer.h"
#include "hosts/controllers/batch.h"
#include "hosts/controllers/ownership.h"
#include "hosts/controllers/pod_template.h"
#include "hosts/operators/kuberay/ray_pod.h"
#include "hosts/operators/kuberay/ray_suffix.h"
#include "objects/kube/workload_names.h"

namespace loadline::operators {
namespace {

using document::Array;
using document::Value;
using kube::RayWorkerGroup;
using watching::Action;
using watching::Event;
using watching::kind_name;
using watching::Observed;

using RayPod = Observed<kube::Pod>;

constexpr std::string_view kSpecHash = "ray.io/upgrade-strategy-recreate-hash";
constexpr std::string_view kVersionAnnotation = "ray.io/kuberay-version";
constexpr std::string_view kStorageNamespace = "ray.io/external-storage-namespace";

std::string label_of(const kube::Pod& pod, std::string_view name) {
  const auto found = pod.metadata.labels.find(name);
  return found == pod.metadata.labels.end() ? std::string() : found->second;
}

std::int64_t replica_index_of(const kube::Pod& pod) {
  const std::string label = label_of(pod, kube::kRayReplicaIndex);
  std::int64_t index = -1;
  std::from_chars(label.data(), label.data() + label.size(), index);
  return index;
}

std::string_view phase_of(const kube::Pod& pod) {
  switch (pod.status.phase) {
    case kube::PodPhase::kRunning:
      return "Running";
    case kube::PodPhase::kSucceeded:
      return "Succeeded";
    case kube::PodPhase::kFailed:
      return "Failed";
    default:
      return "Pending";
  }
}

/// How the Ray container ended; null: it has not.
const Value* end_of_ray(const RayPod& pod) {
  if (pod.view.spec->containers.empty()) return nullptr;
  const Value* statuses = document::find_at(pod.document, {"status", "containerStatuses"});
  if (statuses == nullptr || !statuses->is_array()) return nullptr;
  for (const Value& status : statuses->array()) {
    if (document::text_at(status, {"name"}) != pod.view.spec->containers.front().name) continue;
    return document::find_at(status, {"state", "terminated"});
  }
  return nullptr;
}

bool is_over(const RayPod& pod) {
  if (pod.view.status.phase == kube::PodPhase::kFailed || pod.view.status.phase == kube::PodPhase::kSucceeded) {
    return true;
  }
  return pod.view.status.phase == kube::PodPhase::kRunning && end_of_ray(pod) != nullptr &&
         pod.view.spec->restart_policy == kube::RestartPolicy::kNever;
}

std::string how_it_is_over(const RayPod& pod) {
  const Value* end = end_of_ray(pod);
  const std::string_view policy = document::text_at(pod.document, {"spec", "restartPolicy"});
  const Value code = end == nullptr ? Value() : document::value_at(*end, {"exitCode"});
  return fmt::format("Pod status: {}; Pod restart policy: {}; Ray container terminated status: {}", phase_of(pod.view),
                     policy, end == nullptr ? "nil" : fmt::format("exit code {}", document::write_json(code)));
}

std::string why_it_goes(const RayPod& pod) {
  if (pod.view.status.phase == kube::PodPhase::kRunning) {
    return fmt::format(
        "The Pod status of the worker Pod {} is Running, and the Ray container has terminated. The container is unable "
        "to restart due to its restart policy Never, so KubeRay will delete it.",
        pod.metadata().name);
  }
  return fmt::format(
      "The worker Pod {} status is {} which is a terminal state. KubeRay will delete the Pod and create new Pods in "
      "the next reconciliation if necessary.",
      pod.metadata().name, phase_of(pod.view));
}

/// Tells specs apart by all that makes other pods: neither numbers of replicas nor what others add to pods. KubeRay's
/// is a digest of what Go makes of the spec.
std::string spec_hash(const Value& cluster) {
  const auto of_pods = [](Value group) {
    group = document::without_at(std::move(group), {"template", "spec", "tolerations"});
    return document::without_at(std::move(group), {"template", "spec", "schedulingGates"});
  };
  Value spec = document::without_at(document::value_at(cluster, {"spec"}), {"upgradeStrategy"});
  spec = std::move(spec).with("headGroupSpec", of_pods(document::value_at(cluster, {"spec", "headGroupSpec"})));
  Array groups;
  if (const Value* written = spec.find("workerGroupSpecs"); written != nullptr && written->is_array()) {
    for (Value group : written->array()) {
      for (const std::string_view number : {"replicas", "minReplicas", "maxReplicas", "scaleStrategy"}) {
        group = document::without_at(std::move(group), {number});
      }
      groups.push_back(of_pods(std::move(group)));
    }
  }
  return sha1_hex(document::write_json(std::move(spec).with("workerGroupSpecs", Value(std::move(groups)))));
}

/// Of a template that has its containers already.
Value as_pod(const Value& pod_template, workloads::PodDraft shared, const kube::RayCluster& cluster) {
  shared.init_containers.clear();
  shared.containers.clear();
  const Value owner = controllers::controller_reference(kind_name<kube::RayCluster>(), cluster.metadata);
  return controllers::pod_from_template(pod_template, shared, owner);
}

class PodsLook {
 public:
  PodsLook(const Observed<kube::RayCluster>& object, const RayPods& pods)
      : object_(object), cluster_(object.view), pods_(pods), regarding_(watching::reference_to(object)) {}

  RayPodsPlan run() {
    look();
    return std::move(plan_);
  }

 private:
  [[nodiscard]] std::string title() const { return object_.key().to_string(); }

  void look() {
    if (has_ray_condition(cluster_, "RayClusterSuspending")) {
      remove_all(pods_);
      return tell("DeletedPod", fmt::format("Deleted Pods for RayCluster {} due to suspension", title()));
    }
    if (cluster_.spec.suspend || has_ray_condition(cluster_, "RayClusterSuspended")) return;
    if (is_to_be_made_anew()) {
      remove_all(pods_);
      return tell(
          "DeletedPod",
          fmt::format("Deleted all Pods for RayCluster {} due to spec change with Recreate upgradeStrategy", title()));
    }
    look_at_head();
    for (std::size_t i = 0; i < cluster_.spec.worker_groups.size() && !plan_.ends_here; ++i) look_at_group(i);
  }

  [[nodiscard]] RayPods pods_where(std::string_view label, std::string_view value) const {
    RayPods found;
    for (const auto* pod : pods_) {
      if (label_of(pod->view, label) == value) found.push_back(pod);
    }
    return found;
  }

  [[nodiscard]] bool is_to_be_made_anew() const {
    if (cluster_.spec.upgrade_type != "Recreate") return false;
    const RayPods heads = pods_where(kube::kRayNodeType, workloads::kRayHead);
    if (heads.empty()) return false;
    const auto& annotations = heads.front()->metadata().annotations;
    const auto made_of = annotations.find(kSpecHash);
    return made_of != annotations.end() && !made_of->second.empty() && made_of->second != spec_hash(object_.document);
  }

  // ---- the head -----------------------------------------------------------------------------------------------------

  void look_at_head() {
    const RayPods heads = pods_where(kube::kRayNodeType, workloads::kRayHead);
    if (heads.empty()) {
      if (!needs_no_head_again()) return make_head();
      plan_.ends_here = true;
      return;
    }
    if (heads.size() > 1) return keep_the_oldest(heads);
    if (!is_over(*heads.front())) return;
    plan_.ends_here = true;
    remove(*heads.front(), "DeletedHeadPod",
           fmt::format("Deleted head Pod {}; {}", heads.front()->key().to_string(), how_it_is_over(*heads.front())));
  }

  /// Somebody made another one, or the answer to the creation of one was lost. KubeRay stops there, and asks for others
  /// to delete it.
  void keep_the_oldest(const RayPods& heads) {
    plan_.ends_here = true;
    const auto age = [](const RayPod* head) {
      return std::tuple(head->is_being_deleted(), head->metadata().creation_timestamp, head->metadata().name);
    };
    const RayPod* const kept = *std::ranges::min_element(heads, {}, age);
    for (const RayPod* head : heads) {
      if (head == kept) continue;
      remove(*head, "DeletedHeadPod",
             fmt::format("Deleted head Pod {}; there is another one", head->key().to_string()));
    }
  }

  /// The head that submitted a job is of no use without it.
  [[nodiscard]] bool needs_no_head_again() const {
    const auto found = cluster_.metadata.annotations.find(kube::kRayKeepsNoHead);
    return found != cluster_.metadata.annotations.end() && found->second == "true" &&
           has_ray_condition(cluster_, "RayClusterProvisioned");
  }

  void make_head() { create(ray_head_pod(object_), "head"); }

  // ---- workers ------------------------------------------------------------------------------------------------------

  void look_at_group(std::size_t place) {
    const RayWorkerGroup& group = cluster_.spec.worker_groups[place];
    const RayPods workers = pods_where(kube::kRayGroup, group.name);
    if (group.suspend) {
      remove_all(workers);
      return tell("DeletedWorkerPod",
                  fmt::format("Deleted all pods for suspended worker group {} in RayCluster {}", group.name, title()));
    }
    if (group.hosts_per_replica > 1) {
      look_at_replicas(place, workers);
    } else {
      look_at_workers(place, workers);
    }
  }

  [[nodiscard]] bool may_choose_workers_to_go() const {
    // Ray's autoscaler names the workers that it gives up; nobody else may choose.
    return !cluster_.spec.has_autoscaler;
  }

  void look_at_workers(std::size_t place, const RayPods& workers) {
    const RayWorkerGroup& group = cluster_.spec.worker_groups[place];
    for (const RayPod* pod : workers) {
      if (!is_over(*pod)) continue;
      plan_.ends_here = true;
      remove(*pod, "DeletedWorkerPod",
             fmt::format("Deleted worker Pod {}; {}", pod->key().to_string(), how_it_is_over(*pod)));
    }
    if (plan_.ends_here) return;
    RayPods kept;
    for (const RayPod* pod : workers) {
      if (is_given_up(group, *pod)) {
        remove(*pod, "DeletedWorkerPod", "Deleted pod " + pod->key().to_string());
      } else {
        kept.push_back(pod);
      }
    }
    const std::int64_t missing = workloads::wanted_workers(group) - static_cast<std::int64_t>(kept.size());
    if (missing > 0) return make_workers(place, kept, std::min(missing, room_left()));
    if (!may_choose_workers_to_go()) return;
    // KubeRay takes any; by their indexes it is the same each time.
    std::ranges::stable_sort(kept, {}, [](const RayPod* pod) { return replica_index_of(pod->view); });
    for (std::size_t i = 0; i < static_cast<std::size_t>(-missing); ++i) {
      remove(*kept[i], "DeletedWorkerPod", "Deleted Pod " + kept[i]->key().to_string());
    }
  }

  static bool is_given_up(const RayWorkerGroup& group, const RayPod& pod) {
    return std::ranges::find(group.workers_to_delete, pod.metadata().name) != group.workers_to_delete.end();
  }

  /// How many more pods this look may make; the next look, once these are seen, makes more.
  [[nodiscard]] std::int64_t room_left() const {
    return static_cast<std::int64_t>(controllers::kBurst - std::min(controllers::kBurst, plan_.creations.size()));
  }

  /// Each takes the first index that is free.
  void make_workers(std::size_t place, const RayPods& workers, std::int64_t missing) {
    std::set<std::int64_t> taken;
    for (const RayPod* pod : workers) taken.insert(replica_index_of(pod->view));
    for (std::int64_t index = 0; missing > 0; ++index) {
      if (taken.contains(index)) continue;
      make_replica(place, index, {});
      --missing;
    }
  }

  void make_replica(std::size_t place, std::int64_t index, const std::string& name) {
    const RayWorkerGroup& group = cluster_.spec.worker_groups[place];
    const Value written = document::value_at(object_.document, {"spec", "workerGroupSpecs"}).array()[place];
    const Value pods = ray_pod_template(cluster_, object_.document, ray_node(cluster_, false, written));
    for (std::int64_t host = 0; host < std::max(group.hosts_per_replica, 1); ++host) {
      Value pod = as_pod(pods, workloads::worker_draft(cluster_, group), cluster_);
      create(controllers::with_draft(std::move(pod), workloads::host_draft(group, {index, name, host})), "worker");
    }
  }

  // ---- replicas of several hosts ------------------------------------------------------------------------------------

  using Replicas = std::map<std::string, RayPods>;

  void look_at_replicas(std::size_t place, const RayPods& workers) {
    const RayWorkerGroup& group = cluster_.spec.worker_groups[place];
    Replicas replicas;
    for (const RayPod* pod : workers) {
      const std::string name = label_of(pod->view, kube::kRayReplicaName);
      if (!name.empty()) replicas[name].push_back(pod);
    }
    for (const auto& [name, pods] : replicas) {
      if (static_cast<std::int64_t>(pods.size()) >= group.hosts_per_replica) continue;
      plan_.ends_here = true;
      return remove_replica(group, pods, "cleanup of incomplete multi-host group");
    }
    remove_broken(group, replicas);
    if (remove_given_up(group, replicas)) return;
    scale_replicas(place, replicas);
  }

  void remove_replica(const RayWorkerGroup& group, const RayPods& pods, std::string_view why) {
    for (const RayPod* pod : pods) {
      remove(*pod, "DeletedWorkerPod",
             fmt::format("Deleted worker Pod {} for group {}: {}", pod->key().to_string(), group.name, why));
    }
  }

  void remove_broken(const RayWorkerGroup& group, Replicas& replicas) {
    std::erase_if(replicas, [&](const auto& replica) {
      const auto broken = std::ranges::find_if(replica.second, [](const RayPod* pod) { return is_over(*pod); });
      if (broken == replica.second.end()) return false;
      remove_replica(group, replica.second, why_it_goes(**broken));
      return true;
    });
  }

  bool remove_given_up(const RayWorkerGroup& group, const Replicas& replicas) {
    bool found = false;
    for (const auto& [name, pods] : replicas) {
      if (std::ranges::none_of(pods, [&](const RayPod* pod) { return is_given_up(group, *pod); })) continue;
      remove_replica(group, pods, "autoscaler scale-down request");
      found = true;
    }
    plan_.ends_here = plan_.ends_here || found;
    return found;
  }

  void scale_replicas(std::size_t place, const Replicas& replicas) {
    const RayWorkerGroup& group = cluster_.spec.worker_groups[place];
    std::int64_t missing = workloads::wanted_replicas(group) - static_cast<std::int64_t>(replicas.size());
    std::set<std::int64_t> taken;
    for (const auto& [name, pods] : replicas) taken.insert(replica_index_of(pods.front()->view));
    // One that is not whole would be removed, so all hosts of a replica are made in one look.
    for (std::int64_t index = 0; missing > 0 && room_left() > 0; ++index) {
      if (taken.contains(index)) continue;
      make_replica(place, index, free_replica_name(group, index));
      --missing;
    }
    if (!may_choose_workers_to_go()) return;
    for (const auto& [name, pods] : replicas) {
      if (missing++ >= 0) return;
      remove_replica(group, pods, "scaling down");
    }
  }

  /// "gpu-7d4fx", which no replica before it had.
  [[nodiscard]] std::string free_replica_name(const RayWorkerGroup& group, std::int64_t index) const {
    for (int attempt = 0;; ++attempt) {
      const std::string seed =
          fmt::format("{}/{}/{}/{}/{}", cluster_.metadata.uid, object_.revision, group.name, index, attempt);
      std::string name = fmt::format("{}-{}", group.name, ray_suffix(seed));
      if (pods_where(kube::kRayReplicaName, name).empty()) return name;
    }
  }

  // ---- actions ------------------------------------------------------------------------------------------------------

  void create(Value pod, std::string_view type) {
    Action action = watching::create(kind_name<kube::Pod>(), cluster_.metadata.namespace_, std::move(pod));
    const std::string reason = type == "head" ? "HeadPod" : "WorkerPod";
    const std::string prefix = fmt::format("Created {} Pod {}/", type, cluster_.metadata.namespace_);
    action.said_when_done = Event{regarding_, Event::Type::kNormal, "Created" + reason, prefix};
    action.names_the_object = true;
    const std::string failure = type == "head"
                                    ? fmt::format("Failed to create head Pod {}/, ", cluster_.metadata.namespace_)
                                    : fmt::format("Failed to create worker Pod for the cluster {}, ", title());
    action.said_if_failed = Event{regarding_, Event::Type::kWarning, "FailedToCreate" + reason, failure};
    plan_.creations.push_back(std::move(action));
  }

  void tell(std::string_view reason, std::string message) {
    plan_.events.push_back({regarding_, Event::Type::kNormal, std::string(reason), std::move(message)});
  }

  void remove_all(const RayPods& pods) {
    for (const RayPod* pod : pods) {
      if (pod->is_being_deleted()) continue;
      plan_.deletions.push_back(watching::remove(kind_name<kube::Pod>(), pod->key(), pod->metadata().uid));
    }
  }

  void remove(const RayPod& pod, std::string_view reason, std::string message) {
    if (pod.is_being_deleted()) return;
    Action action = watching::remove(kind_name<kube::Pod>(), pod.key(), pod.metadata().uid);
    action.said_when_done = Event{regarding_, Event::Type::kNormal, std::string(reason), std::move(message)};
    plan_.deletions.push_back(std::move(action));
  }

  const Observed<kube::RayCluster>& object_;
  const kube::RayCluster& cluster_;
  const RayPods& pods_;
  Value regarding_;
  RayPodsPlan plan_;
};

}  // namespace

Value ray_head_pod(const Observed<kube::RayCluster>& object) {
  const kube::RayCluster& cluster = object.view;
  const Value group = document::value_at(object.document, {"spec", "headGroupSpec"});
  workloads::PodDraft draft = workloads::head_draft(cluster);
  draft.annotations.emplace_back(kSpecHash, spec_hash(object.document));
  draft.annotations.emplace_back(kVersionAnnotation, kKubeRayVersion);
  if (workloads::is_fault_tolerant(cluster)) {
    draft.annotations.emplace_back(kStorageNamespace, ray_storage_namespace(cluster, object.document));
  }
  return as_pod(ray_pod_template(cluster, object.document, ray_node(cluster, true, group)), std::move(draft), cluster);
}

bool has_ray_condition(const kube::RayCluster& cluster, std::string_view type) {
  return std::ranges::any_of(cluster.status.conditions,
                             [&](const auto& one) { return one.type == type && one.status == "True"; });
}

RayPodsPlan RayPodsPlan::of(const Observed<kube::RayCluster>& cluster, const RayPods& pods) {
  return PodsLook(cluster, pods).run();
}

}  // namespace loadline::operators
