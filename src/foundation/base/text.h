#pragma once

#include <cstddef>
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

/// Digits in groups of three: "8,152".
std::string grouped_digits(std::size_t number);

/// "1 pod", "2 pods", "1,523 nodes": `noun` takes an s unless there is exactly one.
std::string counted(std::size_t count, std::string_view noun);

/// "a, b and 2 more", or with a noun "a, b and 2 more pods": at most `most` of the names.
std::string some_of(const std::vector<std::string>& names, std::size_t most, std::string_view noun = {});

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
