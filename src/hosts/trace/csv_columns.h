#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "foundation/base/result.h"
#include "hosts/trace/csv_records.h"

namespace loadline::trace {

/// Where the columns that a reader knows stand in a file, as its header line says.
class CsvColumns {
 public:
  /// Whether a name that is not among those known is good all the same.
  using IsOther = bool (*)(std::string_view name);

  /// Reads the header. Unknown names, and names that come twice, are errors with the nearest right name.
  static Result<CsvColumns> read(CsvRecords& records, std::span<const std::string_view> known,
                                 IsOther is_other = nullptr);

  /// The index of a column, if the file has it.
  [[nodiscard]] std::optional<std::size_t> find(std::string_view name) const;
  [[nodiscard]] const std::vector<std::string>& names() const { return names_; }

  /// Reads the next record; false: there is none. It must have as many fields as the header.
  Result<bool> next(CsvRecords& records) const;

 private:
  std::vector<std::string> names_;
};

/// The field as a whole number of at least zero.
Result<std::int64_t> whole_number(const CsvRecords& records, const CsvField& field, std::string_view column);

}  // namespace loadline::trace
