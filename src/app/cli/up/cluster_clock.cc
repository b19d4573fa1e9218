#include "app/cli/up/cluster_clock.h"

#include <fmt/format.h>

#include <utility>

namespace loadline::cli {
namespace {

using document::Object;
using document::Value;

constexpr Duration kLongestStep = Duration::seconds(std::int64_t{30} * 24 * 3600);

}  // namespace

ClusterClock::ClusterClock(PacedLoop& loop, std::function<void(double, Duration)> on_change)
    : loop_(loop), on_change_(std::move(on_change)), speed_(loop.speed() > 0 ? loop.speed() : 1) {}

void ClusterClock::run_at(double speed) {
  on_change_(speed, {});
  loop_.set_speed(speed);
}

void ClusterClock::pause() { run_at(0); }

void ClusterClock::resume() { run_at(speed_); }

Result<void> ClusterClock::set_speed(double speed) {
  // Also what is no number is out of range.
  if (!(speed >= 0 && speed <= PacedLoop::kFastest)) {
    return failure(fmt::format("a speed is a number from 0 to {:g}", PacedLoop::kFastest));
  }
  if (speed > 0) speed_ = speed;
  run_at(speed);
  return {};
}

Result<void> ClusterClock::step(Duration span, std::function<void()> done) {
  if (span <= Duration{} || span > kLongestStep) return failure("a step is longer than nothing, and 30 days at most");
  if (!is_paused()) pause();
  on_change_(0, span);
  loop_.step(span, [this, done = std::move(done)] {
    on_change_(0, {});
    done();
  });
  return {};
}

Value ClusterClock::document() const {
  return Value(Object{{"now", Value(format_rfc3339(loop_.now())), {}},
                      {"speed", Value(loop_.speed()), {}},
                      {"paused", Value(is_paused()), {}}});
}

}  // namespace loadline::cli
