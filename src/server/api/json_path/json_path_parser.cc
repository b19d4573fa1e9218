#include <algorithm>
#include <charconv>
#include <cstddef>
#include <iterator>
#include <system_error>
#include <utility>

#include "foundation/base/text.h"
#include "foundation/document/number.h"
#include "foundation/document/utf8.h"
#include "server/api/json_path/json_path_steps.h"

namespace loadline::api {
namespace {

using document::Value;
using Step = JsonPath::Step;
using Steps = std::vector<Step>;

constexpr std::size_t kMostBytes = 4096;
constexpr std::string_view kTerminators = " \t\r\n.,[]$@{}";
constexpr std::string_view kComparisonCharacters = "!<>=";

bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// Bytes of other alphabets count as letters: upstream asks Unicode, but what names fields is ASCII nearly always.
bool is_word_character(char c) {
  return c == '_' || is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c & 0x80) != 0;
}

/// Digits of a base up to the end of `digits`, or nothing.
std::optional<std::uint32_t> code(std::string_view digits, int base) {
  std::uint32_t number = 0;
  const auto [end, problem] = std::from_chars(digits.data(), digits.data() + digits.size(), number, base);
  if (problem != std::errc() || end != digits.data() + digits.size()) return std::nullopt;
  return number;
}

/// The inside of a quoted text with Go's escapes resolved.
class Unquoter {
 public:
  Unquoter(std::string_view text, char quote) : text_(text), quote_(quote) {}

  Result<std::string> run() {
    while (at_ < text_.size()) {
      const char c = text_[at_++];
      if (c == quote_) return failure("invalid syntax");
      if (c != '\\') {
        out_ += c;
      } else if (!escape()) {
        return failure("invalid syntax");
      }
    }
    return std::move(out_);
  }

 private:
  bool escape() {
    if (at_ == text_.size()) return false;
    const char c = text_[at_++];
    constexpr std::string_view kNames = "abfnrtv\\";
    constexpr std::string_view kMeanings = "\a\b\f\n\r\t\v\\";
    if (const std::size_t index = kNames.find(c); index != std::string_view::npos) {
      out_ += kMeanings[index];
      return true;
    }
    if (c == '\'' || c == '"') {
      out_ += c;
      return c == quote_;
    }
    if (c == 'x') return byte(2, 16);
    if (c == 'u') return rune(4);
    if (c == 'U') return rune(8);
    --at_;
    return c >= '0' && c <= '7' && byte(3, 8);
  }

  std::optional<std::uint32_t> digits(std::size_t count, int base) {
    if (text_.size() - at_ < count) return std::nullopt;
    const auto number = code(text_.substr(at_, count), base);
    at_ += count;
    return number;
  }

  bool byte(std::size_t count, int base) {
    const auto number = digits(count, base);
    if (!number || *number > 0xff) return false;
    out_ += static_cast<char>(*number);
    return true;
  }

  bool rune(std::size_t count) {
    const auto number = digits(count, 16);
    if (!number || *number > 0x10ffff || (*number >= 0xd800 && *number < 0xe000)) return false;
    document::append_utf8(out_, *number);
    return true;
  }

  std::string_view text_;
  char quote_;
  std::size_t at_ = 0;
  std::string out_;
};

class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) {}

  Result<Steps> run() {
    while (at_ < text_.size()) {
      if (auto done = parse_one(); !done) return tl::unexpected(done.error());
    }
    return std::move(steps_);
  }

 private:
  using Done = Result<bool>;

  Done parse_one() {
    if (text_.substr(at_).starts_with("[?(")) return parse_filter();
    if (text_.substr(at_).starts_with("..")) return parse_descent();
    const char c = text_[at_];
    if (c == ' ' || c == '@' || c == '$') {  // the value at hand: nothing to do
      ++at_;
      return true;
    }
    if (c == '[') return parse_brackets();
    if (c == '"' || c == '\'') return parse_quoted(c);
    if (c == '.') {
      ++at_;
      return parse_field();
    }
    if (c == '+' || c == '-' || is_digit(c)) return parse_number();
    if (is_word_character(c)) return parse_word();
    if (c == '\r' || c == '\n') return failure("unclosed action");
    return failure("unrecognized character in action: '" + std::string(1, c) + "'");
  }

  Done add(decltype(Step::what) what) {
    steps_.push_back({std::move(what)});
    return true;
  }

  bool at_terminator() const { return at_ >= text_.size() || kTerminators.find(text_[at_]) != std::string_view::npos; }

  Done parse_field() {
    std::string name;
    const std::size_t begin = at_;
    while (!at_terminator()) {
      if (text_[at_] == '\\') ++at_;  // what follows ends no name
      if (at_ < text_.size()) ++at_;
    }
    for (const char c : text_.substr(begin, at_ - begin)) {
      if (c != '\\') name += c;
    }
    return name == "*" ? add(WildcardStep{}) : add(FieldStep{std::move(name)});
  }

  Done parse_descent() {
    if (!steps_.empty() && std::holds_alternative<DescentStep>(steps_.back().what)) {
      return failure("invalid multiple recursive descent");
    }
    at_ += 2;
    steps_.push_back({DescentStep{}});
    if (at_ < text_.size() && is_word_character(text_[at_])) return parse_field();
    return true;
  }

  Done parse_word() {
    const std::size_t begin = at_;
    while (!at_terminator()) ++at_;
    const std::string_view word = text_.substr(begin, at_ - begin);
    if (word == "true" || word == "false") return add(LiteralStep{Value(word == "true"), true});
    if (word == "range" || word == "end") return failure("templates are not supported: " + std::string(word));
    return add(WordStep{std::string(word)});
  }

  Done parse_number() {
    const std::size_t begin = at_++;
    while (at_ < text_.size() && (text_[at_] == '.' || is_digit(text_[at_]))) ++at_;
    std::string_view number = text_.substr(begin, at_ - begin);
    if (number.starts_with('+')) number.remove_prefix(1);
    if (const auto integer = document::parse_integer(number)) return add(LiteralStep{Value(*integer), true});
    if (const auto real = document::parse_float(number)) return add(LiteralStep{Value(*real), true});
    return failure("cannot parse number " + std::string(number));
  }

  Done parse_quoted(char quote) {
    const std::size_t begin = ++at_;
    for (;; ++at_) {
      if (at_ >= text_.size() || text_[at_] == '\n') return failure("unterminated quoted string");
      if (text_[at_] == quote && text_[at_ - 1] != '\\') break;
    }
    const std::string_view inside = text_.substr(begin, at_ - begin);
    ++at_;
    auto unquoted = Unquoter(inside, quote).run();
    if (!unquoted) return failure("unquote string " + std::string(inside) + " error " + unquoted.error().message);
    return add(LiteralStep{Value(std::move(*unquoted)), false});
  }

  Done parse_brackets() {
    const std::size_t end = text_.find_first_of("]\n", at_);
    if (end == std::string_view::npos || text_[end] == '\n') return failure("unterminated array");
    const std::string_view inside = text_.substr(at_ + 1, end - at_ - 1);
    at_ = end + 1;
    if (inside.find(',') != std::string_view::npos) return parse_union(inside);
    return parse_selection(inside);
  }

  /// What one pair of brackets holds: a quoted key, an index, a slice or a star.
  Done parse_selection(std::string_view inside) {
    if (inside == "*") return add(SliceStep{});
    const bool is_key = inside.size() >= 2 && inside.front() == '\'' && inside.back() == '\'' &&
                        inside.find('\'', 1) == inside.size() - 1;
    if (!is_key) return parse_slice(inside);
    auto steps = Parser("." + std::string(inside.substr(1, inside.size() - 2)), Owned{}).run();
    if (!steps) return tl::unexpected(steps.error());
    std::move(steps->begin(), steps->end(), std::back_inserter(steps_));
    return true;
  }

  Done parse_union(std::string_view inside) {
    UnionStep alternatives;
    for (std::string_view part : split(inside, ",")) {
      while (part.starts_with(' ')) part.remove_prefix(1);
      while (part.ends_with(' ')) part.remove_suffix(1);
      auto steps = Parser("[" + std::string(part) + "]", Owned{}).run();
      if (!steps) return tl::unexpected(steps.error());
      alternatives.alternatives.push_back(std::move(*steps));
    }
    return add(std::move(alternatives));
  }

  Done parse_slice(std::string_view inside) {
    const auto parts = split(inside, ":");
    SliceStep slice;
    if (parts.size() > 3) return failure("invalid array index " + std::string(inside));
    for (std::size_t i = 0; i < parts.size(); ++i) {
      auto& part = i == 0 ? slice.start : i == 1 ? slice.end : slice.step;
      if (parts[i].empty()) continue;
      const std::string_view digits = parts[i].starts_with('-') ? parts[i].substr(1) : parts[i];
      if (!std::ranges::all_of(digits, is_digit)) return failure("invalid array index " + std::string(inside));
      part = document::parse_integer(parts[i]);
      if (!part) return failure("array index " + std::string(parts[i]) + " is not a number");
    }
    slice.is_single = parts.size() == 1;
    return add(slice);
  }

  Done parse_filter() {
    const auto end = filter_end();
    if (!end) return tl::unexpected(end.error());
    const std::string_view inside = text_.substr(at_ + 3, *end - at_ - 3);
    at_ = *end + 2;
    const std::size_t comparison = inside.find_first_of(kComparisonCharacters);
    if (comparison == 0 || comparison == std::string_view::npos) return add_filter(inside, {}, {});
    std::size_t right = inside.find_first_not_of(kComparisonCharacters, comparison);
    if (right == std::string_view::npos) right = inside.size() - 1;  // something must be left to compare with
    if (right <= comparison) return add_filter(inside, {}, {});
    return add_filter(inside.substr(0, comparison), inside.substr(comparison, right - comparison),
                      inside.substr(right));
  }

  /// Where the `)` is that ends the filter: the first one outside of quotes.
  Result<std::size_t> filter_end() const {
    char quote = 0;
    bool is_closed = true;
    for (std::size_t at = at_ + 3; at < text_.size() && text_[at] != '\n'; ++at) {
      const char c = text_[at];
      if ((c == '"' || c == '\'') && quote == 0) {
        quote = c;
        is_closed = false;
      } else if (quote != 0 && c == quote && text_[at - 1] != '\\') {
        is_closed = true;
      } else if (c == ')' && is_closed) {
        if (at + 1 < text_.size() && text_[at + 1] == ']') return at;
        return failure("unclosed array expect ]");
      }
    }
    return failure("unterminated filter");
  }

  Done add_filter(std::string_view left, std::string_view comparison, std::string_view right) {
    FilterStep filter;
    filter.comparison = comparison;
    auto left_steps = Parser(left).run();
    if (!left_steps) return tl::unexpected(left_steps.error());
    auto right_steps = Parser(right).run();
    if (!right_steps) return tl::unexpected(right_steps.error());
    filter.left = std::move(*left_steps);
    filter.right = std::move(*right_steps);
    return add(std::move(filter));
  }

  struct Owned {};
  Parser(std::string text, Owned) : owned_(std::move(text)), text_(owned_) {}

  std::string owned_;
  std::string_view text_;
  std::size_t at_ = 0;
  Steps steps_;
};

}  // namespace

Result<std::vector<JsonPath::Step>> parse_json_path(std::string_view text) {
  if (text.size() > kMostBytes) return failure("a JSONPath is at most 4096 bytes long");
  return Parser(text).run();
}

}  // namespace loadline::api
