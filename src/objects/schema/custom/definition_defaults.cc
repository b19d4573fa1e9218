#include "objects/schema/custom/definition_defaults.h"

#include <algorithm>

#include "objects/schema/names.h"

namespace loadline::schema {

using document::Object;
using document::Value;

namespace {

/// The object with a member of that name, if it has none.
Value with_missing(const Value& object, std::string_view name, Value value) {
  if (!object.is_object() || object.find(name) != nullptr) return object;
  Object members = object.object();
  members.push_back({std::string(name), std::move(value), object.mark()});
  return Value(std::move(members), object.mark());
}

/// The object with another value for a member that it has.
Value with_member(const Value& object, std::string_view name, Value value) {
  Object members = object.object();
  const auto member = std::ranges::find(members, name, &document::Member::key);
  if (member != members.end()) member->value = std::move(value);
  return Value(std::move(members), object.mark());
}

Value with_default_names(Value names) {
  if (!names.is_object()) return names;
  const Value* kind = names.find("kind");
  if (kind == nullptr || !kind->is_string() || kind->string().empty()) return names;
  for (auto& [name, value] : default_names(kind->string())) names = with_missing(names, name, Value(std::move(value)));
  return names;
}

}  // namespace

std::array<std::pair<std::string_view, std::string>, 2> default_names(std::string_view kind) {
  return {{{"singular", lower_case(kind)}, {"listKind", std::string(kind) + "List"}}};
}

Value with_defaults(const Value& definition) {
  const Value* spec = definition.is_object() ? definition.find("spec") : nullptr;
  if (spec == nullptr || !spec->is_object()) return definition;
  Value filled = with_missing(*spec, "conversion", Value(Object{{"strategy", Value("None"), {}}}));
  if (const Value* names = spec->find("names")) filled = with_member(filled, "names", with_default_names(*names));
  return with_member(definition, "spec", std::move(filled));
}

}  // namespace loadline::schema
