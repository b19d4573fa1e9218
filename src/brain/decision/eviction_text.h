#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "brain/cluster/cluster.h"
#include "brain/decision/eviction.h"
#include "brain/decision/unit.h"
#include "foundation/base/time.h"
#include "objects/kube/core/pod.h"

namespace loadline::decision {

// What is written about evictions, by every host: the event, the pod's condition DisruptionTarget, a report's line. In
// the words of kube-scheduler, of the taint manager and of the eviction API where they evict, too.
// Sources, v1.36: pkg/scheduler/framework/preemption/executor.go, pkg/controller/tainteviction/taint_eviction.go,
// pkg/registry/core/pod/storage/eviction.go.

/// The reasons that stand for a cause. Empty: nothing is written.
struct CauseWords {
  std::string_view event;      ///< of the event about the pod
  std::string_view condition;  ///< of its condition DisruptionTarget
};
[[nodiscard]] const CauseWords& words_of(EvictionCause cause);

/// Why the pod leaves, as its condition DisruptionTarget says; kUnknown: that says nothing, or none of our words. What
/// a client of the eviction API asks for counts as a drain, whatever the client is.
[[nodiscard]] EvictionCause told_cause(const kube::Pod& pod);

/// What is to be said of one pod that is evicted. Names are spelt as the host does that says it.
struct EvictionFacts {
  EvictionCause cause = EvictionCause::kUnknown;
  std::string pod;   ///< "ml/train-0"
  std::string node;  ///< its own; kDrainBy: the one that is to be free
  std::string by;    ///< kPreemption: for whom it leaves: "pod ml/dev", "pod group ml/train", "Reservation ml/room"
  std::string_view by_kind = "pod";    ///< kPreemption: what that is to kube-scheduler: "pod", "podgroup"
  std::string scheduler;               ///< kPreemption, kIncompleteGroup: who says so in the condition
  std::string why;                     ///< kIncompleteGroup: release_text(); kQueue: what its queue says
  bool is_own_node_drained = true;     ///< kDrain: false: it leaves with others, whose nodes are
  std::string unit;                    ///< kDrainBy: with whom it leaves: "pod group ml/train (8 pods)"; empty: alone
  Instant deadline;                    ///< kDrainBy
  std::optional<Instant> saved_until;  ///< kDrainBy: its work is, nullopt: unknown
};

/// What is known of the pod's eviction, with names as in a plan. REQUIRES: the pod is one of the eviction's.
[[nodiscard]] EvictionFacts facts_of(const Eviction& eviction, cluster::PodId pod, const cluster::Cluster& cluster);

/// "Preempted by pod ml/dev on node a": what the event says.
[[nodiscard]] std::string event_text(const EvictionFacts& facts);
/// What the condition says.
[[nodiscard]] std::string condition_text(const EvictionFacts& facts);
/// "preempted by pod ml/dev on node a": what became of the pod, for a report.
[[nodiscard]] std::string outcome_text(const EvictionFacts& facts);

/// "2 of the 3 pods that pod group \"train\" starts with have waited too long for the rest, and the group starts anew
/// elsewhere": why a group gives back room. REQUIRES: the cause is kIncompleteGroup.
[[nodiscard]] std::string release_text(const Eviction& eviction, const cluster::Cluster& cluster);

/// "pod group ml/train (8 pods)", "pod ml/dev", "surplus pod ml/train-7": who leaves, as one. REQUIRES: there are pods.
[[nodiscard]] std::string text_of(const Eviction& eviction, const cluster::Cluster& cluster);
/// "pod group ml/train", "pod ml/dev"; empty: neither.
[[nodiscard]] std::string text_of(Unit unit, const cluster::Cluster& cluster);

}  // namespace loadline::decision
