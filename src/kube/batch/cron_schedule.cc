#include "kube/batch/cron_schedule.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <span>
#include <utility>
#include <vector>

#include "kube/decoder.h"
#include "kube/names.h"

namespace loadline::kube {
namespace {

constexpr std::string_view kMonths[] = {"jan", "feb", "mar", "apr", "may", "jun",
                                        "jul", "aug", "sep", "oct", "nov", "dec"};
constexpr std::string_view kWeekdays[] = {"sun", "mon", "tue", "wed", "thu", "fri", "sat"};

struct Bounds {
  std::int64_t min;
  std::int64_t max;
  std::span<const std::string_view> names;  // of min, min + 1, ...
};

constexpr std::array<Bounds, 5> kFields = {
    {{0, 59, {}}, {0, 23, {}}, {1, 31, {}}, {1, 12, kMonths}, {0, 6, kWeekdays}}};

constexpr std::string_view kDescriptors[] = {"@yearly", "@annually", "@monthly", "@weekly",
                                             "@daily",  "@midnight", "@hourly"};

using Problem = std::optional<std::string>;

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  while (true) {
    const std::size_t at = text.find(separator);
    parts.push_back(text.substr(0, at));
    if (at == std::string_view::npos) return parts;
    text.remove_prefix(at + 1);
  }
}

/// Non-empty stretches between separators.
std::vector<std::string_view> fields_of(std::string_view text, std::string_view separators) {
  std::vector<std::string_view> fields;
  while (true) {
    const std::size_t start = text.find_first_not_of(separators);
    if (start == std::string_view::npos) return fields;
    text.remove_prefix(start);
    const std::size_t length = std::min(text.find_first_of(separators), text.size());
    fields.push_back(text.substr(0, length));
    text.remove_prefix(length);
  }
}

Problem read_number(std::string_view text, std::int64_t& number) {
  std::string_view digits = text;
  if (digits.size() > 1 && digits[0] == '+' && digits[1] != '-') digits.remove_prefix(1);
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  const std::string prefix =
      "failed to parse int from " + std::string(text) + ": strconv.Atoi: parsing " + quoted(text);
  if (error == std::errc::result_out_of_range) return prefix + ": value out of range";
  if (error != std::errc{} || end != digits.data() + digits.size()) return prefix + ": invalid syntax";
  if (number < 0) return "negative number (" + std::to_string(number) + ") not allowed: " + std::string(text);
  return std::nullopt;
}

Problem read_number_or_name(std::string_view text, const Bounds& bounds, std::int64_t& number) {
  const auto found = std::find(bounds.names.begin(), bounds.names.end(), lower_case(text));
  if (found == bounds.names.end()) return read_number(text, number);
  number = bounds.min + (found - bounds.names.begin());
  return std::nullopt;
}

Problem check_range(std::string_view expression, const Bounds& bounds) {
  const std::vector<std::string_view> range_and_step = split(expression, '/');
  const std::vector<std::string_view> ends = split(range_and_step[0], '-');
  std::int64_t start = bounds.min;
  std::int64_t end = bounds.max;
  if (ends[0] != "*" && ends[0] != "?") {
    if (Problem problem = read_number_or_name(ends[0], bounds, start)) return problem;
    if (ends.size() > 2) return "too many hyphens: " + std::string(expression);
    end = start;
    if (ends.size() == 2) {
      if (Problem problem = read_number_or_name(ends[1], bounds, end)) return problem;
    }
  }
  std::int64_t step = 1;
  if (range_and_step.size() > 2) return "too many slashes: " + std::string(expression);
  if (range_and_step.size() == 2) {
    if (Problem problem = read_number(range_and_step[1], step)) return problem;
    if (ends.size() == 1) end = bounds.max;
  }
  const auto said = [&](std::string_view what, std::int64_t value, std::string_view than, std::int64_t bound) {
    return std::string(what) + " (" + std::to_string(value) + ") " + std::string(than) + " (" + std::to_string(bound) +
           "): " + std::string(expression);
  };
  if (start < bounds.min) return said("beginning of range", start, "below minimum", bounds.min);
  if (end > bounds.max) return said("end of range", end, "above maximum", bounds.max);
  if (start > end) return said("beginning of range", start, "beyond end of range", end);
  if (step == 0) return "step of range should be a positive number: " + std::string(expression);
  return std::nullopt;
}

/// Whether Go's time.ParseDuration reads it: numbers with units, for example "1h30m".
bool is_duration(std::string_view text) {
  if (!text.empty() && (text[0] == '-' || text[0] == '+')) text.remove_prefix(1);
  if (text == "0") return true;
  if (text.empty()) return false;
  while (!text.empty()) {
    const std::size_t digits = std::min(text.find_first_not_of("0123456789."), text.size());
    const std::string_view number = text.substr(0, digits);
    if (std::count(number.begin(), number.end(), '.') > 1 || number.find_first_not_of('.') == std::string_view::npos) {
      return false;
    }
    text.remove_prefix(digits);
    const std::size_t letters = std::min(text.find_first_of("0123456789."), text.size());
    const std::string_view unit = text.substr(0, letters);
    if (unit != "ns" && unit != "us" && unit != "µs" && unit != "μs" && unit != "ms" && unit != "s" && unit != "m" &&
        unit != "h") {
      return false;
    }
    text.remove_prefix(letters);
  }
  return true;
}

Problem check_descriptor(std::string_view descriptor) {
  if (std::find(std::begin(kDescriptors), std::end(kDescriptors), descriptor) != std::end(kDescriptors)) {
    return std::nullopt;
  }
  constexpr std::string_view kEvery = "@every ";
  if (!descriptor.starts_with(kEvery)) return "unrecognized descriptor: " + std::string(descriptor);
  const std::string_view span = descriptor.substr(kEvery.size());
  if (is_duration(span)) return std::nullopt;
  return "failed to parse duration " + std::string(descriptor) + ": time: invalid duration " + quoted(span);
}

}  // namespace

std::optional<std::string> cron_schedule_problem(std::string_view schedule) {
  if (schedule.empty()) return "empty spec string";
  if (schedule.starts_with("TZ=") || schedule.starts_with("CRON_TZ=")) {
    const std::size_t space = schedule.find(' ');
    if (space == std::string_view::npos)
      return "invalid schedule format: runtime error: slice bounds out of range [:-1]";
    schedule.remove_prefix(space);
    schedule.remove_prefix(std::min(schedule.find_first_not_of(" \t"), schedule.size()));
  }
  if (schedule.starts_with("@")) return check_descriptor(schedule);
  const std::vector<std::string_view> fields = fields_of(schedule, " \t\n\v\f\r");
  if (fields.size() != kFields.size()) {
    std::string text = "expected exactly 5 fields, found " + std::to_string(fields.size()) + ": [";
    for (std::size_t i = 0; i < fields.size(); ++i) text.append(i == 0 ? "" : " ").append(fields[i]);
    return text + "]";
  }
  for (std::size_t i = 0; i < fields.size(); ++i) {
    for (const std::string_view range : fields_of(fields[i], ",")) {
      if (Problem problem = check_range(range, kFields[i])) return problem;
    }
  }
  return std::nullopt;
}

}  // namespace loadline::kube
