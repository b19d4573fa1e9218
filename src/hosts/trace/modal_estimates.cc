#include "hosts/trace/modal_estimates.h"

#include <algorithm>

#include "hosts/trace/portable_math.h"
#include "hosts/trace/trace_time.h"

namespace loadline::trace {
namespace {

constexpr double kShareOfPopular = 0.9;
constexpr std::int64_t kMinute = 60;

std::int64_t popular(std::int64_t run_seconds, double rank) {
  double sum = 0;
  for (const PopularEstimate& each : kPopularEstimates) sum += each.seconds >= run_seconds ? each.popularity : 0;
  double left = rank * sum;
  for (const PopularEstimate& each : kPopularEstimates) {
    if (each.seconds < run_seconds) continue;
    left -= each.popularity;
    if (left < 0) return each.seconds;
  }
  return std::max(run_seconds, kPopularEstimates.back().seconds);
}

std::int64_t unpopular(std::int64_t run_seconds, double rank) {
  const auto least = static_cast<double>(std::max(run_seconds, kMinute));
  const double longest = static_cast<double>(kPopularEstimates.back().seconds) / least;
  const double seconds = least * exponential(rank * natural_log(std::max(longest, 1.0)));
  return (static_cast<std::int64_t>(seconds) + kMinute - 1) / kMinute * kMinute;
}

}  // namespace

Duration modal_estimate(Duration run_time, Rng& rng) {
  const std::int64_t run_seconds = (run_time.nanoseconds + kNanosecondsOfSecond - 1) / kNanosecondsOfSecond;
  const bool is_popular = uniform(rng) < kShareOfPopular;
  const double rank = uniform(rng);
  const std::int64_t seconds = is_popular ? popular(run_seconds, rank) : unpopular(run_seconds, rank);
  return Duration::seconds(std::max(seconds, run_seconds));
}

}  // namespace loadline::trace
