#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "foundation/base/diagnostic.h"
#include "foundation/base/result.h"
#include "hosts/trace/lines.h"

namespace loadline::trace {

/// A field of a CSV record, unquoted, and where it begins. Columns count bytes, from 1.
struct CsvField {
  std::string_view text;
  std::uint32_t line = 0;
  std::uint32_t column = 0;
};

/// The records of a CSV text as RFC 4180 has them: fields between commas, in quotes if they hold commas, quotes
/// (written twice) or line ends. Empty lines are passed over. Memory: one record.
class CsvRecords {
 public:
  /// `lines` must outlive it.
  explicit CsvRecords(Lines& lines) : lines_(lines) {}

  /// Reads the next record; false: there is no more.
  Result<bool> next();
  /// Its fields, valid until the next call of next().
  [[nodiscard]] const std::vector<CsvField>& fields() const { return fields_; }
  /// Where it, or a field of it, begins.
  [[nodiscard]] SourcePosition at() const { return {lines_.file(), first_line_, 0}; }
  [[nodiscard]] SourcePosition at(const CsvField& field) const { return {lines_.file(), field.line, field.column}; }

 private:
  Result<bool> split_quoted(std::string_view line);
  Result<bool> take_quoted(std::string_view& line, std::size_t& at);

  Lines& lines_;
  std::vector<CsvField> fields_;
  std::uint32_t first_line_ = 0;
  std::string record_;    // its text so far, where fields are in quotes
  std::string unquoted_;  // the fields, one behind the other, where some are in quotes
};

/// A field as CSV writes it: in quotes where it must be.
std::string csv_text(std::string_view field);

}  // namespace loadline::trace
