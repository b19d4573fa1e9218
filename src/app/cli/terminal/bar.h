#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "app/cli/terminal/styled.h"
#include "app/cli/terminal/terminal.h"

namespace loadline::cli {

/// A bar of `cells` columns, filled to `percent` rounded down, so that only what is full looks full. Green below 75 %,
/// yellow below 95 %, then red: a load line.
Line bar(int percent, std::size_t cells, Letters letters);

enum class Box : std::uint8_t { kFree, kHeld, kReserved };

/// One box a device, filled if a pod holds it, half so if it is reserved for one to come: [■■▣□], ASCII [##+.].
Line boxes(const std::vector<Box>& devices, Letters letters);

}  // namespace loadline::cli
