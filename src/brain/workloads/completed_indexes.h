#pragma once

#include <cstdint>
#include <set>
#include <string_view>

namespace loadline::workloads {

/// The indexes in a Job's status.completedIndexes, as in "0-3,7"; those outside 0 .. completions - 1 are dropped, and
/// reading stops at what is no index, as the Job controller does.
[[nodiscard]] std::set<std::int64_t> parse_completed_indexes(std::string_view text, std::int64_t completions);

}  // namespace loadline::workloads
