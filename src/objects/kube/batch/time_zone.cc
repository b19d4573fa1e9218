#include "objects/kube/batch/time_zone.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <fstream>

#include "foundation/base/contract.h"

namespace loadline::kube {
namespace {

constexpr std::int64_t kDay = 86'400;
constexpr std::size_t kMaxFile = 1 << 20;
constexpr std::string_view kDatabase = "/usr/share/zoneinfo/";

bool is_place(std::string_view name) {
  constexpr std::string_view kLetters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_+-/";
  return !name.empty() && name.size() < 100 && name.front() != '/' &&
         name.find_first_not_of(kLetters) == std::string_view::npos;
}

/// Big-endian numbers, one after the other. REQUIRES of take(): so much is left().
class Bytes {
 public:
  explicit Bytes(std::string_view text) : rest_(text) {}
  [[nodiscard]] std::size_t left() const { return rest_.size(); }
  [[nodiscard]] std::string_view rest() const { return rest_; }
  std::string_view take(std::size_t size) {
    REQUIRES(size <= left());
    const std::string_view taken = rest_.substr(0, size);
    rest_.remove_prefix(size);
    return taken;
  }
  std::int64_t number(std::size_t size) {
    const std::string_view bytes = take(size);
    std::uint64_t value = (static_cast<unsigned char>(bytes.front()) & 0x80U) != 0 ? ~std::uint64_t{0} : 0;
    for (const char byte : bytes) value = value << 8U | static_cast<unsigned char>(byte);
    return static_cast<std::int64_t>(value);
  }

 private:
  std::string_view rest_;
};

/// What stands in front of a block of transitions: how many there are of everything.
struct Header {
  std::array<std::size_t, 6> counts{};  // UT marks, standard marks, leap seconds, transitions, kinds of time, letters

  static constexpr std::size_t kSize = 44;
  [[nodiscard]] std::size_t transitions() const { return counts[3]; }
  [[nodiscard]] std::size_t kinds() const { return counts[4]; }
  [[nodiscard]] std::size_t size(std::size_t time) const {
    return counts[3] * (time + 1) + counts[4] * 6 + counts[5] + counts[2] * (time + 4) + counts[1] + counts[0];
  }
};

std::optional<Header> read_header(Bytes& bytes) {
  if (bytes.left() < Header::kSize || !bytes.rest().starts_with("TZif") || bytes.rest()[4] < '2') return std::nullopt;
  bytes.take(20);
  Header header;
  for (std::size_t& count : header.counts) {
    const std::int64_t number = bytes.number(4);
    if (number < 0 || number > static_cast<std::int64_t>(kMaxFile)) return std::nullopt;
    count = static_cast<std::size_t>(number);
  }
  return header;
}

}  // namespace

/// Reads the rules behind the transitions: "CET-1CEST,M3.5.0,M10.5.0/3".
class TimeZone::RuleReader {
 public:
  explicit RuleReader(std::string_view text) : rest_(text) {}

  [[nodiscard]] bool at_end() const { return rest_.empty(); }
  [[nodiscard]] bool failed() const { return failed_; }
  [[nodiscard]] bool is_next(char letter) const { return !rest_.empty() && rest_.front() == letter; }
  bool skip(char letter) {
    if (!is_next(letter)) return false;
    rest_.remove_prefix(1);
    return true;
  }
  void name() {
    const std::size_t end = is_next('<') ? rest_.find('>') : rest_.find_first_of("+-0123456789,");
    failed_ = failed_ || end == 0 || (is_next('<') && end == std::string_view::npos);
    rest_.remove_prefix(failed_ ? 0 : std::min(rest_.size(), is_next('<') ? end + 1 : end));
  }
  /// "-1", "+5:30", "167": hours, minutes and seconds, in seconds.
  std::int64_t time() {
    const bool is_negative = skip('-');
    if (!is_negative) skip('+');
    std::int64_t seconds = number() * 3600;
    if (skip(':')) seconds += number() * 60;
    if (skip(':')) seconds += number();
    return is_negative ? -seconds : seconds;
  }
  Rule rule() {
    Rule rule;
    if (skip('M')) {
      rule.month = std::clamp<std::int64_t>(number(), 1, 12);
      skip('.');
      rule.week = std::clamp<std::int64_t>(number(), 1, 5);
      skip('.');
      rule.number = number() % 7;
    } else {
      rule.day = skip('J') ? Rule::Day::kOfYearWithoutLeap : Rule::Day::kOfYear;
      rule.number = number();
    }
    if (skip('/')) rule.seconds = time();
    return rule;
  }

 private:
  std::int64_t number() {
    std::int64_t value = 0;
    std::size_t digits = 0;
    for (; !rest_.empty() && rest_.front() >= '0' && rest_.front() <= '9' && digits < 4; ++digits) {
      value = value * 10 + (rest_.front() - '0');
      rest_.remove_prefix(1);
    }
    failed_ = failed_ || digits == 0;
    return value;
  }

  std::string_view rest_;
  bool failed_ = false;
};

std::int64_t TimeZone::Rule::in(std::int64_t year) const {
  using namespace std::chrono;
  const auto of_year = std::chrono::year(static_cast<int>(year));
  sys_days date = of_year / January / 1;
  if (day == Day::kOfMonth) {
    const auto of_month = of_year / std::chrono::month(static_cast<unsigned>(month));
    const weekday wanted(static_cast<unsigned>(number));
    date = week == 5 ? sys_days(of_month / wanted[last]) : sys_days(of_month / wanted[static_cast<unsigned>(week)]);
  } else if (day == Day::kOfYear) {
    date += days(number);
  } else {
    date += days(number - 1 + (of_year.is_leap() && number >= 60 ? 1 : 0));
  }
  return date.time_since_epoch().count() * kDay + seconds;
}

/// Offsets are written the other way round: so much has to be added to get to UTC.
bool TimeZone::read_rules(std::string_view text, TimeZone& zone) {
  RuleReader reader(text);
  reader.name();
  zone.standard_ = -reader.time();
  if (reader.at_end()) return !reader.failed();
  reader.name();
  zone.daylight_ = reader.at_end() || reader.is_next(',') ? zone.standard_ + 3600 : -reader.time();
  if (!reader.skip(',')) return false;
  zone.begin_ = reader.rule();
  if (!reader.skip(',')) return false;
  zone.end_ = reader.rule();
  return reader.at_end() && !reader.failed();
}

std::optional<TimeZone> TimeZone::parse(std::string_view file) {
  Bytes bytes(file);
  const auto old_form = read_header(bytes);  // with times of 32 bits, for readers of old
  if (!old_form || bytes.left() < old_form->size(4)) return std::nullopt;
  bytes.take(old_form->size(4));
  const auto header = read_header(bytes);
  if (!header || bytes.left() < header->size(8) || header->kinds() == 0) return std::nullopt;
  const std::size_t behind = bytes.left() - header->size(8);

  TimeZone zone;
  for (std::size_t i = 0; i < header->transitions(); ++i) zone.transitions_.push_back({bytes.number(8), 0});
  const std::string_view kind_of = bytes.take(header->transitions());
  std::vector<std::int64_t> offsets;
  for (std::size_t i = 0; i < header->kinds(); ++i) {
    offsets.push_back(bytes.number(4));
    bytes.take(2);
  }
  for (std::size_t i = 0; i < kind_of.size(); ++i) {
    const auto kind = static_cast<unsigned char>(kind_of[i]);
    if (kind >= offsets.size()) return std::nullopt;
    zone.transitions_[i].offset = offsets[kind];
  }
  zone.first_offset_ = offsets.front();
  zone.standard_ = zone.transitions_.empty() ? zone.first_offset_ : zone.transitions_.back().offset;
  std::string_view rules = file.substr(file.size() - behind);
  if (rules.size() > 2 && rules.front() == '\n' && rules.back() == '\n') {
    rules = rules.substr(1, rules.size() - 2);
    if (!read_rules(rules, zone)) return std::nullopt;
  }
  return zone;
}

std::optional<TimeZone> TimeZone::find(std::string_view name) {
  if (name.empty() || name == "UTC") return TimeZone();
  if (!is_place(name)) return std::nullopt;
  std::ifstream file(std::string(kDatabase) + std::string(name), std::ios::binary);
  if (!file) return std::nullopt;
  std::string contents(kMaxFile, '\0');
  file.read(contents.data(), static_cast<std::streamsize>(contents.size()));
  contents.resize(static_cast<std::size_t>(std::max<std::streamsize>(file.gcount(), 0)));
  return parse(contents);
}

TimeZone::Span TimeZone::by_rule(std::int64_t time) const {
  if (!daylight_) return {standard_, std::nullopt};
  const std::chrono::sys_days today{std::chrono::floor<std::chrono::days>(std::chrono::seconds(time + standard_))};
  const auto year = static_cast<int>(std::chrono::year_month_day(today).year());
  std::vector<Transition> changes;
  for (std::int64_t of = year - 1; of <= year + 1; ++of) {
    changes.push_back({begin_.in(of)-standard_, *daylight_});
    changes.push_back({end_.in(of) - *daylight_, standard_});
  }
  std::sort(changes.begin(), changes.end(), [](const auto& a, const auto& b) { return a.time < b.time; });
  Span span{standard_, std::nullopt};
  for (const Transition& change : changes) {
    if (change.time > time) return {span.offset, change.time};
    span.offset = change.offset;
  }
  return span;
}

TimeZone::Span TimeZone::at(std::int64_t time) const {
  const auto next = std::partition_point(transitions_.begin(), transitions_.end(),
                                         [&](const Transition& transition) { return transition.time <= time; });
  if (next == transitions_.end()) return by_rule(time);
  return {next == transitions_.begin() ? first_offset_ : std::prev(next)->offset, next->time};
}

}  // namespace loadline::kube
