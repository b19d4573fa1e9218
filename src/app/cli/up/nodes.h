#pragma once

#include <string>
#include <vector>

#include "app/cli/up/arguments.h"
#include "foundation/base/result.h"
#include "foundation/base/time.h"
#include "foundation/document/value.h"
#include "hosts/embedded/cluster.h"
#include "hosts/watching/caches.h"

namespace loadline::cli {

/// The virtual nodes that a cluster is to have: those asked for with --nodes and those of the files; if there are
/// neither, a few to begin with, in a cluster without any. Errors: a description that cannot be read; no node of the
/// name that others are to be like.
Result<void> choose_nodes(const UpArguments& arguments, const std::vector<document::Value>& of_files, Instant now,
                          embedded::ClusterOptions& options);

/// "nodes            4 virtual, 16 nvidia.com/gpu\n".
std::string describe_nodes(const watching::Caches& caches);

}  // namespace loadline::cli
