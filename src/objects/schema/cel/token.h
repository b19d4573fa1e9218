#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace loadline::schema::cel {

/// One word of an expression.
struct Token {
  enum class Kind : std::uint8_t { kEnd, kName, kNumber, kString, kBytes, kSign, kBad };

  Kind kind = Kind::kEnd;
  std::string text;  ///< of strings, what they stand for; of kBad, what is wrong
  std::uint32_t line = 1;
  std::uint32_t column = 1;
};

/// Splits an expression into words, from its beginning to its end.
class Lexer {
 public:
  /// REQUIRES: `text` outlives the lexer.
  explicit Lexer(std::string_view text) : text_(text) {}

  Token next();

 private:
  void skip_space();
  void step();
  [[nodiscard]] char at(std::size_t ahead) const { return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0'; }
  Token read_string(Token token, bool is_raw, bool is_bytes);
  bool read_escape(std::string& text, bool is_bytes);
  Token read_number(Token token);

  std::string_view text_;
  std::size_t at_ = 0;
  std::uint32_t line_ = 1;
  std::uint32_t column_ = 1;
};

}  // namespace loadline::schema::cel
