#include "foundation/document/json_fault.h"

#include <array>
#include <cstdio>

#include "foundation/document/number.h"
#include "foundation/document/utf8.h"

namespace loadline::document {
namespace {

constexpr bool is_hexadecimal(char c) { return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); }

/// A recursive descent that stops at the first fault. Each step returns whether to go on.
class Checker {
 public:
  Checker(std::string_view text, std::size_t max_depth) : text_(text), max_depth_(max_depth) {}

  std::optional<JsonFault> check() {
    if (const std::size_t valid = valid_utf8_prefix(text_); valid < text_.size()) {
      return JsonFault{valid, "invalid UTF-8", "save the file as UTF-8"};
    }
    if (value()) {
      skip_space();
      if (at_ < text_.size()) refuse("after top-level value");
    }
    return fault_;
  }

 private:
  bool refuse(const std::string& where, std::string hint = {}) {
    if (at_ >= text_.size()) {
      fault_ = JsonFault{text_.size(), "unexpected end of JSON input", "close every brace, bracket and quote"};
    } else {
      fault_ = JsonFault{at_, "invalid character " + quoted() + " " + where, std::move(hint)};
    }
    return false;
  }

  [[nodiscard]] std::string quoted() const {
    const std::string_view character = code_point_at(text_, at_);
    if (character == "'") return "'\\''";
    if (character == "\n") return "'\\n'";
    if (character == "\t") return "'\\t'";
    if (character == "\r") return "'\\r'";
    if (character == "\\") return "'\\\\'";
    if (const auto byte = static_cast<unsigned char>(character.front()); byte < 0x20 || byte == 0x7f) {
      std::array<char, 8> escape{};
      std::snprintf(escape.data(), escape.size(), "'\\x%02x'", byte);
      return escape.data();
    }
    return "'" + std::string(character) + "'";
  }

  void skip_space() {
    while (at_ < text_.size() && std::string_view(" \t\r\n").find(text_[at_]) != std::string_view::npos) ++at_;
  }

  [[nodiscard]] bool is_at(char c) const { return at_ < text_.size() && text_[at_] == c; }

  bool take(char c) {
    if (!is_at(c)) return false;
    ++at_;
    return true;
  }

  bool value() {
    skip_space();
    if (at_ >= text_.size()) return refuse({});
    switch (text_[at_]) {
      case '{':
        return nested([this] { return object(); });
      case '[':
        return nested([this] { return array(); });
      case '"':
        return string();
      case 't':
        return literal("true");
      case 'f':
        return literal("false");
      case 'n':
        return literal("null");
      case '\'':
        return refuse("looking for beginning of value", "JSON strings stand in double quotes");
      case '}':
      case ']':
        return refuse("looking for beginning of value", "remove the comma before it, or write the missing value");
      default:
        if (is_at('-') || is_digit(text_[at_])) return number();
        return refuse("looking for beginning of value", "a string needs double quotes");
    }
  }

  template <class Body>
  bool nested(Body body) {
    if (++depth_ > max_depth_) {
      fault_ =
          JsonFault{at_, "exceeded max depth", "no more than " + std::to_string(max_depth_) + " levels of nesting"};
      return false;
    }
    ++at_;
    const bool sound = body();
    --depth_;
    return sound;
  }

  bool object() {
    skip_space();
    if (take('}')) return true;
    while (true) {
      skip_space();
      if (!is_at('"')) {
        return refuse("looking for beginning of object key string",
                      is_at('}') ? "remove the comma before it" : "a key stands in double quotes");
      }
      if (!string()) return false;
      skip_space();
      if (!take(':')) return refuse("after object key", "write ':' and a value after the key");
      if (!value()) return false;
      skip_space();
      if (take('}')) return true;
      if (!take(',')) return refuse("after object key:value pair", "write ',' or '}' before it");
    }
  }

  bool array() {
    skip_space();
    if (take(']')) return true;
    while (true) {
      if (!value()) return false;
      skip_space();
      if (take(']')) return true;
      if (!take(',')) return refuse("after array element", "write ',' or ']' before it");
    }
  }

  bool literal(std::string_view word) {
    for (const char c : word) {
      if (!take(c)) return refuse("in literal " + std::string(word) + " (expecting '" + c + "')");
    }
    return true;
  }

  bool number() {
    take('-');
    if (at_ >= text_.size() || !is_digit(text_[at_])) return refuse("in numeric literal");
    if (!take('0')) digits();
    if (take('.') && !digits()) return refuse("after decimal point in numeric literal");
    if (take('e') || take('E')) {
      if (!take('+')) take('-');
      if (!digits()) return refuse("in exponent of numeric literal");
    }
    return true;
  }

  bool digits() {
    const std::size_t begin = at_;
    while (at_ < text_.size() && is_digit(text_[at_])) ++at_;
    return at_ > begin;
  }

  bool string() {
    ++at_;
    while (at_ < text_.size()) {
      if (take('"')) return true;
      if (static_cast<unsigned char>(text_[at_]) < 0x20) {
        return refuse("in string literal", "close the quote, or write the character as an escape such as \\n");
      }
      if (!take('\\')) {
        ++at_;
      } else if (!escape()) {
        return false;
      }
    }
    return refuse({});
  }

  bool escape() {
    if (take('u')) {
      for (int i = 0; i < 4; ++i, ++at_) {
        if (at_ >= text_.size() || !is_hexadecimal(text_[at_])) return refuse("in \\u hexadecimal character escape");
      }
      return true;
    }
    if (at_ < text_.size() && std::string_view("\"\\/bfnrt").find(text_[at_]) != std::string_view::npos) {
      ++at_;
      return true;
    }
    return refuse("in string escape code", "a backslash itself is written \\\\");
  }

  std::string_view text_;
  std::size_t max_depth_;
  std::size_t at_ = 0;
  std::size_t depth_ = 0;
  std::optional<JsonFault> fault_;
};

}  // namespace

std::optional<JsonFault> find_json_fault(std::string_view text, std::size_t max_depth) {
  return Checker(text, max_depth).check();
}

}  // namespace loadline::document
