#pragma once

#include <string>
#include <vector>

#include "brain/decision/eviction_text.h"
#include "foundation/base/time.h"
#include "hosts/watching/action.h"
#include "objects/kube/core/pod.h"
#include "objects/kube/scheduling/pod_group.h"

namespace loadline::scheduler {

// What kube-scheduler asks of an API server, and what it says. Source: pkg/scheduler/schedule_one.go,
// framework/preemption/executor.go, v1.36.

/// Binds the pod to the node, and says so: "Successfully assigned default/web to node-1". The pod gets the annotations.
watching::Action bind(const watching::Observed<kube::Pod>& pod, std::string_view node,
                      const kube::StringMap& annotations = {});

/// Why a pod waits: it fits nowhere, or something went wrong.
inline constexpr std::string_view kUnschedulable = "Unschedulable";
inline constexpr std::string_view kSchedulerError = "SchedulerError";

/// Makes the pod's status say that it waits, and why: PodScheduled=False, and the node where room is being made (empty:
/// none). Nothing if it says so already.
std::vector<watching::Action> say_waiting(const watching::Observed<kube::Pod>& pod, std::string_view reason,
                                          const std::string& message, std::string_view nominated_node, Instant now);

/// "FailedScheduling", with the message.
watching::Event failed_scheduling(const watching::Observed<kube::Pod>& pod, const std::string& message);

/// Takes the pod's nomination away: a pod of higher priority wants the node.
watching::Action withdraw_nomination(const watching::Observed<kube::Pod>& pod);

/// What is said of a group: its condition PodGroupScheduled.
struct GroupStatus {
  bool is_scheduled = false;
  std::string reason;
  std::string message;
  friend bool operator==(const GroupStatus&, const GroupStatus&) = default;
};

/// Makes the group's status say so. Nothing if it says so already, or if it was scheduled before.
/// Source: updatePodGroupCondition, pkg/scheduler/schedule_one_podgroup.go, v1.36.
std::vector<watching::Action> say_group_status(const watching::Observed<kube::PodGroup>& group,
                                               const GroupStatus& status, Instant now);

/// Evicts the pod: first the condition that says why, then the deletion, with the event about it.
std::vector<std::vector<watching::Action>> evict(const watching::Observed<kube::Pod>& pod,
                                                 const decision::EvictionFacts& facts, Instant now);

/// "HoldsRoom": the pod stays on its node, although its workload cannot go on, and others could use the room.
watching::Event holds_room(const watching::Observed<kube::Pod>& pod, const std::string& message);

}  // namespace loadline::scheduler
