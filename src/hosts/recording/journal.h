#pragma once

#include <cstdint>
#include <string>
#include <utility>

#include "foundation/base/event_loop.h"
#include "hosts/recording/line.h"

namespace loadline::recording {

/// Takes the lines of a section as they come about.
class LineSink {
 public:
  LineSink() = default;
  LineSink(const LineSink&) = delete;
  LineSink& operator=(const LineSink&) = delete;
  virtual ~LineSink() = default;

  /// What the scheduler is told. `line` has no line feed.
  virtual void input(std::string line) = 0;
  /// What it does.
  virtual void output(std::string line) = 0;
};

/// What the scheduler is told and does, in order. While it works off one input, its clock stands still at the time that
/// the input's line says, so the line says all that it can see.
class Journal {
 public:
  /// Both outlive it.
  Journal(const EventLoop& clock, LineSink& sink) : clock_(clock), sink_(sink), now_(clock.now()) {}
  Journal(const Journal&) = delete;
  Journal& operator=(const Journal&) = delete;

  /// The time of the input that is worked off.
  [[nodiscard]] Instant now() const { return now_; }

  /// An input comes: how its line begins.
  [[nodiscard]] Line input() {
    now_ = clock_.now();
    return Line::input(now_);
  }
  void begin(Line line) {
    pending_.clear();
    ++lines_;
    sink_.input(std::move(line).end());
  }
  /// An input comes that is worth a line only if the scheduler does something about it.
  void begin_if_heeded(Line line) { pending_ = std::move(line).end(); }
  /// The scheduler did something that has no line of its own.
  void heed() {
    if (pending_.empty()) return;
    ++lines_;
    sink_.input(std::exchange(pending_, {}));
  }
  void write(Line line) {
    heed();
    ++lines_;
    sink_.output(std::move(line).end());
  }
  /// How many lines there are.
  [[nodiscard]] std::uint64_t lines() const { return lines_; }

 private:
  const EventLoop& clock_;
  LineSink& sink_;
  Instant now_;
  std::string pending_;
  std::uint64_t lines_ = 0;
};

}  // namespace loadline::recording
