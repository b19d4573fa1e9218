#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "brain/placement/reason.h"
#include "hosts/advice/suggestion.h"
#include "hosts/simulator/plan.h"

namespace loadline::advice {

/// One thing that keeps the pod from a group of nodes, summed up. The members mean what placement::Obstacle says they
/// do for the kind.
struct GroupObstacle {
  std::string plugin;
  placement::ReasonKind kind = placement::ReasonKind::kOther;
  std::string message;  ///< Kubernetes' own words
  std::string subject;
  std::string wanted;
  std::map<std::string, std::size_t> found;  ///< how many nodes have which
  std::string emptiest;                      ///< of a spread constraint: a domain with the fewest pods
  bool for_good = true;                      ///< on none of the nodes could evictions help
  bool uniform = false;                      ///< all the nodes have the same amounts
  // Of the node that comes nearest:
  std::string nearest;
  std::int64_t needs = 0;
  std::int64_t has = 0;
  std::int64_t of = 0;
};

/// Nodes that the same things keep the pod from.
struct NodeGroup {
  std::vector<std::string> nodes;  ///< in order of input
  std::vector<GroupObstacle> obstacles;
};

struct ScoredNode {
  std::string node;
  std::int64_t total = 0;
  std::vector<std::int64_t> scores;  ///< by ScoreTable::plugins, weighted
};

/// How the nodes that would do were ranked.
struct ScoreTable {
  std::vector<std::string> plugins;  ///< those that told any two nodes apart
  std::int64_t alike = 0;            ///< what all other plugins together gave every node
  std::vector<ScoredNode> best;      ///< the choice first, then by score; the foremost only
  std::size_t feasible = 0;
  std::size_t tied = 0;  ///< nodes with the highest score
};

/// Why suggestions were left out.
enum class NotTried : std::uint8_t {
  kNothing,        ///< they were not
  kGroupIsHeld,    ///< no node matters as long as the pod's group has no turn
  kGroupIsWrong,   ///< the scheduler refuses the group itself
  kAnotherMember,  ///< a pod of another workload keeps the group from starting: StoppedMember
  kGroupIsLarge,   ///< groups are tried by plan only, and the plan is too large
  kNotCreated,     ///< nothing about the pod matters before others of its workload run
};

/// Why a pod is where it is, or nowhere, and what would change that.
struct Explanation {
  simulator::PlannedPod pod;
  std::optional<simulator::PlannedGroup> pod_group;  ///< that it belongs to
  /// Its group waits, and the pod found a place with it: what follows is about a member that found none.
  bool fits_with_group = false;
  /// The planned start that the pod would move, alone or with its group; nothing: it is not held.
  std::optional<simulator::StartPlan> holding_start;
  std::size_t siblings = 0;         ///< pods of its workload, itself included
  std::size_t placed_siblings = 0;  ///< of them, those that have a node
  std::size_t alike = 0;            ///< of them, those that wait for the same reason
  std::size_t nodes = 0;            ///< in the cluster

  std::optional<GroupObstacle> as_a_whole;  ///< the pod was refused before any node was looked at
  std::vector<std::string> unclassed;       ///< its claims that wait for a default StorageClass, which there is not
  std::vector<NodeGroup> groups;            ///< the nearest to fitting first
  std::vector<std::string> spares;   ///< who holds room of what is lacking for others: "Reservation ml/spares (2 pods)"
  std::size_t not_considered = 0;    ///< nodes that the search left out
  bool may_preempt = true;           ///< false: its preemptionPolicy is Never
  std::size_t preemptable = 0;       ///< pods of lower priority that are on a node
  std::optional<ScoreTable> scores;  ///< of a pod that has a node
  std::vector<Suggestion> suggestions;  ///< the cheapest first; how each was tried: Suggestion::proof
  NotTried not_tried = NotTried::kNothing;
};

}  // namespace loadline::advice
