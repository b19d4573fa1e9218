#pragma once

#include <string>
#include <vector>

#include "foundation/base/rng.h"

namespace loadline::dump {

// Manifests of what decisions read, beside what the simulated users of tests/simulation create: YAML in one line each.
// Random in what they ask for and whether they are there; pods for them come along, as they would in a cluster.

/// For a cluster.
std::vector<std::string> draft_surroundings(Rng& random);

/// An application that is not in the cluster yet, for the option -f: workloads, a pod of an account that is nowhere,
/// and what counts for quotas.
std::string draft_application(Rng& random);

}  // namespace loadline::dump
