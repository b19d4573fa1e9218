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
/// costs a look at the text. For one thread.
class FieldSetMemo {
 public:
  /// FieldSet::from_fields_v1() of a value that is that text, not parsed yet.
  std::optional<FieldSet> read(const document::Value& fields, const std::string& text);

 private:
  static constexpr std::size_t kMostSets = 128;  // all are forgotten when there are more

  std::unordered_map<std::string, FieldSet> sets_;
};

}  // namespace loadline::api
