#include "foundation/base/time.h"

#include <fmt/chrono.h>

#include <chrono>
#include <cstddef>
#include <ctime>
#include <limits>

namespace loadline {
namespace {

constexpr std::int64_t kNanosecondsPerSecond = 1'000'000'000;

/// Takes the parts of a time stamp off the front of a text; each step fails, and leaves the text, if it is not there.
class Scanner {
 public:
  explicit Scanner(std::string_view text) : rest_(text) {}

  bool take(char expected) {
    if (rest_.empty() || rest_.front() != expected) return false;
    rest_.remove_prefix(1);
    return true;
  }

  std::optional<int> take_number(std::size_t digits) {
    if (rest_.size() < digits) return std::nullopt;
    int number = 0;
    for (std::size_t i = 0; i < digits; ++i) {
      if (!is_digit(rest_[i])) return std::nullopt;
      number = number * 10 + (rest_[i] - '0');
    }
    rest_.remove_prefix(digits);
    return number;
  }

  /// The digits after a decimal point as nanoseconds; those below a nanosecond are dropped. At least one digit.
  std::optional<std::int64_t> take_fraction() {
    if (rest_.empty() || !is_digit(rest_.front())) return std::nullopt;
    std::int64_t nanoseconds = 0;
    std::int64_t unit = kNanosecondsPerSecond / 10;
    for (; !rest_.empty() && is_digit(rest_.front()); rest_.remove_prefix(1), unit /= 10) {
      nanoseconds += (rest_.front() - '0') * unit;
    }
    return nanoseconds;
  }

  [[nodiscard]] bool done() const { return rest_.empty(); }

 private:
  static bool is_digit(char letter) { return letter >= '0' && letter <= '9'; }

  std::string_view rest_;
};

/// Seconds from the epoch to the start of the day.
std::optional<std::int64_t> scan_date(Scanner& scanner) {
  const auto year = scanner.take_number(4);
  if (!year || !scanner.take('-')) return std::nullopt;
  const auto month = scanner.take_number(2);
  if (!month || !scanner.take('-')) return std::nullopt;
  const auto day = scanner.take_number(2);
  if (!day) return std::nullopt;
  const std::chrono::year_month_day date{std::chrono::year{*year}, std::chrono::month{static_cast<unsigned>(*month)},
                                         std::chrono::day{static_cast<unsigned>(*day)}};
  if (!date.ok()) return std::nullopt;
  return std::chrono::sys_seconds{std::chrono::sys_days{date}}.time_since_epoch().count();
}

/// Seconds from the start of the day.
std::optional<std::int64_t> scan_clock(Scanner& scanner) {
  const auto hour = scanner.take_number(2);
  if (!hour || *hour > 23 || !scanner.take(':')) return std::nullopt;
  const auto minute = scanner.take_number(2);
  if (!minute || *minute > 59 || !scanner.take(':')) return std::nullopt;
  const auto second = scanner.take_number(2);
  if (!second || *second > 59) return std::nullopt;
  return (*hour * 60 + *minute) * 60 + *second;
}

/// Seconds by which the local clock is ahead of UTC.
std::optional<std::int64_t> scan_offset(Scanner& scanner) {
  if (scanner.take('Z')) return 0;
  const bool ahead = scanner.take('+');
  if (!ahead && !scanner.take('-')) return std::nullopt;
  const auto hours = scanner.take_number(2);
  if (!hours || *hours > 23 || !scanner.take(':')) return std::nullopt;
  const auto minutes = scanner.take_number(2);
  if (!minutes || *minutes > 59) return std::nullopt;
  const std::int64_t seconds = (*hours * std::int64_t{60} + *minutes) * 60;
  return ahead ? seconds : -seconds;
}

Instant saturated(std::int64_t seconds, std::int64_t nanoseconds) {
  std::int64_t total = 0;
  if (__builtin_mul_overflow(seconds, kNanosecondsPerSecond, &total) ||
      __builtin_add_overflow(total, nanoseconds, &total)) {
    return {seconds < 0 ? std::numeric_limits<std::int64_t>::min() : std::numeric_limits<std::int64_t>::max()};
  }
  return {total};
}

}  // namespace

std::optional<Instant> parse_rfc3339(std::string_view text) {
  Scanner scanner(text);
  const auto day = scan_date(scanner);
  if (!day || !scanner.take('T')) return std::nullopt;
  const auto clock = scan_clock(scanner);
  if (!clock) return std::nullopt;
  std::int64_t fraction = 0;
  if (scanner.take('.')) {
    const auto taken = scanner.take_fraction();
    if (!taken) return std::nullopt;
    fraction = *taken;
  }
  const auto offset = scan_offset(scanner);
  if (!offset || !scanner.done()) return std::nullopt;
  return saturated(*day + *clock - *offset, fraction);
}

std::string format_rfc3339(Instant at) {
  using std::chrono::floor;
  const std::chrono::sys_time<std::chrono::nanoseconds> moment{std::chrono::nanoseconds{at.nanoseconds}};
  const auto day = floor<std::chrono::days>(moment);
  const std::chrono::year_month_day date{day};
  // The difference to the day is taken in seconds: the first day of the range begins before its first nanosecond.
  const std::chrono::hh_mm_ss clock{floor<std::chrono::seconds>(moment) - std::chrono::sys_seconds{day}};
  // Servers write several times into each object, so the digits are put in place without a format to be read.
  std::string text = "0000-00-00T00:00:00Z";
  const auto put = [&text](std::size_t last, std::int64_t number) {
    for (; number > 0; number /= 10) text[last--] = static_cast<char>('0' + number % 10);
  };
  put(3, static_cast<int>(date.year()));
  put(6, static_cast<unsigned>(date.month()));
  put(9, static_cast<unsigned>(date.day()));
  put(12, clock.hours().count());
  put(15, clock.minutes().count());
  put(18, clock.seconds().count());
  return text;
}

std::string format_rfc1123(Instant at) {
  const auto seconds = std::chrono::floor<std::chrono::seconds>(std::chrono::nanoseconds(at.nanoseconds));
  return fmt::format("{:%a, %d %b %Y %H:%M:%S}", fmt::gmtime(static_cast<std::time_t>(seconds.count())));
}

}  // namespace loadline
