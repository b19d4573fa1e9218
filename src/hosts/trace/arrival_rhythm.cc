#include "hosts/trace/arrival_rhythm.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

#include "foundation/base/contract.h"
#include "hosts/trace/portable_math.h"
#include "hosts/trace/trace_time.h"

namespace loadline::trace {
namespace {

constexpr std::int64_t kHour = 3600;
constexpr std::int64_t kHoursOfDay = 24;
constexpr std::int64_t kHoursOfWeek = 7 * kHoursOfDay;
/// 1970-01-01 was a Thursday: hours from the Monday before.
constexpr std::int64_t kHoursBeforeEpoch = 3 * kHoursOfDay;

/// Nights are quiet, noon and the evening meal show; the busiest hour has four times the arrivals of the quietest.
constexpr std::array kHourWeights = {0.62, 0.50, 0.42, 0.37, 0.35, 0.36, 0.43, 0.60, 0.92, 1.24, 1.40, 1.36,
                                     1.15, 1.20, 1.42, 1.46, 1.42, 1.34, 1.14, 1.12, 1.24, 1.26, 1.12, 0.86};
constexpr std::array kDayWeights = {1.12, 1.16, 1.16, 1.14, 1.10, 0.66, 0.66};  // Monday first

double weight_of(std::int64_t hour_of_week) {
  return kDayWeights[static_cast<std::size_t>(hour_of_week / kHoursOfDay)] *
         kHourWeights[static_cast<std::size_t>(hour_of_week % kHoursOfDay)];
}

/// Whole hours since some Monday, and the seconds of the next that have passed.
std::pair<std::int64_t, std::int64_t> hour_and_seconds(Instant at) {
  std::int64_t seconds = at.nanoseconds / kNanosecondsOfSecond - (at.nanoseconds % kNanosecondsOfSecond < 0 ? 1 : 0);
  seconds += kHoursBeforeEpoch * kHour;
  std::int64_t hour = seconds / kHour - (seconds % kHour < 0 ? 1 : 0);
  const std::int64_t rest = seconds - hour * kHour;
  hour %= kHoursOfWeek;
  return {hour < 0 ? hour + kHoursOfWeek : hour, rest};
}

}  // namespace

double weighted_seconds(Instant start, Duration span) {
  const auto [first, passed] = hour_and_seconds(start);
  double week = 0;
  for (std::int64_t hour = 0; hour < kHoursOfWeek; ++hour) week += weight_of(hour) * kHour;
  std::int64_t left = span.nanoseconds / kNanosecondsOfSecond;
  double sum = static_cast<double>(left / (kHoursOfWeek * kHour)) * week;
  left %= kHoursOfWeek * kHour;
  std::int64_t in_hour = std::min(left, kHour - passed);
  for (std::int64_t hour = first; left > 0; hour = (hour + 1) % kHoursOfWeek) {
    sum += weight_of(hour) * static_cast<double>(in_hour);
    left -= in_hour;
    in_hour = std::min(left, kHour);
  }
  return sum;
}

ArrivalRhythm::ArrivalRhythm(Instant start, Duration span, double arrivals, std::uint64_t seed) : rng_(seed) {
  REQUIRES(span > Duration{} && arrivals > 0);
  const auto [hour, passed] = hour_and_seconds(start);
  hour_ = hour;
  hour_left_ = static_cast<double>(kHour - passed);
  seconds_per_event_ = weighted_seconds(start, span) / arrivals;
}

double ArrivalRhythm::weight() const { return weight_of(hour_ % kHoursOfWeek); }

Duration ArrivalRhythm::next() {
  double operational = -natural_log(uniform(rng_)) * seconds_per_event_;
  while (operational >= hour_left_ * weight()) {
    operational -= hour_left_ * weight();
    passed_ += hour_left_;
    hour_left_ = kHour;
    hour_ = (hour_ + 1) % kHoursOfWeek;
  }
  const double seconds = operational / weight();
  hour_left_ -= seconds;
  passed_ += seconds;
  return Duration::seconds(static_cast<std::int64_t>(passed_));
}

}  // namespace loadline::trace
