#include "app/page/table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <string_view>
#include <vector>

#include "app/page/frame.h"
#include "foundation/base/text.h"

namespace loadline::page {
namespace {

constexpr std::size_t kMostTableRows = 2000;

/// Whether a cell begins as a number does: "12", "-0.5", "7h 12m", "87%".
bool is_number(std::string_view cell) {
  if (cell.starts_with('-') || cell.starts_with('+')) cell.remove_prefix(1);
  if (cell.starts_with("−")) cell.remove_prefix(std::string_view("−").size());
  if (cell.empty() || cell.front() < '0' || cell.front() > '9') return false;
  // A number has a unit at most; what goes on with a dash is a date, a version or a name.
  return cell.find_first_of("-:/_") == std::string_view::npos && cell.size() < 40;
}

bool is_blank(std::string_view cell) { return cell.empty() || cell == "-" || cell == "–" || cell == "—"; }

std::vector<bool> number_columns(const Table& table, std::size_t columns) {
  std::vector<bool> numbers(columns, false);
  for (std::size_t column = 0; column < columns; ++column) {
    bool any = false;
    bool all = true;
    for (const std::vector<std::string>& row : table.rows) {
      if (column >= row.size() || is_blank(row[column])) continue;
      any = true;
      all = all && is_number(row[column]);
    }
    numbers[column] = any && all;
  }
  return numbers;
}

void draw_cells(HtmlWriter& writer, std::string_view tag, const std::vector<std::string>& cells,
                const std::vector<bool>& numbers) {
  writer.open("tr");
  for (std::size_t column = 0; column < numbers.size(); ++column) {
    const std::string_view text = column < cells.size() ? std::string_view(cells[column]) : std::string_view();
    if (numbers[column]) {
      writer.element(tag, {{"class", "number"}}, text);
    } else {
      writer.element(tag, {}, text);
    }
  }
  writer.close();
}

}  // namespace

void draw_table(HtmlWriter& writer, const Table& table) {
  open_figure(writer, table.title);
  std::size_t columns = table.header.size();
  for (const std::vector<std::string>& row : table.rows) columns = std::max(columns, row.size());
  if (columns == 0) {
    draw_note(writer, "Nothing to show.");
    writer.close();
    return;
  }
  const std::size_t shown = std::min(table.rows.size(), kMostTableRows);
  if (shown < table.rows.size()) {
    draw_note(writer,
              fmt::format("The first {} of {} are shown.", grouped_digits(shown), counted(table.rows.size(), "row")));
  }
  const std::vector<bool> numbers = number_columns(table, columns);
  writer.open("div", {{"class", "wide"}});
  writer.open("table");
  if (!table.header.empty()) {
    writer.open("thead");
    draw_cells(writer, "th", table.header, numbers);
    writer.close();
  }
  writer.open("tbody");
  for (std::size_t i = 0; i < shown; ++i) draw_cells(writer, "td", table.rows[i], numbers);
  writer.close();
  writer.close();
  writer.close();
  writer.close();
}

}  // namespace loadline::page
