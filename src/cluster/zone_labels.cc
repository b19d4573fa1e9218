#include "cluster/zone_labels.h"

namespace loadline::cluster {

std::vector<std::string_view> split_zones(std::string_view label) {
  constexpr std::string_view kDelimiter = "__";
  std::vector<std::string_view> zones;
  while (true) {
    const std::size_t end = label.find(kDelimiter);
    zones.push_back(label.substr(0, end));
    if (end == std::string_view::npos) return zones;
    label.remove_prefix(end + kDelimiter.size());
  }
}

std::string_view trim(std::string_view text) {
  constexpr std::string_view kSpace = " \t\n\v\f\r";
  const std::size_t begin = text.find_first_not_of(kSpace);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kSpace) - begin + 1);
}

}  // namespace loadline::cluster
