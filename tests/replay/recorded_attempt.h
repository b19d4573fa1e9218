#pragma once

#include "replay/fields.h"
#include "replay/recorded_case.h"

namespace loadline::replay {

/// Reads what the scheduler decided: names of nodes and plugins, and the attempts. Faults are noted in the fields.
void read_expected(const Fields& expected, RecordedCase& recorded);

}  // namespace loadline::replay
