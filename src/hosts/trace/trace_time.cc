#include "hosts/trace/trace_time.h"

#include <fmt/format.h>

#include <algorithm>

#include "objects/kube/scalars.h"

namespace loadline::trace {
namespace {

constexpr std::size_t kFractionDigits = 9;
constexpr Duration kLongest = Duration::seconds(std::int64_t{100} * 366 * 24 * 3600);
constexpr std::size_t kMostDigits = 12;  // of whole seconds

bool are_digits(std::string_view text) {
  return std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

/// "90" or "0.5"; nothing if the text is not that. Digits behind the ninth of a fraction are dropped.
std::optional<Duration> parse_seconds(std::string_view text) {
  const std::size_t point = text.find('.');
  const std::string_view whole = text.substr(0, point);
  const std::string_view fraction = point == std::string_view::npos ? std::string_view() : text.substr(point + 1);
  if (whole.empty() || whole.size() > kMostDigits || !are_digits(whole) || !are_digits(fraction)) return std::nullopt;
  if (point != std::string_view::npos && fraction.empty()) return std::nullopt;
  std::int64_t nanoseconds = 0;
  for (const char c : whole) nanoseconds = 10 * nanoseconds + (c - '0');
  // Twelve digits of seconds do not fit nanoseconds; what is too long is told by the caller.
  if (nanoseconds > kLongest.nanoseconds / kNanosecondsOfSecond) return Duration{kLongest.nanoseconds + 1};
  for (std::size_t i = 0; i < kFractionDigits; ++i) {
    nanoseconds = 10 * nanoseconds + (i < fraction.size() ? fraction[i] - '0' : 0);
  }
  return Duration{nanoseconds};
}

tl::unexpected<Error> too_long(std::string_view text) {
  return failure(fmt::format("{} is more than a hundred years", kube::quoted(text)));
}

}  // namespace

Result<Duration> parse_span(std::string_view text) {
  std::optional<Duration> span = parse_seconds(text);
  if (!span) {
    const auto parsed = kube::parse_duration(text);
    if (!parsed) {
      return failure(fmt::format("{} is no span of time; write seconds or 1h30m", kube::quoted(text)));
    }
    span = *parsed;
  }
  if (*span < Duration{}) return failure(fmt::format("{} is negative", kube::quoted(text)));
  if (*span > kLongest) return too_long(text);
  return *span;
}

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
  if (span > static_cast<std::uint64_t>(kLongest.nanoseconds)) return too_long(text);
  return *at - *beginning_;
}

}  // namespace loadline::trace
