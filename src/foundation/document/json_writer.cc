#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>

#include "foundation/document/utf8.h"
#include "foundation/document/writer.h"

namespace loadline::document {
namespace {

/// Puts pieces together before they go to the end of a text: most are a few letters, too few for a call of their own.
class Pieces {
 public:
  explicit Pieces(std::string& text) : text_(text) {}
  ~Pieces() { flush(); }
  Pieces(const Pieces&) = delete;
  Pieces& operator=(const Pieces&) = delete;

  void add(char c) {
    if (size_ == buffer_.size()) flush();
    buffer_[size_++] = c;
  }

  void add(std::string_view piece) {
    if (piece.size() > buffer_.size() - size_) flush();
    if (piece.size() > buffer_.size()) {
      text_.append(piece);
      return;
    }
    std::memcpy(buffer_.data() + size_, piece.data(), piece.size());
    size_ += piece.size();
  }

 private:
  void flush() {
    text_.append(buffer_.data(), size_);
    size_ = 0;
  }

  std::string& text_;
  std::size_t size_ = 0;
  std::array<char, 1024> buffer_;
};

/// Whether any of eight bytes is not plain: outside ASCII, a control character, a quote or a backslash.
bool has_special(std::uint64_t eight) {
  constexpr std::uint64_t kOnes = 0x0101010101010101U;
  constexpr std::uint64_t kHighs = 0x80 * kOnes;
  const auto has_zero = [](std::uint64_t bytes) { return (bytes - kOnes) & ~bytes & kHighs; };
  const std::uint64_t controls = (eight - 0x20 * kOnes) & ~eight & kHighs;
  return ((eight & kHighs) | controls | has_zero(eight ^ ('"' * kOnes)) | has_zero(eight ^ ('\\' * kOnes))) != 0;
}

/// The first bytes of a text of less than eight, spaces in place of what it has not.
std::uint64_t padded(std::string_view text) {
  constexpr std::uint64_t kSpaces = 0x2020202020202020U;
  std::uint64_t eight = kSpaces;
  if (text.size() >= 4) {
    std::uint32_t first = 0;
    std::uint32_t last = 0;
    std::memcpy(&first, text.data(), sizeof first);
    std::memcpy(&last, text.data() + text.size() - sizeof last, sizeof last);  // some of them twice
    return first | std::uint64_t{last} << 32U;
  }
  for (const char letter : text) eight = eight << 8U | static_cast<unsigned char>(letter);
  return eight;
}

/// Whether a text is written as it is. Nearly all are.
bool is_plain(std::string_view text) {
  std::uint64_t eight = 0;
  if (text.size() < sizeof eight) return !has_special(padded(text));
  for (std::size_t at = 0; at + sizeof eight < text.size(); at += sizeof eight) {
    std::memcpy(&eight, text.data() + at, sizeof eight);
    if (has_special(eight)) return false;
  }
  // The last eight, of which some may have been looked at before.
  std::memcpy(&eight, text.data() + text.size() - sizeof eight, sizeof eight);
  return !has_special(eight);
}

class JsonWriter {
 public:
  JsonWriter(std::string& text, JsonStyle style) : text_(text), indented_(style == JsonStyle::kIndented) {}

  void write(const Value& value) {
    if (value.is_object()) {
      if (const std::string* text = indented_ ? nullptr : value.unread_text()) return text_.add(*text);
      write_all(value.object(), '{', '}', [this](const Member& member) {
        write_string(member.key);
        text_.add(indented_ ? std::string_view(": ") : std::string_view(":"));
        write(member.value);
      });
    } else if (value.is_array()) {
      write_all(value.array(), '[', ']', [this](const Value& element) { write(element); });
    } else if (value.is_string()) {
      write_string(value.string());
    } else if (value.is_integer()) {
      write_integer(value.integer());
    } else if (value.is_float()) {
      // JSON has no infinity and no NaN; readers never make one.
      text_.add(std::isfinite(value.number()) ? format_number(value.number()) : "null");
    } else {
      text_.add(value.is_null() ? "null" : value.boolean() ? "true" : "false");
    }
  }

  void write_string(std::string_view string) {
    text_.add('"');
    if (is_plain(string)) {
      text_.add(string);
    } else if (valid_utf8_prefix(string) < string.size()) {
      write_escaped(to_valid_utf8(string));
    } else {
      write_escaped(string);
    }
    text_.add('"');
  }

 private:
  void write_integer(std::int64_t integer) {
    std::array<char, 24> digits{};
    const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), integer).ptr;
    text_.add(std::string_view(digits.data(), static_cast<std::size_t>(end - digits.data())));
  }

  void write_escaped(std::string_view string) {
    std::size_t plain = 0;  // where the characters begin that need no escape
    for (std::size_t at = 0; at < string.size(); ++at) {
      const auto byte = static_cast<unsigned char>(string[at]);
      if (byte >= 0x20 && byte != '"' && byte != '\\' && byte != 0xe2) continue;
      const std::string_view character = string.substr(at, 3);
      // To JavaScript these two end a line, so Go's encoder escapes them.
      const bool ends_line = character == "\u2028" || character == "\u2029";
      if (byte == 0xe2 && !ends_line) continue;
      text_.add(string.substr(plain, at - plain));
      if (ends_line) {
        text_.add(character == "\u2028" ? "\\u2028" : "\\u2029");
        at += 2;
      } else {
        write_escape(string[at]);
      }
      plain = at + 1;
    }
    text_.add(string.substr(plain));
  }

  template <class Elements, class Write>
  void write_all(const Elements& elements, char open, char close, Write write_one) {
    text_.add(open);
    ++depth_;
    bool first = true;
    for (const auto& element : elements) {
      if (!first) text_.add(',');
      first = false;
      break_line();
      write_one(element);
    }
    --depth_;
    if (!first) break_line();
    text_.add(close);
  }

  void break_line() {
    if (!indented_) return;
    text_.add('\n');
    text_.add(std::string(4 * depth_, ' '));
  }

  void write_escape(char c) {
    switch (c) {
      case '"':
        text_.add("\\\"");
        return;
      case '\\':
        text_.add("\\\\");
        return;
      case '\n':
        text_.add("\\n");
        return;
      case '\r':
        text_.add("\\r");
        return;
      case '\t':
        text_.add("\\t");
        return;
      case '\b':
        text_.add("\\b");
        return;
      case '\f':
        text_.add("\\f");
        return;
      default:
        break;
    }
    std::array<char, 8> escape{};
    std::snprintf(escape.data(), escape.size(), "\\u%04x", static_cast<unsigned>(c));
    text_.add(escape.data());
  }

  Pieces text_;
  std::size_t depth_ = 0;
  bool indented_;
};

}  // namespace

std::string write_json(const Value& value, JsonStyle style) {
  std::string text;
  JsonWriter(text, style).write(value);
  return text;
}

void append_json(std::string& text, const Value& value) { JsonWriter(text, JsonStyle::kCompact).write(value); }

void append_json(std::string& text, std::string_view string) {
  JsonWriter(text, JsonStyle::kCompact).write_string(string);
}

}  // namespace loadline::document
