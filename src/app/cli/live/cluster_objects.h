#pragma once

#include <vector>

#include "app/cli/live/access.h"
#include "foundation/base/diagnostic.h"
#include "objects/kube/codec.h"

namespace loadline::cli {

/// Everything in the running cluster that a plan reads, one list after the other; ConfigMaps are left out. What the
/// server does not serve is passed over; what may not be listed is a warning, except nodes and pods, without which
/// nothing can be said: an error, as when the cluster cannot be reached.
std::vector<kube::SourceDocument> read_cluster(const AccessArguments& arguments, Diagnostics& diagnostics);

}  // namespace loadline::cli
