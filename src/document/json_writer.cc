#include <array>
#include <cmath>
#include <cstdio>

#include "document/utf8.h"
#include "document/writer.h"

namespace loadline::document {
namespace {

class JsonWriter {
 public:
  JsonWriter(std::string& text, JsonStyle style) : text_(text), indented_(style == JsonStyle::kIndented) {}

  void write(const Value& value) {
    if (value.is_object()) {
      write_all(value.object(), '{', '}', [this](const Member& member) {
        write_string(member.key);
        text_ += indented_ ? ": " : ":";
        write(member.value);
      });
    } else if (value.is_array()) {
      write_all(value.array(), '[', ']', [this](const Value& element) { write(element); });
    } else if (value.is_string()) {
      write_string(value.string());
    } else if (value.is_integer()) {
      text_ += std::to_string(value.integer());
    } else if (value.is_float()) {
      // JSON has no infinity and no NaN; readers never make one.
      text_ += std::isfinite(value.number()) ? format_number(value.number()) : "null";
    } else {
      text_ += value.is_null() ? "null" : value.boolean() ? "true" : "false";
    }
  }

  void write_string(std::string_view string) {
    if (valid_utf8_prefix(string) < string.size()) return write_string(to_valid_utf8(string));
    text_ += '"';
    std::size_t plain = 0;  // where the characters begin that need no escape
    for (std::size_t at = 0; at < string.size(); ++at) {
      const auto byte = static_cast<unsigned char>(string[at]);
      if (byte >= 0x20 && byte != '"' && byte != '\\' && byte != 0xe2) continue;
      const std::string_view character = string.substr(at, 3);
      // To JavaScript these two end a line, so Go's encoder escapes them.
      const bool ends_line = character == "\u2028" || character == "\u2029";
      if (byte == 0xe2 && !ends_line) continue;
      text_.append(string, plain, at - plain);
      if (ends_line) {
        text_ += character == "\u2028" ? "\\u2028" : "\\u2029";
        at += 2;
      } else {
        write_escape(string[at]);
      }
      plain = at + 1;
    }
    text_.append(string, plain);
    text_ += '"';
  }

 private:
  template <class Elements, class Write>
  void write_all(const Elements& elements, char open, char close, Write write_one) {
    text_ += open;
    ++depth_;
    bool first = true;
    for (const auto& element : elements) {
      if (!first) text_ += ',';
      first = false;
      break_line();
      write_one(element);
    }
    --depth_;
    if (!first) break_line();
    text_ += close;
  }

  void break_line() {
    if (!indented_) return;
    text_ += '\n';
    text_.append(4 * depth_, ' ');
  }

  void write_escape(char c) {
    switch (c) {
      case '"':
        text_ += "\\\"";
        return;
      case '\\':
        text_ += "\\\\";
        return;
      case '\n':
        text_ += "\\n";
        return;
      case '\r':
        text_ += "\\r";
        return;
      case '\t':
        text_ += "\\t";
        return;
      case '\b':
        text_ += "\\b";
        return;
      case '\f':
        text_ += "\\f";
        return;
      default:
        break;
    }
    std::array<char, 8> escape{};
    std::snprintf(escape.data(), escape.size(), "\\u%04x", static_cast<unsigned>(c));
    text_ += escape.data();
  }

  std::string& text_;
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
