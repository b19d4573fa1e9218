#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "app/cli/terminal/styled.h"
#include "app/cli/terminal/terminal.h"

namespace loadline::cli {

/// A column a value, as high as its share of `most`: "▁▃▅█"; ASCII "_-=#". What is not zero does not look like zero,
/// and only what is full looks full. All values are low if `most` is 0.
Line sparkline(const std::vector<double>& values, double most, Letters letters);

/// What is done in a cell of a strip of time.
enum class Stretch : std::uint8_t { kNothing, kWaiting, kStarting, kRunning, kFailed };

/// A column a cell: blank, "·" while it waits, "▒" while some of it runs, "█" while all of it does, "▓" if that failed;
/// ASCII ".", "+", "#" and "x".
Line strip(const std::vector<Stretch>& cells, Letters letters);

}  // namespace loadline::cli
