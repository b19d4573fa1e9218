#pragma once

#include <cstddef>
#include <string>

#include "app/cli/console.h"
#include "app/cli/live/api.h"
#include "app/cli/live/cluster_reader.h"
#include "app/cli/live/left_out.h"
#include "foundation/base/result.h"

namespace loadline::cli {

/// A cluster that was written to a file.
struct SavedCluster {
  ClusterReading reading;
  std::size_t bytes = 0;
};

/// Reads a running cluster into a file (ListWriter says of what format), or to standard output for "-", and shows its
/// progress on the console. `left_out` (null: nothing is) takes out of each object what is not to be in the file.
/// Errors name what is wrong; there is no new file then, and an old one is as it was.
Result<SavedCluster> save_cluster(ClusterApi& api, Extent extent, LeftOut* left_out, const std::string& file,
                                  Console& console);

}  // namespace loadline::cli
