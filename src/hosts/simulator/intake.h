#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "brain/admission/admission.h"
#include "brain/admission/priority.h"
#include "brain/cluster/cluster.h"
#include "brain/workloads/creation_order.h"
#include "brain/workloads/workload.h"
#include "foundation/base/diagnostic.h"
#include "hosts/simulator/plan.h"
#include "objects/kube/objects.h"

namespace loadline::simulator {

/// A pod on its way into the plan.
struct Arrival {
  kube::Pod pod;
  workloads::WorkloadReference workload;
  std::optional<admission::RejectedObject> rejection = {};
};

/// A pod that its controller creates only once others run; admission has not seen it yet.
struct AwaitedArrival {
  Arrival arrival;
  std::shared_ptr<const workloads::CreationOrder> order;
};

/// The pod after admission, with its refusal if there is one.
[[nodiscard]] Arrival admitted(kube::Pod pod, const workloads::WorkloadReference& workload,
                               admission::Admission& admission);

/// Puts the input without its pods into the model: namespaces, nodes, volumes, services and controllers.
void fill_cluster(const kube::Objects& objects, cluster::Cluster& cluster);

/// Pods that have succeeded are not among those of a plan, but count towards the minimum of their group; so do those
/// that are gone, if their workload has them on record.
void count_succeeded_pods(const kube::Objects& objects, cluster::Cluster& cluster);

/// What controllers make on the way to pods, or revise: see Intake. `classes`: by which their groups have priorities.
void add_made_objects(const kube::Objects& made, const admission::PriorityClasses& classes, cluster::Cluster& cluster);

/// The pods of the plan: those that are there, those that the manifests hold, those that controllers create, each
/// admitted in order of creation; objects that admission refuses are listed instead.
struct Intake {
  std::vector<Arrival> existing;        ///< on a node when the plan begins
  std::vector<Arrival> created;         ///< in order of creation
  std::vector<AwaitedArrival> awaited;  ///< likewise; those that are not created at once
  std::vector<kube::PersistentVolumeClaim> claims;
  /// What selects them, or groups them, and is made on the way to them: ReplicaSets, StatefulSets, Services, PodGroups.
  kube::Objects made;
  kube::Objects revised;  ///< groups of the input, with the minimums that their workloads ask for
  std::vector<RefusedObject> refused;
  std::vector<WorkloadName> workloads;  ///< admitted ones under which pods are shown
  Diagnostics notes;
};

/// Gives the pods that controllers create the API server's defaults (requests from limits, for one): a template has
/// none of them until a pod is made of it. Pods that share a spec go on sharing it.
class CreatedPodDefaults {
 public:
  void set(kube::Pod& pod);

 private:
  std::map<std::shared_ptr<const kube::PodSpec>, std::shared_ptr<const kube::PodSpec>> defaulted_;
};

/// How far the specs of a workload's pods were checked before its controller makes them.
[[nodiscard]] admission::SpecFrom spec_of(const workloads::WorkloadReference& workload);

Intake take_in(const kube::Objects& objects, admission::Admission& admission, const PlanOptions& options);

/// What controllers make of workloads that start later: Intake::created, awaited, claims, made, revised. `seed`: of
/// their pods' names.
Intake take_in_made(const kube::Objects& objects, admission::Admission& admission, const PlanOptions& options,
                    std::uint64_t seed);

}  // namespace loadline::simulator
