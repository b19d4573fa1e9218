#include "api/pattern.h"

#include <fmt/format.h>
#include <re2/re2.h>

#include <utility>

namespace loadline::api {

struct Pattern::Library {
  explicit Library(std::string_view text) : expression(re2::StringPiece(text.data(), text.size()), options()) {}

  static re2::RE2::Options options() {
    re2::RE2::Options options;
    options.set_log_errors(false);
    return options;
  }

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

std::string Pattern::text() const { return library_->expression.pattern(); }

}  // namespace loadline::api
