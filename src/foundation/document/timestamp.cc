#include "foundation/document/timestamp.h"

#include <algorithm>
#include <chrono>
#include <cstddef>

#include "foundation/document/number.h"

namespace loadline::document {
namespace {

/// Takes text from the front, each step telling whether it was there.
class Scanner {
 public:
  explicit Scanner(std::string_view text) : text_(text) {}

  bool take(char c) {
    if (text_.empty() || text_.front() != c) return false;
    text_.remove_prefix(1);
    return true;
  }

  /// A number of `fewest` to `most` digits.
  bool number(std::size_t fewest, std::size_t most, int& value) {
    std::size_t count = 0;
    for (value = 0; count < most && count < text_.size() && is_digit(text_[count]); ++count) {
      value = value * 10 + (text_[count] - '0');
    }
    text_.remove_prefix(count);
    return count >= fewest;
  }

  bool digits() {
    const auto* end = std::find_if_not(text_.begin(), text_.end(), is_digit);
    const auto count = static_cast<std::size_t>(end - text_.begin());
    text_.remove_prefix(count);
    return count > 0;
  }

  [[nodiscard]] bool done() const { return text_.empty(); }

 private:
  std::string_view text_;
};

bool is_day(int year, int month, int day) {
  return std::chrono::year_month_day(std::chrono::year(year), std::chrono::month(static_cast<unsigned>(month)),
                                     std::chrono::day(static_cast<unsigned>(day)))
      .ok();
}

bool take_clock(Scanner& scanner) {
  int hour = 0;
  int minute = 0;
  int second = 0;
  if (!scanner.number(1, 2, hour) || !scanner.take(':') || !scanner.number(1, 2, minute) || !scanner.take(':') ||
      !scanner.number(1, 2, second)) {
    return false;
  }
  if (scanner.take('.') || scanner.take(',')) {
    if (!scanner.digits()) return false;
  }
  return hour < 24 && minute < 60 && second < 60;
}

bool take_zone(Scanner& scanner) {
  if (scanner.take('Z')) return true;
  int hours = 0;
  int minutes = 0;
  if (!scanner.take('+') && !scanner.take('-')) return false;
  return scanner.number(2, 2, hours) && scanner.take(':') && scanner.number(2, 2, minutes) && hours <= 24 &&
         minutes < 60;
}

}  // namespace

bool is_timestamp(std::string_view text) {
  Scanner scanner(text);
  int year = 0;
  int month = 0;
  int day = 0;
  if (!scanner.number(4, 4, year) || !scanner.take('-') || !scanner.number(1, 2, month) || !scanner.take('-') ||
      !scanner.number(1, 2, day) || !is_day(year, month, day)) {
    return false;
  }
  if (scanner.done()) return true;
  if (scanner.take('T') || scanner.take('t')) return take_clock(scanner) && take_zone(scanner) && scanner.done();
  return scanner.take(' ') && take_clock(scanner) && scanner.done();
}

}  // namespace loadline::document
