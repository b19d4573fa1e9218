#include "workloads/cron_schedule.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <span>
#include <string>
#include <vector>

namespace loadline::workloads {
namespace {

constexpr std::array<std::string_view, 12> kMonths = {"jan", "feb", "mar", "apr", "may", "jun",
                                                      "jul", "aug", "sep", "oct", "nov", "dec"};
constexpr std::array<std::string_view, 7> kDays = {"sun", "mon", "tue", "wed", "thu", "fri", "sat"};
constexpr std::int64_t kSecondsPerDay = 86'400;
constexpr std::int64_t kHorizonDays = 5 * 366;

struct Descriptor {
  std::string_view name;
  std::string_view fields;
};
constexpr std::array<Descriptor, 7> kDescriptors = {{{"@yearly", "0 0 1 1 *"},
                                                     {"@annually", "0 0 1 1 *"},
                                                     {"@monthly", "0 0 1 * *"},
                                                     {"@weekly", "0 0 * * 0"},
                                                     {"@daily", "0 0 * * *"},
                                                     {"@midnight", "0 0 * * *"},
                                                     {"@hourly", "0 * * * *"}}};
constexpr std::string_view kEvery = "@every ";

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  while (true) {
    const std::size_t at = text.find(separator);
    parts.push_back(text.substr(0, at));
    if (at == std::string_view::npos) return parts;
    text.remove_prefix(at + 1);
  }
}

std::vector<std::string_view> words(std::string_view text) {
  std::vector<std::string_view> result;
  for (const std::string_view part : split(text, ' ')) {
    if (!part.empty()) result.push_back(part);
  }
  return result;
}

std::optional<unsigned> parse_number(std::string_view text) {
  unsigned number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (text.empty() || error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

/// A number, or a month's or day's name.
std::optional<unsigned> parse_value(std::string_view text, std::span<const std::string_view> names, unsigned first) {
  std::string lower(text);
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  const auto name = std::find(names.begin(), names.end(), lower);
  if (name != names.end()) return static_cast<unsigned>(name - names.begin()) + first;
  return parse_number(text);
}

/// Whole seconds of a Go duration such as "1h30m"; at least 1. Nothing if it is none.
std::optional<std::int64_t> parse_duration(std::string_view text) {
  std::int64_t seconds = 0;
  if (text.empty()) return std::nullopt;
  while (!text.empty()) {
    const std::size_t digits = text.find_first_not_of("0123456789");
    if (digits == std::string_view::npos || digits > 9) return std::nullopt;
    const auto number = parse_number(text.substr(0, digits));
    const char unit = text[digits];
    if (!number || (unit != 'h' && unit != 'm' && unit != 's')) return std::nullopt;
    seconds += std::int64_t{*number} * (unit == 'h' ? 3600 : unit == 'm' ? 60 : 1);
    text.remove_prefix(digits + 1);
  }
  return std::max<std::int64_t>(seconds, 1);
}

}  // namespace

struct CronSchedule::Bounds {
  unsigned first;
  unsigned last;
  std::span<const std::string_view> names;
};

Result<CronSchedule::Field> CronSchedule::parse_range(std::string_view text, const Bounds& bounds) {
  const auto steps = split(text, '/');
  const auto ends = split(steps[0], '-');
  if (steps.size() > 2) return failure(fmt::format("too many slashes: {}", text));
  if (ends.size() > 2) return failure(fmt::format("too many hyphens: {}", text));
  const bool star = ends[0] == "*" || ends[0] == "?";
  const auto first = star ? bounds.first : parse_value(ends[0], bounds.names, bounds.first);
  auto last = star ? bounds.last : first;
  if (!star && ends.size() == 2) last = parse_value(ends[1], bounds.names, bounds.first);
  if (!star && ends.size() == 1 && steps.size() == 2) last = bounds.last;
  const auto step = steps.size() == 2 ? parse_number(steps[1]) : 1U;
  if (!first || !last || !step) return failure(fmt::format("failed to parse number: {}", text));
  if (*first < bounds.first)
    return failure(fmt::format("beginning of range ({}) below minimum ({}): {}", *first, bounds.first, text));
  if (*last > bounds.last)
    return failure(fmt::format("end of range ({}) above maximum ({}): {}", *last, bounds.last, text));
  if (*first > *last)
    return failure(fmt::format("beginning of range ({}) beyond end of range ({}): {}", *first, *last, text));
  if (*step == 0) return failure(fmt::format("step of range should be a positive number: {}", text));
  Field field{0, star && *step == 1};
  for (unsigned value = *first; value <= *last; value += *step) field.bits |= std::uint64_t{1} << value;
  return field;
}

Result<CronSchedule::Field> CronSchedule::parse_field(std::string_view text, const Bounds& bounds) {
  Field field;
  for (const std::string_view part : split(text, ',')) {
    const Result<Field> range = parse_range(part, bounds);
    if (!range) return range;
    field.bits |= range->bits;
    field.any = field.any || range->any;
  }
  return field;
}

Result<CronSchedule> CronSchedule::parse(std::string_view text) {
  CronSchedule schedule;
  if (text.starts_with(kEvery)) {
    const auto seconds = parse_duration(text.substr(kEvery.size()));
    if (!seconds) return failure(fmt::format("failed to parse duration {}", text));
    schedule.every_seconds_ = *seconds;
    return schedule;
  }
  if (text.starts_with('@')) {
    const auto* const found = std::find_if(kDescriptors.begin(), kDescriptors.end(),
                                           [&](const Descriptor& descriptor) { return descriptor.name == text; });
    if (found == kDescriptors.end()) return failure(fmt::format("unrecognized descriptor: {}", text));
    text = found->fields;
  }
  const std::array<Bounds, 5> bounds = {{{0, 59, {}}, {0, 23, {}}, {1, 31, {}}, {1, 12, kMonths}, {0, 6, kDays}}};
  const auto fields = words(text);
  if (fields.size() != bounds.size()) {
    return failure(fmt::format("expected exactly 5 fields, found {}: [{}]", fields.size(), fmt::join(fields, " ")));
  }
  for (std::size_t i = 0; i < bounds.size(); ++i) {
    const Result<Field> field = parse_field(fields[i], bounds[i]);
    if (!field) return tl::unexpected<Error>(field.error());
    schedule.fields_[i] = *field;
  }
  return schedule;
}

bool CronSchedule::allows_day(std::int64_t days_since_epoch) const {
  const std::chrono::sys_days day{std::chrono::days(days_since_epoch)};
  const std::chrono::year_month_day date(day);
  if (!fields_[kMonth].allows(static_cast<unsigned>(date.month()))) return false;
  const bool of_month = fields_[kDayOfMonth].allows(static_cast<unsigned>(date.day()));
  const bool of_week = fields_[kDayOfWeek].allows(std::chrono::weekday(day).c_encoding());
  return fields_[kDayOfMonth].any || fields_[kDayOfWeek].any ? of_month && of_week : of_month || of_week;
}

std::optional<Instant> CronSchedule::next(Instant now) const {
  const auto floor_seconds =
      std::chrono::floor<std::chrono::seconds>(std::chrono::nanoseconds(now.nanoseconds)).count();
  if (every_seconds_ != 0) return Instant{} + Duration::seconds(floor_seconds + every_seconds_);
  const std::int64_t first_minute =
      std::chrono::floor<std::chrono::minutes>(std::chrono::seconds(floor_seconds)).count() + 1;
  const std::int64_t first_day = std::chrono::floor<std::chrono::days>(std::chrono::minutes(first_minute)).count();
  for (std::int64_t day = first_day; day <= first_day + kHorizonDays; ++day) {
    if (!allows_day(day)) continue;
    for (unsigned minute = 0; minute < 24 * 60; ++minute) {
      if (!fields_[kHour].allows(minute / 60) || !fields_[kMinute].allows(minute % 60)) continue;
      if (day * 24 * 60 + minute < first_minute) continue;
      return Instant{} + Duration::seconds(day * kSecondsPerDay + std::int64_t{minute} * 60);
    }
  }
  return std::nullopt;
}

}  // namespace loadline::workloads
