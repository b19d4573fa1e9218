#include "server/api/timestamp.h"

#include <fmt/format.h>

#include <array>
#include <optional>
#include <utility>

namespace loadline::api {
namespace {

bool is_digit(std::string_view text, std::size_t at) { return at < text.size() && text[at] >= '0' && text[at] <= '9'; }

bool is_leap(int year) { return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0); }

int days_in(int month, int year) {
  static constexpr std::array<int, 12> kDays{31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  return month == 2 && is_leap(year) ? 29 : kDays[static_cast<std::size_t>(month - 1)];
}

/// Days from 1970-01-01 in the proleptic Gregorian calendar, counted in years that begin in March.
std::int64_t days_from_civil(std::int64_t year, int month, int day) {
  if (month <= 2) --year;
  const std::int64_t era = (year >= 0 ? year : year - 399) / 400;
  const std::int64_t year_of_era = year - era * 400;
  const int day_of_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
  return era * 146'097 + year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year - 719'468;
}

struct Date {
  std::int64_t year;
  int month;
  int day;
};

Date civil_from_days(std::int64_t days) {
  days += 719'468;
  const std::int64_t era = (days >= 0 ? days : days - 146'096) / 146'097;
  const std::int64_t day_of_era = days - era * 146'097;
  const std::int64_t year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36'524 - day_of_era / 146'096) / 365;
  const auto day_of_year = static_cast<int>(day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100));
  const int shifted = (5 * day_of_year + 2) / 153;
  const int month = shifted < 10 ? shifted + 3 : shifted - 9;
  return {year_of_era + era * 400 + (month <= 2 ? 1 : 0), month, day_of_year - (153 * shifted + 2) / 5 + 1};
}

/// Go's time.Parse for the two layouts, element by element, so that its complaints name the same element and rest.
class TimeParser {
 public:
  TimeParser(std::string_view text, TimePrecision precision) : text_(text), rest_(text), precision_(precision) {}

  Result<Timestamp> parse() {
    if (!parse_date() || !parse_clock() || !parse_zone()) return failure(std::move(error_));
    if (!rest_.empty()) return failure(fmt::format("parsing time \"{}\": extra text: \"{}\"", text_, rest_));
    if (day_ < 1 || day_ > days_in(month_, year_)) {
      return failure(fmt::format("parsing time \"{}\": day out of range", text_));
    }
    const std::int64_t days = days_from_civil(year_, month_, day_);
    return Timestamp{days * 86'400 + hour_ * 3600 + minute_ * 60 + second_ - offset_, nanoseconds_};
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
void write_pair(char* to, int number) {
  to[0] = static_cast<char>('0' + number / 10);
  to[1] = static_cast<char>('0' + number % 10);
}

/// "2006-01-02T15:04:05". Every object has some times, and is written often: so a year of four digits goes without a
/// formatter.
std::string clock_text(const Date& date, int second) {
  const int hour = second / 3600;
  const int minute = second / 60 % 60;
  if (date.year < 0 || date.year > 9999) {
    return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}", date.year, date.month, date.day, hour, minute,
                       second % 60);
  }
  std::string text = "0000-00-00T00:00:00";
  write_pair(text.data(), static_cast<int>(date.year / 100));
  write_pair(text.data() + 2, static_cast<int>(date.year % 100));
  write_pair(text.data() + 5, date.month);
  write_pair(text.data() + 8, date.day);
  write_pair(text.data() + 11, hour);
  write_pair(text.data() + 14, minute);
  write_pair(text.data() + 17, second % 60);
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
  std::int64_t days = at.seconds / 86'400;
  auto second = static_cast<int>(at.seconds % 86'400);
  if (second < 0) {
    --days;
    second += 86'400;
  }
  std::string text = clock_text(civil_from_days(days), second);
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

}  // namespace loadline::api
