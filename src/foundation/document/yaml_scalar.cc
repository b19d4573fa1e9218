#include "foundation/document/yaml_scalar.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <optional>

#include "foundation/base/base64.h"
#include "foundation/document/number.h"
#include "foundation/document/timestamp.h"
#include "foundation/document/utf8.h"

namespace loadline::document {
namespace {

constexpr std::string_view kPrefix = "tag:yaml.org,2002:";

/// A scalar and the short name of the kind it was found to be ("int"); "timestamp" for dates, which stay strings.
struct Resolved {
  YamlScalar scalar;
  std::string_view kind;
};

struct Word {
  std::string_view text;
  std::string_view kind;
  bool boolean = false;
  double number = 0;
};

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNotANumber = std::numeric_limits<double>::quiet_NaN();

constexpr std::array kWords = {
    Word{"y", "bool", true},
    Word{"Y", "bool", true},
    Word{"yes", "bool", true},
    Word{"Yes", "bool", true},
    Word{"YES", "bool", true},
    Word{"true", "bool", true},
    Word{"True", "bool", true},
    Word{"TRUE", "bool", true},
    Word{"on", "bool", true},
    Word{"On", "bool", true},
    Word{"ON", "bool", true},
    Word{"n", "bool"},
    Word{"N", "bool"},
    Word{"no", "bool"},
    Word{"No", "bool"},
    Word{"NO", "bool"},
    Word{"false", "bool"},
    Word{"False", "bool"},
    Word{"FALSE", "bool"},
    Word{"off", "bool"},
    Word{"Off", "bool"},
    Word{"OFF", "bool"},
    Word{"", "null"},
    Word{"~", "null"},
    Word{"null", "null"},
    Word{"Null", "null"},
    Word{"NULL", "null"},
    Word{".nan", "float", false, kNotANumber},
    Word{".NaN", "float", false, kNotANumber},
    Word{".NAN", "float", false, kNotANumber},
    Word{".inf", "float", false, kInfinity},
    Word{".Inf", "float", false, kInfinity},
    Word{".INF", "float", false, kInfinity},
    Word{"+.inf", "float", false, kInfinity},
    Word{"+.Inf", "float", false, kInfinity},
    Word{"+.INF", "float", false, kInfinity},
    Word{"-.inf", "float", false, -kInfinity},
    Word{"-.Inf", "float", false, -kInfinity},
    Word{"-.INF", "float", false, -kInfinity},
};

constexpr std::size_t kLongestWord = 5;

constexpr bool is_sign(char c) { return c == '+' || c == '-'; }

std::optional<Resolved> resolve_word(std::string_view text) {
  if (text.size() > kLongestWord) return std::nullopt;
  const auto* word = std::find_if(kWords.begin(), kWords.end(), [&](const Word& w) { return w.text == text; });
  if (word == kWords.end()) return std::nullopt;
  if (word->kind == "bool") return Resolved{word->boolean, word->kind};
  if (word->kind == "null") return Resolved{std::monostate{}, word->kind};
  return Resolved{word->number, word->kind};
}

/// Takes the prefix that names a base from the digits: 0x, 0o, 0b in either case, or a leading 0 for octal.
int take_base(std::string_view& digits) {
  if (digits.size() < 2 || digits.front() != '0') return 10;
  switch (digits[1]) {
    case 'x':
    case 'X':
      digits.remove_prefix(2);
      return 16;
    case 'o':
    case 'O':
      digits.remove_prefix(2);
      return 8;
    case 'b':
    case 'B':
      digits.remove_prefix(2);
      return 2;
    default:
      digits.remove_prefix(1);
      return 8;
  }
}

/// An integer of any base; an explicit plus only within int64, as Go has it.
std::optional<Resolved> resolve_integer(std::string_view text) {
  std::string_view digits = text;
  const bool signed_text = is_sign(text.front());
  const bool negative = text.front() == '-';
  if (signed_text) digits.remove_prefix(1);
  const int base = take_base(digits);
  std::uint64_t size = 0;
  const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), size, base);
  if (read.ec != std::errc() || read.ptr != digits.data() + digits.size()) return std::nullopt;
  constexpr auto kMost = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  if (negative) {
    if (size > kMost + 1) return std::nullopt;
    return Resolved{static_cast<std::int64_t>(0U - size), "int"};
  }
  if (size <= kMost) return Resolved{static_cast<std::int64_t>(size), "int"};
  if (signed_text) return std::nullopt;
  return Resolved{size, "int"};
}

std::optional<Resolved> resolve_number(std::string_view tag, std::string_view text) {
  if ((tag.empty() || tag == "timestamp") && is_timestamp(text)) return Resolved{std::string(text), "timestamp"};
  std::string plain(text);
  std::erase(plain, '_');
  if (const auto integer = resolve_integer(plain)) return integer;
  if (const auto number = parse_float(plain)) return Resolved{*number, "float"};
  return std::nullopt;
}

/// A number that begins with its point. Unlike elsewhere an underscore must here stand between two digits.
std::optional<Resolved> resolve_fraction(std::string_view text) {
  for (std::size_t at = text.find('_'); at != std::string_view::npos; at = text.find('_', at + 1)) {
    if (!is_digit(text[at - 1]) || at + 1 == text.size() || !is_digit(text[at + 1])) return std::nullopt;
  }
  std::string plain(text);
  std::erase(plain, '_');
  const auto number = parse_float(plain);
  if (!number) return std::nullopt;
  return Resolved{*number, "float"};
}

/// What an unquoted scalar says of itself; a string if nothing else. Its first character tells what it might be.
Resolved resolve_plain(std::string_view tag, std::string_view text) {
  const char first = text.empty() ? '~' : text.front();
  const bool number = is_digit(first) || is_sign(first);
  if (number || first == '.' || std::string_view("yYnNtTfFoO~").find(first) != std::string_view::npos) {
    if (const auto word = resolve_word(text)) return *word;
  }
  if (number) {
    if (const auto resolved = resolve_number(tag, text)) return *resolved;
  } else if (first == '.') {
    if (const auto resolved = resolve_fraction(text)) return *resolved;
  }
  return Resolved{std::string(text), "str"};
}

bool is_resolvable(std::string_view tag) {
  return tag.empty() || tag == "bool" || tag == "int" || tag == "float" || tag == "null" || tag == "timestamp";
}

/// `^[-+]?[0-9][0-9_]*(:[0-5]?[0-9])+(\.[0-9_]*)?$`
bool is_base_60(std::string_view text) {
  if (!text.empty() && is_sign(text.front())) text.remove_prefix(1);
  if (text.empty() || !is_digit(text.front())) return false;
  std::size_t at = 1;
  const auto skip_digits = [&] {
    while (at < text.size() && (is_digit(text[at]) || text[at] == '_')) ++at;
  };
  skip_digits();
  std::size_t groups = 0;
  for (; at < text.size() && text[at] == ':'; ++groups) {
    const std::size_t begin = ++at;
    while (at < text.size() && at < begin + 2 && is_digit(text[at])) ++at;
    if (at == begin || (at == begin + 2 && text[begin] > '5')) return false;
  }
  if (groups == 0) return false;
  if (at < text.size() && text[at] == '.') {
    ++at;
    skip_digits();
  }
  return at == text.size();
}

}  // namespace

Result<YamlScalar> resolve_scalar(std::string_view tag, std::string_view text) {
  std::string_view kind = tag;
  if (kind.starts_with(kPrefix)) kind.remove_prefix(kPrefix.size());
  if (kind.size() < tag.size() && kind == "binary") {
    std::optional<std::string> bytes = decode_base64(text);
    if (!bytes) return failure("!!binary value contains invalid base64 data");
    return to_valid_utf8(*bytes);
  }
  const bool known = tag.empty() || (kind.size() < tag.size() && is_resolvable(kind));
  if (!known) return std::string(text);

  Resolved resolved = resolve_plain(kind, text);
  if (kind.empty() || kind == resolved.kind) return std::move(resolved.scalar);
  if (kind == "float" && std::holds_alternative<std::int64_t>(resolved.scalar)) {
    return static_cast<double>(std::get<std::int64_t>(resolved.scalar));
  }
  return failure("cannot decode !!" + std::string(resolved.kind) + " `" + std::string(text) + "` as a !!" +
                 std::string(kind));
}

bool is_ambiguous(std::string_view text) { return resolve_plain({}, text).kind != "str" || is_base_60(text); }

std::string scalar_text(std::string_view text) {
  return is_ambiguous(text) ? "\"" + std::string(text) + "\"" : std::string(text);
}

}  // namespace loadline::document
