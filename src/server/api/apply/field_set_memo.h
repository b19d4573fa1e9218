#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <unordered_map>

#include "foundation/document/value.h"
#include "server/api/apply/field_set.h"

namespace loadline::api {

/// Sets of fields by the texts that they were read from. Objects of one shape are owned alike: of the ten thousand pods
/// of a Job, and of their status updates, there are a handful of texts. Sets share their nodes, so to have one again
/// costs a look at the text. Long texts, which cost twenty times their size, are read anew each time, so that what one
/// writes about a hundred large objects is not kept when they are long gone. For one thread.
class FieldSetMemo {
 public:
  /// FieldSet::from_fields_v1() of a value that is that text, not parsed yet.
  std::optional<FieldSet> read(const document::Value& fields, const std::string& text);

  /// Of the texts whose sets are kept.
  [[nodiscard]] std::size_t text_bytes() const { return text_bytes_; }

  // All are forgotten when there are more.
  static constexpr std::size_t kMostSets = 128;
  static constexpr std::size_t kMostBytes = std::size_t{256} << 10;
  static constexpr std::size_t kLongestText = std::size_t{32} << 10;  // that is kept

 private:
  std::unordered_map<std::string, FieldSet> sets_;
  std::size_t text_bytes_ = 0;
};

}  // namespace loadline::api
