#include "server/api/defaults/defaults.h"

#include <algorithm>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "objects/schema/defaults/missing_fields.h"
#include "server/api/defaults/amounts.h"
#include "server/api/defaults/draft.h"
#include "server/api/defaults/rules.h"

namespace loadline::api {

using schema::Catalog;
using schema::Field;
using schema::Form;
using schema::Resource;
using schema::Subresource;
using schema::Type;

using document::Value;

/// What there is to fill in in an object of one type, and below it.
struct Defaults::Plan {
  struct Child {
    std::string_view field;
    const Type* type = nullptr;  ///< of the field: an object, or lists and maps of them
    const Plan* plan = nullptr;  ///< of the objects
  };

  explicit Plan(const Type& type) : fields(type) {}

  schema::ObjectDefaults fields;
  std::vector<void (*)(Draft&, Instant)> rules;
  std::vector<std::string_view> amounts;
  std::vector<Child> children;
  bool has_any = false;
};

namespace {

/// Sets fields of an object that lies `depth` fields below the one that lacks them. An object further below is changed
/// once, for all of its fields that follow each other.
void fill(Draft& draft, const schema::ObjectDefaults& defaults, std::span<const schema::MissingField> missing,
          std::size_t depth) {
  const auto chain_of = [&](std::size_t i) -> const schema::FieldChain& {
    return defaults.rows()[missing[i].row].path;
  };
  for (std::size_t i = 0; i < missing.size();) {
    const Field* field = chain_of(i)[depth];
    std::size_t end = i;
    while (end < missing.size() && chain_of(end)[depth] == field && chain_of(end).size() > depth + 1) ++end;
    if (end == i) {
      draft.set(field->name, missing[i].value);
      ++i;
    } else {
      draft.edit(field->name, [&](Draft& below) { fill(below, defaults, missing.subspan(i, end - i), depth + 1); });
      i = end;
    }
  }
}

/// The objects inside of lists and maps, or null if there are none.
const Type* objects_in(const Type* type) {
  while (type != nullptr && (type->form == Form::kList || type->form == Form::kMap)) type = type->element;
  return type != nullptr && type->form == Form::kObject ? type : nullptr;
}

}  // namespace

Defaults::Defaults(const Catalog& catalog) {
  for (const auto& resource : catalog.all()) {
    if (resource->is_custom || resource->type == nullptr) continue;
    plan(*resource->type);
    for (const Subresource& subresource : resource->subresources) {
      if (const Type* type = catalog.find_type(subresource.kind)) plan(*type);
    }
  }
  prune();
}

Defaults::~Defaults() = default;

const Defaults::Plan* Defaults::plan(const Type& type) {
  const auto [place, is_new] = plans_.try_emplace(&type);
  if (!is_new) return place->second.get();
  Plan& made_plan = *(place->second = std::make_unique<Plan>(type));
  for (const auto& rules : {core_rules(), extension_rules(), pod_rules(), service_rules(), stateful_set_rules()}) {
    for (const DefaultRule& rule : rules) {
      if (rule.type == type.name) made_plan.rules.push_back(rule.apply);
    }
  }
  for (const schema::AmountsField& field : schema::amounts_fields()) {
    if (field.type == type.name) made_plan.amounts.push_back(field.field);
  }
  made_plan.has_any = !made_plan.rules.empty() || !made_plan.fields.rows().empty() || !made_plan.amounts.empty();
  for (const Field& field : type.fields) {
    const Type* objects = objects_in(field.type);
    if (objects != nullptr) made_plan.children.push_back({field.name, field.type, plan(*objects)});
  }
  return &made_plan;
}

/// Finds out which types have anything to fill in below them, and forgets the ways to the others. Types have cycles, so
/// the knowledge is spread until nothing is learnt any more.
void Defaults::prune() {
  const auto has_any = [](const Plan::Child& child) { return child.plan->has_any; };
  for (bool has_learnt = true; has_learnt;) {
    has_learnt = false;
    for (const auto& [type, plan] : plans_) {
      if (plan->has_any || !std::ranges::any_of(plan->children, has_any)) continue;
      plan->has_any = true;
      has_learnt = true;
    }
  }
  for (const auto& [type, plan] : plans_) std::erase_if(plan->children, std::not_fn(has_any));
}

Value Defaults::set(const Value& document, const Resource& resource, Instant now) const {
  return resource.is_custom || resource.type == nullptr ? document : set(document, *resource.type, now);
}

Value Defaults::set(const Value& document, const Type& type, Instant now) const {
  const auto found = plans_.find(&type);
  if (found == plans_.end() || !found->second->has_any || !document.is_object()) return document;
  return apply_to_object(*found->second, document, type, now);
}

Value Defaults::apply(const Plan& plan, const Value& value, const Type& type, Instant now) {
  if (type.form == Form::kObject) return value.is_object() ? apply_to_object(plan, value, type, now) : value;
  if (type.form == Form::kList && value.is_array()) {
    std::optional<document::Array> changed;
    for (std::size_t i = 0; i < value.array().size(); ++i) {
      const Value& element = value.array()[i];
      Value filled = apply(plan, element, *type.element, now);
      if (shares(filled, element)) continue;
      if (!changed) changed = value.array();
      (*changed)[i] = std::move(filled);
    }
    return changed ? Value(std::move(*changed)) : value;
  }
  if (type.form == Form::kMap && value.is_object()) {
    std::optional<document::Object> changed;
    for (std::size_t i = 0; i < value.object().size(); ++i) {
      const Value& element = value.object()[i].value;
      Value filled = apply(plan, element, *type.element, now);
      if (shares(filled, element)) continue;
      if (!changed) changed = value.object();
      (*changed)[i].value = std::move(filled);
    }
    return changed ? Value(std::move(*changed)) : value;
  }
  return value;
}

Value Defaults::apply_to_object(const Plan& plan, const Value& value, const Type& type, Instant now) {
  Draft draft(type, value);
  fill(draft, plan.fields, plan.fields.missing_in(value), 0);
  for (const auto& rule : plan.rules) rule(draft, now);
  for (const std::string_view field : plan.amounts) {
    const Value* amounts = draft.find(field);
    if (amounts == nullptr) continue;
    if (auto rounded = rounded_amounts(*amounts)) draft.set(field, std::move(*rounded));
  }
  for (const Plan::Child& child : plan.children) {
    const Value* present = draft.find(child.field);
    if (present == nullptr) continue;
    Value filled = apply(*child.plan, *present, *child.type, now);
    if (!shares(filled, *present)) draft.set(child.field, std::move(filled));
  }
  return draft.value();
}

}  // namespace loadline::api
