#include "hosts/trace/csv_columns.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "foundation/base/text.h"
#include "hosts/trace/place.h"
#include "objects/kube/scalars.h"

namespace loadline::trace {
Result<CsvColumns> CsvColumns::read(CsvRecords& records, std::span<const std::string_view> known, IsOther is_other) {
  const auto is_there = records.next();
  if (!is_there) return tl::unexpected(is_there.error());
  CsvColumns columns;
  if (!*is_there) return columns;
  for (const CsvField& field : records.fields()) {
    const std::string name(trim(field.text));
    if (columns.find(name)) return failure_at(records.at(field), name, "this column comes twice");
    const bool is_known = std::ranges::find(known, name) != known.end() || (is_other != nullptr && is_other(name));
    if (!is_known) {
      return failure_at(records.at(field), {}, fmt::format("unknown column {}", kube::quoted(name)),
                        hint_for_name(name, known));
    }
    columns.names_.push_back(name);
  }
  return columns;
}

std::optional<std::size_t> CsvColumns::find(std::string_view name) const {
  const auto found = std::ranges::find(names_, name);
  if (found == names_.end()) return std::nullopt;
  return static_cast<std::size_t>(found - names_.begin());
}

Result<bool> CsvColumns::next(CsvRecords& records) const {
  const auto is_there = records.next();
  if (!is_there || !*is_there) return is_there;
  if (records.fields().size() != names_.size()) {
    return failure_at(records.at(), {},
                      fmt::format("has {}, but the header names {}", counted(records.fields().size(), "field"),
                                  counted(names_.size(), "column")));
  }
  return true;
}

Result<std::int64_t> whole_number(const CsvRecords& records, const CsvField& field, std::string_view column) {
  std::int64_t number = 0;
  const char* const end = field.text.data() + field.text.size();
  const auto [rest, error] = std::from_chars(field.text.data(), end, number);
  if (error != std::errc() || rest != end || number < 0) {
    return failure_at(records.at(field), column, fmt::format("{} is not a whole number", kube::quoted(field.text)));
  }
  return number;
}

}  // namespace loadline::trace
