#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace loadline::bench {

/// Three significant digits for what is at least 1, thousandths below; whole numbers from 100 on.
std::string figure(double value);

/// Nothing for what was not measured.
std::string figure(const std::optional<double>& value);

/// Lines under headers, in columns as wide as they need: the first `text_columns` of them to the left, the others to
/// the right. Columns that no line fills are left out. REQUIRES: each line has as many cells as there are headers.
std::string aligned(const std::vector<std::string>& headers, std::size_t text_columns,
                    const std::vector<std::vector<std::string>>& lines);

}  // namespace loadline::bench
