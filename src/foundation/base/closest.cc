#include "foundation/base/closest.h"

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

namespace loadline {
namespace {

// Costs count half edits, so that a wrong letter case can cost less than a wrong letter.
constexpr std::size_t kEdit = 2;
constexpr std::size_t kCaseEdit = 1;

char lower(char letter) { return letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter - 'A' + 'a') : letter; }

std::size_t replacement_cost(char from, char to) {
  if (from == to) return 0;
  return lower(from) == lower(to) ? kCaseEdit : kEdit;
}

/// The distance of optimal string alignment: no part of the text is edited twice. Keeps three rows of the table.
std::size_t half_edits(std::string_view from, std::string_view to) {
  std::vector<std::size_t> before_previous(to.size() + 1);
  std::vector<std::size_t> previous(to.size() + 1);
  std::vector<std::size_t> current(to.size() + 1);
  for (std::size_t j = 0; j <= to.size(); ++j) current[j] = j * kEdit;
  for (std::size_t i = 1; i <= from.size(); ++i) {
    std::swap(before_previous, previous);
    std::swap(previous, current);
    current[0] = i * kEdit;
    for (std::size_t j = 1; j <= to.size(); ++j) {
      current[j] = std::min(
          {previous[j] + kEdit, current[j - 1] + kEdit, previous[j - 1] + replacement_cost(from[i - 1], to[j - 1])});
      if (i > 1 && j > 1 && from[i - 1] == to[j - 2] && from[i - 2] == to[j - 1]) {
        current[j] = std::min(current[j], before_previous[j - 2] + kEdit);
      }
    }
  }
  return current[to.size()];
}

/// What the distance is at least: letters that one of them has more.
std::size_t least_half_edits(std::string_view from, std::string_view to) {
  return kEdit * (std::max(from.size(), to.size()) - std::min(from.size(), to.size()));
}

/// The half edits that are too many for a word of that length to be meant.
std::size_t too_many(std::string_view word) { return word.size() * kEdit / 3 + 1; }

struct QualifiedName {
  std::string_view prefix;
  std::string_view name;
};

/// Without a prefix the name is all of it.
QualifiedName split_name(std::string_view text) {
  const std::size_t slash = text.find('/');
  return slash == std::string_view::npos ? QualifiedName{{}, text}
                                         : QualifiedName{text.substr(0, slash), text.substr(slash + 1)};
}

}  // namespace

std::string_view closest(std::string_view word, std::span<const std::string_view> candidates) {
  std::size_t best_distance = too_many(word);
  std::string_view best;
  for (const std::string_view candidate : candidates) {
    if (least_half_edits(word, candidate) >= best_distance) continue;
    const std::size_t distance = half_edits(word, candidate);
    if (distance < best_distance) {
      best_distance = distance;
      best = candidate;
    }
  }
  return best;
}

std::string_view closest_qualified(std::string_view word, std::span<const std::string_view> candidates) {
  const QualifiedName wanted = split_name(word);
  std::size_t best_distance = too_many(word);
  std::string_view best;
  for (const std::string_view candidate : candidates) {
    const QualifiedName known = split_name(candidate);
    if (least_half_edits(wanted.prefix, known.prefix) >= too_many(wanted.prefix)) continue;
    if (least_half_edits(wanted.name, known.name) >= too_many(wanted.name)) continue;
    const std::size_t prefix_distance = half_edits(wanted.prefix, known.prefix);
    const std::size_t name_distance = half_edits(wanted.name, known.name);
    if (prefix_distance >= too_many(wanted.prefix) || name_distance >= too_many(wanted.name)) continue;
    if (prefix_distance + name_distance < best_distance) {
      best_distance = prefix_distance + name_distance;
      best = candidate;
    }
  }
  return best;
}

}  // namespace loadline
