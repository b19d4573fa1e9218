#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "foundation/base/base64.h"
#include "foundation/base/ip_address.h"
#include "objects/schema/custom/pattern.h"
#include "objects/schema/custom/value_rules.h"
#include "objects/schema/duration.h"
#include "objects/schema/names.h"
#include "objects/schema/timestamp.h"

namespace loadline::schema {
namespace {

struct PatternFormat {
  std::string_view name;
  std::string_view pattern;
};

constexpr std::array<PatternFormat, 12> kPatterns{{
    {"bsonobjectid", "^[0-9a-fA-F]{24}$"},
    {"email", R"(^([^<>]*<)?[^\s@<>"(),:;\[\]\\]+@[^\s@<>"(),:;\\]+>?$)"},
    {"hexcolor", "^#?([0-9a-fA-F]{3}|[0-9a-fA-F]{6})$"},
    {"hostname",
     R"(^([a-zA-Z0-9\p{S}\p{L}]((-?[a-zA-Z0-9\p{S}\p{L}]{0,62})?)|([a-zA-Z0-9\p{S}\p{L}](([a-zA-Z0-9-\p{S}\p{L}]{0,61})"
     R"([a-zA-Z0-9\p{S}\p{L}])?)(\.)){1,}([a-zA-Z\p{L}]){2,63})$)"},
    {"mac",
     R"(^([0-9a-fA-F]{2}([:-][0-9a-fA-F]{2}){5}(([:-][0-9a-fA-F]{2}){2})?|([0-9a-fA-F]{4}\.){2,3}[0-9a-fA-F]{4})$)"},
    {"rgbcolor", R"(^rgb\(\s*(0|[1-9]\d?|1\d\d?|2[0-4]\d|25[0-5])\s*,\s*(0|[1-9]\d?|1\d\d?|2[0-4]\d|25[0-5])\s*,\s*)"
                 R"((0|[1-9]\d?|1\d\d?|2[0-4]\d|25[0-5])\s*\)$)"},
    {"ssn", R"(^\d{3}[- ]?\d{2}[- ]?\d{4}$)"},
    {"uri", R"(^([a-zA-Z][a-zA-Z0-9+.-]*:[^\s]*|/[^\s]*)$)"},
    {"uuid", "(?i)^[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}$"},
    {"uuid3", "(?i)^[0-9a-f]{8}-?[0-9a-f]{4}-?3[0-9a-f]{3}-?[0-9a-f]{4}-?[0-9a-f]{12}$"},
    {"uuid4", "(?i)^[0-9a-f]{8}-?[0-9a-f]{4}-?4[0-9a-f]{3}-?[89ab][0-9a-f]{3}-?[0-9a-f]{12}$"},
    {"uuid5", "(?i)^[0-9a-f]{8}-?[0-9a-f]{4}-?5[0-9a-f]{3}-?[89ab][0-9a-f]{3}-?[0-9a-f]{12}$"},
}};

/// Formats that take more than a pattern.
constexpr std::array<std::string_view, 14> kOthers{"byte",     "date",        "cidr",         "creditcard", "datetime",
                                                   "duration", "ipv4",        "ipv6",         "isbn",       "isbn10",
                                                   "isbn13",   "k8slongname", "k8sshortname", "password"};

/// kPatterns compiled, in their order, once.
const std::vector<Pattern>& compiled_patterns() {
  static const auto& compiled = *[] {
    auto* patterns = new std::vector<Pattern>();
    for (const PatternFormat& known : kPatterns) patterns->push_back(*Pattern::compile(known.pattern));
    return patterns;
  }();
  return compiled;
}

/// "date-time" is "datetime".
std::string normalized(std::string_view format) {
  std::string name(format);
  name.erase(std::remove(name.begin(), name.end(), '-'), name.end());
  return name;
}

std::string digits_of(std::string_view text) {
  std::string digits;
  for (const char c : text) {
    if (c >= '0' && c <= '9') digits += c;
  }
  return digits;
}

/// Leading zeros are let through, as Go did before 1.17.
bool is_ip(std::string_view text, bool is_v4) {
  const std::optional<IpAddress> address = parse_ip(text, LeadingZeros::kTaken);
  return address && address->is_v4 == is_v4;
}

bool is_isbn(std::string_view text, bool is_thirteen) {
  std::string plain(text);
  std::erase_if(plain, [](char c) { return c == '-' || c == ' '; });
  const std::size_t size = is_thirteen ? 13 : 10;
  if (plain.size() != size) return false;
  int sum = 0;
  for (std::size_t i = 0; i < size; ++i) {
    const bool is_ten = !is_thirteen && i == 9 && plain[i] == 'X';
    if (!is_ten && (plain[i] < '0' || plain[i] > '9')) return false;
    const int digit = is_ten ? 10 : plain[i] - '0';
    sum += digit * (is_thirteen ? (i % 2 == 0 ? 1 : 3) : static_cast<int>(10 - i));
  }
  return sum % (is_thirteen ? 10 : 11) == 0;
}

/// Of plausible length, and with Luhn's check digit.
bool is_credit_card(std::string_view text) {
  const std::string digits = digits_of(text);
  if (digits.size() < 13 || digits.size() > 16) return false;
  int sum = 0;
  for (std::size_t i = 0; i < digits.size(); ++i) {
    int digit = digits[digits.size() - 1 - i] - '0';
    if (i % 2 == 1) digit = digit * 2 > 9 ? digit * 2 - 9 : digit * 2;
    sum += digit;
  }
  return sum % 10 == 0;
}

/// RFC 3339, case-insensitive, the seconds' fraction and zone in any usual form.
bool is_date_time(std::string_view text) {
  std::string upper(text);
  for (char& c : upper) c = c == 't' ? 'T' : c == 'z' ? 'Z' : c;
  return parse_timestamp(upper, TimePrecision::kSeconds).has_value();
}

/// Go's durations, and Scala's: "3 days".
bool is_duration(std::string_view text) {
  if (parse_duration(text)) return true;
  static const auto& scala = *new Pattern(*Pattern::compile(
      R"(^\s*([0-9]+(\.[0-9]+)?)\s*(ns|nanos?|nanoseconds?|us|µs|micros?|microseconds?|ms|millis?|milliseconds?|s|secs?|)"
      R"(seconds?|m|mins?|minutes?|h|hrs?|hours?|d|days?|w|weeks?|wks?)\s*$)"));
  return scala.matches(text);
}

}  // namespace

bool has_format(std::string_view text, std::string_view format) {
  const std::string name = normalized(format);
  for (std::size_t i = 0; i < kPatterns.size(); ++i) {
    if (kPatterns[i].name == name) {
      return compiled_patterns()[i].matches(text) && (name != "hostname" || text.size() <= 255);
    }
  }
  if (name == "byte") return !text.empty() && decode_base64(text).has_value();
  if (name == "cidr") return parse_cidr(text).has_value();
  if (name == "creditcard") return is_credit_card(text);
  if (name == "date") {
    return text.size() == 10 && parse_timestamp(std::string(text) + "T00:00:00Z", TimePrecision::kSeconds).has_value();
  }
  if (name == "datetime") return is_date_time(text);
  if (name == "duration") return is_duration(text);
  if (name == "ipv4") return is_ip(text, true);
  if (name == "ipv6") return is_ip(text, false);
  if (name == "isbn10") return is_isbn(text, false);
  if (name == "isbn13") return is_isbn(text, true);
  if (name == "isbn") return is_isbn(text, false) || is_isbn(text, true);
  if (name == "k8sshortname") return dns_label_problems(text).empty();
  if (name == "k8slongname") return dns_subdomain_problems(text).empty();
  return true;
}

bool is_known_format(std::string_view format, std::string_view type) {
  if (type == "integer") return format == "int32" || format == "int64";
  if (type == "number") return format == "float" || format == "double";
  if (!type.empty() && type != "string") return false;
  const std::string name = normalized(format);
  return std::find(kOthers.begin(), kOthers.end(), name) != kOthers.end() ||
         std::any_of(kPatterns.begin(), kPatterns.end(),
                     [&](const PatternFormat& known) { return known.name == name; });
}

}  // namespace loadline::schema
