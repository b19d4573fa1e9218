#include "server/api/apply/merge_shape.h"

#include <utility>

#include "foundation/base/contract.h"

namespace loadline::api {

using schema::Field;
using schema::Form;
using schema::ListKind;
using schema::Type;
namespace {

using document::Object;
using document::Value;

/// The type of a value that nothing is known of: its maps merge, its lists are atomic.
const Type& deduced() {
  // Never destroyed: other threads may still read it while the program ends.
  static const Type& type = *new Type();
  return type;
}

bool allows_anything(Form form) { return form == Form::kAny || form == Form::kRawObject; }

Result<PathElement> keyed_element(const Type& list, const Value& element) {
  if (element.is_null()) return failure("associative list with keys may not have a null element");
  if (!element.is_object()) return failure("associative list with keys may not have non-map elements");
  Object keys;
  keys.reserve(list.keys.size());
  for (const std::string& name : list.keys) {
    if (const Value* value = element.find(name)) {
      keys.push_back({name, *value, {}});
      continue;
    }
    const Field* field = list.element->find(name);
    if (field != nullptr && !field->initial.is_null()) keys.push_back({name, field->initial, {}});
  }
  if (!keys.empty()) return PathElement::key(std::move(keys));
  std::string names;
  for (const std::string& name : list.keys) names += (names.empty() ? "\"" : " \"") + name + "\"";
  return failure("associative list with keys has an element that omits all key fields [" + names +
                 "] (and doesn't have default values for any key fields)");
}

Result<PathElement> set_element(const Value& element) {
  if (element.is_object()) return failure("associative list without keys has an element that's a map type");
  if (element.is_array()) return failure("not supported: associative list with lists as elements");
  if (element.is_null()) return failure("associative list without keys has an element that's an explicit null");
  return PathElement::value(element);
}

}  // namespace

MergeShape merge_shape(const Type& type, const Value* value) {
  using enum MergeShape::Kind;
  switch (type.form) {
    case Form::kObject:
    case Form::kMap:
      return {kMap, type.is_atomic};
    case Form::kFieldsV1:
      return {kMap, false};
    case Form::kList:
      return {kList, type.list == ListKind::kAtomic};
    case Form::kAny:
    case Form::kRawObject:
      if (value != nullptr && value->is_array()) return {kList, true};
      if (value != nullptr && !value->is_object() && !value->is_null()) return {kScalar, false};
      return {kMap, type.form == Form::kRawObject};
    default:
      return {kScalar, false};
  }
}

MemberType member_type(const Type& type, std::string_view name) {
  if (type.form == Form::kObject) {
    if (const Field* field = type.find(name)) return {field->type, true};
    const bool takes_any = type.fields.empty() || type.preserves_unknown;
    return {takes_any ? &deduced() : nullptr, false};
  }
  if (type.form == Form::kMap && type.element != nullptr) return {type.element, false};
  if (type.form == Form::kRawObject) return {&type, false};
  return {&deduced(), false};
}

bool is_untyped(const Type& type) {
  return type.form == Form::kAny || type.form == Form::kFieldsV1 ||
         (type.form == Form::kMap && (type.element == nullptr || type.element->form == Form::kAny)) ||
         (type.form == Form::kObject && type.fields.empty());
}

const Type& element_type(const Type& type) {
  if (type.form == Form::kList && type.element != nullptr) return *type.element;
  return allows_anything(type.form) ? type : deduced();
}

Result<PathElement> list_element(const Type& list, const Value& element) {
  REQUIRES(list.form == Form::kList && list.list != ListKind::kAtomic);
  return list.list == ListKind::kMap ? keyed_element(list, element) : set_element(element);
}

}  // namespace loadline::api
