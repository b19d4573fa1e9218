#pragma once

#include "app/conformance/fields.h"
#include "app/conformance/recorded_case.h"

namespace loadline::conformance {

/// Reads what the scheduler decided: names of nodes and plugins, and the attempts. Faults are noted in the fields.
void read_expected(const Fields& expected, RecordedCase& recorded);

}  // namespace loadline::conformance
