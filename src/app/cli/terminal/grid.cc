#include "app/cli/terminal/grid.h"

#include <algorithm>

#include "app/cli/terminal/text.h"

namespace loadline::cli {
namespace {

constexpr std::size_t kGap = 2;
constexpr std::size_t kLeastElastic = 12;

std::vector<std::size_t> natural_widths(const Grid& grid) {
  std::vector<std::size_t> widths(grid.columns.size(), 0);
  for (const std::vector<Line>& row : grid.rows) {
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].width());
  }
  for (std::size_t i = 0; i < widths.size(); ++i) {
    if (widths[i] > 0) widths[i] = std::max(widths[i], display_width(grid.columns[i].header));
  }
  return widths;
}

std::size_t total_width(const std::vector<std::size_t>& widths) {
  std::size_t total = 0;
  for (const std::size_t width : widths) total += width == 0 ? 0 : width + kGap;
  return total == 0 ? 0 : total - kGap;
}

/// Takes columns from the widest shrinkable one until the grid fits or none can give more.
void shrink(const Grid& grid, std::size_t room, std::vector<std::size_t>& widths) {
  while (total_width(widths) > room) {
    std::size_t widest = widths.size();
    for (std::size_t i = 0; i < widths.size(); ++i) {
      const std::size_t at_least = grid.columns[i].at_least;
      if (at_least == 0 || widths[i] <= at_least) continue;
      if (widest == widths.size() || widths[i] > widths[widest]) widest = i;
    }
    if (widest == widths.size()) return;
    --widths[widest];
  }
}

Line row_line(const Grid& grid, const std::vector<Line>& row, const std::vector<std::size_t>& widths,
              std::string_view ellipsis) {
  Line line;
  bool first = true;
  for (std::size_t i = 0; i < row.size(); ++i) {
    if (widths[i] == 0) continue;
    const Line cell = row[i].truncated(widths[i], ellipsis);
    const std::string padding(widths[i] - std::min(widths[i], cell.width()), ' ');
    if (!first) line.add(std::string(kGap, ' '));
    first = false;
    const bool right = grid.columns[i].alignment == report::Alignment::kRight;
    if (right) line.add(padding);
    line.append(cell);
    if (!right) line.add(padding);
  }
  return line;
}

}  // namespace

std::vector<Line> lay_out(const Grid& grid, const Terminal& terminal) {
  std::vector<std::size_t> widths = natural_widths(grid);
  if (terminal.interactive) shrink(grid, terminal.width, widths);
  const std::string_view ellipsis = terminal.letters == Letters::kUnicode ? "…" : "~";
  std::vector<Line> lines;
  std::vector<Line> headers;
  bool any_header = false;
  for (const GridColumn& column : grid.columns) {
    headers.emplace_back(column.header, Style::kDim);
    any_header = any_header || !column.header.empty();
  }
  if (any_header) lines.push_back(row_line(grid, headers, widths, ellipsis));
  for (const std::vector<Line>& row : grid.rows) lines.push_back(row_line(grid, row, widths, ellipsis));
  return lines;
}

Grid to_grid(const report::Table& table) {
  Grid grid;
  for (const report::Column& column : table.columns) {
    grid.columns.push_back({column.header, column.alignment, column.elastic ? kLeastElastic : 0});
  }
  for (const std::vector<std::string>& row : table.rows) {
    std::vector<Line>& cells = grid.rows.emplace_back();
    for (const std::string& cell : row) cells.emplace_back(printable(cell));
  }
  return grid;
}

}  // namespace loadline::cli
