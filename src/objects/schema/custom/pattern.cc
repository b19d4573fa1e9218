#include "objects/schema/custom/pattern.h"

#include <fmt/format.h>
#include <re2/re2.h>

#include <utility>

namespace loadline::schema {

struct Pattern::Library {
  explicit Library(std::string_view text) : written(text), expression(with_named_groups(text), options()) {}

  /// Go takes `(?<name>` as well as `(?P<name>`; RE2 does since 2023.
  static std::string with_named_groups(std::string_view text) {
    std::string plain;
    bool in_class = false;
    for (std::size_t at = 0; at < text.size(); ++at) {
      const std::string_view rest = text.substr(at);
      if (rest[0] == '\\' && rest.size() > 1) {
        plain += rest.substr(0, 2);
        ++at;
        continue;
      }
      if (rest[0] == '[') in_class = true;
      if (rest[0] == ']') in_class = false;
      const bool is_group = !in_class && rest.size() > 3 && rest.starts_with("(?<") && rest[3] != '=' && rest[3] != '!';
      if (is_group) {
        plain += "(?P";
        at += 1;
      } else {
        plain += rest[0];
      }
    }
    return plain;
  }

  static re2::RE2::Options options() {
    re2::RE2::Options options;
    options.set_log_errors(false);
    return options;
  }

  std::string written;
  re2::RE2 expression;
};

namespace {

/// The words of Go's regexp/syntax for RE2's codes.
std::string_view words(re2::RE2::ErrorCode code) {
  switch (code) {
    case re2::RE2::ErrorBadEscape:
      return "invalid escape sequence";
    case re2::RE2::ErrorBadCharClass:
      return "invalid character class";
    case re2::RE2::ErrorBadCharRange:
      return "invalid character class range";
    case re2::RE2::ErrorMissingBracket:
      return "missing closing ]";
    case re2::RE2::ErrorMissingParen:
      return "missing closing )";
    case re2::RE2::ErrorUnexpectedParen:
      return "unexpected )";
    case re2::RE2::ErrorTrailingBackslash:
      return "trailing backslash at end of expression";
    case re2::RE2::ErrorRepeatArgument:
      return "missing argument to repetition operator";
    case re2::RE2::ErrorRepeatSize:
      return "invalid repeat count";
    case re2::RE2::ErrorRepeatOp:
      return "invalid nested repetition operator";
    case re2::RE2::ErrorBadPerlOp:
      return "invalid or unsupported Perl syntax";
    case re2::RE2::ErrorBadUTF8:
      return "invalid UTF-8";
    case re2::RE2::ErrorBadNamedCapture:
      return "invalid named capture";
    default:
      return "expression too large";
  }
}

}  // namespace

Result<Pattern> Pattern::compile(std::string_view text) {
  auto library = std::make_shared<const Library>(text);
  const re2::RE2& expression = library->expression;
  if (expression.ok()) return Pattern(std::move(library));
  const re2::RE2::ErrorCode code = expression.error_code();
  const bool whole = code == re2::RE2::ErrorMissingParen || expression.error_arg().empty();
  return failure(fmt::format("error parsing regexp: {}: `{}`", words(code), whole ? text : expression.error_arg()));
}

bool Pattern::matches(std::string_view text) const {
  return re2::RE2::PartialMatch(re2::StringPiece(text.data(), text.size()), library_->expression);
}

std::optional<std::string> Pattern::find(std::string_view text) const {
  const std::vector<std::string_view> found = find_all(text, 1);
  if (found.empty()) return std::nullopt;
  return std::string(found.front());
}

std::vector<std::string_view> Pattern::find_all(std::string_view text, std::int64_t limit) const {
  std::vector<std::string_view> found;
  const re2::StringPiece whole(text.data(), text.size());
  std::size_t from = 0;
  std::size_t last_end = std::string_view::npos;
  while (from <= text.size() && (limit < 0 || static_cast<std::int64_t>(found.size()) < limit)) {
    re2::StringPiece match;
    if (!library_->expression.Match(whole, from, text.size(), re2::RE2::UNANCHORED, &match, 1)) break;
    const auto begin = static_cast<std::size_t>(match.data() - text.data());
    const std::size_t end = begin + match.size();
    // As in Go, an empty match right behind another does not count.
    if (!match.empty() || begin != last_end) found.push_back(text.substr(begin, match.size()));
    last_end = end;
    from = match.empty() ? end + 1 : end;
  }
  return found;
}

std::string Pattern::text() const { return library_->written; }

}  // namespace loadline::schema
