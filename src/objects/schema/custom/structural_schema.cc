#include "objects/schema/custom/structural_schema.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "foundation/document/writer.h"
#include "objects/schema/cel/program.h"
#include "objects/schema/custom/schema_members.h"

namespace loadline::schema {
namespace {

using document::Member;
using document::Value;

void read_numbers(const Value& schema, ValueRules& rules) {
  rules.minimum = number_of(schema, "minimum");
  rules.maximum = number_of(schema, "maximum");
  rules.excludes_minimum = is_true(schema, "exclusiveMinimum");
  rules.excludes_maximum = is_true(schema, "exclusiveMaximum");
  rules.multiple_of = number_of(schema, "multipleOf");
  rules.min_length = integer_of(schema, "minLength");
  rules.max_length = integer_of(schema, "maxLength");
  rules.min_items = integer_of(schema, "minItems");
  rules.max_items = integer_of(schema, "maxItems");
  rules.min_properties = integer_of(schema, "minProperties");
  rules.max_properties = integer_of(schema, "maxProperties");
  rules.wants_unique_items = is_true(schema, "uniqueItems");
}

ExpressionRule read_expression(const Value& source) {
  ExpressionRule rule;
  rule.rule = text_of(source, "rule");
  rule.message = text_of(source, "message");
  rule.message_expression = text_of(source, "messageExpression");
  rule.reason = text_of(source, "reason");
  rule.field_path = text_of(source, "fieldPath");
  rule.optional_old_self = is_true(source, "optionalOldSelf");
  if (auto program = cel::compile(rule.rule)) rule.program = std::move(*program);
  if (!rule.message_expression.empty()) {
    if (auto program = cel::compile(rule.message_expression)) rule.message_program = std::move(*program);
  }
  return rule;
}

void read_constraints(const Value& schema, ValueRules& rules) {
  read_numbers(schema, rules);
  if (const std::string pattern = text_of(schema, "pattern"); !pattern.empty()) {
    if (auto compiled = Pattern::compile(pattern)) rules.pattern = std::move(*compiled);
  }
  if (const Value* allowed = schema.find("enum"); allowed != nullptr && allowed->is_array()) {
    rules.enumeration = allowed->array();
  }
  rules.required = texts_of(schema, "required");
  if (const Value* list = schema.find("x-kubernetes-validations"); list != nullptr && list->is_array()) {
    for (const Value& source : list->array()) rules.expressions.push_back(read_expression(source));
  }
}

/// Whether there are any here, or schema_below, where it is known.
bool holds_expressions(const ValueRules& rules) {
  const auto holds = [](const ValueRules::Child& child) { return child != nullptr && child->holds_expressions; };
  return !rules.expressions.empty() || holds(rules.items) || holds(rules.additional) ||
         std::any_of(rules.all_of.begin(), rules.all_of.end(), holds) ||
         std::any_of(rules.properties.begin(), rules.properties.end(),
                     [&](const auto& property) { return holds(property.second); });
}

/// All but the children.
void read_own(const Value& schema, ValueRules& rules) {
  rules.type = text_of(schema, "type");
  rules.is_int_or_string = is_true(schema, "x-kubernetes-int-or-string");
  if (std::string format = text_of(schema, "format");
      is_known_format(format, rules.is_int_or_string ? "integer" : rules.type) && !rules.is_int_or_string) {
    rules.format = std::move(format);
  }
  rules.is_nullable = is_true(schema, "nullable");
  rules.preserves_unknown = is_true(schema, "x-kubernetes-preserve-unknown-fields");
  rules.is_embedded_object = is_true(schema, "x-kubernetes-embedded-resource");
  if (const Value* initial = schema.find("default"); initial != nullptr) rules.initial = *initial;
  rules.list_type = text_of(schema, "x-kubernetes-list-type");
  rules.list_keys = texts_of(schema, "x-kubernetes-list-map-keys");
  rules.is_atomic_map = text_of(schema, "x-kubernetes-map-type") == "atomic";
  read_constraints(schema, rules);
  rules.holds_expressions = holds_expressions(rules);
}

/// Equal for two schemas if and only if they say the same of values: with equal children, which are the same object
/// by now, and equal members otherwise. What people read does not count.
std::string key_of(const Value& schema, const ValueRules& rules) {
  std::string key;
  const auto add = [&](std::string_view text) { fmt::format_to(std::back_inserter(key), "{}:{}", text.size(), text); };
  const auto add_child = [&](const ValueRules::Child& child) {
    fmt::format_to(std::back_inserter(key), "{},", fmt::ptr(child.get()));
  };
  const auto add_children = [&](const std::vector<ValueRules::Child>& children) {
    fmt::format_to(std::back_inserter(key), "{}:", children.size());
    for (const ValueRules::Child& child : children) add_child(child);
  };
  fmt::format_to(std::back_inserter(key), "{}:", rules.properties.size());
  for (const auto& [name, property] : rules.properties) {
    add(name);
    add_child(property);
  }
  add_child(rules.additional);
  key += rules.has_additional ? 'a' : rules.forbids_additional ? 'f' : 'n';
  add_child(rules.items);
  add_children(rules.all_of);
  add_children(rules.any_of);
  add_children(rules.one_of);
  add_child(rules.negated);
  if (!schema.is_object()) return key;
  constexpr std::string_view kElsewhere[] = {"properties", "additionalProperties", "items", "allOf", "anyOf", "oneOf",
                                             "not",        "description",          "title"};
  for (const Member& member : schema.object()) {
    if (std::ranges::find(kElsewhere, member.key) != std::end(kElsewhere)) continue;
    add(member.key);
    add(document::write_json(member.value));
  }
  return key;
}

}  // namespace

ValueRules::Child RulesReader::read(const Value& schema) {
  auto rules = std::make_shared<ValueRules>();
  read_children(schema, *rules);
  const auto [place, is_new] = known_.try_emplace(key_of(schema, *rules));
  if (is_new) {
    read_own(schema, *rules);
    place->second = std::move(rules);
  }
  return place->second;
}

void RulesReader::read_children(const Value& schema, ValueRules& rules) {
  if (const Value* properties = schema.find("properties"); properties != nullptr && properties->is_object()) {
    for (const Member& property : properties->object()) {
      rules.properties.emplace_back(property.key, read(property.value));
    }
    std::sort(rules.properties.begin(), rules.properties.end(),
              [](const auto& a, const auto& b) { return a.first < b.first; });
  }
  if (const Value* additional = schema.find("additionalProperties"); additional != nullptr) {
    if (additional->is_object()) rules.additional = read(*additional);
    rules.has_additional = additional->is_object() || (additional->is_boolean() && additional->boolean());
    rules.forbids_additional = additional->is_boolean() && !additional->boolean();
  }
  if (const Value* items = schema.find("items"); items != nullptr && items->is_object()) rules.items = read(*items);
  rules.all_of = read_all(schema, "allOf");
  rules.any_of = read_all(schema, "anyOf");
  rules.one_of = read_all(schema, "oneOf");
  if (const Value* negated = schema.find("not"); negated != nullptr && negated->is_object()) {
    rules.negated = read(*negated);
  }
}

std::vector<ValueRules::Child> RulesReader::read_all(const Value& parent, std::string_view name) {
  std::vector<ValueRules::Child> children;
  const Value* list = parent.find(name);
  if (list == nullptr || !list->is_array()) return children;
  for (const Value& child : list->array()) children.push_back(read(child));
  return children;
}

std::shared_ptr<const ValueRules> read_schema(const Value& schema) { return RulesReader().read(schema); }

}  // namespace loadline::schema
