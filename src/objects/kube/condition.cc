#include "objects/kube/condition.h"

namespace loadline::kube {

using document::Value;

const Value* find_condition(const Value& object, std::string_view type, document::Names where) {
  const Value* conditions = document::find_at(object, where);
  if (conditions == nullptr || !conditions->is_array()) return nullptr;
  for (const Value& condition : conditions->array()) {
    if (document::text_at(condition, {"type"}) == type) return &condition;
  }
  return nullptr;
}

bool has_true_condition(const Value& object, std::string_view type) {
  const Value* condition = find_condition(object, type);
  return condition != nullptr && document::text_at(*condition, {"status"}) == "True";
}

}  // namespace loadline::kube
