#pragma once

#include <vector>

#include "foundation/base/diagnostic.h"
#include "hosts/simulator/intake.h"
#include "objects/kube/objects.h"

namespace loadline::simulator {

/// What to know about RuntimeClasses that pods name and the input lacks, a warning for each: pods were refused for it,
/// or it is taken to exist, because the input is a dump that may have been made without RuntimeClasses.
Diagnostics note_runtime_classes(const kube::Objects& objects, const std::vector<Arrival>& pods);

}  // namespace loadline::simulator
