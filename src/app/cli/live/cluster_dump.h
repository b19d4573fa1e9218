#pragma once

#include <vector>

#include "app/cli/live/api.h"
#include "foundation/document/value.h"

namespace loadline::cli {

/// Every object of the cluster that another cluster could be made of, and that plan, explain and lint can read: kind
/// after kind in the order of discovery, each by namespace and name, so that the same cluster gives the same bytes.
/// Left out is what a cluster makes by itself (events, Leases, its own roles and priorities, what APIs compute), and
/// what concerns this one only: resourceVersion, managedFields. Objects of different kinds may be some milliseconds
/// apart.
ApiResult<std::vector<document::Value>> dump_cluster(ClusterApi& api);

/// Whether an object is of those that every cluster makes by itself, and so neither belongs into a snapshot nor is
/// taken from one.
bool is_of_every_cluster(const document::Value& object);

}  // namespace loadline::cli
