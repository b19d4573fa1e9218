#pragma once

#include <vector>

#include "base/diagnostic.h"
#include "kube/objects.h"
#include "simulator/intake.h"

namespace loadline::simulator {

/// What to know about RuntimeClasses that pods name and the input lacks, a warning for each: pods were refused for it,
/// or it is taken to exist, because the input is a dump that may have been made without RuntimeClasses.
Diagnostics note_runtime_classes(const kube::Objects& objects, const std::vector<Arrival>& pods);

}  // namespace loadline::simulator
