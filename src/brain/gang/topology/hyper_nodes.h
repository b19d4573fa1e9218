#pragma once

#include <vector>

#include "brain/gang/topology/domain_tree.h"

namespace loadline::gang {

/// The tree that HyperNodes make. A level is a tier, by its number or the name that its HyperNodes give it. A node is
/// in the narrowest HyperNode that has it, a HyperNode in the narrowest that has it and is of a higher tier; tiers may
/// be skipped. Several parents that do not lie in each other, members that are not there, and parents that are not of
/// a higher tier are faults: the first parent by tier and name counts, and the others do not. O(HyperNodes × nodes) for
/// regular expressions and labels, else O(members).
/// Source: Volcano, docs/design/Network Topology Aware Scheduling.md; exactMatch, regexMatch (found anywhere in the
/// name, as Go's MatchString does) and labelMatch.
DomainTree tree_of_hyper_nodes(const cluster::Cluster& cluster, const std::vector<cluster::HyperNode>& hyper_nodes);

}  // namespace loadline::gang
