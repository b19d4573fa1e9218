#pragma once

#include <array>
#include <cstdint>

#include "foundation/base/rng.h"
#include "foundation/base/time.h"

namespace loadline::trace {

struct PopularEstimate {
  std::int64_t seconds;
  double popularity;
};

/// The round numbers that people give, from 5 minutes to the longest that is allowed, which is the most popular.
inline constexpr auto kPopularEstimates = std::to_array<PopularEstimate>(
    {{300, 2.5},  {600, 3.5},  {900, 2.5},  {1200, 1.5}, {1800, 5},    {3600, 9},   {7200, 7},
     {10800, 3},  {14400, 7},  {21600, 4},  {28800, 6},  {36000, 1.5}, {43200, 8},  {64800, 1},
     {86400, 14}, {129600, 1}, {172800, 7}, {259200, 6}, {345600, 2},  {604800, 22}});

/// What a job's owner says it will take, as logs of parallel machines show estimates: nine of ten jobs are given one of
/// twenty round numbers, and none less than it takes, since schedulers end jobs at their estimate. Whatever the run
/// time, the estimate is drawn from the popular values that are not below it, in proportion to their popularity: a
/// multiple of the run time would tell a scheduler too much. The tenth job is given a whole number of minutes between
/// its run time and the longest, evenly on a logarithmic scale.
/// Source: Tsafrir, Etsion, Feitelson, "Modeling User Runtime Estimates", JSSPP 2005, LNCS 3834; Tsafrir, "Using
/// Inaccurate Estimates Accurately", JSSPP 2010, LNCS 6253.
Duration modal_estimate(Duration run_time, Rng& rng);

}  // namespace loadline::trace
