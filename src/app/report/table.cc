#include "app/report/table.h"

namespace loadline::report {
namespace {

void append_cell(std::string& out, const std::string& cell) {
  if (cell.find_first_of(",\"\r\n") == std::string::npos) {
    out += cell;
    return;
  }
  out += '"';
  for (const char letter : cell) {
    if (letter == '"') out += '"';
    out += letter;
  }
  out += '"';
}

}  // namespace

std::string to_csv(const Table& table) {
  std::string out;
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    if (i > 0) out += ',';
    append_cell(out, table.columns[i].header);
  }
  out += '\n';
  for (const std::vector<std::string>& row : table.rows) {
    for (std::size_t i = 0; i < row.size(); ++i) {
      if (i > 0) out += ',';
      append_cell(out, row[i]);
    }
    out += '\n';
  }
  return out;
}

}  // namespace loadline::report
