#include "hosts/trace/trace_time.h"

#include <fmt/format.h>

#include "objects/kube/scalars.h"

namespace loadline::trace {
namespace {

tl::unexpected<Error> too_long(std::string_view text) {
  return failure(fmt::format("{} is more than a hundred years", kube::quoted(text)));
}

}  // namespace

std::string span_text(Duration span) {
  std::string text = fmt::format("{}", span.nanoseconds / kNanosecondsOfSecond);
  if (span.nanoseconds % kNanosecondsOfSecond == 0) return text;
  text += fmt::format(".{:09}", span.nanoseconds % kNanosecondsOfSecond);
  text.erase(text.find_last_not_of('0') + 1);
  return text;
}

Result<Duration> TraceTimes::parse(std::string_view text) {
  const bool is_point = text.find('T') != std::string_view::npos;
  if (!is_point) {
    if (beginning_) {
      return failure(fmt::format("{} is a span, where the times before are dates", kube::quoted(text)));
    }
    has_begun_ = true;
    return parse_span(text);
  }
  const std::optional<Instant> at = parse_rfc3339(text);
  if (!at) {
    return failure(fmt::format("{} is no time; write seconds, 1h30m or 2026-01-01T00:00:00Z", kube::quoted(text)));
  }
  if (has_begun_ && !beginning_) {
    return failure(fmt::format("{} is a date, where the times before are spans", kube::quoted(text)));
  }
  has_begun_ = true;
  if (!beginning_) beginning_ = at;
  if (*at < *beginning_) return failure(fmt::format("{} is before the first time of the trace", kube::quoted(text)));
  // Seen from the year 1677, the year 2262 is farther than 63 bits reach.
  const std::uint64_t span =
      static_cast<std::uint64_t>(at->nanoseconds) - static_cast<std::uint64_t>(beginning_->nanoseconds);
  if (span > static_cast<std::uint64_t>(kube::kLongestSpan.nanoseconds)) return too_long(text);
  return *at - *beginning_;
}

}  // namespace loadline::trace
