#include "objects/schema/timestamp.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <utility>

namespace loadline::schema {
namespace {

bool is_digit(std::string_view text, std::size_t at) { return at < text.size() && text[at] >= '0' && text[at] <= '9'; }

/// Go's time.Parse for the two layouts, element by element, so that its complaints name the same element and rest.
class TimeParser {
 public:
  TimeParser(std::string_view text, TimePrecision precision) : text_(text), rest_(text), precision_(precision) {}

  Result<Timestamp> parse() {
    if (!parse_date() || !parse_clock() || !parse_zone()) return failure(std::move(error_));
    if (!rest_.empty()) return failure(fmt::format("parsing time \"{}\": extra text: \"{}\"", text_, rest_));
    const std::chrono::year_month_day date{std::chrono::year(year_), std::chrono::month(static_cast<unsigned>(month_)),
                                           std::chrono::day(static_cast<unsigned>(day_))};
    if (!date.ok()) return failure(fmt::format("parsing time \"{}\": day out of range", text_));
    const std::chrono::sys_seconds midnight = std::chrono::sys_days(date);
    return Timestamp{midnight.time_since_epoch().count() + std::int64_t{hour_} * 3600 + std::int64_t{minute_} * 60 +
                         second_ - offset_,
                     nanoseconds_};
  }

 private:
  bool parse_date() {
    if (rest_.size() < 4 || !is_digit(rest_, 0)) return bad("2006");
    year_ = 0;
    for (std::size_t i = 0; i < 4; ++i) {
      if (!is_digit(rest_, i)) return bad("2006");
      year_ = year_ * 10 + (rest_[i] - '0');
    }
    rest_.remove_prefix(4);
    if (!skip("-") || !parse_pair("01", month_)) return false;
    if (month_ < 1 || month_ > 12) return out_of_range("month");
    return skip("-") && parse_pair("02", day_) && skip("T");
  }

  bool parse_clock() {
    if (!parse_hour() || !skip(":") || !parse_pair("04", minute_)) return false;
    if (minute_ >= 60) return out_of_range("minute");
    if (!skip(":") || !parse_pair("05", second_)) return false;
    if (second_ >= 60) return out_of_range("second");
    return precision_ == TimePrecision::kMicroseconds ? parse_micros() : parse_fraction();
  }

  /// The one element of which Go takes a single digit, too.
  bool parse_hour() {
    if (!is_digit(rest_, 0)) return bad("15");
    const std::size_t digits = is_digit(rest_, 1) ? 2 : 1;
    hour_ = rest_[0] - '0';
    if (digits == 2) hour_ = hour_ * 10 + (rest_[1] - '0');
    rest_.remove_prefix(digits);
    return hour_ < 24 || out_of_range("hour");
  }

  bool parse_fraction() {
    if (rest_.size() < 2 || (rest_[0] != '.' && rest_[0] != ',') || !is_digit(rest_, 1)) return true;
    std::size_t end = 1;
    while (is_digit(rest_, end)) ++end;
    take_fraction(end);
    return true;
  }

  bool parse_micros() {
    if (rest_.size() < 7 || (rest_[0] != '.' && rest_[0] != ',')) return bad(".000000");
    for (std::size_t i = 1; i < 7; ++i) {
      if (!is_digit(rest_, i)) return bad(".000000");
    }
    take_fraction(7);
    return true;
  }

  void take_fraction(std::size_t end) {
    for (std::size_t i = 1; i < 10; ++i) nanoseconds_ = nanoseconds_ * 10 + (i < end ? rest_[i] - '0' : 0);
    rest_.remove_prefix(end);
  }

  bool parse_zone() {
    if (!rest_.empty() && rest_[0] == 'Z') {
      rest_.remove_prefix(1);
      return true;
    }
    const bool shaped = rest_.size() >= 6 && rest_[3] == ':' && is_digit(rest_, 1) && is_digit(rest_, 2) &&
                        is_digit(rest_, 4) && is_digit(rest_, 5);
    if (!shaped) return bad("Z07:00");
    const int hours = (rest_[1] - '0') * 10 + (rest_[2] - '0');
    const int minutes = (rest_[4] - '0') * 10 + (rest_[5] - '0');
    if (hours > 24) return out_of_range("time zone offset hour");
    if (minutes > 60) return out_of_range("time zone offset minute");
    if (rest_[0] != '+' && rest_[0] != '-') return bad("Z07:00");
    offset_ = (hours * 60 + minutes) * 60;
    if (rest_[0] == '-') offset_ = -offset_;
    rest_.remove_prefix(6);
    return true;
  }

  bool parse_pair(std::string_view element, int& number) {
    if (!is_digit(rest_, 0) || !is_digit(rest_, 1)) return bad(element);
    number = (rest_[0] - '0') * 10 + (rest_[1] - '0');
    rest_.remove_prefix(2);
    return true;
  }

  bool skip(std::string_view literal) {
    if (!rest_.starts_with(literal)) return bad(literal);
    rest_.remove_prefix(literal.size());
    return true;
  }

  bool bad(std::string_view element) {
    const std::string_view layout =
        precision_ == TimePrecision::kSeconds ? "2006-01-02T15:04:05Z07:00" : "2006-01-02T15:04:05.000000Z07:00";
    error_ = fmt::format("parsing time \"{}\" as \"{}\": cannot parse \"{}\" as \"{}\"", text_, layout, rest_, element);
    return false;
  }

  bool out_of_range(std::string_view what) {
    error_ = fmt::format("parsing time \"{}\": {} out of range", text_, what);
    return false;
  }

  std::string_view text_;
  std::string_view rest_;
  TimePrecision precision_;
  int year_ = 0;
  int month_ = 0;
  int day_ = 0;
  int hour_ = 0;
  int minute_ = 0;
  int second_ = 0;
  std::int32_t nanoseconds_ = 0;
  int offset_ = 0;
  std::string error_;
};

/// Two digits at `to`.
void write_pair(char* to, std::int64_t number) {
  to[0] = static_cast<char>('0' + number / 10);
  to[1] = static_cast<char>('0' + number % 10);
}

/// "2006-01-02T15:04:05". Every object has some times, and is written often: so a year of four digits goes without a
/// formatter.
std::string clock_text(std::chrono::sys_seconds at) {
  const std::chrono::sys_days midnight = std::chrono::floor<std::chrono::days>(at);
  const std::chrono::year_month_day date(midnight);
  const std::chrono::hh_mm_ss clock(at - midnight);
  const int year = static_cast<int>(date.year());
  const auto month = static_cast<unsigned>(date.month());
  const auto day = static_cast<unsigned>(date.day());
  if (year < 0 || year > 9999) {
    return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}", year, month, day, clock.hours().count(),
                       clock.minutes().count(), clock.seconds().count());
  }
  std::string text = "0000-00-00T00:00:00";
  write_pair(text.data(), year / 100);
  write_pair(text.data() + 2, year % 100);
  write_pair(text.data() + 5, month);
  write_pair(text.data() + 8, day);
  write_pair(text.data() + 11, clock.hours().count());
  write_pair(text.data() + 14, clock.minutes().count());
  write_pair(text.data() + 17, clock.seconds().count());
  return text;
}

/// Digits of a fraction without the zeros at its end, and its point; empty if it is nought.
std::string fraction(std::uint64_t part, int digits) {
  if (part == 0) return {};
  std::string text = fmt::format(".{:0{}}", part, digits);
  text.erase(text.find_last_not_of('0') + 1);
  return text;
}

}  // namespace

Result<Timestamp> parse_timestamp(std::string_view text, TimePrecision precision) {
  return TimeParser(text, precision).parse();
}

std::string format_timestamp(Timestamp at, TimePrecision precision) {
  using namespace std::chrono;
  // CEL's timestamp() takes any number of seconds; the calendar ends in the year 32767.
  constexpr sys_seconds kFirst = sys_days(year::min() / January / 1);
  constexpr sys_seconds kLast = sys_days(year::max() / December / 31);
  std::string text = clock_text(std::clamp(sys_seconds(seconds(at.seconds)), kFirst, kLast));
  if (precision == TimePrecision::kMicroseconds) text += fmt::format(".{:06}", at.nanoseconds / 1000);
  return text + 'Z';
}

std::string format_duration(Duration span) {
  const bool negative = span.nanoseconds < 0;
  const auto magnitude = static_cast<std::uint64_t>(span.nanoseconds);
  const std::uint64_t nanos = negative ? ~magnitude + 1 : magnitude;
  const std::string sign = negative ? "-" : "";
  if (nanos == 0) return "0s";
  if (nanos < 1'000) return fmt::format("{}{}ns", sign, nanos);
  if (nanos < 1'000'000) return fmt::format("{}{}{}µs", sign, nanos / 1'000, fraction(nanos % 1'000, 3));
  if (nanos < 1'000'000'000) {
    return fmt::format("{}{}{}ms", sign, nanos / 1'000'000, fraction(nanos % 1'000'000, 6));
  }
  const std::uint64_t seconds = nanos / 1'000'000'000;
  std::string text = sign;
  if (seconds >= 3600) text += fmt::format("{}h", seconds / 3600);
  if (seconds >= 60) text += fmt::format("{}m", seconds / 60 % 60);
  return text + fmt::format("{}{}s", seconds % 60, fraction(nanos % 1'000'000'000, 9));
}

}  // namespace loadline::schema
