#pragma once

#include <cstddef>
#include <vector>

#include "app/cli/terminal/styled.h"
#include "app/cli/terminal/terminal.h"

namespace loadline::cli {

/// A bar of `cells` columns, filled to `percent` rounded down, so that only what is full looks full. Green below 75 %,
/// yellow below 95 %, then red: a load line.
Line bar(int percent, std::size_t cells, Letters letters);

/// One box a device, filled if a pod holds it: [■■□□], ASCII [##..].
Line boxes(const std::vector<bool>& held, Letters letters);

}  // namespace loadline::cli
