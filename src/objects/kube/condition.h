#pragma once

#include <algorithm>
#include <string_view>
#include <vector>

#include "foundation/document/at.h"
#include "foundation/document/value.h"

namespace loadline::kube {

/// The first condition of that type, or null: of pods and nodes, of workloads, of Jobs. O(conditions).
template <class Condition>
const Condition* find_condition(const std::vector<Condition>& conditions, std::string_view type) {
  const auto found = std::find_if(conditions.begin(), conditions.end(),
                                  [type](const Condition& condition) { return condition.type == type; });
  return found == conditions.end() ? nullptr : &*found;
}

/// There is such a condition, and it says "True".
template <class Condition>
bool has_true_condition(const std::vector<Condition>& conditions, std::string_view type) {
  const Condition* condition = find_condition(conditions, type);
  return condition != nullptr && condition->status == "True";
}

/// The same of documents, where the list of conditions lies at `where`.
const document::Value* find_condition(const document::Value& object, std::string_view type,
                                      document::Names where = {"status", "conditions"});
bool has_true_condition(const document::Value& object, std::string_view type);

}  // namespace loadline::kube
