#pragma once

#include <span>
#include <string_view>

namespace loadline {

/// The candidate most like `word` by edit distance (insert, delete, replace, swap of neighbours; letter case is
/// half an edit), or an empty view if none is near enough to be meant: more than a third of the word's length away.
/// Ties go to the earlier candidate. O(candidates × length²).
std::string_view closest(std::string_view word, std::span<const std::string_view> candidates);

/// The same for names of labels and resources, `example.com/name`: both parts must be near enough by themselves, for
/// names that share a long prefix are not alike because of it.
std::string_view closest_qualified(std::string_view word, std::span<const std::string_view> candidates);

}  // namespace loadline
