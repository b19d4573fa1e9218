#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "foundation/base/result.h"

namespace loadline::apiserver {

/// How many indexes "0-3,7" names; they rise and are below `completions`. Errors are in upstream's words.
/// Source: validateIndexesFormat in pkg/apis/batch/validation, v1.36.
Result<std::int64_t> count_indexes(std::string_view text, std::int64_t completions);

/// What is wrong if two such lists have an index in common; empty: nothing. Intervals that cannot be read are skipped.
std::string overlap_of_indexes(std::string_view completed, std::string_view failed, std::int64_t completions);

}  // namespace loadline::apiserver
