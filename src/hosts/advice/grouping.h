#pragma once

#include <vector>

#include "brain/cluster/cluster.h"
#include "brain/placement/obstacle.h"
#include "hosts/advice/explanation.h"

namespace loadline::advice {

/// The obstacle as the only one of a group without nodes.
GroupObstacle summary_of(const placement::Obstacle& obstacle);

/// Nodes with the same obstacles become one group, however many they are: obstacles are the same if plugin, kind,
/// subject and what is wanted are; what the nodes have instead is summed up. Obstacles that do not matter beside
/// another are left out: of a node without the device that is asked for only that is told. Groups with the fewest
/// obstacles come first, what a machine is made of counting for more; of those the larger. `obstacles` is by node.
/// O(nodes · log nodes).
std::vector<NodeGroup> group_nodes(const std::vector<std::vector<placement::Obstacle>>& obstacles,
                                   const cluster::Cluster& cluster);

}  // namespace loadline::advice
