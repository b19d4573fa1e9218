#include "objects/schema/custom/schema_validation.h"

#include <algorithm>
#include <array>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "foundation/base/text.h"
#include "foundation/document/at.h"
#include "objects/schema/cel/program.h"
#include "objects/schema/custom/custom_expressions.h"
#include "objects/schema/custom/schema_complaints.h"
#include "objects/schema/custom/schema_members.h"
#include "objects/schema/custom/structural_schema.h"
#include "objects/schema/custom/structural_validation.h"
#include "objects/schema/custom/value_rules.h"

namespace loadline::schema {
namespace {

using document::Member;
using document::text_at;
using document::Value;

constexpr std::array<std::string_view, 6> kTypes{"array", "boolean", "integer", "number", "object", "string"};

/// Defaults must be pruned, and keep the rules of the schema that they stand in.
class DefaultsCheck {
 public:
  Complaints complaints;

  void check_root(const Value& schema, const std::string& path) {
    if (const Value* initial = schema.find("default"); initial != nullptr && initial->is_object()) {
      for (const std::string_view name : {"apiVersion", "kind"}) {
        if (initial->find(name) == nullptr) complaints.required(below(path, "default." + std::string(name)), "");
      }
    }
    check(schema, path);
  }

  void check(const Value& schema, const std::string& path) {
    if (const Value* initial = schema.find("default"); initial != nullptr) check_default(*initial, schema, path);
    if (const Value* items = schema_at(schema, "items"); items != nullptr) check(*items, below(path, "items"));
    for (const Member& property : properties_of(schema)) {
      check(property.value, at_key(path, "properties", property.key));
    }
  }

 private:
  void check_default(const Value& initial, const Value& schema, const std::string& path) {
    const std::string at = below(path, "default");
    const std::shared_ptr<const ValueRules> rules = read_schema(schema);
    if (has_unknown_fields(initial, *rules)) complaints.invalid(at, initial, "must not have unknown fields");
    FieldErrors errors = validate_value(initial, nullptr, *rules);
    if (errors.empty()) errors = check_expressions(initial, nullptr, *rules);
    for (const FieldError& error : errors) {
      const std::string where = error.path == "<nil>" ? at : at + (error.path[0] == '[' ? "" : ".") + error.path;
      complaints.add(where, error.message);
    }
  }

  static bool has_unknown_fields(const Value& value, const ValueRules& rules) {
    if (value.is_array()) {
      return rules.items != nullptr &&
             std::any_of(value.array().begin(), value.array().end(),
                         [&](const Value& element) { return has_unknown_fields(element, *rules.items); });
    }
    if (!value.is_object()) return false;
    return std::any_of(value.object().begin(), value.object().end(), [&](const Member& member) {
      const ValueRules* child = rules.member(member.key);
      if (child != nullptr) return has_unknown_fields(member.value, *child);
      const bool is_meta =
          rules.is_embedded_object && (member.key == "apiVersion" || member.key == "kind" || member.key == "metadata");
      return !is_meta && !rules.preserves_unknown && !rules.has_additional;
    });
  }
};

// ---- Schemas in general ---------------------------------------------------------------------------------------------

/// The rules of ValidateCustomResourceDefinitionOpenAPISchema, node by node.
class SchemaCheck {
 public:
  Complaints complaints;

  void check_root(const Value& schema, const std::string& path) {
    for (const Member& property : properties_of(schema)) {
      if (property.key != "apiVersion" && property.key != "kind" && property.key != "metadata") continue;
      forbid_defaults(property.value, at_key(path, "properties", property.key), property.key);
    }
    check(schema, path, "");
  }

  /// `uncorrelated` is the nearest list around whose elements cannot be told apart from one version of an object
  /// to the next; empty: none.
  void check(const Value& schema, const std::string& path, const std::string& uncorrelated) {
    check_supported(schema, path);
    check_children(schema, path, uncorrelated);
    check_list_and_map(schema, path);
    if (text_at(schema, {"x-kubernetes-list-type"}) == "map") check_map_keys(schema, path);
    check_expressions_of(schema, path, uncorrelated);
  }

 private:
  void forbid_defaults(const Value& schema, const std::string& path, const std::string& field) {
    if (schema.find("default") != nullptr) {
      complaints.forbidden(below(path, "default"), "must not be set in top-level " + field);
    }
    for (const Member& property : properties_of(schema)) {
      forbid_defaults(property.value, at_key(path, "properties", property.key), field);
    }
  }

  void check_supported(const Value& schema, const std::string& path) {
    const std::string_view type = text_at(schema, {"type"});
    if (!type.empty() && std::find(kTypes.begin(), kTypes.end(), type) == kTypes.end()) {
      complaints.unsupported(below(path, "type"), type, {"array", "boolean", "integer", "number", "object", "string"});
    }
    for (const std::string_view name :
         {"id", "additionalItems", "patternProperties", "definitions", "dependencies", "$ref"}) {
      if (schema.find(name) == nullptr) continue;
      complaints.forbidden(below(path, name), std::string(name) + " is not supported");
    }
    if (type == "null") {
      complaints.forbidden(below(path, "type"), "type cannot be set to null, use nullable as an alternative");
    }
    if (const Value* items = schema.find("items"); items != nullptr && items->is_array()) {
      complaints.forbidden(below(path, "items"), "items must be a schema object and not an array");
    }
    if (is_true(schema, "uniqueItems")) {
      complaints.forbidden(below(path, "uniqueItems"),
                           "uniqueItems cannot be set to true since the runtime complexity becomes quadratic");
    }
  }

  void check_children(const Value& schema, const std::string& path, const std::string& uncorrelated) {
    if (const Value* additional = schema.find("additionalProperties"); additional != nullptr) {
      const bool says_something = !additional->is_boolean() || !additional->boolean();
      if (!properties_of(schema).empty() && says_something) {
        complaints.forbidden(below(path, "additionalProperties"),
                             "additionalProperties and properties are mutual exclusive");
      }
      if (additional->is_object()) check(*additional, below(path, "additionalProperties"), uncorrelated);
    }
    for (const Member& property : properties_of(schema)) {
      check(property.value, at_key(path, "properties", property.key), uncorrelated);
    }
    if (const Value* negated = schema_at(schema, "not"); negated != nullptr) {
      check(*negated, below(path, "not"), uncorrelated);
    }
    for (const std::string_view name : {"allOf", "oneOf", "anyOf"}) {
      const document::Array& alternatives = list_of(schema, name);
      for (std::size_t i = 0; i < alternatives.size(); ++i) {
        check(alternatives[i], at_index(path, name, i), uncorrelated);
      }
    }
    if (const Value* items = schema_at(schema, "items"); items != nullptr) {
      const bool is_map = text_at(schema, {"x-kubernetes-list-type"}) == "map";
      check(*items, below(path, "items"), is_map ? uncorrelated : path);
    }
  }

  void check_list_and_map(const Value& schema, const std::string& path) {
    if (const Value* preserves = schema.find("x-kubernetes-preserve-unknown-fields");
        preserves != nullptr && !is_true(schema, "x-kubernetes-preserve-unknown-fields")) {
      complaints.invalid(below(path, "x-kubernetes-preserve-unknown-fields"), *preserves, "must be true or undefined");
    }
    const std::string_view map_type = text_at(schema, {"x-kubernetes-map-type"});
    const std::string_view list_type = text_at(schema, {"x-kubernetes-list-type"});
    if (!map_type.empty()) check_container(schema, path, "object", "x-kubernetes-map-type");
    if (!map_type.empty() && map_type != "atomic" && map_type != "granular") {
      complaints.unsupported(below(path, "x-kubernetes-map-type"), map_type, {"atomic", "granular"});
    }
    if (!list_type.empty()) check_container(schema, path, "array", "x-kubernetes-list-type");
    if (list_type == "set") check_set(schema, path);
    if (!list_type.empty() && list_type != "atomic" && list_type != "set" && list_type != "map") {
      complaints.unsupported(below(path, "x-kubernetes-list-type"), list_type, {"atomic", "set", "map"});
    }
    if (!list_of(schema, "x-kubernetes-list-map-keys").empty() && list_type != "map") {
      constexpr std::string_view kDetail = "must be map if x-kubernetes-list-map-keys is non-empty";
      const std::string at = below(path, "x-kubernetes-list-type");
      list_type.empty() ? complaints.required(at, kDetail) : complaints.invalid(at, Value(list_type), kDetail);
    }
    const Value* items = schema_at(schema, "items");
    if (items != nullptr && is_true(*items, "nullable") && (list_type == "set" || list_type == "map")) {
      complaints.forbidden(below(path, "items.nullable"),
                           "cannot be nullable when x-kubernetes-list-type is " + std::string(list_type));
    }
  }

  void check_container(const Value& schema, const std::string& path, std::string_view wanted, std::string_view name) {
    const std::string_view type = text_at(schema, {"type"});
    if (type == wanted) return;
    const std::string detail = "must be " + std::string(wanted) + " if " + std::string(name) + " is specified";
    type.empty() ? complaints.required(below(path, "type"), detail)
                 : complaints.invalid(below(path, "type"), Value(type), detail);
  }

  void check_set(const Value& schema, const std::string& path) {
    const Value* items = schema_at(schema, "items");
    if (items == nullptr || text_at(schema, {"type"}) != "array") return;
    constexpr std::string_view kDetail = "must be atomic as item of a list with x-kubernetes-list-type=set";
    const std::string_view type = text_at(*items, {"type"});
    const std::string_view list_type = text_at(*items, {"x-kubernetes-list-type"});
    const Value shown = list_type.empty() ? Value() : Value(list_type);
    if (type == "array" && !list_type.empty() && list_type != "atomic") {
      complaints.invalid(below(path, "items.x-kubernetes-list-type"), shown, kDetail);
    }
    if (type == "object" && text_at(*items, {"x-kubernetes-map-type"}) != "atomic") {
      complaints.invalid(below(path, "items.x-kubernetes-map-type"), shown, kDetail);
    }
  }

  void check_map_keys(const Value& schema, const std::string& path) {
    const std::string at = below(path, "x-kubernetes-list-map-keys");
    const document::Array& keys = list_of(schema, "x-kubernetes-list-map-keys");
    const Value* items = schema_at(schema, "items");
    if (keys.empty()) complaints.required(at, "must not be empty if x-kubernetes-list-type is map");
    if (items == nullptr) {
      return complaints.required(below(path, "items"), "must have a schema if x-kubernetes-list-type is map");
    }
    const std::string_view type = text_at(*items, {"type"});
    if (type != "object") {
      return complaints.invalid(below(path, "items.type"), Value(type),
                                "must be object if parent array's x-kubernetes-list-type is map");
    }
    std::vector<std::string_view> seen;
    for (const Value& key : keys) {
      const std::string_view name = key.is_string() ? std::string_view(key.string()) : std::string_view();
      const Value* properties = schema_at(*items, "properties");
      const Value* property = properties == nullptr ? nullptr : properties->find(name);
      if (property == nullptr) {
        complaints.invalid(at, Value(keys), "entries must all be names of item properties");
      } else {
        check_map_key(*items, *property, name, below(path, "items"));
      }
      if (std::find(seen.begin(), seen.end(), name) != seen.end()) {
        complaints.invalid(at, Value(keys), "must not contain duplicate entries");
      }
      seen.push_back(name);
    }
  }

  void check_map_key(const Value& items, const Value& property, std::string_view name, const std::string& path) {
    const std::string at = at_key(path, "properties", name);
    const std::string_view type = text_at(property, {"type"});
    if (type == "array" || type == "object") {
      complaints.invalid(below(at, "type"), Value("object"),
                         "must be a scalar type if parent array's x-kubernetes-list-type is map");
    }
    const document::Array& required = list_of(items, "required");
    const bool is_required = std::any_of(required.begin(), required.end(),
                                         [&](const Value& one) { return one.is_string() && one.string() == name; });
    if (!is_required && property.find("default") == nullptr) {
      complaints.required(below(at, "default"),
                          "this property is in x-kubernetes-list-map-keys, so it must have a default or be a required "
                          "property");
    }
    if (is_true(property, "nullable")) {
      complaints.forbidden(below(at, "nullable"),
                           "this property is in x-kubernetes-list-map-keys, so it cannot be nullable");
    }
  }

  void check_expressions_of(const Value& schema, const std::string& path, const std::string& uncorrelated) {
    const document::Array& rules = list_of(schema, "x-kubernetes-validations");
    for (std::size_t i = 0; i < rules.size(); ++i) {
      check_expression(rules[i], at_index(path, "x-kubernetes-validations", i), uncorrelated);
    }
  }

  void check_expression(const Value& rule, const std::string& path, const std::string& uncorrelated) {
    const std::string_view source = trim(text_at(rule, {"rule"}));
    const std::string_view message = text_at(rule, {"message"});
    const std::string_view trimmed = trim(message);
    const bool has_breaks = trimmed.find_first_of("\r\n") != std::string_view::npos;
    if (source.empty()) return complaints.required(below(path, "rule"), "rule is not specified");
    if (!message.empty() && trimmed.empty()) {
      complaints.invalid(below(path, "message"), Value(message), "must be non-empty if specified");
    } else if (has_breaks) {
      complaints.invalid(below(path, "message"), Value(message), "must not contain line breaks");
    } else if (source.find_first_of("\r\n") != std::string_view::npos && trimmed.empty()) {
      complaints.required(below(path, "message"), "message must be specified if rule contains line breaks");
    }
    check_reason(rule, path);
    for (const std::string_view part : {"rule", "messageExpression"}) check_program(rule, part, path, uncorrelated);
  }

  void check_reason(const Value& rule, const std::string& path) {
    const std::string_view reason = text_at(rule, {"reason"});
    if (reason.empty() || reason == "FieldValueInvalid" || reason == "FieldValueForbidden" ||
        reason == "FieldValueRequired" || reason == "FieldValueDuplicate") {
      return;
    }
    complaints.unsupported(below(path, "reason"), reason,
                           {"FieldValueDuplicate", "FieldValueForbidden", "FieldValueInvalid", "FieldValueRequired"});
  }

  void check_program(const Value& rule, std::string_view part, const std::string& path,
                     const std::string& uncorrelated) {
    const std::string_view source = text_at(rule, {part});
    if (source.empty()) return;
    const auto program = cel::compile(source);
    const std::string at = below(path, part);
    if (!program) {
      // What is well-formed but not evaluated here is a warning: definition_warnings().
      if (program.error().message.find("Syntax error") == std::string::npos) return;
      return complaints.invalid(at, rule, "compilation failed: ERROR: <input>:" + program.error().message);
    }
    if (part != "rule" || !(*program)->uses_old_self()) {
      if (part == "rule" && is_true(rule, "optionalOldSelf")) {
        complaints.invalid(below(path, "optionalOldSelf"), Value(true),
                           "may not be set if oldSelf is not used in rule");
      }
      return;
    }
    if (!uncorrelated.empty()) {
      complaints.invalid(at, Value(source),
                         "oldSelf cannot be used on the uncorrelatable portion of the schema within " + uncorrelated);
    }
  }
};

}  // namespace

FieldErrors validate_schema(const Value& schema, const std::string& path) {
  if (!schema.is_object()) return {};
  FieldErrors errors = validate_structural(schema, path);
  if (errors.empty()) {
    DefaultsCheck defaults;
    defaults.check_root(schema, path);
    errors = std::move(defaults.complaints.errors);
  }
  SchemaCheck general;
  general.check_root(schema, path);
  for (FieldError& error : general.complaints.errors) errors.push_back(std::move(error));
  return errors;
}

}  // namespace loadline::schema
