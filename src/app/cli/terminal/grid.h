#pragma once

#include <string>
#include <vector>

#include "app/cli/terminal/styled.h"
#include "app/cli/terminal/terminal.h"
#include "app/report/table.h"

namespace loadline::cli {

struct GridColumn {
  std::string header;
  report::Alignment alignment = report::Alignment::kLeft;
  std::size_t at_least = 0;  ///< when the grid is too wide, columns shrink to this; 0: this column never shrinks
};

/// Cells in columns. Every row has as many cells as there are columns.
struct Grid {
  std::vector<GridColumn> columns;
  std::vector<std::vector<Line>> rows;
};

/// The grid as lines of at most `terminal.width` columns when a person watches, two blanks between columns, headers
/// dimmed. If it is too wide, shrinkable columns give way, the widest first, and cut cells end in an ellipsis. What
/// goes to a file or a pipe is never cut, because there is no window to widen. Columns without any text vanish.
std::vector<Line> lay_out(const Grid& grid, const Terminal& terminal);

/// A table of plain text; its elastic columns may shrink.
Grid to_grid(const report::Table& table);

}  // namespace loadline::cli
