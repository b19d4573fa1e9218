#pragma once

#include <cstddef>
#include <memory>
#include <unordered_map>
#include <vector>

#include "brain/cluster/cluster.h"
#include "brain/decision/eviction.h"
#include "brain/decision/unit.h"

namespace loadline::engine {

/// The evictions that are under way. An eviction is asked for, by a turn, for an overdue start, or by the host (a
/// drain, a taint). Its pods are leaving as soon as the host has begun to carry it out for them: from then on the model
/// counts them as terminating. It is over when the last of them is gone from the model, which nobody has to tell.
///
/// A cache: in a host that begins anew, leaving() is told of each pod that is terminating why it is, as far as its
/// object says; for whom a victim leaves is found by nominations then.
/// Invariant: of the pods that the model knows, those are leaving here that are terminating there, if the host tells
/// of each.
class Evictions {
 public:
  explicit Evictions(const cluster::Cluster& cluster) : cluster_(cluster) {}

  /// It was decided. What was asked for before, and not carried out since, is forgotten with forget_asked(). Pods that
  /// are leaving already go on to leave for what they were asked first. O(pods).
  void ask(decision::Eviction eviction);
  /// What was asked for is not carried out: its pods stay. Those that are leaving are not concerned.
  void forget_asked();

  /// The pod leaves: for what it was asked, if it was. O(1).
  const decision::Eviction& leaving(cluster::PodId pod);
  /// The host has seen that it leaves, for that cause: what it was asked for, if that has the same one.
  const decision::Eviction& leaving(cluster::PodId pod, decision::EvictionCause seen);

  /// By which eviction the pod was asked to leave, or is leaving; null: by none, or it is gone.
  [[nodiscard]] const decision::Eviction* of(cluster::PodId pod) const;
  /// Who gets the room of a pod that leaves: as its eviction says; of a victim of which nothing is known, the first
  /// unit that is nominated to its node and more important. Neither pod nor group: nobody, as far as is known.
  [[nodiscard]] decision::Unit for_whom(cluster::PodId pod) const;
  /// The pods that are leaving, by id. O(n log n), n pods that are under way.
  [[nodiscard]] std::vector<cluster::PodId> leaving() const;

  /// Drops evictions that are over. To be called before ids of pods are used again.
  void forget_gone();

 private:
  struct UnderWay {
    std::shared_ptr<decision::Eviction> eviction;  // shared by its pods
    bool is_leaving = false;
  };
  const decision::Eviction& leave(UnderWay& entry);

  const cluster::Cluster& cluster_;
  std::unordered_map<cluster::PodId, UnderWay> pods_;
  std::vector<cluster::PodId> asked_;  // since the last forget_asked()
};

}  // namespace loadline::engine
