#pragma once

#include <string>
#include <vector>

#include "seeds/table.h"

namespace loadline::seeds {

/// docs/seeds.md: the tables for readers.
std::string page_of(const std::vector<Table>& tables);

}  // namespace loadline::seeds
