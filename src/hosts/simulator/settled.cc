#include "hosts/simulator/settled.h"

#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "brain/cluster/spellings/kinds.h"
#include "brain/workloads/deployment.h"
#include "brain/workloads/gang_workloads.h"
#include "brain/workloads/workload.h"
#include "hosts/simulator/bound_pods.h"
#include "hosts/simulator/reserved_room.h"
#include "objects/kube/condition.h"
#include "objects/kube/koordinator/reservation.h"
#include "objects/kube/kueue/job_names.h"
#include "objects/kube/scheduling/pod_group.h"
#include "objects/kube/scheduling/workload.h"
#include "objects/kube/workload_names.h"

namespace loadline::simulator {
namespace {

/// Marks the object as one that an API server has admitted. Its uid stays what it is, for owners are told by it.
void exist(kube::ObjectMeta& metadata, Instant since) {
  if (!metadata.from_cluster()) metadata.creation_timestamp = since;
}

/// Pods that share a spec and a node go on sharing it.
class BoundSpecs {
 public:
  using Spec = std::shared_ptr<const kube::PodSpec>;

  Spec on_node(const Spec& spec, const std::string& node) {
    if (spec->node_name == node) return spec;
    Spec& bound = specs_[{spec, node}];
    if (!bound) {
      auto copy = std::make_shared<kube::PodSpec>(*spec);
      copy->node_name = node;
      bound = std::move(copy);
    }
    return bound;
  }

 private:
  std::map<std::pair<Spec, std::string>, Spec> specs_;
};

class Settling {
 public:
  explicit Settling(Planning& planning)
      : planning_(planning), input_(planning.objects()), now_(planning.options().now), result_(input_) {}

  kube::Objects run() {
    find_refused();
    keep_finished_pods();
    for (const SimulatedPod& subject : planning_.pods().list()) settle(subject);
    add_replica_sets();
    add_made_groups();
    admit();
    settle_volumes();
    settle_reservations();
    settle_quotas();
    revise_groups();
    settle_groups();
    for (kube::PodDisruptionBudget& budget : result_.of<kube::PodDisruptionBudget>())
      budget.disruptions_allowed.reset();
    return std::move(result_);
  }

 private:
  void find_refused() {
    for (const RefusedObject& entry : planning_.refused()) refused_.insert(entry.object);
  }

  void keep_finished_pods() {
    result_.of<kube::Pod>().clear();
    for (const kube::Pod& pod : input_.of<kube::Pod>()) {
      written_[{pod.metadata.namespace_, pod.metadata.name}] = &pod;
      if (pod.finished()) result_.of<kube::Pod>().push_back(pod);
    }
  }

  void settle(const SimulatedPod& subject) {
    switch (subject.outcome) {
      case PodOutcome::kRunning:
      case PodOutcome::kPlaced:
        return place(subject);
      case PodOutcome::kPending:
      case PodOutcome::kGated:
      case PodOutcome::kIgnored:
        return wait(subject);
      case PodOutcome::kQueued:
        return wait_in_queue(subject);
      case PodOutcome::kRejected:
      case PodOutcome::kFailed:
        return write_again(subject);
      case PodOutcome::kPreempted:
      case PodOutcome::kEvicted:
      case PodOutcome::kEnded:
      case PodOutcome::kNotCreated:
        return;
    }
  }

  void place(const SimulatedPod& subject) {
    kube::Pod pod = subject.pod;
    exist(pod.metadata, now_);
    if (subject.node.valid()) {
      pod.spec = specs_.on_node(pod.spec, std::string(planning_.cluster().node_name(subject.node)));
    }
    if (!is_pending_on_its_node(subject.pod)) pod.status.phase = kube::PodPhase::kRunning;
    if (!pod.status.start_time) pod.status.start_time = subject.decided;
    pod.status.nominated_node_name.clear();
    if (!subject.consumed_reservation.empty()) {
      pod.metadata.annotations.insert_or_assign(std::string(kube::kReservationAnnotation),
                                                subject.consumed_reservation);
    }
    note_replica_set(pod, subject.workload);
    result_.of<kube::Pod>().push_back(std::move(pod));
  }

  void wait(const SimulatedPod& subject) {
    kube::Pod pod = subject.pod;
    exist(pod.metadata, now_);
    pod.status.nominated_node_name.clear();
    note_replica_set(pod, subject.workload);
    result_.of<kube::Pod>().push_back(std::move(pod));
  }

  /// Of a job that is held, nobody has made pods; others wait with a gate.
  void wait_in_queue(const SimulatedPod& subject) {
    if (planning_.queued()->find(subject.workload)) return;
    kube::Pod pod = subject.pod;
    exist(pod.metadata, now_);
    note_replica_set(pod, subject.workload);
    const auto& gates = pod.spec->scheduling_gates;
    if (std::ranges::find(gates, kube::kAdmissionGate) == gates.end()) {
      auto spec = std::make_shared<kube::PodSpec>(*pod.spec);
      spec->scheduling_gates.emplace_back(kube::kAdmissionGate);
      pod.spec = std::move(spec);
    }
    result_.of<kube::Pod>().push_back(std::move(pod));
  }

  /// A bare pod that was refused is created anew from its manifest; a controller tries again by itself.
  void write_again(const SimulatedPod& subject) {
    const auto found = written_.find({subject.pod.metadata.namespace_, subject.pod.metadata.name});
    if (found != written_.end()) result_.of<kube::Pod>().push_back(*found->second);
  }

  void note_replica_set(const kube::Pod& pod, const workloads::WorkloadReference& workload) {
    const kube::OwnerReference* const controller = pod.metadata.controller();
    if (controller == nullptr || controller->kind != "ReplicaSet" || workload.kind != "Deployment") return;
    witnesses_.try_emplace({pod.metadata.namespace_, controller->name}, pod, workload.name);
  }

  /// The ReplicaSets of Deployments that the pods name and the input does not have.
  void add_replica_sets() {
    for (const kube::ReplicaSet& known : input_.of<kube::ReplicaSet>()) {
      witnesses_.erase({known.metadata.namespace_, known.metadata.name});
    }
    std::map<Key, const kube::Deployment*> deployments;
    for (const kube::Deployment& deployment : input_.of<kube::Deployment>()) {
      deployments[{deployment.metadata.namespace_, deployment.metadata.name}] = &deployment;
    }
    for (const auto& [name, witness] : witnesses_) {
      const auto found = deployments.find({name.first, witness.second});
      if (found != deployments.end())
        result_.of<kube::ReplicaSet>().push_back(replica_set_of(*found->second, witness.first));
    }
  }

  kube::ReplicaSet replica_set_of(const kube::Deployment& deployment, const kube::Pod& pod) const {
    const kube::OwnerReference& controller = *pod.metadata.controller();
    const auto hash = pod.metadata.labels.find(kube::kPodTemplateHash);
    kube::ReplicaSet replica_set =
        workloads::replica_set_of(deployment, controller.name, hash == pod.metadata.labels.end() ? "" : hash->second);
    replica_set.metadata.uid = controller.uid;
    replica_set.metadata.creation_timestamp = now_;
    return replica_set;
  }

  template <class Kind>
  void admit(const char* kind, std::vector<Kind>& objects) {
    for (Kind& object : objects) {
      const kube::ObjectMeta& metadata = object.metadata;
      if (!refused_.contains({kind, metadata.namespace_, metadata.name})) exist(object.metadata, now_);
    }
  }

  void admit() {
    admit("Service", result_.of<kube::Service>());
    admit("ConfigMap", result_.of<kube::ConfigMap>());
    admit("ResourceQuota", result_.of<kube::ResourceQuota>());
    admit("ReplicationController", result_.of<kube::ReplicationController>());
    admit("Deployment", result_.of<kube::Deployment>());
    admit("ReplicaSet", result_.of<kube::ReplicaSet>());
    admit("StatefulSet", result_.of<kube::StatefulSet>());
    admit("DaemonSet", result_.of<kube::DaemonSet>());
    admit("Job", result_.of<kube::Job>());
    admit("CronJob", result_.of<kube::CronJob>());
  }

  void settle_volumes() {
    const cluster::VolumeCatalog& catalog = planning_.cluster().volumes();
    std::vector<kube::PersistentVolumeClaim> claims = catalog.all_claims();
    for (kube::PersistentVolumeClaim& claim : claims) exist(claim.metadata, now_);
    for (const kube::PersistentVolumeClaim& claim : input_.of<kube::PersistentVolumeClaim>()) {
      const kube::ObjectMeta& metadata = claim.metadata;
      const bool refused = refused_.contains({"PersistentVolumeClaim", metadata.namespace_, metadata.name});
      if (refused) claims.push_back(claim);
    }
    result_.of<kube::PersistentVolumeClaim>() = std::move(claims);
    result_.of<kube::PersistentVolume>() = catalog.all_volumes();
    for (kube::CsiStorageCapacity& capacity : result_.of<kube::CsiStorageCapacity>()) {
      const auto found = catalog.capacities().find(capacity.metadata.namespace_ + '/' + capacity.metadata.name);
      if (found != catalog.capacities().end()) capacity = found->second;
    }
  }

  /// One that has no room yet may be one that quotas refuse: whoever plans with it asks them anew.
  void settle_reservations() {
    const std::vector<PlannedReservation> planned = planning_.room().describe();
    std::set<std::pair<std::string_view, std::string_view>> without_room;
    for (const PlannedReservation& each : planned) {
      const bool has_room = each.held > 0 || each.consumed > 0 || each.outcome != ReservationOutcome::kWaiting;
      if (!has_room) without_room.emplace(each.name_space, each.name);
    }
    for (kube::Reservation& reservation : result_.of<kube::Reservation>()) {
      const kube::ObjectMeta& metadata = reservation.metadata;
      if (!without_room.contains({metadata.namespace_, metadata.name})) exist(reservation.metadata, now_);
    }
    for (kube::KoordinatorReservation& each : result_.of<kube::KoordinatorReservation>()) exist(each.metadata, now_);
    write_status(planned, result_);
  }

  void settle_quotas() {
    for (kube::ResourceQuota& quota : result_.of<kube::ResourceQuota>()) {
      const kube::ResourceList* used = planning_.admission().quota_used(quota.metadata.namespace_, quota.metadata.name);
      if (used != nullptr) quota.status_used = *used;
    }
  }

  /// Those that controllers made, with what they are made of.
  void add_made_groups() {
    const auto add = [&]<class Kind>() {
      const std::vector<Kind>& made = planning_.made().of<Kind>();
      result_.of<Kind>().insert(result_.of<Kind>().end(), made.begin(), made.end());
    };
    add.operator()<kube::Workload>();
    add.operator()<kube::Reservation>();
    cluster::spellings::for_each_group_kind(add);
    for (const kube::Reservation& room : planning_.made().of<kube::Reservation>()) mark_holder(room);
  }

  /// The workload that holds the room goes on as it began.
  void mark_holder(const kube::Reservation& room) {
    const kube::OwnerReference* owner = room.metadata.controller();
    if (owner == nullptr) return;
    workloads::for_each_whole_kind([&]<class Kind>() {
      if (kube::kind_of<Kind>().kind != owner->kind) return;
      for (Kind& workload : result_.of<Kind>()) {
        const bool is_it =
            workload.metadata.name == owner->name && workload.metadata.namespace_ == room.metadata.namespace_;
        if (!is_it) continue;
        for (const std::string_view mark : {workloads::kStartsWhole, workloads::kHoldsRoom}) {
          workload.metadata.annotations[std::string(mark)] = "true";
        }
      }
    });
  }

  /// Their minimums are as their workloads ask for.
  void revise_groups() {
    cluster::spellings::for_each_group_kind([&]<class Kind>() {
      for (const Kind& revised : planning_.revised().of<Kind>()) {
        for (Kind& group : result_.of<Kind>()) {
          const bool is_it =
              group.metadata.name == revised.metadata.name && group.metadata.namespace_ == revised.metadata.namespace_;
          if (is_it) group = revised;
        }
      }
    });
  }

  /// As the scheduler of a live cluster would write it, since later decisions depend on it.
  void settle_groups() {
    for (kube::PodGroup& group : result_.of<kube::PodGroup>()) {
      const kube::ObjectMeta& metadata = group.metadata;
      const cluster::GroupId id = planning_.cluster().find_group(metadata.namespace_, metadata.name);
      if (!id.valid() || !planning_.cluster().group(id).has_started) continue;
      const cluster::PodGroup& known = planning_.cluster().group(id);
      const kube::MetaCondition* said = kube::find_condition(group.conditions, "PodGroupScheduled");
      if (said != nullptr && said->status == "True") {
        const bool is_news = metadata.generation > 1 && said->observed_generation < metadata.generation;
        if (!is_news || known.started_with != known.asked()) continue;
      }
      std::erase_if(group.conditions, [](const auto& condition) { return condition.type == "PodGroupScheduled"; });
      kube::MetaCondition& scheduled = group.conditions.emplace_back();
      scheduled.type = "PodGroupScheduled";
      scheduled.status = "True";
      scheduled.reason = "Scheduled";
      scheduled.observed_generation = metadata.generation;
      scheduled.last_transition_time = now_;
    }
  }

  using Key = std::pair<std::string, std::string>;  // namespace, name

  Planning& planning_;
  const kube::Objects& input_;
  Instant now_;
  kube::Objects result_;
  BoundSpecs specs_;
  std::set<WorkloadName> refused_;
  std::map<Key, const kube::Pod*> written_;
  std::map<Key, std::pair<kube::Pod, std::string>> witnesses_;  // by ReplicaSet: one of its pods, its Deployment
};

}  // namespace

kube::Objects settled(Planning& planning) { return Settling(planning).run(); }

}  // namespace loadline::simulator
