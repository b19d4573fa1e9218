#include "foundation/document/at.h"

#include <span>
#include <utility>

namespace loadline::document {
namespace {

using Rest = std::span<const std::string_view>;

Value with_rest(Value value, Rest names, Value& changed) {
  if (names.empty()) return std::move(changed);
  return std::move(value).with_changed(
      names.front(), [&](Value inner) { return with_rest(std::move(inner), names.subspan(1), changed); });
}

/// REQUIRES: there is something.
Value without_rest(Value value, Rest names) {
  if (names.size() == 1) return std::move(value).without(names.front());
  return std::move(value).with_changed(names.front(),
                                       [&](Value inner) { return without_rest(std::move(inner), names.subspan(1)); });
}

}  // namespace

const Value* find_at(const Value& value, Names names) {
  const Value* found = &value;
  for (const std::string_view name : names) {
    found = found->find(name);
    if (found == nullptr) return nullptr;
  }
  return found;
}

Value value_at(const Value& value, Names names) {
  const Value* found = find_at(value, names);
  return found == nullptr ? Value() : *found;
}

const Array& items_at(const Value& value, Names names) {
  static const auto& none = *new Array();
  const Value* found = find_at(value, names);
  return found != nullptr && found->is_array() ? found->array() : none;
}

std::string_view text_at(const Value& value, Names names) {
  const Value* found = find_at(value, names);
  return found != nullptr && found->is_string() ? std::string_view(found->string()) : std::string_view();
}

Value with_at(Value value, Names names, Value changed) {
  return with_rest(std::move(value), Rest(names.begin(), names.size()), changed);
}

Value without_at(Value value, Names names) {
  if (names.size() == 0 || find_at(value, names) == nullptr) return value;
  return without_rest(std::move(value), Rest(names.begin(), names.size()));
}

}  // namespace loadline::document
