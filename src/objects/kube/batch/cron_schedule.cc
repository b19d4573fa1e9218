#include "objects/kube/batch/cron_schedule.h"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "foundation/base/text.h"
#include "objects/kube/decoder.h"
#include "objects/kube/scalars.h"

namespace loadline::kube {
namespace {

constexpr std::array<std::string_view, 12> kMonths = {"jan", "feb", "mar", "apr", "may", "jun",
                                                      "jul", "aug", "sep", "oct", "nov", "dec"};
constexpr std::array<std::string_view, 7> kWeekdays = {"sun", "mon", "tue", "wed", "thu", "fri", "sat"};
constexpr std::int64_t kNanosecondsPerSecond = 1'000'000'000;
constexpr std::int64_t kMinutesPerDay = std::int64_t{24} * 60;
constexpr int kYearsAhead = 5;

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

Result<std::int64_t> parse_number(std::string_view text) {
  std::string_view digits = text;
  if (digits.size() > 1 && digits[0] == '+' && digits[1] != '-') digits.remove_prefix(1);
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  const std::string prefix =
      "failed to parse int from " + std::string(text) + ": strconv.Atoi: parsing " + quoted(text);
  if (error == std::errc::result_out_of_range) return failure(prefix + ": value out of range");
  if (error != std::errc{} || end != digits.data() + digits.size()) return failure(prefix + ": invalid syntax");
  if (number < 0) return failure("negative number (" + std::to_string(number) + ") not allowed: " + std::string(text));
  return number;
}

/// A number, or a month's or day's name.
Result<std::int64_t> parse_value(std::string_view text, std::span<const std::string_view> names, std::int64_t first) {
  const auto found = std::find(names.begin(), names.end(), lower_case(text));
  if (found == names.end()) return parse_number(text);
  return first + (found - names.begin());
}

/// Why a range can hold no value, or steps on the spot; nothing if it is in order.
std::optional<std::string> range_fault(std::int64_t first, std::int64_t last, std::int64_t step, std::int64_t lowest,
                                       std::int64_t highest) {
  const auto said = [](const char* what, std::int64_t value, const char* than, std::int64_t bound) {
    return what + (" (" + std::to_string(value)) + ") " + than + " (" + std::to_string(bound) + ")";
  };
  if (first < lowest) return said("beginning of range", first, "below minimum", lowest);
  if (last > highest) return said("end of range", last, "above maximum", highest);
  if (first > last) return said("beginning of range", first, "beyond end of range", last);
  if (step == 0) return "step of range should be a positive number";
  return std::nullopt;
}

/// Nothing if 64 bits of nanoseconds cannot reach it.
std::optional<Instant> instant_of(std::int64_t seconds) {
  if (seconds > std::numeric_limits<std::int64_t>::max() / kNanosecondsPerSecond) return std::nullopt;
  return Instant{} + Duration::seconds(seconds);
}

}  // namespace

struct CronSchedule::Bounds {
  std::int64_t first;
  std::int64_t last;
  std::span<const std::string_view> names;  // of first, first + 1, …
};

Result<CronSchedule::Field> CronSchedule::parse_range(std::string_view text, const Bounds& bounds) {
  const std::vector<std::string_view> range_and_step = split(text, "/");
  const std::vector<std::string_view> ends = split(range_and_step[0], "-");
  const bool star = ends[0] == "*" || ends[0] == "?";
  Result<std::int64_t> first = bounds.first;
  Result<std::int64_t> last = bounds.last;
  if (!star) {
    first = parse_value(ends[0], bounds.names, bounds.first);
    if (!first) return tl::unexpected<Error>(first.error());
    if (ends.size() > 2) return failure("too many hyphens: " + std::string(text));
    last = ends.size() == 2 ? parse_value(ends[1], bounds.names, bounds.first) : first;
    if (!last) return tl::unexpected<Error>(last.error());
  }
  Result<std::int64_t> step = 1;
  if (range_and_step.size() > 2) return failure("too many slashes: " + std::string(text));
  if (range_and_step.size() == 2) {
    step = parse_number(range_and_step[1]);
    if (!step) return tl::unexpected<Error>(step.error());
    if (ends.size() == 1) last = bounds.last;
  }
  if (const auto fault = range_fault(*first, *last, *step, bounds.first, bounds.last)) {
    return failure(*fault + ": " + std::string(text));
  }
  Field field{0, star && *step == 1};
  const std::int64_t stride = std::min(*step, bounds.last + 1);  // so that no sum overflows
  for (std::int64_t value = *first; value <= *last; value += stride) field.bits |= std::uint64_t{1} << value;
  return field;
}

Result<CronSchedule::Field> CronSchedule::parse_field(std::string_view text, const Bounds& bounds) {
  Field field;
  for (const std::string_view part : words(text, ",")) {
    const Result<Field> range = parse_range(part, bounds);
    if (!range) return range;
    field.bits |= range->bits;
    field.any = field.any || range->any;
  }
  return field;
}

Result<CronSchedule> CronSchedule::parse_fields(std::string_view text) {
  const std::array<Bounds, 5> bounds = {{{0, 59, {}}, {0, 23, {}}, {1, 31, {}}, {1, 12, kMonths}, {0, 6, kWeekdays}}};
  const std::vector<std::string_view> fields = words(text);
  if (fields.size() != bounds.size()) {
    return failure("expected exactly 5 fields, found " + std::to_string(fields.size()) + ": [" + joined(fields, " ") +
                   "]");
  }
  CronSchedule schedule;
  for (std::size_t i = 0; i < bounds.size(); ++i) {
    const Result<Field> field = parse_field(fields[i], bounds[i]);
    if (!field) return tl::unexpected<Error>(field.error());
    schedule.fields_[i] = *field;
  }
  return schedule;
}

Result<CronSchedule> CronSchedule::parse_descriptor(std::string_view text) {
  const auto* const found = std::find_if(kDescriptors.begin(), kDescriptors.end(),
                                         [&](const Descriptor& descriptor) { return descriptor.name == text; });
  if (found != kDescriptors.end()) return parse_fields(found->fields);
  if (!text.starts_with(kEvery)) return failure("unrecognized descriptor: " + std::string(text));
  const Result<Duration> span = parse_duration(text.substr(kEvery.size()));
  if (!span) return failure("failed to parse duration " + std::string(text) + ": " + span.error().message);
  CronSchedule schedule;
  schedule.every_seconds_ = std::max<std::int64_t>(span->nanoseconds / kNanosecondsPerSecond, 1);
  return schedule;
}

Result<CronSchedule> CronSchedule::parse(std::string_view text) {
  if (text.empty()) return failure("empty spec string");
  if (text.starts_with("TZ=") || text.starts_with("CRON_TZ=")) {
    const std::size_t space = text.find(' ');
    if (space == std::string_view::npos) {
      return failure("invalid schedule format: runtime error: slice bounds out of range [:-1]");
    }
    text = trim(text.substr(space));
  }
  return text.starts_with('@') ? parse_descriptor(text) : parse_fields(text);
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
  using std::chrono::floor;
  const auto second = floor<std::chrono::seconds>(std::chrono::nanoseconds(now.nanoseconds));
  if (every_seconds_ != 0) return instant_of(second.count() + every_seconds_);
  const std::int64_t first_minute = floor<std::chrono::minutes>(second).count() + 1;
  const auto today = floor<std::chrono::days>(std::chrono::minutes(first_minute));
  const std::chrono::year_month_day date{std::chrono::sys_days(today)};
  const auto last_year = date.year() + std::chrono::years(kYearsAhead);
  const std::chrono::sys_days last_day = last_year / std::chrono::December / 31;
  for (std::int64_t day = today.count(); day <= last_day.time_since_epoch().count(); ++day) {
    if (!allows_day(day)) continue;
    for (unsigned minute = 0; minute < kMinutesPerDay; ++minute) {
      if (!fields_[kHour].allows(minute / 60) || !fields_[kMinute].allows(minute % 60)) continue;
      const std::int64_t at = day * kMinutesPerDay + minute;
      if (at >= first_minute) return instant_of(at * 60);
    }
  }
  return std::nullopt;
}

}  // namespace loadline::kube
