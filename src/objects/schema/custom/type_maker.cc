#include "objects/schema/custom/type_maker.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace loadline::schema {
namespace {

Form form_of(const ValueRules& rules) {
  if (rules.is_int_or_string) return Form::kIntOrString;
  if (rules.type == "string") return Form::kString;
  if (rules.type == "integer") return Form::kInt64;
  if (rules.type == "number") return Form::kNumber;
  if (rules.type == "boolean") return Form::kBoolean;
  if (rules.type == "array") return Form::kList;
  if (rules.type != "object") return Form::kAny;
  return rules.has_additional && rules.properties.empty() ? Form::kMap : Form::kObject;
}

/// Custom objects are kept as written: no zero value is left out or added.
Field field_of(std::string name, const Type* type) {
  Field field;
  field.name = std::move(name);
  field.type = type;
  field.omits_empty = true;
  field.is_pointer = true;
  return field;
}

}  // namespace

const Type* TypeMaker::make_root(const ValueRules::Child& rules, std::string name) {
  Type& type = types_->add();
  fill(type, rules);
  type.name = std::move(name);
  add_meta_fields(type);
  return &type;
}

const Type* TypeMaker::type_of(const ValueRules::Child& rules) {
  if (const auto known = known_.find(rules.get()); known != known_.end()) return known->second;
  Type& type = types_->add();
  fill(type, rules);
  known_.emplace(rules.get(), &type);
  return &type;
}

void TypeMaker::fill(Type& type, const ValueRules::Child& rules) {
  type.rules = rules;
  type.is_nullable = rules->is_nullable;
  type.preserves_unknown = rules->preserves_unknown;
  type.is_embedded_object = rules->is_embedded_object;
  type.form = form_of(*rules);
  if (type.form == Form::kObject) fill_object(type, *rules);
  if (type.form == Form::kMap) fill_map(type, *rules);
  if (type.form == Form::kList) fill_list(type, *rules);
}

void TypeMaker::fill_object(Type& type, const ValueRules& rules) {
  type.is_atomic = rules.is_atomic_map;
  type.fields.reserve(rules.properties.size());
  for (const auto& [name, property] : rules.properties) {
    Field field = field_of(name, type_of(property));
    field.is_required = std::find(rules.required.begin(), rules.required.end(), name) != rules.required.end();
    if (property->initial) field.initial = *property->initial;
    type.fields.push_back(std::move(field));
  }
  if (rules.is_embedded_object) add_meta_fields(type);
}

void TypeMaker::fill_map(Type& type, const ValueRules& rules) {
  type.is_atomic = rules.is_atomic_map;
  type.element = rules.additional != nullptr ? type_of(rules.additional) : scalar(Form::kAny);
}

void TypeMaker::fill_list(Type& type, const ValueRules& rules) {
  type.element = rules.items != nullptr ? type_of(rules.items) : scalar(Form::kAny);
  type.keys = rules.list_keys;
  type.states_list = !rules.list_type.empty();
  type.list = rules.list_type == "set" ? ListKind::kSet : rules.list_type == "map" ? ListKind::kMap : ListKind::kAtomic;
}

void TypeMaker::add_meta_fields(Type& type) {
  const std::vector<std::pair<std::string, const Type*>> fields{
      {"apiVersion", scalar(Form::kString)}, {"kind", scalar(Form::kString)}, {"metadata", &object_meta_}};
  for (const auto& [name, of] : fields) {
    const auto same = [&](const Field& field) { return field.name == name; };
    const auto found = std::find_if(type.fields.begin(), type.fields.end(), same);
    if (found == type.fields.end()) {
      type.fields.push_back(field_of(name, of));
    } else {
      found->type = of;
    }
  }
  std::sort(type.fields.begin(), type.fields.end(), [](const Field& a, const Field& b) { return a.name < b.name; });
}

const Type* TypeMaker::scalar(Form form) {
  const Type*& known = scalars_[form];
  if (known == nullptr) {
    Type& type = types_->add();
    type.form = form;
    known = &type;
  }
  return known;
}

}  // namespace loadline::schema
