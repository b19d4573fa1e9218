#include "objects/kube/selector_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "foundation/base/text.h"
#include "objects/kube/decoder.h"
#include "objects/kube/scalars.h"

namespace loadline::kube {
namespace {

enum class TokenKind : std::uint8_t {
  kEnd,
  kClose,
  kComma,
  kNot,
  kDoubleEquals,
  kEquals,
  kGreater,
  kIdentifier,
  kIn,
  kLess,
  kNotEquals,
  kNotIn,
  kOpen,
};

struct Token {
  TokenKind kind = TokenKind::kEnd;
  std::string_view text;
};

struct Spelling {
  std::string_view text;
  TokenKind kind;
};

constexpr Spelling kSymbols[] = {
    {"!=", TokenKind::kNotEquals}, {"==", TokenKind::kDoubleEquals}, {")", TokenKind::kClose},
    {",", TokenKind::kComma},      {"!", TokenKind::kNot},           {"=", TokenKind::kEquals},
    {">", TokenKind::kGreater},    {"<", TokenKind::kLess},          {"(", TokenKind::kOpen}};

constexpr std::string_view kSpace = " \t\r\n";
constexpr std::string_view kAfterWord = std::string_view(" \t\r\n=!(),><\0", 12);

std::vector<Token> tokens_of(std::string_view rest) {
  std::vector<Token> tokens;
  while (true) {
    rest.remove_prefix(std::min(rest.find_first_not_of(kSpace), rest.size()));
    // Upstream's scanner takes a NUL for the end.
    if (rest.empty() || rest[0] == '\0') break;
    Token token;
    for (const Spelling& symbol : kSymbols) {
      if (!rest.starts_with(symbol.text)) continue;
      token = {symbol.kind, rest.substr(0, symbol.text.size())};
      break;
    }
    if (token.text.empty()) {
      token.text = rest.substr(0, rest.find_first_of(kAfterWord));
      token.kind = token.text == "in"      ? TokenKind::kIn
                   : token.text == "notin" ? TokenKind::kNotIn
                                           : TokenKind::kIdentifier;
    }
    tokens.push_back(token);
    rest.remove_prefix(token.text.size());
  }
  tokens.push_back({});
  return tokens;
}

/// Go's ParseInt, of what can stand in a label.
std::optional<std::int64_t> whole_number(std::string_view text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

bool is_bound(SelectorTerm::Op op) { return op == SelectorTerm::Op::kGreaterThan || op == SelectorTerm::Op::kLessThan; }

/// The grammar, by recursive descent; the first error stays in `error_`.
class Parser {
 public:
  explicit Parser(std::string_view text) : tokens_(tokens_of(text)) {}

  Result<std::vector<SelectorTerm>> parse() {
    std::vector<SelectorTerm> terms;
    while (peek().kind != TokenKind::kEnd) {
      if (peek().kind != TokenKind::kIdentifier && peek().kind != TokenKind::kNot) {
        return failure(found(peek()) + ", expected: !, identifier, or 'end of string'");
      }
      std::optional<SelectorTerm> term = parse_term();
      if (!term) return failure("unable to parse requirement: " + error_);
      terms.push_back(std::move(*term));
      const Token separator = next();
      if (separator.kind == TokenKind::kEnd) break;
      if (separator.kind != TokenKind::kComma) return failure(found(separator) + ", expected: ',' or 'end of string'");
      if (peek().kind != TokenKind::kIdentifier && peek().kind != TokenKind::kNot) {
        return failure(found(peek()) + ", expected: identifier after ','");
      }
    }
    std::stable_sort(terms.begin(), terms.end(), [](const auto& a, const auto& b) { return a.key < b.key; });
    return terms;
  }

 private:
  using Op = SelectorTerm::Op;
  using Values = std::set<std::string, std::less<>>;

  /// Where a value may stand, `in` and `notin` are words like others.
  static Token as_value(Token token) {
    if (token.kind == TokenKind::kIn || token.kind == TokenKind::kNotIn) token.kind = TokenKind::kIdentifier;
    return token;
  }
  [[nodiscard]] Token peek() const { return as_value(tokens_[position_]); }
  Token next_operator() { return tokens_[position_ + 1 < tokens_.size() ? position_++ : position_]; }
  Token next() { return as_value(next_operator()); }

  static std::string found(const Token& token) { return "found '" + std::string(token.text) + "'"; }
  bool fail(std::string message) {
    error_ = std::move(message);
    return false;
  }

  std::optional<SelectorTerm> parse_term() {
    SelectorTerm term;
    Token key = next();
    const bool negated = key.kind == TokenKind::kNot;
    if (negated) key = next();
    if (key.kind != TokenKind::kIdentifier) {
      fail(found(key) + ", expected: identifier");
      return std::nullopt;
    }
    if (const NameProblems problems = qualified_name_problems(key.text); !problems.empty()) {
      fail("<nil>: Invalid value: " + quoted(key.text) + ": " + joined(problems, "; "));
      return std::nullopt;
    }
    term.key = key.text;
    if (negated || peek().kind == TokenKind::kEnd || peek().kind == TokenKind::kComma) {
      term.op = negated ? Op::kDoesNotExist : Op::kExists;
      return term;
    }
    Values values;
    if (!parse_operation(term, values) || !check(term, values)) return std::nullopt;
    term.values.assign(values.begin(), values.end());
    return term;
  }

  bool parse_operation(SelectorTerm& term, Values& values) {
    const Token op = next_operator();
    switch (op.kind) {
      case TokenKind::kIn:
      case TokenKind::kNotIn:
        term.op = op.kind == TokenKind::kIn ? Op::kIn : Op::kNotIn;
        return parse_set(values);
      case TokenKind::kEquals:
      case TokenKind::kDoubleEquals:
      case TokenKind::kNotEquals:
        term.op = op.kind == TokenKind::kNotEquals ? Op::kNotIn : Op::kIn;
        return parse_exact(values);
      case TokenKind::kGreater:
      case TokenKind::kLess:
        term.op = op.kind == TokenKind::kGreater ? Op::kGreaterThan : Op::kLessThan;
        return parse_exact(values);
      default:
        return fail(found(op) + ", expected: in, notin, =, ==, !=, gt, lt");
    }
  }

  bool parse_exact(Values& values) {
    if (peek().kind == TokenKind::kEnd || peek().kind == TokenKind::kComma) {
      values.emplace();
      return true;
    }
    const Token value = next();
    if (value.kind != TokenKind::kIdentifier) return fail(found(value) + ", expected: identifier");
    values.emplace(value.text);
    return true;
  }

  bool parse_set(Values& values) {
    const Token open = next();
    if (open.kind != TokenKind::kOpen) return fail(found(open) + " expected: '('");
    switch (peek().kind) {
      case TokenKind::kIdentifier:
      case TokenKind::kComma:
        if (!parse_list(values)) return false;
        next();  // the closing parenthesis that ended the list
        return true;
      case TokenKind::kClose:
        next();
        values.emplace();
        return true;
      default:
        return fail(found(peek()) + ", expected: ',', ')' or identifier");
    }
  }

  /// Values up to a closing parenthesis; nothing between two commas is the empty value.
  bool parse_list(Values& values) {
    while (true) {
      const Token token = next();
      if (token.kind == TokenKind::kIdentifier) {
        values.emplace(token.text);
        if (peek().kind == TokenKind::kClose) return true;
        if (peek().kind != TokenKind::kComma) return fail(found(peek()) + ", expected: ',' or ')'");
      } else if (token.kind == TokenKind::kComma) {
        if (values.empty() || peek().kind == TokenKind::kComma || peek().kind == TokenKind::kClose) values.emplace();
        if (peek().kind == TokenKind::kClose) return true;
      } else {
        return fail(found(token) + ", expected: ',', or identifier");
      }
    }
  }

  bool check(SelectorTerm& term, const Values& values) {
    std::vector<std::string> errors;
    if (is_bound(term.op)) {
      const std::optional<std::int64_t> bound = whole_number(*values.begin());
      if (!bound) {
        errors.push_back("values[0]: Invalid value: " + quoted(*values.begin()) +
                         ": for 'Gt', 'Lt' operators, the value must be an integer");
      }
      term.bound = bound.value_or(0);
    }
    std::size_t index = 0;
    for (const std::string& value : values) {
      const NameProblems problems = label_value_problems(value);
      if (!problems.empty()) {
        errors.push_back("values[" + std::to_string(index) + "][" + term.key + "]: Invalid value: " + quoted(value) +
                         ": " + joined(problems, "; "));
      }
      ++index;
    }
    if (errors.empty()) return true;
    return fail(errors.size() == 1 ? errors.front() : "[" + joined(errors, ", ") + "]");
  }

  std::vector<Token> tokens_;
  std::size_t position_ = 0;
  std::string error_;
};

}  // namespace

bool SelectorTerm::matches(std::optional<std::string_view> label) const {
  const auto listed = [&] { return std::binary_search(values.begin(), values.end(), *label); };
  switch (op) {
    case Op::kIn:
      return label.has_value() && listed();
    case Op::kNotIn:
      return !label.has_value() || !listed();
    case Op::kExists:
      return label.has_value();
    case Op::kDoesNotExist:
      return !label.has_value();
    case Op::kGreaterThan:
    case Op::kLessThan: {
      const std::optional<std::int64_t> number = !label ? std::nullopt : whole_number(*label);
      return number && (op == Op::kGreaterThan ? *number > bound : *number < bound);
    }
  }
  return false;
}

Result<std::vector<SelectorTerm>> parse_selector_terms(std::string_view text) { return Parser(text).parse(); }

Result<LabelSelector> parse_label_selector(std::string_view text) {
  Result<std::vector<SelectorTerm>> terms = parse_selector_terms(text);
  if (!terms) return tl::unexpected(std::move(terms.error()));
  LabelSelector selector;
  for (SelectorTerm& term : *terms) {
    if (is_bound(term.op)) {
      return failure(std::string("unable to parse requirement: the operator '") +
                     (term.op == SelectorTerm::Op::kGreaterThan ? '>' : '<') + "' is not supported");
    }
    selector.match_expressions.push_back(
        {std::move(term.key), static_cast<LabelSelectorOperator>(term.op), std::move(term.values)});
  }
  return selector;
}

std::string to_text(const LabelSelector& selector) {
  std::vector<std::string> parts;
  for (const auto& [key, value] : selector.match_labels) parts.push_back(fmt::format("{}={}", key, value));
  for (const LabelSelectorRequirement& requirement : selector.match_expressions) {
    const std::string values = "(" + joined(requirement.values, ",") + ")";
    switch (requirement.op) {
      case LabelSelectorOperator::kIn:
        parts.push_back(requirement.values.size() == 1 ? requirement.key + "=" + requirement.values.front()
                                                       : requirement.key + " in " + values);
        break;
      case LabelSelectorOperator::kNotIn:
        parts.push_back(requirement.values.size() == 1 ? requirement.key + "!=" + requirement.values.front()
                                                       : requirement.key + " notin " + values);
        break;
      case LabelSelectorOperator::kExists:
        parts.push_back(requirement.key);
        break;
      case LabelSelectorOperator::kDoesNotExist:
        parts.push_back("!" + requirement.key);
        break;
    }
  }
  return joined(parts, ",");
}

}  // namespace loadline::kube
