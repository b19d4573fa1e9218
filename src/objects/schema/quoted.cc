#include "objects/schema/quoted.h"

namespace loadline::schema {

std::string Quoted::operator()(std::string_view text) const {
  std::string result = "\"";
  for (const char c : text) {
    switch (c) {
      case '"':
        result += "\\\"";
        break;
      case '\\':
        result += "\\\\";
        break;
      case '\n':
        result += "\\n";
        break;
      case '\t':
        result += "\\t";
        break;
      case '\r':
        result += "\\r";
        break;
      default:
        if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) {
          constexpr std::string_view kHex = "0123456789abcdef";
          result += "\\x";
          result += kHex[static_cast<unsigned char>(c) >> 4];
          result += kHex[static_cast<unsigned char>(c) & 15];
        } else {
          result += c;
        }
    }
  }
  return result += '"';
}

}  // namespace loadline::schema
