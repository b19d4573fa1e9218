#include "hosts/trace/open_work.h"

#include <iostream>
#include <string_view>
#include <utility>

#include "foundation/base/text.h"
#include "hosts/trace/csv_work.h"
#include "hosts/trace/json_lines_work.h"
#include "hosts/trace/place.h"

namespace loadline::trace {

Result<std::unique_ptr<WorkSource>> open_work(const std::string& path, const OpenWorkOptions& options) {
  if (path == "-") {
    std::istream& stream = options.standard_input == nullptr ? std::cin : *options.standard_input;
    return read_work(std::make_unique<Lines>(stream, "standard input"), options);
  }
  auto lines = Lines::open(path);
  if (!lines) return tl::unexpected(lines.error());
  return read_work(*std::move(lines), options);
}

Result<std::unique_ptr<WorkSource>> read_work(std::unique_ptr<Lines> lines, const OpenWorkOptions& options) {
  const auto first = lines->peek();
  if (!first) return tl::unexpected(first.error());
  const std::string_view line = *first ? trim(**first) : std::string_view();
  if (line.starts_with('{')) return read_json_lines_work(std::move(lines), options.templates);
  if (is_openb_header(line)) return read_openb(*lines, options.openb);
  if (line.empty() || is_csv_header(line)) return read_csv_work(std::move(lines));
  return failure_at({lines->file(), 1, 1}, {}, "is no trace that is known",
                    "openb's CSV, a CSV whose header names time, or JSON lines; see docs/traces.md");
}

}  // namespace loadline::trace
