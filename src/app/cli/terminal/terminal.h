#pragma once

#include <cstddef>
#include <cstdint>

#include "app/cli/terminal/styled.h"

namespace loadline::cli {

enum class Letters : std::uint8_t { kAscii, kUnicode };

/// What a stream can show.
struct Terminal {
  bool interactive = false;      ///< a person watches it: progress may be drawn
  std::size_t width = 120;       ///< columns to lay out for
  bool is_width_wished = false;  ///< $COLUMNS says so, be it a file that is written
  Colour colour = Colour::kOff;
  Letters letters = Letters::kUnicode;

  /// No line may be wider than `width`: what goes to a file is laid out for it, but what does not fit is not broken.
  [[nodiscard]] bool is_bounded() const { return interactive || is_width_wished; }
};

enum class ColourWish : std::uint8_t { kAuto, kAlways, kNever };

/// Looks at the file descriptor and the environment. Width: the terminal's; else $COLUMNS; else 120; at least 20.
/// Letters: Unicode if the locale's encoding is UTF-8 (LC_ALL, else LC_CTYPE, else LANG), or if none is set. Colour: on
/// a terminal, unless NO_COLOR is set and not empty or TERM is "dumb".
Terminal detect_terminal(int file_descriptor);

/// The terminal with the user's wish about colours applied.
Terminal with_colour(Terminal terminal, ColourWish wish);

}  // namespace loadline::cli
