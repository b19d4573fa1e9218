#pragma once

#include <cstdint>

#include "foundation/base/rng.h"
#include "foundation/base/time.h"

namespace loadline::trace {

/// Arrivals of a Poisson process whose rate is constant within an hour and follows the hours of the day and the days of
/// the week, so that a given number of them is to be expected in a given time.
///
/// By inversion: arrivals of a process of rate 1 in "operational time", which passes fast in busy hours (Çinlar,
/// "Introduction to Stochastic Processes", 1975, section 4.7). One draw an arrival, and nothing is rejected.
class ArrivalRhythm {
 public:
  /// `arrivals` are expected between `start` and `span` later. REQUIRES: both are positive.
  ArrivalRhythm(Instant start, Duration span, double arrivals, std::uint64_t seed);

  /// The next arrival, since the start, in whole seconds.
  Duration next();

 private:
  /// The rate in the hour that the process is in, relative to the mean of a week.
  [[nodiscard]] double weight() const;

  Rng rng_;
  std::int64_t hour_ = 0;         // since the Monday before the start
  double hour_left_ = 0;          // seconds of it
  double passed_ = 0;             // seconds since the start
  double seconds_per_event_ = 0;  // in an hour of weight 1
};

/// The mean weight over a span is not 1 unless it is whole weeks: the integral of the weights, in seconds.
double weighted_seconds(Instant start, Duration span);

}  // namespace loadline::trace
