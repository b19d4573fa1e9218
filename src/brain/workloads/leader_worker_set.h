#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "brain/workloads/pod_draft.h"
#include "objects/kube/leaderworkerset/leader_worker_set.h"

namespace loadline::workloads {

// A LeaderWorkerSet's pods: a StatefulSet `<set>` whose pods `<set>-<group>` are the leaders, and for each leader a
// StatefulSet of the leader's name, which the leader's pod controls, of workers `<set>-<group>-<worker>`, the first 1.
// Workers come once their leader's pod is there (LeaderCreated) or ready (LeaderReady).
// With the annotation exclusive-topology each group has a domain to itself: its leader keeps away from other groups'
// pods there, and its workers follow it into its domain; they are made once it has a node.
// Example: "llm" of 2 replicas and size 3: llm-0, llm-0-1, llm-0-2, llm-1, llm-1-1, llm-1-2.
// Source: kubernetes-sigs/lws v0.9.0, pkg/controllers and pkg/webhooks.

/// The annotations that ask for a domain for each group, or sub-group; empty: they share.
[[nodiscard]] std::string exclusive_topology(const kube::LeaderWorkerSet& set);
[[nodiscard]] std::string sub_group_exclusive_topology(const kube::LeaderWorkerSet& set);

[[nodiscard]] const kube::PodTemplateSpec& leader_template(const kube::LeaderWorkerSet& set);

/// "llm-1": the pod that leads, and the StatefulSet of its workers.
[[nodiscard]] std::string group_name(const kube::LeaderWorkerSet& set, std::int64_t group);

/// Which pods are the leaders.
[[nodiscard]] kube::StringMap leader_labels(const kube::LeaderWorkerSet& set);

/// The headless Service by which the pods of the group are found, and the pods that it selects.
[[nodiscard]] std::string service_of(const kube::LeaderWorkerSet& set, std::int64_t group);
[[nodiscard]] kube::StringMap service_selector(const kube::LeaderWorkerSet& set, std::int64_t group);

/// What the templates of the two kinds of StatefulSets get.
[[nodiscard]] PodDraft leaders_draft(const kube::LeaderWorkerSet& set);
[[nodiscard]] PodDraft workers_draft(const kube::LeaderWorkerSet& set, std::int64_t group);

/// A pod's place, as its own labels and annotations tell it.
struct GroupMember {
  std::string name_space;
  std::string leader;  ///< "llm-1"
  std::int64_t group = 0;
  std::int64_t worker = 0;  ///< 0: it is the leader
  std::int64_t size = 1;    ///< of the group
  std::optional<kube::SubGroupPolicy> sub_groups;
  std::string exclusive_topology;  ///< empty: shared, as the next
  std::string sub_group_exclusive_topology;
  bool has_own_subdomain = false;
};
[[nodiscard]] GroupMember member_of(const kube::LeaderWorkerSet& set, std::int64_t group, std::int64_t worker);

/// Which of its group's sub-groups the pod is in; nothing: in none.
[[nodiscard]] std::optional<std::int64_t> sub_group_of(const GroupMember& member);

/// What the operator's webhook puts on the pod of a group besides.
[[nodiscard]] PodDraft member_draft(const GroupMember& member);

}  // namespace loadline::workloads
