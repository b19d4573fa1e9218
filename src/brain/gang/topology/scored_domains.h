#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "brain/gang/group_attempt.h"
#include "brain/gang/topology/domain_trees.h"

namespace loadline::gang {

/// What becomes of a group in one domain.
struct ScoredDomain {
  std::string name;                    ///< the value of the label
  std::vector<cluster::NodeId> nodes;  ///< in scan order
  GroupAttempt attempt;                ///< kStarts: the group could be there
  std::int64_t score = 0;              ///< the higher, the better; of domains where it could be
};

/// The domains of the label that the group's constraint names, each with what becomes of the group there, in order of
/// their names; if some of its members are on nodes, their domain alone.
struct DomainChoice {
  std::vector<ScoredDomain> domains;
  Refusal
      error;  ///< nothing, or there is no choice: where the members are that are on nodes contradicts the constraint
};

/// Whether the group asks for one label and nothing else: what Kubernetes' schedulingConstraints can say.
bool has_bare_constraint(const cluster::PodGroup& group);

/// Tries the members in each domain, one after another in their order, as gang::attempt() would if the cluster had no
/// other nodes. Where they could be in several, a domain's score is the sum, weighted as the profile says, of how full
/// it is then (most_allocated_in()) and of 100 · members there / the most in any of these domains. Nothing stays in the
/// cluster. O(domains × members) decisions.
/// Source: kube-scheduler v1.36 with TopologyAwareWorkloadScheduling: plugins/topologyaware, plugins/podgrouppodscount,
/// podGroupSchedulingPlacementAlgorithm. REQUIRES: as of gang::attempt(), and has_bare_constraint().
DomainChoice score_domains(cluster::Cluster& cluster, placement::Scheduler& scheduler, DomainTrees& trees,
                           cluster::GroupId group, std::span<const cluster::PodId> members, const Effort& effort = {});

/// Places the group in the domain of the highest score, among equals in the first by name; upstream takes any of them.
/// Where no domain takes the members in their order, and the policy has the search,
/// attempt_close() looks further. In the cluster stands what gang::attempt() leaves there.
/// REQUIRES: as of score_domains().
GroupAttempt attempt_in_best_domain(cluster::Cluster& cluster, placement::Scheduler& scheduler, DomainTrees& trees,
                                    cluster::GroupId group, std::span<const cluster::PodId> members,
                                    const Effort& effort = {});

}  // namespace loadline::gang
