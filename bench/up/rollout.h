#pragma once

#include <cstddef>
#include <string>

#include "bench/subjects/session.h"
#include "foundation/base/result.h"

namespace loadline::bench {

/// Creates a Deployment, and asks until it says that all its pods are ready. Returns how many seconds that took.
Result<double> roll_out(Session& session, const std::string& name_space, const std::string& name, std::size_t replicas);

}  // namespace loadline::bench
