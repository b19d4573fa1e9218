#include "objects/schema/cel/functions.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include "foundation/base/text.h"
#include "foundation/document/number.h"
#include "foundation/document/utf8.h"
#include "foundation/document/writer.h"
#include "objects/schema/cel/libraries.h"
#include "objects/schema/duration.h"

namespace loadline::schema::cel {
namespace {

constexpr int kAny = -1;

/// A function: what it is called, how many arguments it takes (a method's target among them), and what it does.
struct Function {
  std::string_view name;
  int least = 0;
  int most = 0;
  Result<Value> (*apply)(const Call&) = nullptr;
};

std::int64_t code_point_count(std::string_view text) {
  std::int64_t count = 0;
  for (std::size_t at = 0; at < text.size(); ++count) at += document::code_point_at(text, at).size();
  return count;
}

Result<Value> size_of(const Call& call) {
  const Value& value = call.arguments[0];
  if (const auto* text = value.get<std::string>()) return Value(code_point_count(*text));
  if (const auto* bytes = value.get<Bytes>()) return Value(static_cast<std::int64_t>(bytes->bytes.size()));
  if (!value.is_list() && !value.is_map()) return no_such_overload();
  return Value(static_cast<std::int64_t>(value.size()));
}

/// A text that is none.
tl::unexpected<Error> not_a(std::string_view type) {
  return failure(fmt::format("type conversion error from 'string' to '{}'", type));
}

// ---- Conversions ----------------------------------------------------------------------------------------------------

Result<Value> to_int(const Call& call) {
  const Value& value = call.arguments[0];
  if (value.get<std::int64_t>() != nullptr) return value;
  if (const auto* number = value.get<std::uint64_t>()) {
    if (*number > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) {
      return failure("integer overflow");
    }
    return Value(static_cast<std::int64_t>(*number));
  }
  if (const auto* number = value.get<double>()) {
    if (!(*number > -9.2233720368547758e18 && *number < 9.2233720368547758e18)) return failure("integer overflow");
    return Value(static_cast<std::int64_t>(*number));
  }
  if (const auto* text = value.get<std::string>()) {
    const std::string_view digits =
        text->starts_with('+') ? std::string_view(*text).substr(1) : std::string_view(*text);
    if (const auto number = document::parse_integer(digits)) return Value(*number);
    return not_a("int");
  }
  if (const auto* at = value.get<Timestamp>()) return Value(at->seconds);
  if (const auto* span = value.get<loadline::Duration>()) return Value(span->nanoseconds);
  return no_such_overload();
}

Result<Value> to_uint(const Call& call) {
  const Value& value = call.arguments[0];
  if (value.get<std::uint64_t>() != nullptr) return value;
  if (const auto* number = value.get<std::int64_t>(); number != nullptr) {
    if (*number < 0) return failure("unsigned integer overflow");
    return Value(static_cast<std::uint64_t>(*number));
  }
  if (const auto* number = value.get<double>()) {
    if (!(*number >= 0 && *number < 1.8446744073709550e19)) return failure("unsigned integer overflow");
    return Value(static_cast<std::uint64_t>(*number));
  }
  if (const auto* text = value.get<std::string>()) {
    std::uint64_t number = 0;
    const auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), number);
    if (error == std::errc() && end == text->data() + text->size()) return Value(number);
    return not_a("uint");
  }
  return no_such_overload();
}

Result<Value> to_double(const Call& call) {
  const Value& value = call.arguments[0];
  if (value.get<double>() != nullptr) return value;
  if (const auto* number = value.get<std::int64_t>()) return Value(static_cast<double>(*number));
  if (const auto* number = value.get<std::uint64_t>()) return Value(static_cast<double>(*number));
  if (const auto* text = value.get<std::string>()) {
    if (const auto number = document::parse_float(*text)) return Value(*number);
    return not_a("double");
  }
  return no_such_overload();
}

/// Seconds, without zeros at the end.
std::string duration_text(loadline::Duration span) {
  return document::format_number(static_cast<double>(span.nanoseconds) / 1e9) + 's';
}

Result<Value> to_string(const Call& call) {
  const Value& value = call.arguments[0];
  if (value.get<std::string>() != nullptr) return value;
  if (const auto* boolean = value.get<bool>()) return Value(std::string(*boolean ? "true" : "false"));
  if (const auto* number = value.get<std::int64_t>()) return Value(std::to_string(*number));
  if (const auto* number = value.get<std::uint64_t>()) return Value(std::to_string(*number));
  if (const auto* number = value.get<double>()) return Value(document::format_general(*number));
  if (const auto* bytes = value.get<Bytes>()) {
    if (document::valid_utf8_prefix(bytes->bytes) != bytes->bytes.size()) {
      return failure("invalid UTF-8 in bytes, cannot convert to string");
    }
    return Value(bytes->bytes);
  }
  if (const auto* at = value.get<Timestamp>()) return Value(format_timestamp(*at, TimePrecision::kSeconds));
  if (const auto* span = value.get<loadline::Duration>()) return Value(duration_text(*span));
  if (const auto* quantity = value.get<Quantity>()) return Value(quantity->to_string());
  return no_such_overload();
}

Result<Value> to_bytes(const Call& call) {
  if (const auto* text = call.arguments[0].get<std::string>()) return Value(Bytes{*text});
  if (call.arguments[0].get<Bytes>() != nullptr) return call.arguments[0];
  return no_such_overload();
}

Result<Value> to_bool(const Call& call) {
  if (call.arguments[0].get<bool>() != nullptr) return call.arguments[0];
  const auto* text = call.arguments[0].get<std::string>();
  if (text == nullptr) return no_such_overload();
  for (const std::string_view word : {"1", "t", "T", "true", "TRUE", "True"}) {
    if (*text == word) return Value(true);
  }
  for (const std::string_view word : {"0", "f", "F", "false", "FALSE", "False"}) {
    if (*text == word) return Value(false);
  }
  return not_a("bool");
}

Result<Value> to_dyn(const Call& call) { return call.arguments[0]; }
Result<Value> to_type(const Call& call) { return Value(TypeName{std::string(call.arguments[0].type_name())}); }

Result<Value> to_duration(const Call& call) {
  if (call.arguments[0].get<loadline::Duration>() != nullptr) return call.arguments[0];
  const auto* text = call.arguments[0].get<std::string>();
  if (text == nullptr) return no_such_overload();
  const auto span = parse_duration(*text);
  if (!span) return not_a("google.protobuf.Duration");
  return Value(*span);
}

Result<Value> to_timestamp(const Call& call) {
  const Value& value = call.arguments[0];
  if (value.get<Timestamp>() != nullptr) return value;
  if (const auto* seconds = value.get<std::int64_t>()) return Value(Timestamp{*seconds, 0});
  const auto* text = value.get<std::string>();
  if (text == nullptr) return no_such_overload();
  const auto at = parse_timestamp(*text, TimePrecision::kSeconds);
  if (!at) return not_a("google.protobuf.Timestamp");
  return Value(*at);
}

/// getHours() and the like: of durations the whole, of timestamps the part, in UTC.
Result<Value> time_part(const Call& call) {
  const Value& value = call.arguments[0];
  if (const auto* span = value.get<loadline::Duration>()) {
    if (call.name == "getHours") return Value(span->nanoseconds / 3'600'000'000'000);
    if (call.name == "getMinutes") return Value(span->nanoseconds / 60'000'000'000);
    if (call.name == "getSeconds") return Value(span->nanoseconds / 1'000'000'000);
    if (call.name == "getMilliseconds") return Value(span->nanoseconds / 1'000'000 % 1'000);
    return no_such_overload();
  }
  const auto* at = value.get<Timestamp>();
  if (at == nullptr) return no_such_overload();
  if (call.name == "getMilliseconds") return Value(std::int64_t{at->nanoseconds / 1'000'000});
  using namespace std::chrono;
  const sys_seconds moment(seconds(at->seconds));
  if (moment < sys_days(year(0) / January / 1) || moment >= sys_days(year(10'000) / January / 1)) {
    return failure("timestamp overflow");
  }
  const sys_days midnight = floor<days>(moment);
  const year_month_day date(midnight);
  const hh_mm_ss clock(moment - midnight);
  const auto number = [](auto part) { return Value(static_cast<std::int64_t>(part)); };
  if (call.name == "getFullYear") return number(static_cast<int>(date.year()));
  if (call.name == "getMonth") return number(static_cast<unsigned>(date.month()) - 1);
  if (call.name == "getDayOfMonth") return number(static_cast<unsigned>(date.day()) - 1);
  if (call.name == "getDate") return number(static_cast<unsigned>(date.day()));
  if (call.name == "getHours") return number(clock.hours().count());
  if (call.name == "getMinutes") return number(clock.minutes().count());
  if (call.name == "getSeconds") return number(clock.seconds().count());
  if (call.name == "getDayOfYear") return number((midnight - sys_days(date.year() / January / 1)).count());
  return number(weekday(midnight).c_encoding());
}

// ---- Optional values ------------------------------------------------------------------------------------------------

Result<Value> optional_none(const Call& /*call*/) { return Value(Optional{}); }
Result<Value> optional_of(const Call& call) {
  return Value(Optional{std::make_shared<const Value>(call.arguments[0])});
}

bool is_zero(const Value& value) {
  if (value.is_null()) return true;
  if (const auto* boolean = value.get<bool>()) return !*boolean;
  if (const auto* text = value.get<std::string>()) return text->empty();
  if (const auto* bytes = value.get<Bytes>()) return bytes->bytes.empty();
  if (value.is_number()) return value == Value(std::int64_t{0});
  return (value.is_list() || value.is_map()) && value.size() == 0;
}

Result<Value> optional_of_non_zero(const Call& call) {
  return is_zero(call.arguments[0]) ? optional_none(call) : optional_of(call);
}

Result<Value> optional_has(const Call& call) {
  const auto* optional = call.arguments[0].get<Optional>();
  if (optional == nullptr) return no_such_overload();
  return Value(optional->value != nullptr);
}

Result<Value> optional_value(const Call& call) {
  const auto* optional = call.arguments[0].get<Optional>();
  if (optional == nullptr) return no_such_overload();
  if (optional->value == nullptr) return failure("optional.none() dereference");
  return *optional->value;
}

Result<Value> optional_or(const Call& call) {
  const auto* optional = call.arguments[0].get<Optional>();
  if (optional == nullptr) return no_such_overload();
  if (optional->value == nullptr) return call.arguments[1];
  return call.name == "or" ? call.arguments[0] : *optional->value;
}

/// By name; the libraries' functions are in files of their own.
constexpr std::array<Function, 72> kFunctions{{
    {"add", 2, 2, quantity_function},
    {"asApproximateFloat", 1, 1, quantity_function},
    {"asInteger", 1, 1, quantity_function},
    {"bool", 1, 1, to_bool},
    {"bytes", 1, 1, to_bytes},
    {"charAt", 2, 2, string_function},
    {"compareTo", 2, 2, quantity_function},
    {"contains", 2, 2, string_function},
    {"distinct", 1, 1, list_function},
    {"double", 1, 1, to_double},
    {"duration", 1, 1, to_duration},
    {"dyn", 1, 1, to_dyn},
    {"endsWith", 2, 2, string_function},
    {"find", 2, 2, string_function},
    {"findAll", 2, 3, string_function},
    {"first", 1, 1, list_function},
    {"flatten", 1, 1, list_function},
    {"getDate", 1, 1, time_part},
    {"getDayOfMonth", 1, 1, time_part},
    {"getDayOfWeek", 1, 1, time_part},
    {"getDayOfYear", 1, 1, time_part},
    {"getFullYear", 1, 1, time_part},
    {"getHours", 1, 1, time_part},
    {"getMilliseconds", 1, 1, time_part},
    {"getMinutes", 1, 1, time_part},
    {"getMonth", 1, 1, time_part},
    {"getSeconds", 1, 1, time_part},
    {"hasValue", 1, 1, optional_has},
    {"indexOf", 2, 3, list_or_string_function},
    {"int", 1, 1, to_int},
    {"isGreaterThan", 2, 2, quantity_function},
    {"isInteger", 1, 1, quantity_function},
    {"isLessThan", 2, 2, quantity_function},
    {"isQuantity", 1, 1, quantity_function},
    {"isSorted", 1, 1, list_function},
    {"join", 1, 2, list_function},
    {"last", 1, 1, list_function},
    {"lastIndexOf", 2, 3, list_or_string_function},
    {"lowerAscii", 1, 1, string_function},
    {"matches", 2, 2, string_function},
    {"math.abs", 1, 1, math_function},
    {"math.greatest", 1, kAny, math_function},
    {"math.least", 1, kAny, math_function},
    {"max", 1, 1, list_function},
    {"min", 1, 1, list_function},
    {"optional.none", 0, 0, optional_none},
    {"optional.of", 1, 1, optional_of},
    {"optional.ofNonZeroValue", 1, 1, optional_of_non_zero},
    {"or", 2, 2, optional_or},
    {"orValue", 2, 2, optional_or},
    {"quantity", 1, 1, quantity_function},
    {"replace", 3, 4, string_function},
    {"reverse", 1, 1, list_or_string_function},
    {"sets.contains", 2, 2, set_function},
    {"sets.equivalent", 2, 2, set_function},
    {"sets.intersects", 2, 2, set_function},
    {"sign", 1, 1, quantity_function},
    {"size", 1, 1, size_of},
    {"slice", 3, 3, list_function},
    {"sort", 1, 1, list_function},
    {"split", 2, 3, string_function},
    {"startsWith", 2, 2, string_function},
    {"string", 1, 1, to_string},
    {"sub", 2, 2, quantity_function},
    {"substring", 2, 3, string_function},
    {"sum", 1, 1, list_function},
    {"timestamp", 1, 1, to_timestamp},
    {"trim", 1, 1, string_function},
    {"type", 1, 1, to_type},
    {"uint", 1, 1, to_uint},
    {"upperAscii", 1, 1, string_function},
    {"value", 1, 1, optional_value},
}};

const Function* find(std::string_view name) {
  const auto at = std::lower_bound(kFunctions.begin(), kFunctions.end(), name,
                                   [](const Function& function, std::string_view of) { return function.name < of; });
  return at == kFunctions.end() || at->name != name ? nullptr : &*at;
}

}  // namespace

bool is_function(std::string_view name, std::size_t arguments) {
  const Function* function = find(name);
  if (function == nullptr || function->apply == nullptr) return false;
  const auto count = static_cast<int>(arguments);
  return count >= function->least && (function->most == kAny || count <= function->most);
}

Result<Value> call_function(const Call& call) {
  const Function* function = find(call.name);
  if (function == nullptr || function->apply == nullptr) return no_such_overload();
  return function->apply(call);
}

}  // namespace loadline::schema::cel
