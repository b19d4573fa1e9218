#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "foundation/base/result.h"
#include "foundation/base/time.h"
#include "objects/kube/expected_run.h"

namespace loadline::trace {

inline constexpr std::int64_t kNanosecondsOfSecond = 1'000'000'000;

using kube::parse_span;

/// Seconds, as parse_span reads them back: "90", "0.5".
std::string span_text(Duration span);

/// Points of time in one trace: spans since its beginning, or RFC 3339 ("2026-01-01T00:00:00Z"), which counts from the
/// first point that was read. A trace has one or the other.
class TraceTimes {
 public:
  Result<Duration> parse(std::string_view text);

 private:
  bool has_begun_ = false;
  std::optional<Instant> beginning_;  // of a trace in RFC 3339
};

}  // namespace loadline::trace
