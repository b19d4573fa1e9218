#include "server/apiserver/subresources/conditions.h"

#include <utility>

#include "foundation/document/at.h"
#include "objects/kube/condition.h"

namespace loadline::apiserver {
namespace {

using document::Array;
using document::Value;

const Array& conditions_of(const Value& object) {
  static const auto* const none = new Array();
  const Value* conditions = document::find_at(object, {"status", "conditions"});
  return conditions != nullptr && conditions->is_array() ? conditions->array() : *none;
}

}  // namespace

Value with_condition(const Value& object, document::Object condition, Instant now) {
  Value made(std::move(condition));
  const std::string_view type = document::text_at(made, {"type"});
  const Value* before = kube::find_condition(object, type);
  const bool stays = before != nullptr && document::text_at(*before, {"status"}) == document::text_at(made, {"status"});
  const Value* since = stays ? before->find("lastTransitionTime") : nullptr;
  made = made.with("lastTransitionTime", since != nullptr ? *since : Value(format_rfc3339(now)));

  Array conditions;
  for (const Value& each : conditions_of(object)) {
    conditions.push_back(document::text_at(each, {"type"}) == type ? made : each);
  }
  if (before == nullptr) conditions.push_back(made);
  return document::with_at(object, {"status", "conditions"}, Value(std::move(conditions)));
}

Value with_state(const Value& object, std::string_view type, std::string_view status, std::string_view reason,
                 std::string_view message, Instant now) {
  const Value* before = kube::find_condition(object, type);
  const auto says = [before](std::string_view member, std::string_view word) {
    return document::text_at(*before, {member}) == word;
  };
  if (before != nullptr && says("status", status) && says("reason", reason) && says("message", message)) return object;
  return with_condition(object,
                        {{"type", Value(type), {}},
                         {"status", Value(status), {}},
                         {"lastTransitionTime", Value(), {}},
                         {"reason", Value(reason), {}},
                         {"message", Value(message), {}}},
                        now);
}

}  // namespace loadline::apiserver
