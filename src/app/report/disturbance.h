#pragma once

#include <string>

#include "foundation/document/value.h"
#include "hosts/simulator/comparison.h"

namespace loadline::report {

/// "2 of 8 pods leave; the other 6 cannot go on: 12 GPU-hours are lost": what a change does to a group that
/// runs.
std::string disturbance_text(const simulator::DisturbedGang& gang);

/// "cheapest at 2026-01-01T14:20:00Z (in 2h10m): no gang is disturbed then". Empty: there is no cheaper moment.
std::string cheapest_moment_text(const simulator::Comparison& comparison);

/// {gpuSeconds, gangs: […], later: {…}}; null: no gang is disturbed.
document::Value disturbance_value(const simulator::Comparison& comparison);

}  // namespace loadline::report
