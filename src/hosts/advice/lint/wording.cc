#include "hosts/advice/lint/wording.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "foundation/base/closest.h"
#include "foundation/base/text.h"
#include "objects/kube/well_known_names.h"

namespace loadline::advice::lint {

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
  names.reserve(entries.size());
  for (const auto& [name, count] : entries) names.push_back(fmt::format("{} ({})", name, count));
  return listed(names);
}

namespace {

constexpr std::string_view kSeparators = "-_./=:";

/// The name without numbers, and without a separator before the last one: data-team of data-team-2.
std::string without_digits(std::string_view text) {
  std::string letters(text);
  std::erase_if(letters, [](unsigned char letter) { return std::isdigit(letter) != 0; });
  letters.erase(letters.find_last_not_of(kSeparators) + 1);
  return letters;
}

/// Told apart on purpose: team-a and team-b, pool-1 and pool-2, mig-1g.5gb and mig-2g.10gb.
bool are_siblings(std::string_view a, std::string_view b) {
  if (without_digits(a) == without_digits(b)) return true;  // numbers
  const std::vector<std::string_view> left = words(a, kSeparators);
  const std::vector<std::string_view> right = words(b, kSeparators);
  if (left.size() != right.size() || left.size() < 2 || left == right) return false;
  for (std::size_t i = 0; i < left.size(); ++i) {
    if (left[i] != right[i] && (left[i].size() > 2 || right[i].size() > 2)) return false;
  }
  return true;
}

}  // namespace

std::string nearest(std::string_view word, const std::vector<std::string>& candidates) {
  std::vector<std::string_view> views(candidates.begin(), candidates.end());
  std::erase_if(views, [&](std::string_view candidate) { return are_siblings(word, candidate); });
  return kube::is_well_known_name(word) ? "" : std::string(closest_qualified(word, views));
}

std::string did_you_mean(std::string_view word, const std::vector<std::string>& candidates) {
  const std::string meant = nearest(word, candidates);
  return meant.empty() ? "" : fmt::format("did you mean {}?", meant);
}

}  // namespace loadline::advice::lint
