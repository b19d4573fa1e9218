#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "foundation/document/value.h"
#include "objects/schema/custom/value_rules.h"

namespace loadline::schema {

/// Reads an openAPIV3Schema. Whatever validate_definition() would refuse is ignored. Patterns and expressions are
/// compiled here, once. Parts that say the same are one object. O(schema).
[[nodiscard]] std::shared_ptr<const ValueRules> read_schema(const document::Value& schema);

/// Reads schemas from their leaves up, each that is like another only once, also of another schema that it has read.
class RulesReader {
 public:
  /// As read_schema().
  ValueRules::Child read(const document::Value& schema);

 private:
  void read_children(const document::Value& schema, ValueRules& rules);
  std::vector<ValueRules::Child> read_all(const document::Value& parent, std::string_view name);

  std::unordered_map<std::string, ValueRules::Child> known_;  // by what they say: key_of()
};

}  // namespace loadline::schema
