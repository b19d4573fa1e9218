#include "server/api/columns/human_duration.h"

#include <cstdint>
#include <string_view>

namespace loadline::api {
namespace {

constexpr std::int64_t kMinute = 60;
constexpr std::int64_t kHour = 60 * kMinute;
constexpr std::int64_t kDaysOfYear = 365;

std::int64_t whole_seconds(Duration span) { return span.nanoseconds / 1'000'000'000; }

std::string one_unit(std::int64_t count, char unit) { return std::to_string(count) + unit; }

/// "9m59s"; "9m" if there is no rest.
std::string two_units(std::int64_t count, char unit, std::int64_t rest, char rest_unit) {
  return rest == 0 ? one_unit(count, unit) : one_unit(count, unit) + one_unit(rest, rest_unit);
}

std::string days_and_years(std::int64_t hours) {
  const std::int64_t days = hours / 24;
  if (hours < 24 * 8) return two_units(days, 'd', hours % 24, 'h');
  if (days < 2 * kDaysOfYear) return one_unit(days, 'd');
  const std::int64_t years = days / kDaysOfYear;
  if (days < 8 * kDaysOfYear) return two_units(years, 'y', days % kDaysOfYear, 'd');
  return one_unit(years, 'y');
}

}  // namespace

std::string human_duration(Duration span) {
  const std::int64_t seconds = whole_seconds(span);
  if (seconds < -1) return "<invalid>";
  if (seconds < 0) return "0s";
  if (seconds < 2 * kMinute) return one_unit(seconds, 's');
  const std::int64_t minutes = seconds / kMinute;
  if (minutes < 10) return two_units(minutes, 'm', seconds % kMinute, 's');
  if (minutes < 3 * 60) return one_unit(minutes, 'm');
  const std::int64_t hours = seconds / kHour;
  if (hours < 8) return two_units(hours, 'h', minutes % 60, 'm');
  if (hours < 48) return one_unit(hours, 'h');
  return days_and_years(hours);
}

}  // namespace loadline::api
