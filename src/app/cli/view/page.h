#pragma once

#include <ostream>

#include "app/cli/console.h"
#include "app/cli/terminal/visible_stream.h"
#include "app/cli/view/sections.h"

namespace loadline::cli {

/// The lines, those that are too wide for the page broken.
inline void write_lines(const Lines& lines, Console& console) {
  const Terminal& terminal = console.out_terminal;
  for (const Line& line : lines) {
    const Lines parts = terminal.is_bounded() ? line.wrapped(terminal.width) : Lines{line};
    for (const Line& part : parts) write_as_it_is(console.out, to_text(part, terminal.colour) + '\n');
  }
}

/// Sections with an empty line between any two that have something to say.
class Page {
 public:
  explicit Page(Console& console) : console_(console) {}

  void add(const Lines& lines) {
    if (lines.empty()) return;
    if (started_) console_.out << '\n';
    started_ = true;
    write_lines(lines, console_);
  }

 private:
  Console& console_;
  bool started_ = false;
};

}  // namespace loadline::cli
