#pragma once

#include <iosfwd>

#include "app/cli/terminal/terminal.h"

namespace loadline::cli {

/// All of the outside world that a command talks to: standard input is `in`, results go to `out`, everything about them
/// to `err`.
struct Console {
  std::istream& in;
  std::ostream& out;
  std::ostream& err;
  Terminal out_terminal;
  Terminal err_terminal;
};

/// Exit statuses.
inline constexpr int kDone = 0;
inline constexpr int kNotAllPlaced = 1;  ///< something is pending, rejected, ignored or lost
inline constexpr int kBadInput = 2;      ///< nothing was planned: bad input or bad usage

}  // namespace loadline::cli
