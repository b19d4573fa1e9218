#pragma once

#include "recorded_decisions/fields.h"
#include "recorded_decisions/recorded_case.h"

namespace loadline::recorded_decisions {

/// Reads what the scheduler saw: objects, pods that wait, events and configuration. Faults are noted in the fields.
void read_input(const Fields& input, RecordedCase& recorded);

/// `persistentVolumes` and `persistentVolumeClaims` as they stood after a binding.
RecordedVolumes read_volumes(const Fields& updates);

}  // namespace loadline::recorded_decisions
