#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace loadline::recorded_decisions {

/// What a member's turn in its group's cycle came to.
enum class MemberResult : std::uint8_t {
  kFits,
  kPreempts,  ///< no node fits, but one will once pods are evicted from it
  kRejected,
  kFailed,  ///< with an error, after which no other member is tried
};

struct MemberTurn {
  MemberResult result = MemberResult::kFits;
  std::string message;  ///< why it does not fit
};

/// All that the verdict on a group depends on.
struct GroupFacts {
  std::string pod_group;          ///< "namespace/name"
  std::optional<int> min_count;   ///< nullopt: the policy is basic
  bool is_gone = false;           ///< no object describes the group any more
  int scheduled_before = 0;       ///< members that have a node already
  std::size_t members = 0;        ///< that wait for one
  std::vector<MemberTurn> turns;  ///< of these, in order, up to the first error
};

enum class Nomination : std::uint8_t {
  kWithdrawn,
  kToItsNode,  ///< to where it was put tentatively
  kAsDecided,  ///< what its own turn made of it
};

struct MemberVerdict {
  bool bound = false;
  std::string reason, message;  ///< of the condition PodScheduled, unless it is bound
  Nomination nomination = Nomination::kWithdrawn;
};

struct GroupVerdict {
  std::string outcome;               ///< as RecordedGroupCycle::outcome
  std::string reason, message;       ///< of the condition PodGroupScheduled
  std::vector<std::string> permits;  ///< by turn, as RecordedAttempt::permit
  std::vector<MemberVerdict> members;
};

/// kube-scheduler's rule, in its words. Source: podGroupSchedulingDefaultAlgorithm and submitPodGroupAlgorithmResult in
/// pkg/scheduler/schedule_one_podgroup.go, Permit in pkg/scheduler/framework/plugins/gangscheduling, v1.36.
GroupVerdict group_verdict(const GroupFacts& facts);

/// Why members that name these schedulers, in the order in which they would be tried, are not tried at all; nullopt if
/// they are.
std::optional<std::string> refused_for_schedulers(const std::vector<std::string>& schedulers);

}  // namespace loadline::recorded_decisions
