#include "brain/workloads/surplus.h"

#include <algorithm>
#include <charconv>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>

#include "brain/workloads/controller.h"
#include "brain/workloads/daemon_nodes.h"
#include "brain/workloads/deletion_order.h"
#include "brain/workloads/kind_names.h"
#include "brain/workloads/kinds.h"
#include "brain/workloads/pod_clique_set.h"
#include "brain/workloads/pod_set.h"
#include "brain/workloads/ray_cluster.h"
#include "brain/workloads/stateful_set.h"
#include "brain/workloads/training_job.h"
#include "brain/workloads/volcano_job.h"
#include "objects/kube/workload_names.h"

namespace loadline::workloads {
namespace {

using Pods = std::vector<const kube::Pod*>;

Pods active(std::span<const kube::Pod* const> pods) {
  Pods result;
  for (const kube::Pod* const pod : pods) {
    if (is_active(*pod)) result.push_back(pod);
  }
  return result;
}

/// The pods, those that go first in front.
Pods by_dispensability(Pods pods) {
  std::map<std::string_view, std::int64_t> siblings;
  for (const kube::Pod* const pod : pods) ++siblings[pod->spec->node_name];
  const auto rank = [&](const kube::Pod* pod) {
    const std::string& node = pod->spec->node_name;
    const std::int64_t age = pod->metadata.creation_timestamp ? pod->metadata.creation_timestamp->nanoseconds : 0;
    return std::tuple(!node.empty(), deletion_cost(*pod), -siblings[node], -age);
  };
  std::reverse(pods.begin(), pods.end());
  std::stable_sort(pods.begin(), pods.end(), [&](const kube::Pod* a, const kube::Pod* b) { return rank(a) < rank(b); });
  return pods;
}

class Surplus {
 public:
  explicit Surplus(const kube::Objects& objects) : objects_(objects), existing_(objects, Owners(objects)) {}

  Pods run() {
    each(objects_.of<kube::Deployment>(), [&](const kube::Deployment& item) {
      const WorkloadReference owner{"Deployment", item.metadata.namespace_, item.metadata.name};
      give_up(active(existing_.belonging_to(owner)), item.replicas);
    });
    each(objects_.of<kube::ReplicaSet>(), [&](const kube::ReplicaSet& item) {
      if (item.metadata.controller() != nullptr) return;  // the Deployment's business
      give_up(active(existing_.controlled_by("ReplicaSet", item.metadata)), item.replicas);
    });
    each(objects_.of<kube::ReplicationController>(), [&](const kube::ReplicationController& item) {
      give_up(active(existing_.controlled_by("ReplicationController", item.metadata)), item.replicas);
    });
    each(objects_.of<kube::StatefulSet>(), [&](const kube::StatefulSet& item) { give_up_ordinals(item); });
    each(objects_.of<kube::Job>(), [&](const kube::Job& item) {
      const Pods pods = existing_.controlled_by("Job", item.metadata);
      const std::int64_t missing = missing_pods(item, pods);
      if (missing >= 0) return;
      const Pods running = active(pods);
      give_up(running, static_cast<std::int64_t>(running.size()) + missing);
    });
    each(objects_.of<kube::DaemonSet>(), [&](const kube::DaemonSet& item) { give_up_nodes(item); });
    give_up_groups();
    each(objects_.of<kube::RayCluster>(), [&](const kube::RayCluster& item) { give_up_workers(item); });
    each(objects_.of<kube::RayJob>(), [&](const kube::RayJob& item) {
      if (!item.spec.suspend || is_managed_elsewhere(item.spec.managed_by)) return;
      give_up(active(existing_.belonging_to({"RayJob", item.metadata.namespace_, item.metadata.name})), 0);
    });
    each(objects_.of<kube::PyTorchJob>(), [&](const kube::PyTorchJob& item) { give_up_roles(item); });
    each(objects_.of<kube::PaddleJob>(), [&](const kube::PaddleJob& item) { give_up_roles(item); });
    each(objects_.of<kube::JaxJob>(), [&](const kube::JaxJob& item) { give_up_roles(item); });
    each(objects_.of<kube::VolcanoJob>(), [&](const kube::VolcanoJob& item) { give_up_tasks(item); });
    each(objects_.of<kube::PodCliqueSet>(), [&](const kube::PodCliqueSet& item) { give_up_cliques(item); });
    Pods result;
    for (const kube::Pod& pod : objects_.of<kube::Pod>()) {
      if (given_up_.contains(&pod)) result.push_back(&pod);
    }
    return result;
  }

 private:
  template <class Kind, class Visit>
  static void each(const std::vector<Kind>& items, Visit visit) {
    for (const Kind& item : items) {
      if (!item.metadata.deletion_timestamp) visit(item);
    }
  }

  void give_up(const Pods& pods, std::int64_t wanted) {
    const auto count = static_cast<std::int64_t>(pods.size());
    if (count <= wanted) return;
    const Pods ranked = by_dispensability(pods);
    given_up_.insert(ranked.begin(), ranked.begin() + std::min(count, count - std::max<std::int64_t>(wanted, 0)));
  }

  void give_up_ordinals(const kube::StatefulSet& item) {
    const Ordinals wanted = wanted_ordinals(item);
    for (const kube::Pod* const pod : active(existing_.controlled_by("StatefulSet", item.metadata))) {
      const auto ordinal = ordinal_in(pod->metadata.name, item.metadata.name);
      if (ordinal && !wanted.contain(*ordinal)) given_up_.insert(pod);
    }
  }

  void give_up_nodes(const kube::DaemonSet& item) {
    const kube::PodSpec spec = with_daemon_tolerations(*item.template_.spec);
    DaemonNodes wanted(spec);
    std::set<std::string> kept;
    for (const kube::Node& node : objects_.of<kube::Node>()) {
      if (wanted.keeps(node)) kept.insert(node.metadata.name);
    }
    for (const kube::Pod* const pod : active(existing_.controlled_by("DaemonSet", item.metadata))) {
      const std::string target = daemon_target(*pod->spec);
      if (!target.empty() && !kept.contains(target)) given_up_.insert(pod);
    }
  }

  /// The last groups go, each with its leader and all of its workers. The set's name is in the pods' labels: the
  /// StatefulSets between them need not be among the objects.
  void give_up_groups() {
    std::map<std::pair<std::string_view, std::string_view>, std::int32_t> replicas;
    each(objects_.of<kube::LeaderWorkerSet>(), [&](const kube::LeaderWorkerSet& item) {
      replicas[{item.metadata.namespace_, item.metadata.name}] = item.replicas;
    });
    if (replicas.empty()) return;
    for (const kube::Pod& pod : objects_.of<kube::Pod>()) {
      const auto set = replicas.find({pod.metadata.namespace_, label_of(pod, kube::kLwsName)});
      if (set == replicas.end() || !is_active(pod)) continue;
      const std::string_view text = label_of(pod, kube::kLwsGroupIndex);
      std::int64_t group = 0;
      const auto read = std::from_chars(text.data(), text.data() + text.size(), group);
      if (read.ec == std::errc() && group >= set->second) given_up_.insert(&pod);
    }
  }

  static std::string_view label_of(const kube::Pod& pod, std::string_view name) {
    const auto found = pod.metadata.labels.find(name);
    return found == pod.metadata.labels.end() ? std::string_view() : std::string_view(found->second);
  }

  /// With an autoscaler, Ray chooses who goes. Pods of groups that are no longer there stay.
  void give_up_workers(const kube::RayCluster& item) {
    if (is_managed_elsewhere(item.spec.managed_by) || !problem_of(item.spec).empty()) return;
    const Pods pods = active(existing_.controlled_by("RayCluster", item.metadata));
    if (item.spec.suspend) return give_up(pods, 0);
    for (const kube::RayWorkerGroup& group : item.spec.worker_groups) {
      if (item.spec.has_autoscaler) continue;
      Pods workers;
      std::copy_if(pods.begin(), pods.end(), std::back_inserter(workers),
                   [&](const kube::Pod* pod) { return role_of({"RayCluster", {}, {}}, pod->metadata) == group.name; });
      if (group.hosts_per_replica > 1) {
        give_up_replicas(group, workers);
      } else {
        give_up(workers, wanted_workers(group));
      }
    }
  }

  /// Those whose names the job's roles do not give: somebody has scaled its workers.
  template <class Kind>
  void give_up_roles(const Kind& item) {
    const TrainingView view(item);
    std::set<std::string> wanted;
    for (const TrainingRole& role : roles_of(view)) {
      for (std::int64_t index = 0; index < role.count(); ++index) wanted.insert(replica_name(view, role, index));
    }
    for (const kube::Pod* const pod : active(existing_.controlled_by(kind_name<Kind>(), item.metadata))) {
      if (!wanted.contains(pod->metadata.name)) given_up_.insert(pod);
    }
  }

  /// Those whose names the Job's tasks do not give. What is over keeps its pods.
  void give_up_tasks(const kube::VolcanoJob& item) {
    if (is_finished(item)) return;
    std::set<std::string> wanted;
    for (const kube::VolcanoTask& task : item.tasks) {
      for (std::int64_t index = 0; index < task.replicas; ++index) wanted.insert(replica_name(item, task, index));
    }
    for (const kube::Pod* const pod : active(existing_.controlled_by(kVolcanoJob, item.metadata))) {
      if (!wanted.contains(pod->metadata.name)) given_up_.insert(pod);
    }
  }

  /// PodCliques that the set no longer has go with all of their pods.
  void give_up_cliques(const kube::PodCliqueSet& item) {
    const std::map<std::string, std::int64_t> wanted = wanted_cliques(item, objects_);
    std::map<std::string_view, Pods> cliques;
    for (const kube::Pod* const pod :
         active(existing_.belonging_to({"PodCliqueSet", item.metadata.namespace_, item.metadata.name}))) {
      cliques[pod->metadata.controller()->name].push_back(pod);
    }
    for (const auto& [name, pods] : cliques) {
      const auto found = wanted.find(std::string(name));
      give_up(pods, found == wanted.end() ? 0 : found->second);
    }
  }

  /// Replicas of several hosts go whole.
  void give_up_replicas(const kube::RayWorkerGroup& group, const Pods& workers) {
    std::map<std::string, Pods> replicas;
    for (const kube::Pod* const pod : workers) {
      const auto name = pod->metadata.labels.find(kube::kRayReplicaName);
      if (name != pod->metadata.labels.end()) replicas[name->second].push_back(pod);
    }
    std::int64_t kept = 0;
    for (const auto& [name, pods] : replicas) {
      if (++kept > wanted_replicas(group)) given_up_.insert(pods.begin(), pods.end());
    }
  }

  const kube::Objects& objects_;
  ExistingPods existing_;
  std::set<const kube::Pod*> given_up_;
};

}  // namespace

std::vector<const kube::Pod*> surplus(const kube::Objects& objects) { return Surplus(objects).run(); }

}  // namespace loadline::workloads
