#include "bench/results/table.h"

#include <fmt/format.h>

#include <algorithm>

namespace loadline::bench {

std::string figure(double value) {
  if (value >= 100) return fmt::format("{:.0f}", value);
  if (value >= 10) return fmt::format("{:.1f}", value);
  return value >= 1 ? fmt::format("{:.2f}", value) : fmt::format("{:.3f}", value);
}

std::string figure(const std::optional<double>& value) { return value ? figure(*value) : ""; }

std::string aligned(const std::vector<std::string>& headers, std::size_t text_columns,
                    const std::vector<std::vector<std::string>>& lines) {
  std::vector<std::size_t> widths(headers.size());
  for (const std::vector<std::string>& line : lines) {
    for (std::size_t i = 0; i < headers.size(); ++i) widths[i] = std::max(widths[i], line[i].size());
  }
  std::string text;
  const auto print = [&](const std::vector<std::string>& cells) {
    std::string line;
    for (std::size_t i = 0; i < headers.size(); ++i) {
      if (widths[i] == 0) continue;
      const std::size_t width = std::max(widths[i], headers[i].size());
      line += i < text_columns ? fmt::format("{:<{}}  ", cells[i], width) : fmt::format("{:>{}}  ", cells[i], width);
    }
    text += line.substr(0, line.find_last_not_of(' ') + 1) + '\n';
  };
  print(headers);
  for (const std::vector<std::string>& line : lines) print(line);
  return text;
}

}  // namespace loadline::bench
