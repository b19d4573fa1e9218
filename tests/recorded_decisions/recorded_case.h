#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "foundation/base/result.h"
#include "foundation/document/value.h"
#include "objects/kube/config/scheduler_configuration.h"
#include "objects/kube/core/namespace.h"
#include "objects/kube/core/node.h"
#include "objects/kube/core/pod.h"
#include "objects/kube/core/volume.h"
#include "objects/kube/objects.h"
#include "objects/kube/scheduling/pod_group.h"

namespace loadline::recorded_decisions {

/// Nodes that failed for one reason.
struct RecordedRefusal {
  std::string plugin;
  std::string code;
  std::vector<std::string> reasons;
  std::vector<int> nodes;
};

struct RecordedScores {
  int node = 0;
  std::int64_t total = 0;
  std::vector<std::int64_t> by_plugin;  ///< as many as RecordedCase::score_plugins
};

struct RecordedCandidate {
  int node = 0;
  std::vector<std::string> victims;
  std::int64_t budget_violations = 0;
};

struct RecordedPreemption {
  bool eligible = false;
  std::string why;
  std::vector<RecordedCandidate> candidates;
  std::vector<int> best;
};

/// What the persistent volume controller and the provisioners made of a binding: whole objects.
struct RecordedVolumes {
  std::vector<kube::PersistentVolume> volumes;
  std::vector<kube::PersistentVolumeClaim> claims;
};

/// One scheduling cycle of the real scheduler, or one member's part in the cycle of its group. Nodes are indices into
/// RecordedCase::node_names, pods "namespace/name".
struct RecordedAttempt {
  int sequence = 0;
  std::string pod;
  std::string nominated_before;
  std::vector<std::string> other_nominated;   ///< "namespace/name@node"
  std::optional<RecordedRefusal> pre_filter;  ///< a plugin rejected the pod as a whole
  std::vector<int> feasible;
  std::vector<RecordedRefusal> infeasible;
  std::optional<std::vector<int>> pre_filter_nodes;
  std::vector<std::string> skipped_filter, skipped_score;
  std::vector<RecordedScores> scores;
  std::int64_t max_score = 0;
  std::vector<int> max_nodes;
  std::string result;  ///< "scheduled", "unschedulable" or "error"
  std::optional<int> node;
  bool chosen_is_max = true;
  std::string message;
  std::vector<std::string> unschedulable_plugins;
  std::optional<RecordedPreemption> preemption;
  std::string nominated_node;
  std::vector<std::string> victims;
  RecordedVolumes volume_updates;

  std::optional<int> group_cycle;  ///< of RecordedCase::group_cycles; then `node` was only found, not taken
  std::optional<int> assumed;      ///< where the members after it see it
  std::string permit;              ///< the code that the Permit plugins answered with
};

/// What became of a pod in its group's cycle.
struct RecordedMember {
  std::string pod;
  std::optional<int> node;  ///< that it was bound to
  std::string reason, message;
  std::string nominated_node;
  RecordedVolumes volume_updates;
};

struct RecordedCondition {
  std::string status, reason, message;
};

/// A domain that a group was tried in.
struct RecordedPlacement {
  std::string name;
  std::vector<int> nodes;
  std::size_t attempts = 0;           ///< of the cycle that are part of it
  std::optional<std::int64_t> score;  ///< if several were feasible
};

/// What the topology constraint of a group makes of the cluster, with the gate TopologyAwareWorkloadScheduling.
struct RecordedTopology {
  std::string key;                            ///< empty: there is no constraint
  std::vector<RecordedPlacement> placements;  ///< in the order in which they were tried, up to an error
};

/// What the real scheduler made of a PodGroup's pods in one go.
struct RecordedGroupCycle {
  std::string pod_group;         ///< "namespace/name"
  std::optional<int> min_count;  ///< nullopt: the policy is basic
  bool is_gone = false;          ///< no object describes the group any more
  int scheduled_before = 0;
  int first_attempt = 0;                     ///< the sequence number of the first member's attempt
  std::string outcome;                       ///< "scheduled", "unschedulable", "waiting for preemption" or "error"
  std::vector<RecordedMember> members;       ///< in the order in which they were tried
  std::optional<RecordedTopology> topology;  ///< nullopt: the gate is off
  std::optional<RecordedCondition> condition;
};

struct DeletedPod {
  std::string pod;  ///< "namespace/name"
};
struct AddedPod {
  kube::Pod pod;
};
struct AddedPodGroup {
  kube::PodGroup group;
};
struct DeletedPodGroup {
  std::string group;  ///< "namespace/name"
};
struct UpdatedNode {
  kube::Node node;
};
struct AddedNode {
  kube::Node node;
};
struct UpdatedNamespace {
  kube::Namespace name_space;
};

/// Something that happened to the cluster between two attempts.
struct RecordedEvent {
  int before_attempt = 0;  ///< the sequence number of the attempt that first saw it
  std::variant<DeletedPod, AddedPod, UpdatedNode, AddedNode, UpdatedNamespace, AddedPodGroup, DeletedPodGroup> change;
};

/// A cluster, and what a real kube-scheduler decided on it.
struct RecordedCase {
  std::string name;
  kube::Objects cluster;              ///< all but the pods that wait
  std::vector<kube::Pod> pending;     ///< in order of creation
  std::vector<RecordedEvent> events;  ///< in the order in which they happened
  std::vector<std::string> node_names;
  std::vector<std::string> score_plugins;
  std::vector<RecordedAttempt> attempts;
  std::vector<RecordedGroupCycle> group_cycles;
  std::optional<kube::SchedulerConfiguration> configuration;  ///< nullopt: the default profile
};

/// A document, and how messages are to name it.
struct NamedDocument {
  document::Value value;
  std::string name;
};

/// What the scheduler saw, and what it decided. Errors name the document, the field and what is wrong with it.
Result<RecordedCase> read_case(const NamedDocument& input, const NamedDocument& expected);

/// A folder's input.json and expected.json.
Result<RecordedCase> load_case(const std::string& folder);

/// One JSON object with the members name, input and expected; `source` names it in messages.
Result<RecordedCase> parse_case(std::string_view text, const std::string& source);

/// The case's name in such a text, for messages about a case that cannot be read; empty if there is none.
std::string name_of_case(std::string_view text);

}  // namespace loadline::recorded_decisions
