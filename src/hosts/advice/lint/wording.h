#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace loadline::advice::lint {

/// "a, b, c, … 4 more": at most `most` of the names.
[[nodiscard]] std::string listed(const std::vector<std::string>& names, std::size_t most = 4);

/// "v100 (3), t4 (2)": most frequent first, then by name; at most four.
[[nodiscard]] std::string tallied(const std::map<std::string, std::size_t>& counts);

/// "did you mean x?" if one of the candidates is near `word`, else nothing.
[[nodiscard]] std::string did_you_mean(std::string_view word, const std::vector<std::string>& candidates);

/// The candidate that `word` most likely stands for, empty if none is near. Names that differ by numbers or one short
/// part, as team-a and team-b do, are not taken for each other, and what vendors are known to offer for nothing else.
[[nodiscard]] std::string nearest(std::string_view word, const std::vector<std::string>& candidates);

}  // namespace loadline::advice::lint
