#include "server/apiserver/subresources/part.h"

#include <fmt/format.h>

#include <utility>

#include "foundation/document/at.h"
#include "server/apiserver/metadata.h"

namespace loadline::apiserver {

using document::Array;
using document::Value;

Value with_part_of(const Value& wanted, const Value& old, std::string_view part, Value changed) {
  Value object = old.with(part, std::move(changed));
  for (const std::string_view member : {"uid", "resourceVersion", "managedFields"}) {
    const Value* given = document::find_at(wanted, {"metadata", member});
    object = with_metadata(object, member, given == nullptr ? Value() : *given);
  }
  return object;
}

Value with_pod_specification(const Value& wanted, const Value& old, Value spec) {
  const Value* before = old.find("spec");
  const bool is_changed = before == nullptr || *before != spec;
  Value object = with_part_of(wanted, old, "spec", std::move(spec));
  return is_changed ? with_metadata(object, "generation", Value(generation_of(old) + 1)) : object;
}

std::string element_path(std::string_view array, std::size_t index, std::string_view field) {
  return field.empty() ? fmt::format("{}[{}]", array, index) : fmt::format("{}[{}].{}", array, index, field);
}

const Value* part_of(const Value& object, std::initializer_list<std::string_view> names) {
  const Value* found = document::find_at(object, names);
  return found == nullptr || found->is_null() ? nullptr : found;
}

const Array& elements_of(const Value& object, std::initializer_list<std::string_view> names) {
  static const auto* const none = new Array();
  const Value* found = part_of(object, names);
  return found != nullptr && found->is_array() ? found->array() : *none;
}

}  // namespace loadline::apiserver
