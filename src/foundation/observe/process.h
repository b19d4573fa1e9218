#pragma once

#include <cstdint>

namespace loadline::observe {

/// What the system says about this process. What it does not say is 0.
struct ProcessFigures {
  double cpu_seconds = 0;  ///< user and system
  double resident_bytes = 0;
  double virtual_bytes = 0;
  double start_time_seconds = 0;  ///< since 1970
  double open_files = 0;
  double max_files = 0;
};

/// Reads /proc. O(open files).
[[nodiscard]] ProcessFigures process_figures();

}  // namespace loadline::observe
