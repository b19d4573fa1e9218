#pragma once

#include "recorded_decisions/fields.h"
#include "recorded_decisions/recorded_case.h"

namespace loadline::recorded_decisions {

/// Reads what the scheduler decided: names of nodes and plugins, and the attempts. Faults are noted in the fields.
void read_expected(const Fields& expected, RecordedCase& recorded);

}  // namespace loadline::recorded_decisions
