#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "objects/kube/meta.h"

namespace loadline::kube {

// ---- affinity ------------------------------------------------------------------------------------------------------

enum class NodeSelectorOperator : std::uint8_t { kIn, kNotIn, kExists, kDoesNotExist, kGt, kLt };

struct NodeSelectorRequirement {
  std::string key;
  NodeSelectorOperator op = NodeSelectorOperator::kIn;
  std::vector<std::string> values;
  friend auto operator<=>(const NodeSelectorRequirement&, const NodeSelectorRequirement&) = default;
};

/// All requirements must hold. A term without any matches no node.
struct NodeSelectorTerm {
  std::vector<NodeSelectorRequirement> match_expressions;
  std::vector<NodeSelectorRequirement> match_fields;  ///< only metadata.name exists
  friend auto operator<=>(const NodeSelectorTerm&, const NodeSelectorTerm&) = default;
};

/// One of the terms must match.
struct NodeSelector {
  std::vector<NodeSelectorTerm> terms;
  friend auto operator<=>(const NodeSelector&, const NodeSelector&) = default;
};

struct PreferredSchedulingTerm {
  std::int32_t weight = 0;
  NodeSelectorTerm preference;
  friend auto operator<=>(const PreferredSchedulingTerm&, const PreferredSchedulingTerm&) = default;
};

struct NodeAffinity {
  std::optional<NodeSelector> required;
  std::vector<PreferredSchedulingTerm> preferred;
  friend auto operator<=>(const NodeAffinity&, const NodeAffinity&) = default;
};

struct PodAffinityTerm {
  std::optional<LabelSelector> label_selector;  ///< nullopt: matches no pod
  std::vector<std::string> namespaces;
  std::optional<LabelSelector> namespace_selector;  ///< nullopt: none; empty: all namespaces
  std::string topology_key;
  std::vector<std::string> match_label_keys;
  std::vector<std::string> mismatch_label_keys;
  friend auto operator<=>(const PodAffinityTerm&, const PodAffinityTerm&) = default;
};

struct WeightedPodAffinityTerm {
  std::int32_t weight = 0;
  PodAffinityTerm term;
  friend auto operator<=>(const WeightedPodAffinityTerm&, const WeightedPodAffinityTerm&) = default;
};

/// podAffinity and podAntiAffinity have the same shape.
struct PodAffinity {
  std::vector<PodAffinityTerm> required;
  std::vector<WeightedPodAffinityTerm> preferred;
  friend auto operator<=>(const PodAffinity&, const PodAffinity&) = default;
};

struct Affinity {
  std::optional<NodeAffinity> node;
  std::optional<PodAffinity> pod;
  std::optional<PodAffinity> pod_anti;
};

// ---- taints, spread ------------------------------------------------------------------------------------------------

enum class TaintEffect : std::uint8_t { kNone, kNoSchedule, kPreferNoSchedule, kNoExecute };

enum class TolerationOperator : std::uint8_t { kEqual, kExists, kGt, kLt };

struct Toleration {
  std::string key;
  TolerationOperator op = TolerationOperator::kEqual;
  std::string value;
  TaintEffect effect = TaintEffect::kNone;  ///< kNone: every effect
  std::optional<std::int64_t> toleration_seconds;
  friend auto operator<=>(const Toleration&, const Toleration&) = default;
};

enum class UnsatisfiableAction : std::uint8_t { kDoNotSchedule, kScheduleAnyway };
enum class NodeInclusionPolicy : std::uint8_t { kHonor, kIgnore };

struct TopologySpreadConstraint {
  std::int32_t max_skew = 1;
  std::string topology_key;
  UnsatisfiableAction when_unsatisfiable = UnsatisfiableAction::kDoNotSchedule;
  std::optional<LabelSelector> label_selector;
  std::optional<std::int32_t> min_domains;
  NodeInclusionPolicy node_affinity_policy = NodeInclusionPolicy::kHonor;
  NodeInclusionPolicy node_taints_policy = NodeInclusionPolicy::kIgnore;
  std::vector<std::string> match_label_keys;
  friend auto operator<=>(const TopologySpreadConstraint&, const TopologySpreadConstraint&) = default;
};

// ---- containers ----------------------------------------------------------------------------------------------------

struct ResourceClaimUse {
  std::string name;
  std::string request;
};

struct ResourceRequirements {
  ResourceList requests;
  ResourceList limits;
  std::vector<ResourceClaimUse> claims;
};

enum class Protocol : std::uint8_t { kTcp, kUdp, kSctp };

struct ContainerPort {
  std::string name;
  std::int32_t container_port = 0;
  std::int32_t host_port = 0;
  std::string host_ip;
  Protocol protocol = Protocol::kTcp;
};

enum class ContainerRestartPolicy : std::uint8_t { kUnset, kAlways, kOnFailure, kNever };

struct Container {
  std::string name;
  std::string image;
  ResourceRequirements resources;
  std::vector<ContainerPort> ports;
  ContainerRestartPolicy restart_policy =
      ContainerRestartPolicy::kUnset;  ///< on an init container, Always makes a sidecar

  [[nodiscard]] bool restartable_init() const { return restart_policy == ContainerRestartPolicy::kAlways; }
};

// ---- volumes -------------------------------------------------------------------------------------------------------

enum class AccessMode : std::uint8_t { kReadWriteOnce, kReadOnlyMany, kReadWriteMany, kReadWriteOncePod };
enum class VolumeMode : std::uint8_t { kFilesystem, kBlock };

/// spec of a PersistentVolumeClaim, also inside a generic ephemeral volume and a StatefulSet's volumeClaimTemplates.
struct PersistentVolumeClaimSpec {
  std::vector<AccessMode> access_modes;
  std::optional<LabelSelector> selector;
  ResourceList requests;
  ResourceList limits;
  std::string volume_name;
  std::optional<std::string> storage_class_name;  ///< nullopt: the default class; "": none
  VolumeMode volume_mode = VolumeMode::kFilesystem;
  std::string volume_attributes_class_name;
};

struct PersistentVolumeClaimTemplate {
  ObjectMeta metadata;
  PersistentVolumeClaimSpec spec;
};

struct PersistentVolumeClaimVolumeSource {
  std::string claim_name;
  bool read_only = false;
};

/// An in-tree disk that two pods may not mount at once unless read only.
struct DiskVolumeSource {
  std::string id;  ///< pdName or volumeID
  bool read_only = false;
};

struct AzureDiskVolumeSource {
  std::string disk_name;
  std::string disk_uri;
  std::string kind = "Shared";
  bool read_only = false;
};

struct IscsiVolumeSource {
  std::string target_portal;
  std::string iqn;
  std::int32_t lun = 0;
  bool read_only = false;
};

struct RbdVolumeSource {
  std::vector<std::string> monitors;
  std::string image;
  std::string pool = "rbd";
  bool read_only = false;
};

struct CsiVolumeSource {
  std::string driver;
};

struct Volume {
  std::string name;
  std::optional<PersistentVolumeClaimVolumeSource> persistent_volume_claim;
  std::optional<PersistentVolumeClaimTemplate> ephemeral_claim;  ///< ephemeral.volumeClaimTemplate
  std::optional<DiskVolumeSource> gce_persistent_disk;
  std::optional<DiskVolumeSource> aws_elastic_block_store;
  std::optional<AzureDiskVolumeSource> azure_disk;
  std::optional<DiskVolumeSource> cinder;
  std::optional<DiskVolumeSource> portworx_volume;
  std::optional<IscsiVolumeSource> iscsi;
  std::optional<RbdVolumeSource> rbd;
  std::optional<CsiVolumeSource> csi;
  std::string image_reference;  ///< image.reference
  bool host_path = false;
  bool empty_dir = false;
  bool azure_file = false;
  bool vsphere_volume = false;
};

// ---- pod -----------------------------------------------------------------------------------------------------------

enum class PreemptionPolicy : std::uint8_t { kPreemptLowerPriority, kNever };
enum class RestartPolicy : std::uint8_t { kAlways, kOnFailure, kNever };

struct PodResourceClaim {
  std::string name;
  std::string resource_claim_name;
  std::string resource_claim_template_name;
};

struct PodSpec {
  std::string node_name;
  StringMap node_selector;
  std::optional<Affinity> affinity;
  std::vector<Toleration> tolerations;
  std::vector<TopologySpreadConstraint> topology_spread_constraints;
  std::vector<std::string> scheduling_gates;
  std::string scheduler_name = "default-scheduler";
  std::string priority_class_name;
  std::optional<std::int32_t> priority;
  std::optional<PreemptionPolicy> preemption_policy;
  std::vector<Container> init_containers;
  std::vector<Container> containers;
  std::optional<ResourceRequirements> resources;  ///< pod-level
  ResourceList overhead;
  std::vector<Volume> volumes;
  std::vector<PodResourceClaim> resource_claims;
  RestartPolicy restart_policy = RestartPolicy::kAlways;
  std::optional<std::int64_t> termination_grace_period_seconds;
  std::optional<std::int64_t> active_deadline_seconds;
  std::string runtime_class_name;
  std::string pod_group_name;  ///< schedulingGroup.podGroupName: the pod is scheduled together with the group's others
  std::string service_account_name;
  std::string service_account;  ///< the old name of service_account_name; defaults make both say the same
  std::string hostname;
  bool host_network = false;
};

enum class PodPhase : std::uint8_t { kPending, kRunning, kSucceeded, kFailed, kUnknown };

struct Condition {
  std::string type;
  std::string status;
  std::string reason;
  std::string message;
  std::optional<Instant> last_transition_time = {};
  std::optional<Instant> last_heartbeat_time = {};  ///< of nodes
};

struct ContainerStateWaiting {
  std::string reason;
};

struct ContainerStateRunning {
  std::optional<Instant> started_at;
};

struct ContainerStateTerminated {
  std::int32_t exit_code = 0;
  std::string reason;
  std::optional<Instant> started_at;
  std::optional<Instant> finished_at;
};

/// At most one of them; none counts as waiting.
struct ContainerState {
  std::optional<ContainerStateWaiting> waiting;
  std::optional<ContainerStateRunning> running;
  std::optional<ContainerStateTerminated> terminated;
};

struct ContainerStatus {
  std::string name;
  ContainerState state;
  bool ready = false;
  std::optional<bool> started;
  std::int32_t restart_count = 0;
  ResourceList allocated_resources;
  std::optional<ResourceRequirements> resources;
};

struct PodStatus {
  PodPhase phase = PodPhase::kPending;
  std::string reason;  ///< "Evicted", "DeadlineExceeded"
  std::string message;
  std::string pod_ip;
  std::string host_ip;
  std::optional<Instant> start_time;
  std::string nominated_node_name;
  std::vector<Condition> conditions;
  std::vector<ContainerStatus> container_statuses;
  std::vector<ContainerStatus> init_container_statuses;
  std::optional<ResourceRequirements> resources;  ///< pod-level, as applied
  ResourceList allocated_resources;               ///< pod-level
};

/// The annotation of a pod that stands for one that its node runs by itself.
inline constexpr std::string_view kMirrorAnnotation = "kubernetes.io/config.mirror";

/// Pods of one template share one immutable spec.
struct Pod {
  ObjectMeta metadata;
  std::shared_ptr<const PodSpec> spec = std::make_shared<const PodSpec>();
  PodStatus status;

  [[nodiscard]] bool finished() const {
    return status.phase == PodPhase::kSucceeded || status.phase == PodPhase::kFailed;
  }
};

struct PodTemplateSpec {
  ObjectMeta metadata;
  std::shared_ptr<const PodSpec> spec = std::make_shared<const PodSpec>();
};

}  // namespace loadline::kube
