#include "objects/kube/scalars.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "foundation/base/base64.h"
#include "foundation/base/closest.h"
#include "foundation/base/time.h"
#include "foundation/document/writer.h"
#include "objects/kube/decoder.h"

namespace loadline::kube {

using document::Value;

namespace {

std::string number_text(const Value& value) {
  return value.is_integer() ? std::to_string(value.integer()) : document::format_number(value.number());
}

bool is_digits(std::string_view text) {
  if (text.starts_with('-')) text.remove_prefix(1);
  if (text.empty()) return false;
  for (const char c : text) {
    if (c < '0' || c > '9') return false;
  }
  return true;
}

std::string hint_for_string(const Value& value) {
  if (value.is_boolean()) {
    return value.boolean() ? "write it in quotes: \"true\" (YAML takes yes, on and y for true as well)"
                           : "write it in quotes: \"false\" (YAML takes no, off and n for false as well)";
  }
  if (value.is_number()) return "write it in quotes: \"" + number_text(value) + "\"";
  if (value.is_array() && value.array().size() == 1 && value.array().front().is_string()) {
    return "write it without the list: " + value.array().front().string();
  }
  return {};
}

template <class Integer>
bool read_integer(Decoder& decoder, const Value& value, const Path& path, Integer& out) {
  constexpr Integer kLowest = std::numeric_limits<Integer>::min();
  constexpr Integer kHighest = std::numeric_limits<Integer>::max();
  if (value.is_null()) return true;
  if (value.is_integer()) {
    if (value.integer() >= kLowest && value.integer() <= kHighest) {
      out = static_cast<Integer>(value.integer());
      return true;
    }
  } else if (value.is_float()) {
    // kubectl turns YAML's 3.0 into 3 on its way to the server. 2^53 bounds what a float holds exactly.
    const double number = value.number();
    if (number == std::floor(number) && std::abs(number) <= 9007199254740992.0 &&
        number >= static_cast<double>(kLowest) && number <= static_cast<double>(kHighest)) {
      out = static_cast<Integer>(number);
      return true;
    }
  }
  std::string hint;
  if (value.is_string() && is_digits(value.string())) hint = "remove the quotes: " + value.string();
  std::string expected = "a whole number";
  if (value.is_number() && value.number() == std::floor(value.number())) {
    expected += " between " + std::to_string(kLowest) + " and " + std::to_string(kHighest);
  }
  report_mismatch(decoder, value, path, expected, std::move(hint));
  return false;
}

/// What a mistyped quantity probably meant: "16GB" is 16G, "16 Gi" is 16Gi, "16gi" is 16Gi.
std::string hint_for_quantity(std::string_view text) {
  std::string repaired;
  for (const char c : text) {
    if (c != ' ' && c != '_' && c != ',') repaired += c;
  }
  if (repaired.size() > 1 && (repaired.back() == 'B' || repaired.back() == 'b')) repaired.pop_back();
  const std::size_t unit = repaired.find_last_of("0123456789.") + 1;
  if (unit < repaired.size() && repaired.size() - unit <= 2) {
    const char first = repaired[unit];
    const bool binary = repaired.size() - unit == 2;
    if (first == 'K' && !binary) repaired[unit] = 'k';
    if (first != 'm' && (first != 'k' || binary)) {
      repaired[unit] = static_cast<char>(std::toupper(static_cast<unsigned char>(first)));
    } else if (first == 'm' && binary) {
      repaired[unit] = 'M';
    }
    if (binary) repaired[unit + 1] = 'i';
  }
  if (repaired == text || !Quantity::parse(repaired)) return {};
  return "write \"" + repaired + "\"";
}

}  // namespace

std::string described(const Value& value) {
  if (value.is_null()) return "null";
  if (value.is_boolean()) return value.boolean() ? "bool true" : "bool false";
  if (value.is_number()) return "number " + number_text(value);
  if (value.is_array()) return "a list";
  if (value.is_object()) return "an object";
  constexpr std::size_t kLongest = 60;
  const std::string& text = value.string();
  return "string " + (text.size() <= kLongest ? quoted(text) : quoted(text.substr(0, kLongest)) + "...");
}

void report_mismatch(Decoder& decoder, const Value& value, const Path& path, std::string_view expected,
                     std::string hint) {
  decoder.report(value.mark(), path, "expected " + std::string(expected) + ", got " + described(value),
                 std::move(hint));
}

bool read_scalar(Decoder& decoder, const Value& value, const Path& path, std::string& out) {
  if (value.is_null()) return true;
  if (value.is_string()) {
    out = value.string();
    return true;
  }
  report_mismatch(decoder, value, path, "a string", hint_for_string(value));
  return false;
}

bool read_scalar(Decoder& decoder, const Value& value, const Path& path, bool& out) {
  if (value.is_null()) return true;
  if (value.is_boolean()) {
    out = value.boolean();
    return true;
  }
  std::string hint;
  if (value.is_string() && (value.string() == "true" || value.string() == "false")) {
    hint = "remove the quotes: " + value.string();
  }
  report_mismatch(decoder, value, path, "true or false", std::move(hint));
  return false;
}

bool read_scalar(Decoder& decoder, const Value& value, const Path& path, std::int32_t& out) {
  return read_integer(decoder, value, path, out);
}

bool read_scalar(Decoder& decoder, const Value& value, const Path& path, std::int64_t& out) {
  return read_integer(decoder, value, path, out);
}

bool read_scalar(Decoder& decoder, const Value& value, const Path& path, double& out) {
  if (value.is_null()) return true;
  if (value.is_number()) {
    out = value.number();
    return true;
  }
  report_mismatch(decoder, value, path, "a number", {});
  return false;
}

bool read_scalar(Decoder& decoder, const Value& value, const Path& path, Quantity& out) {
  if (value.is_null()) return true;
  if (!value.is_string() && !value.is_number()) {
    report_mismatch(decoder, value, path, "a quantity such as \"500m\" or \"2Gi\"", {});
    return false;
  }
  const std::string text = value.is_string() ? value.string() : number_text(value);
  const Result<Quantity> quantity = Quantity::parse(text);
  if (quantity) {
    out = *quantity;
    return true;
  }
  decoder.report(value.mark(), path, "Invalid value: " + quoted(text) + ": " + quantity.error().message,
                 hint_for_quantity(text));
  return false;
}

bool read_scalar(Decoder& decoder, const Value& value, const Path& path, IntOrString& out) {
  if (value.is_null()) return true;
  if (value.is_string()) {
    out = {std::nullopt, value.string()};
    return true;
  }
  if (!value.is_number()) {
    report_mismatch(decoder, value, path, "a whole number or a string such as \"25%\"", {});
    return false;
  }
  std::int32_t integer = 0;
  if (!read_integer(decoder, value, path, integer)) return false;
  out = {integer, {}};
  return true;
}

bool read_scalar(Decoder& decoder, const Value& value, const Path& path, Instant& out) {
  if (value.is_null()) return true;
  if (!value.is_string()) {
    report_mismatch(decoder, value, path, "a time such as \"2026-01-31T12:00:00Z\"", {});
    return false;
  }
  const std::optional<Instant> instant = parse_rfc3339(value.string());
  if (instant) {
    out = *instant;
    return true;
  }
  decoder.report(value.mark(), path,
                 "parsing time " + quoted(value.string()) + " as \"2006-01-02T15:04:05Z07:00\": cannot parse it",
                 "write a time such as \"2026-01-31T12:00:00Z\"");
  return false;
}

// ---- texts with a form ---------------------------------------------------------------------------------------------

bool check_duration(Decoder& decoder, const Value& value, const Path& path) {
  if (!value.is_string()) {
    report_mismatch(decoder, value, path, "a duration such as \"15s\"",
                    value.is_number() ? "write a unit, in quotes: \"" + number_text(value) + "s\"" : std::string());
    return false;
  }
  const Result<Duration> read = parse_duration(value.string());
  if (read) return true;
  decoder.report(value.mark(), path, read.error().message, "write it as \"1m30s\"");
  return false;
}

bool check_bytes(Decoder& decoder, const Value& value, const Path& path) {
  if (!value.is_string()) {
    report_mismatch(decoder, value, path, "a base64 string", {});
    return false;
  }
  if (decode_base64(value.string())) return true;
  decoder.report(value.mark(), path, "illegal base64 data", "plain text belongs in \"data\" or \"stringData\"");
  return false;
}

// ---- enumerations, containers --------------------------------------------------------------------------------------

std::string unsupported_value(std::string_view value, const Enumeration& enumeration) {
  if (!enumeration.invalid.empty()) {
    return "Invalid value: " + quoted(value) + ": " + std::string(enumeration.invalid);
  }
  std::vector<std::string_view> names;
  for (const std::string_view name : enumeration.names.first(std::min(enumeration.offered, enumeration.names.size()))) {
    if (!name.empty()) names.push_back(name);
  }
  if (enumeration.shown == Enumeration::Order::kSorted) std::sort(names.begin(), names.end());
  std::string message = "Unsupported value: " + quoted(value) + ": supported values: ";
  for (std::size_t i = 0; i < names.size(); ++i) message += (i == 0 ? "" : ", ") + quoted(names[i]);
  return message;
}

std::optional<std::size_t> read_enumeration(Decoder& decoder, const Value& value, const Path& path,
                                            const Enumeration& enumeration) {
  std::string text;
  if (!read_scalar(decoder, value, path, text)) return std::nullopt;
  for (std::size_t i = 0; i < enumeration.names.size(); ++i) {
    if (enumeration.names[i] == text) return i;
  }
  if (text.empty()) return std::nullopt;
  const std::string_view nearest = closest(text, enumeration.names);
  decoder.report(value.mark(), path, unsupported_value(text, enumeration),
                 nearest.empty() ? std::string() : "did you mean " + quoted(nearest) + "?");
  // The rest of the object depends on the word that is missing, so rules about it would misfire.
  if (path.parent() != nullptr) decoder.poison(path.parent()->text());
  return std::nullopt;
}

void report_absent(Decoder& decoder, document::Mark mark, const Path& path, const Enumeration& enumeration) {
  std::string words;
  for (const std::string_view name : enumeration.names) {
    if (!name.empty()) words += (words.empty() ? "" : ", ") + std::string(name);
  }
  decoder.report(mark, path, enumeration.required_if_absent ? "Required value" : unsupported_value("", enumeration),
                 "add \"" + std::string(path.name()) + "\": one of " + words);
  if (path.parent() != nullptr) decoder.poison(path.parent()->text());
}

bool expect_list(Decoder& decoder, const Value& value, const Path& path, const Type& type) {
  if (value.is_array()) return true;
  if (value.is_null()) return false;
  std::string hint;
  if (value.is_object()) {
    hint = "write \"- \" before the first line of each element";
  } else if (type.shape == FieldType::kString && value.is_string()) {
    hint = "write [" + quoted(value.string()) + "]";
  }
  report_mismatch(decoder, value, path, "a list", std::move(hint));
  return false;
}

bool expect_map(Decoder& decoder, const Value& value, const Path& path, const Type&) {
  if (value.is_object()) return true;
  if (value.is_null()) return false;
  report_mismatch(decoder, value, path, "an object of \"name: value\" lines",
                  value.is_array() ? "write the lines without \"- \"" : "");
  return false;
}

bool expect_object(Decoder& decoder, const Value& value, const Path& path, const Schema& schema) {
  if (value.is_object()) return true;
  if (value.is_null()) return false;
  std::string hint;
  if (value.is_array()) {
    hint = schema.hint_for_list.empty() ? "write one object, without \"- \"" : std::string(schema.hint_for_list);
  }
  report_mismatch(decoder, value, path, "an object", std::move(hint));
  return false;
}

}  // namespace loadline::kube
