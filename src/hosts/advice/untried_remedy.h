#pragma once

#include <vector>

#include "brain/cluster/cluster.h"
#include "brain/placement/scheduler.h"
#include "hosts/advice/edit.h"
#include "hosts/simulator/planning.h"

namespace loadline::advice {

/// A remedy that may work, and has yet to be tried.
struct UntriedRemedy {
  Remedy remedy;
  std::vector<cluster::PodId> leaving;  ///< pods to take off their nodes before the scheduler is asked
  /// What it asks of people, the lower the better: mending a mistake, then a toleration, …, then fewer replicas.
  double cost = 0;
};

/// What could make the pod fit, the cheapest first, none twice. For every class of nodes (by what keeps the pod from
/// it, the nearest first) the edits that would remove each obstacle: on the pod, on the node, or by others leaving;
/// then what does not depend on a node: a higher priority class, more nodes, fewer replicas. None of them is known to
/// work. REQUIRES: the subject waits, and reached the cluster.
std::vector<UntriedRemedy> candidates(simulator::Planning& planning, std::size_t subject, const Target& target,
                                      const placement::Examination& examination);

/// The same for a pod that never reached the cluster: gated, refused at admission, held by its queue, or ignored by
/// every scheduler.
std::vector<UntriedRemedy> candidates_before_scheduling(const simulator::Planning& planning, std::size_t subject,
                                                        const Target& target);

}  // namespace loadline::advice
