#pragma once

#include <cstddef>
#include <string>

#include "foundation/document/value.h"
#include "hosts/simulator/comparison.h"

namespace loadline::report {

/// "2 pods leave at 2026-01-01T12:50:00Z (in 50m), right after the checkpoint that is due then; nothing is lost".
std::string leaving_text(const simulator::Comparison& comparison, const simulator::LeavingGang& gang);

/// "goes on at 2026-01-01T12:50:30Z on n3, n4", "then waits, and starts at …": what becomes of the gang of that index
/// in the schedule. Empty: it leaves nowhere. REQUIRES: the comparison has a schedule.
std::string afterwards_text(const simulator::Comparison& comparison, std::size_t gang);

/// "n1 is free at 2026-01-01T12:30:00Z (in 30m) only".
std::string late_node_text(const simulator::Comparison& comparison, const simulator::LateNode& node);

/// {deadline, gangs: […], atOnce: […], late: […]}. REQUIRES: the comparison has a schedule.
document::Value drain_schedule_value(const simulator::Comparison& comparison);

}  // namespace loadline::report
