#pragma once

#include <string>

#include "brain/cluster/cluster.h"
#include "brain/gang/refusal.h"

namespace loadline::gang {

/// What is said of the group, or to its member: kube-scheduler's words where it has some. Nothing: an empty text.
/// REQUIRES: the pods and nodes that it tells of are in the cluster.
std::string text(const cluster::Cluster& cluster, const Refusal& refusal);

/// A sentence that follows "preemption: ".
std::string text(const NoVictims& why);

}  // namespace loadline::gang
