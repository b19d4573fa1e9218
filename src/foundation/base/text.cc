#include "foundation/base/text.h"

#include <algorithm>

#include "foundation/base/contract.h"

namespace loadline {

std::vector<std::string_view> split(std::string_view text, std::string_view separator) {
  REQUIRES(!separator.empty());
  std::vector<std::string_view> parts;
  while (true) {
    const std::size_t at = text.find(separator);
    parts.push_back(text.substr(0, at));
    if (at == std::string_view::npos) return parts;
    text.remove_prefix(at + separator.size());
  }
}

std::vector<std::string_view> words(std::string_view text, std::string_view separators) {
  std::vector<std::string_view> found;
  while (true) {
    const std::size_t start = text.find_first_not_of(separators);
    if (start == std::string_view::npos) return found;
    text.remove_prefix(start);
    const std::size_t length = std::min(text.find_first_of(separators), text.size());
    found.push_back(text.substr(0, length));
    text.remove_prefix(length);
  }
}

std::string_view trim(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(kWhiteSpace);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kWhiteSpace) - begin + 1);
}

std::string grouped_digits(std::size_t number) {
  std::string digits = std::to_string(number);
  for (std::size_t at = digits.size(); at > 3; at -= 3) digits.insert(at - 3, ",");
  return digits;
}

std::string counted(std::size_t count, std::string_view noun) {
  std::string text = grouped_digits(count) + " " + std::string(noun);
  if (count != 1) text += "s";
  return text;
}

std::string some_of(const std::vector<std::string>& names, std::size_t most, std::string_view noun) {
  if (names.size() <= most) return joined(names, ", ");
  const std::size_t left = names.size() - most;
  const std::vector<std::string_view> shown(names.begin(), names.begin() + static_cast<std::ptrdiff_t>(most));
  return joined(shown, ", ") + " and " +
         (noun.empty() ? grouped_digits(left) + " more" : counted(left, "more " + std::string(noun)));
}

}  // namespace loadline
