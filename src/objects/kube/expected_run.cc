#include "objects/kube/expected_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <string>

#include "objects/kube/scalars.h"

namespace loadline::kube {
namespace {

constexpr std::int64_t kNanosecondsOfSecond = 1'000'000'000;
constexpr std::size_t kFractionDigits = 9;
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
  if (nanoseconds > kLongestSpan.nanoseconds / kNanosecondsOfSecond) return Duration{kLongestSpan.nanoseconds + 1};
  for (std::size_t i = 0; i < kFractionDigits; ++i) {
    nanoseconds = 10 * nanoseconds + (i < fraction.size() ? fraction[i] - '0' : 0);
  }
  return Duration{nanoseconds};
}

tl::unexpected<Error> too_long(std::string_view text) {
  return failure(fmt::format("{} is more than a hundred years", quoted(text)));
}

}  // namespace

Result<Duration> parse_span(std::string_view text) {
  std::optional<Duration> span = parse_seconds(text);
  if (!span) {
    const auto parsed = parse_duration(text);
    if (!parsed) {
      return failure(fmt::format("{} is no span of time; write seconds or 1h30m", quoted(text)));
    }
    span = *parsed;
  }
  if (*span < Duration{}) return failure(fmt::format("{} is negative", quoted(text)));
  if (*span > kLongestSpan) return too_long(text);
  return *span;
}

namespace {

/// What the annotation says; nothing: it is not there, or cannot be read.
std::optional<Duration> span_of(const std::string& text) {
  const Result<Duration> span = parse_span(text);
  return span ? std::optional(*span) : std::nullopt;
}

}  // namespace

std::optional<Duration> expected_run(const ObjectMeta& metadata, std::optional<Duration> bound) {
  for (const std::string_view name : {kExpectedDurationAnnotation, kKueueEstimateAnnotation}) {
    const auto annotation = metadata.annotations.find(name);
    if (annotation != metadata.annotations.end()) return span_of(annotation->second);
  }
  if (bound) return std::clamp(*bound, Duration{}, kLongestSpan);
  const auto label = metadata.labels.find(kMaxExecTimeLabel);
  return label == metadata.labels.end() ? std::nullopt : max_exec_time(label->second);
}

std::optional<Duration> max_exec_time(std::string_view label) {
  std::int32_t seconds = 0;
  const auto [end, error] = std::from_chars(label.data(), label.data() + label.size(), seconds);
  if (error != std::errc() || end != label.data() + label.size() || seconds <= 0) return std::nullopt;
  return Duration::seconds(seconds);
}

std::optional<Duration> expected_run(const ObjectMeta& metadata, std::optional<std::int64_t> active_deadline_seconds) {
  if (!active_deadline_seconds) return expected_run(metadata, std::optional<Duration>());
  constexpr std::int64_t kMost = kLongestSpan.nanoseconds / kNanosecondsOfSecond;
  return expected_run(metadata, Duration::seconds(std::clamp<std::int64_t>(*active_deadline_seconds, 0, kMost)));
}

std::optional<Duration> expected_run(const Pod& pod) {
  return expected_run(pod.metadata, pod.spec->active_deadline_seconds);
}

}  // namespace loadline::kube
