#include "objects/schema/cel/token.h"

#include <array>
#include <cctype>
#include <charconv>

#include "foundation/document/utf8.h"

namespace loadline::schema::cel {
namespace {

constexpr std::array<std::string_view, 22> kSigns{"==", "!=", "<=", ">=", "&&", "||", "<", ">", "!", "+", "-",
                                                  "*",  "/",  "%",  "?",  ":",  ",",  ".", "(", ")", "[", "]"};

bool is_letter(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

}  // namespace

void Lexer::step() {
  if (text_[at_] == '\n') {
    ++line_;
    column_ = 0;
  }
  ++at_;
  ++column_;
}

void Lexer::skip_space() {
  while (at_ < text_.size()) {
    const char c = text_[at_];
    if (c == '/' && at(1) == '/') {
      while (at_ < text_.size() && text_[at_] != '\n') step();
    } else if (c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f') {
      step();
    } else {
      return;
    }
  }
}

Token Lexer::next() {
  skip_space();
  Token token;
  token.line = line_;
  token.column = column_;
  if (at_ >= text_.size()) return token;
  // A string may begin with r or b, in either order.
  std::size_t prefix = 0;
  bool is_raw = false;
  bool is_bytes = false;
  for (; prefix < 2; ++prefix) {
    const char c = at(prefix);
    if ((c == 'r' || c == 'R') && !is_raw) {
      is_raw = true;
    } else if ((c == 'b' || c == 'B') && !is_bytes) {
      is_bytes = true;
    } else {
      break;
    }
  }
  if (at(prefix) == '"' || at(prefix) == '\'') {
    for (std::size_t i = 0; i < prefix; ++i) step();
    return read_string(std::move(token), is_raw, is_bytes);
  }
  if (is_letter(at(0))) {
    token.kind = Token::Kind::kName;
    while (is_letter(at(0)) || is_digit(at(0))) {
      token.text += at(0);
      step();
    }
    return token;
  }
  if (is_digit(at(0)) || (at(0) == '.' && is_digit(at(1)))) return read_number(std::move(token));
  token.kind = Token::Kind::kSign;
  for (const std::string_view sign : kSigns) {
    if (!text_.substr(at_).starts_with(sign)) continue;
    token.text = sign;
    for (std::size_t i = 0; i < sign.size(); ++i) step();
    return token;
  }
  if (at(0) == '{' || at(0) == '}') {
    token.text = at(0);
    step();
    return token;
  }
  token.kind = Token::Kind::kBad;
  token.text = "token recognition error at: '" + std::string(1, at(0)) + "'";
  return token;
}

Token Lexer::read_number(Token token) {
  token.kind = Token::Kind::kNumber;
  const auto take = [&] {
    token.text += at(0);
    step();
  };
  if (at(0) == '0' && (at(1) == 'x' || at(1) == 'X')) {
    take();
    take();
    while (std::isxdigit(static_cast<unsigned char>(at(0))) != 0) take();
  } else {
    while (is_digit(at(0))) take();
    if (at(0) == '.' && is_digit(at(1))) {
      take();
      while (is_digit(at(0))) take();
    }
    const bool is_signed = at(1) == '+' || at(1) == '-';
    if ((at(0) == 'e' || at(0) == 'E') && is_digit(at(is_signed ? 2 : 1))) {
      take();
      if (is_signed) take();
      while (is_digit(at(0))) take();
    }
  }
  if (at(0) == 'u' || at(0) == 'U') take();
  return token;
}

Token Lexer::read_string(Token token, bool is_raw, bool is_bytes) {
  token.kind = is_bytes ? Token::Kind::kBytes : Token::Kind::kString;
  const char quote = at(0);
  const std::size_t length = at(1) == quote && at(2) == quote ? 3 : 1;
  const std::string end(length, quote);
  for (std::size_t i = 0; i < length; ++i) step();
  while (at_ < text_.size() && !text_.substr(at_).starts_with(end)) {
    if (at(0) == '\\' && !is_raw) {
      step();
      if (read_escape(token.text, is_bytes)) continue;
      token.kind = Token::Kind::kBad;
      token.text = "invalid escape sequence";
      return token;
    }
    if (length == 1 && (at(0) == '\n' || at(0) == '\r')) break;
    token.text += at(0);
    step();
  }
  if (!text_.substr(at_).starts_with(end)) {
    token.kind = Token::Kind::kBad;
    token.text = "unterminated string";
    return token;
  }
  for (std::size_t i = 0; i < length; ++i) step();
  return token;
}

bool Lexer::read_escape(std::string& text, bool is_bytes) {
  static constexpr std::string_view kNames = "abfnrtv\\?\"'`";
  static constexpr std::string_view kMeanings = "\a\b\f\n\r\t\v\\?\"'`";
  const char name = at(0);
  if (const std::size_t known = kNames.find(name); name != '\0' && known != std::string_view::npos) {
    text += kMeanings[known];
    step();
    return true;
  }
  std::size_t digits = 3;
  int base = 8;
  if (name == 'x' || name == 'X' || name == 'u' || name == 'U') {
    digits = name == 'u' ? 4 : name == 'U' ? 8 : 2;
    base = 16;
    step();
  }
  if (at_ + digits > text_.size()) return false;
  std::uint32_t point = 0;
  const char* begin = text_.data() + at_;
  const auto [end, error] = std::from_chars(begin, begin + digits, point, base);
  if (error != std::errc() || end != begin + digits) return false;
  for (std::size_t i = 0; i < digits; ++i) step();
  if (is_bytes) {
    if (point > 0xFF) return false;
    text += static_cast<char>(point);
    return true;
  }
  if (point > 0x10FFFF || (point >= 0xD800 && point <= 0xDFFF)) return false;
  document::append_utf8(text, point);
  return true;
}

}  // namespace loadline::schema::cel
