#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "brain/capacity/node_template.h"
#include "hosts/simulator/plan.h"
#include "objects/kube/core/node.h"
#include "objects/kube/core/pod.h"
#include "objects/kube/objects.h"
#include "objects/kube/scalars.h"

namespace loadline::advice {

/// What an edit changes, and with it who can be asked what comes of it.
enum class Reach : std::uint8_t {
  kPod,        ///< the pod itself, so that its author can make the edit alone
  kNode,       ///< a node that is there
  kOtherPods,  ///< which pods are there, which is their controllers' choice
  kInput,      ///< what only a plan made anew takes into account: more nodes, and what admission reads
};

// ---- changes to the pod, or to the template it is made from ---------------------------------------------------------

/// Adds a toleration.
struct Tolerate {
  static constexpr Reach kReach = Reach::kPod;
  kube::Toleration toleration;
  friend bool operator==(const Tolerate&, const Tolerate&) = default;
};

/// Asks for another value of a label in nodeSelector, or for none in particular.
struct SelectLabel {
  static constexpr Reach kReach = Reach::kPod;
  std::string key;
  std::string from;  ///< empty: the label was not selected before
  std::optional<std::string> to;
  friend bool operator==(const SelectLabel&, const SelectLabel&) = default;
};

/// Widens the required node affinity: every requirement on the label also accepts the value, or goes if it cannot.
struct AcceptLabel {
  static constexpr Reach kReach = Reach::kPod;
  std::string key;
  std::string value;  ///< empty: nodes without the label
  friend bool operator==(const AcceptLabel&, const AcceptLabel&) = default;
};

/// Requests less of a resource.
struct RequestLess {
  static constexpr Reach kReach = Reach::kPod;
  std::string resource;
  kube::Quantity from;
  kube::Quantity to;  ///< of the whole pod, like `from`
  friend bool operator==(const RequestLess&, const RequestLess&) = default;
};

/// Limits every container, and what it requests, to an amount.
struct LimitLess {
  static constexpr Reach kReach = Reach::kPod;
  std::string resource;
  kube::Quantity from;  ///< the largest limit that is above
  kube::Quantity to;
  friend bool operator==(const LimitLess&, const LimitLess&) = default;
};

/// Allows more skew in the hard spread constraints on the key; nullopt: makes them ScheduleAnyway.
struct RelaxSpread {
  static constexpr Reach kReach = Reach::kPod;
  std::string topology_key;
  std::optional<std::int32_t> max_skew;
  friend bool operator==(const RelaxSpread&, const RelaxSpread&) = default;
};

/// Turns the required pod affinity (or anti-affinity) on the key into a preference of weight 100.
struct PreferPodAffinity {
  static constexpr Reach kReach = Reach::kPod;
  std::string topology_key;
  bool anti = false;
  friend bool operator==(const PreferPodAffinity&, const PreferPodAffinity&) = default;
};

struct DropHostPort {
  static constexpr Reach kReach = Reach::kPod;
  std::int32_t port = 0;
  friend bool operator==(const DropHostPort&, const DropHostPort&) = default;
};

struct UsePriorityClass {
  static constexpr Reach kReach = Reach::kPod;
  std::string name;
  std::int32_t value = 0;
  std::optional<kube::PreemptionPolicy> preemption_policy;
  friend bool operator==(const UsePriorityClass&, const UsePriorityClass&) = default;
};

struct UseScheduler {
  static constexpr Reach kReach = Reach::kPod;
  std::string name;
  friend bool operator==(const UseScheduler&, const UseScheduler&) = default;
};

struct DropGate {
  static constexpr Reach kReach = Reach::kPod;
  std::string name;
  friend bool operator==(const DropGate&, const DropGate&) = default;
};

/// Mounts another claim.
struct UseClaim {
  static constexpr Reach kReach = Reach::kPod;
  std::string from;
  std::string to;
  friend bool operator==(const UseClaim&, const UseClaim&) = default;
};

/// Requests a resource under another name.
struct RenameRequest {
  static constexpr Reach kReach = Reach::kPod;
  std::string from;
  std::string to;
  friend bool operator==(const RenameRequest&, const RenameRequest&) = default;
};

// ---- changes to the cluster -----------------------------------------------------------------------------------------

struct LabelNode {
  static constexpr Reach kReach = Reach::kNode;
  std::string node;
  std::string key;
  std::string value;
  friend bool operator==(const LabelNode&, const LabelNode&) = default;
};

struct Uncordon {
  static constexpr Reach kReach = Reach::kNode;
  std::string node;
  friend bool operator==(const Uncordon&, const Uncordon&) = default;
};

/// Mends what Kubernetes tainted the node for: the taints of that key go, whatever their effects.
struct RemoveTaint {
  static constexpr Reach kReach = Reach::kNode;
  std::string node;
  kube::Taint taint;
  friend bool operator==(const RemoveTaint&, const RemoveTaint&) = default;
};

struct AddNodes {
  static constexpr Reach kReach = Reach::kInput;
  capacity::NodeTemplate nodes;
  friend bool operator==(const AddNodes&, const AddNodes&) = default;
};

/// Runs fewer pods of a workload, whichever of them its controller gives up; a bare pod is deleted.
struct Scale {
  static constexpr Reach kReach = Reach::kOtherPods;
  simulator::WorkloadName workload;
  std::int32_t from = 0;
  std::int32_t to = 0;
  friend bool operator==(const Scale&, const Scale&) = default;
};

struct RaiseQuota {
  static constexpr Reach kReach = Reach::kInput;
  std::string name_space;
  std::string quota;
  std::string resource;
  kube::Quantity from;
  kube::Quantity to;
  friend bool operator==(const RaiseQuota&, const RaiseQuota&) = default;
};

/// Makes a StorageClass the default, so that claims which name none get it.
struct DefaultStorageClass {
  static constexpr Reach kReach = Reach::kInput;
  std::string name;
  bool is_new = false;  ///< there is none of that name yet
  friend bool operator==(const DefaultStorageClass&, const DefaultStorageClass&) = default;
};

/// Makes a RuntimeClass of that name, whose handler is called like it, and which wants nothing of pods.
struct AddRuntimeClass {
  static constexpr Reach kReach = Reach::kInput;
  std::string name;
  friend bool operator==(const AddRuntimeClass&, const AddRuntimeClass&) = default;
};

// ---- changes to queues, and to where a workload waits ---------------------------------------------------------------

/// Gives a ClusterQueue more of a resource of a flavor.
struct RaiseQueueQuota {
  static constexpr Reach kReach = Reach::kInput;
  enum class Limit : std::uint8_t { kNominal, kBorrowing };
  std::string queue;
  std::string flavor;
  std::string resource;
  Limit limit = Limit::kNominal;
  kube::Quantity from;
  kube::Quantity to;
  /// Where the queue says that: in which of its resource groups, of that flavors, of that resources.
  std::array<std::size_t, 3> at = {};
  friend bool operator==(const RaiseQueueQuota&, const RaiseQueueQuota&) = default;
};

/// Lets a ClusterQueue or a LocalQueue that is stopped admit again.
struct ResumeQueue {
  static constexpr Reach kReach = Reach::kInput;
  std::string name_space;  ///< of a LocalQueue; empty: it is a ClusterQueue
  std::string name;
  friend bool operator==(const ResumeQueue&, const ResumeQueue&) = default;
};

/// Puts a ClusterQueue that has none into a cohort, whose unused quota it may borrow.
struct JoinCohort {
  static constexpr Reach kReach = Reach::kInput;
  std::string queue;
  std::string cohort;
  friend bool operator==(const JoinCohort&, const JoinCohort&) = default;
};

/// Has the workload wait in another LocalQueue of its namespace.
struct UseQueue {
  static constexpr Reach kReach = Reach::kInput;
  std::string from;
  std::string to;
  friend bool operator==(const UseQueue&, const UseQueue&) = default;
};

/// Gives the workload a WorkloadPriorityClass, by which Kueue orders it, whatever the priority of its pods.
struct UseWorkloadPriority {
  static constexpr Reach kReach = Reach::kInput;
  std::string name;
  std::int32_t value = 0;
  friend bool operator==(const UseWorkloadPriority&, const UseWorkloadPriority&) = default;
};

using Edit = std::variant<Tolerate, SelectLabel, AcceptLabel, RequestLess, RelaxSpread, PreferPodAffinity, DropHostPort,
                          UsePriorityClass, UseScheduler, DropGate, UseClaim, RenameRequest, LabelNode, Uncordon,
                          RemoveTaint, AddNodes, Scale, RaiseQuota, LimitLess, DefaultStorageClass, AddRuntimeClass,
                          RaiseQueueQuota, ResumeQueue, JoinCohort, UseQueue, UseWorkloadPriority>;

/// Edits that belong together: all of them are needed.
using Remedy = std::vector<Edit>;

/// Whose pod the edits are for.
struct Target {
  simulator::PodName pod;
  simulator::WorkloadName workload;
  std::int32_t priority = 0;
  std::string role = {};  ///< of the pod in its workload; empty: its pods are all of one
};

[[nodiscard]] Reach reach_of(const Edit& edit);

/// Whether the edit changes the pod itself, so that its author can make it alone.
[[nodiscard]] bool edits_pod(const Edit& edit);

/// The edit on a pod's spec; edits that are not on pods do nothing.
void apply(const Edit& edit, kube::PodSpec& spec);

/// The edit on everything: on a template and those of its pods that have no node yet, on nodes, quotas, replicas.
void apply(const Edit& edit, const Target& target, kube::Objects& objects);

/// Whether the edit changes that node.
[[nodiscard]] bool is_about(const Edit& edit, const kube::Node& node);

/// The node as the edit makes it.
[[nodiscard]] kube::Node edited(const Edit& edit, kube::Node node);

}  // namespace loadline::advice
