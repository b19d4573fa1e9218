#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace loadline::report {

enum class Alignment : std::uint8_t { kLeft, kRight };

struct Column {
  std::string header;
  Alignment alignment = Alignment::kLeft;
  bool elastic = false;  ///< may be cut short where there is no room
};

/// Rows of text under headers; every row has as many cells as there are columns. How it looks is the reader's affair.
struct Table {
  std::vector<Column> columns;
  std::vector<std::vector<std::string>> rows;
};

/// RFC 4180: headers first, a cell quoted if it needs it, lines ended by a bare newline as Unix tools expect.
std::string to_csv(const Table& table);

}  // namespace loadline::report
