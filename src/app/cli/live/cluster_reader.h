#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "app/cli/live/api.h"
#include "foundation/document/value.h"

namespace loadline::cli {

/// How much of a cluster is read.
enum class Extent : std::uint8_t {
  kDecisions,  ///< all objects of the kinds that decisions read: those of kube::known_kinds()
  kCluster,    ///< all that another cluster could be made of: those, and after them all other kinds
};

/// What came of reading a cluster.
struct ClusterReading {
  std::size_t objects = 0;
  std::size_t kinds = 0;              ///< that have objects
  std::vector<std::string> withheld;  ///< the API server's words, once for each kind that the user may not list
};

struct ClusterReadingOptions {
  Extent extent = Extent::kDecisions;
  /// Called after each page: objects of the resource ("pods") that have been read, and that there are.
  std::function<void(std::string_view plural, std::size_t done, std::size_t total)> progress;
};

/// Reads a running cluster: kind after kind in the order of the registry, each by namespace and name as the API server
/// lists them, so that the same cluster gives the same documents in the same order, to whomever. Asks what is served,
/// and takes each kind in the version that readable_versions prefers among those; what is not served is passed over.
/// Objects come without what concerns their server only (managedFields, resourceVersion), and bear their number in the
/// reading as the line of their mark. Of kinds that no decision reads, what every cluster makes by itself is left out
/// (events, Leases, roles of the system), and what APIs compute. Objects of different kinds may be some milliseconds
/// apart.
///
/// What the user may not list is noted in `withheld`, but for nodes and pods, without which nothing can be said, and
/// for Extent::kCluster, of which half is none: an error, as any other failure is. An error of `take` ends it.
using TakeObject = std::function<Result<void>(document::Value object)>;
ApiResult<ClusterReading> read_cluster(ClusterApi& api, const ClusterReadingOptions& options, const TakeObject& take);

/// Whether an object is of those that every cluster makes by itself, and is not put back from a snapshot.
bool is_of_every_cluster(const document::Value& object);

}  // namespace loadline::cli
