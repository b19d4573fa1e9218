#include "objects/kube/batch/zoned_schedule.h"

#include <fmt/format.h>

#include <chrono>
#include <cstdlib>

namespace loadline::kube {
namespace {

constexpr std::int64_t kSecond = 1'000'000'000;
constexpr int kMaxSpans = 64;  // many more than places change their clocks in the years that a schedule looks ahead

std::int64_t seconds_of(Instant at) {
  return std::chrono::floor<std::chrono::seconds>(std::chrono::nanoseconds(at.nanoseconds)).count();
}

}  // namespace

/// While the offset stays the same, the wall clock is UTC and a bit: so one span after the other is looked at.
std::optional<Instant> ZonedSchedule::next(Instant now) const {
  if (schedule_.is_interval()) return schedule_.next(now);
  TimeZone::Span span = zone_.at(seconds_of(now));
  for (int i = 0; i < kMaxSpans; ++i) {
    const Duration offset = Duration::seconds(span.offset);
    const std::optional<Instant> run = schedule_.next(now + offset);
    if (!run) return std::nullopt;
    const Instant at = *run + Duration{-offset.nanoseconds};
    if (!span.end || seconds_of(at) < *span.end) return at;
    now = Instant{(*span.end - 1) * kSecond};  // the first second of the next span is behind that
    span = zone_.at(*span.end);
  }
  return std::nullopt;
}

std::string ZonedSchedule::format(Instant at) const {
  const std::int64_t offset = zone_.at(seconds_of(at)).offset;
  std::string text = format_rfc3339(at + Duration::seconds(offset));
  if (offset == 0) return text;
  text.pop_back();  // the Z
  const std::int64_t minutes = std::abs(offset) / 60;
  return fmt::format("{}{}{:02}:{:02}", text, offset < 0 ? '-' : '+', minutes / 60, minutes % 60);
}

std::optional<std::string_view> zone_in_schedule(std::string_view schedule) {
  if (!schedule.starts_with("TZ=") && !schedule.starts_with("CRON_TZ=")) return std::nullopt;
  schedule.remove_prefix(schedule.find('=') + 1);
  return schedule.substr(0, schedule.find(' '));
}

}  // namespace loadline::kube
