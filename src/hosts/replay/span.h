#pragma once

#include "foundation/base/time.h"

namespace loadline::replay {

constexpr Duration operator+(Duration a, Duration b) { return {a.nanoseconds + b.nanoseconds}; }
constexpr Duration operator-(Duration a, Duration b) { return {a.nanoseconds - b.nanoseconds}; }

}  // namespace loadline::replay
