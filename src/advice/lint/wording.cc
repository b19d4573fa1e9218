#include "advice/lint/wording.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/closest.h"

namespace loadline::advice::lint {

std::string counted(std::size_t count, std::string_view noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

std::string listed(const std::vector<std::string>& names, std::size_t most) {
  std::string text;
  for (std::size_t i = 0; i < names.size() && i < most; ++i) text += (i == 0 ? "" : ", ") + names[i];
  if (names.size() > most) text += fmt::format(", … {} more", names.size() - most);
  return text;
}

std::string tallied(const std::map<std::string, std::size_t>& counts) {
  std::vector<std::pair<std::string, std::size_t>> entries(counts.begin(), counts.end());
  std::ranges::stable_sort(entries, std::ranges::greater{}, [](const auto& entry) { return entry.second; });
  std::vector<std::string> names;
  for (const auto& [name, count] : entries) names.push_back(fmt::format("{} ({})", name, count));
  return listed(names);
}

std::string nearest(std::string_view word, const std::vector<std::string>& candidates) {
  const std::vector<std::string_view> views(candidates.begin(), candidates.end());
  return std::string(closest(word, views));
}

std::string did_you_mean(std::string_view word, const std::vector<std::string>& candidates) {
  const std::string meant = nearest(word, candidates);
  return meant.empty() ? "" : fmt::format("did you mean {}?", meant);
}

}  // namespace loadline::advice::lint
