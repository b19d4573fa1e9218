#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "foundation/base/time.h"
#include "foundation/document/value.h"
#include "hosts/simulator/comparison.h"

namespace loadline::report {

/// What becomes of a gang that leaves drained nodes before a deadline.
struct GangAfterwards {
  std::vector<std::string> nodes;  ///< where its pods are then, each node once; empty: it waits
  std::optional<Instant> at;       ///< when the last of them has its node, or, if it waits, its planned start
  bool is_held = false;            ///< a disruption budget keeps it where it is
  friend bool operator==(const GangAfterwards&, const GangAfterwards&) = default;
};
GangAfterwards afterwards(const simulator::Comparison& comparison, const simulator::LeavingGang& gang);

/// "2 pods leave at 2026-01-01T12:50:00Z (in 50m), right after the checkpoint that is due then; nothing is lost".
std::string leaving_text(const simulator::Comparison& comparison, const simulator::LeavingGang& gang);

/// "goes on at 2026-01-01T12:50:30Z on n3, n4", "then waits, and starts at …". Empty: it leaves nowhere.
std::string afterwards_text(const simulator::Comparison& comparison, const simulator::LeavingGang& gang);

/// {deadline, gangs: […], atOnce: […]}. REQUIRES: the comparison has a schedule.
document::Value drain_schedule_value(const simulator::Comparison& comparison);

}  // namespace loadline::report
