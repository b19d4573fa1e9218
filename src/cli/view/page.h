#pragma once

#include <ostream>

#include "cli/console.h"
#include "cli/view/sections.h"

namespace loadline::cli {

/// Sections with an empty line between any two that have something to say.
class Page {
 public:
  explicit Page(Console& console) : console_(console) {}

  void add(const Lines& lines) {
    if (lines.empty()) return;
    if (started_) console_.out << '\n';
    started_ = true;
    for (const Line& line : lines) console_.out << to_text(line, console_.out_terminal.colour) << '\n';
  }

 private:
  Console& console_;
  bool started_ = false;
};

}  // namespace loadline::cli
