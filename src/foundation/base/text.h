#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace loadline {

/// White space of ASCII.
inline constexpr std::string_view kWhiteSpace = " \t\n\v\f\r";

/// The parts between separators, empty ones too: never none. "a,,b" by "," is {"a", "", "b"}.
/// REQUIRES: `separator` is not empty.
std::vector<std::string_view> split(std::string_view text, std::string_view separator);

/// The stretches without any of the characters `separators`: none is empty. "a,,b" by "," is {"a", "b"}.
std::vector<std::string_view> words(std::string_view text, std::string_view separators = kWhiteSpace);

/// `text` without white space at its ends.
std::string_view trim(std::string_view text);

/// The parts with a separator between each two.
template <class Parts>
std::string joined(const Parts& parts, std::string_view separator) {
  std::string text;
  bool first = true;
  for (const std::string_view part : parts) {
    if (!first) text += separator;
    text += part;
    first = false;
  }
  return text;
}

}  // namespace loadline
