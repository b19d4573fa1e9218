#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "brain/workloads/clique_topology.h"
#include "hosts/operators/grove/grove_kinds.h"
#include "hosts/watching/action.h"

namespace loadline::operators {

/// Finds ClusterTopologyBindings in caches that hold them, which outlive it.
[[nodiscard]] workloads::FindBinding binding_in(const watching::Caches& caches);

/// The gangs of a PodCliqueSet: one for each of its replicas, and one for each replica of a scaling group beyond those
/// that it needs. Each lists the pods of its PodCliques.
/// Source: ai-dynamo/grove v0.1.0-alpha.11, operator/internal/controller/podcliqueset/components/podgang.
class PodGangsPlan {
 public:
  /// Of the first `looked_at` replicas of the set.
  PodGangsPlan(const watching::Observed<kube::PodCliqueSet>& set, const watching::Caches& caches,
               std::int64_t looked_at, Instant now);

  /// Surplus gangs go, the others are made and mended.
  void carry_out(watching::Reconciliation& result) const;
  /// Every gang has all of its pods.
  [[nodiscard]] bool are_complete() const { return are_complete_; }

 private:
  struct Gang {
    std::vector<document::Value> groups;
    bool is_complete = true;
    kube::GrovePackConstraint pack;
    std::vector<kube::GroveSharedConstraint> shared;
  };

  void add_replica(std::int64_t replica);
  void add_group(std::int64_t replica, const kube::CliqueScalingGroup& group);
  [[nodiscard]] std::int64_t looked_at_of(const kube::CliqueScalingGroup& group,
                                          const kube::PodCliqueScalingGroup* made);
  void add_clique(const workloads::CliqueOfSet& of);
  [[nodiscard]] document::Value document_of(const std::string& name, const Gang& gang) const;
  void make(const std::string& name, const Gang& gang, watching::Reconciliation& result) const;
  void mend(const watching::Observed<PodGang>& known, const Gang& gang, watching::Reconciliation& result) const;

  const watching::Observed<kube::PodCliqueSet>& set_;
  const watching::Caches& caches_;
  Instant now_;
  std::size_t left_;  // further replicas of scaling groups, of which there is nothing yet, that this look may be about
  workloads::CliqueTopology topology_;
  std::map<std::string, Gang> gangs_;
  bool is_about_all_ = true;  // replicas of the set and of its scaling groups
  bool are_complete_ = true;
};

}  // namespace loadline::operators
