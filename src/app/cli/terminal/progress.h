#pragma once

#include <chrono>
#include <cstddef>
#include <iosfwd>
#include <string>
#include <utility>

#include "app/cli/terminal/terminal.h"

namespace loadline::cli {

/// A progress bar on one line, drawn only for a person, only once the work has taken 300 ms, ten times a second at
/// most, and wiped away at the end; on a narrow terminal the counts without the bar, never a line that breaks. Reads
/// the steady clock; decisions never see it.
class Progress {
 public:
  Progress(std::ostream& out, const Terminal& terminal, std::string label);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void update(std::size_t done, std::size_t total);
  /// What is being done from now on.
  void relabel(std::string label) { label_ = std::move(label); }
  void finish();

 private:
  using Clock = std::chrono::steady_clock;

  std::ostream& out_;
  Terminal terminal_;
  std::string label_;
  Clock::time_point next_drawing_;
  bool drawn_ = false;
};

}  // namespace loadline::cli
