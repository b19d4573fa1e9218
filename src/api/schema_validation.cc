#include "api/schema_validation.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>
#include <vector>

#include "api/cel/program.h"
#include "api/custom_expressions.h"
#include "api/custom_object.h"
#include "api/pattern.h"
#include "api/structural_schema.h"
#include "api/value_rules.h"
#include "base/text.h"
#include "document/at.h"
#include "kube/decoder.h"

namespace loadline::api {
namespace {

using document::Member;
using document::text_at;
using document::Value;

constexpr std::array<std::string_view, 6> kTypes{"array", "boolean", "integer", "number", "object", "string"};

std::string quoted_list(std::initializer_list<std::string_view> values) {
  std::string text;
  for (const std::string_view value : values) text += (text.empty() ? "" : ", ") + kube::quoted(value);
  return text;
}

/// Errors at paths below one schema.
class Complaints {
 public:
  void required(std::string path, std::string_view detail) {
    add(std::move(path), "Required value" + with_colon(detail));
  }
  void forbidden(std::string path, std::string_view detail) { add(std::move(path), "Forbidden" + with_colon(detail)); }
  void invalid(std::string path, const Value& value, std::string_view detail) {
    add(std::move(path), "Invalid value: " + shown_value(value) + with_colon(detail));
  }
  void unsupported(std::string path, std::string_view value, std::initializer_list<std::string_view> supported) {
    add(std::move(path), "Unsupported value: " + kube::quoted(value) + ": supported values: " + quoted_list(supported));
  }
  void add(std::string path, std::string message) { errors.push_back({std::move(path), std::move(message), {}}); }

  kube::FieldErrors errors;

 private:
  static std::string with_colon(std::string_view detail) {
    return detail.empty() ? std::string() : ": " + std::string(detail);
  }
};

bool is_true(const Value& schema, std::string_view name) {
  const Value* value = schema.find(name);
  return value != nullptr && value->is_boolean() && value->boolean();
}

/// The child if it is a schema, or null.
const Value* schema_at(const Value& schema, std::string_view name) {
  const Value* child = schema.find(name);
  return child != nullptr && child->is_object() ? child : nullptr;
}

const document::Object& properties_of(const Value& schema) {
  static const auto& none = *new document::Object();
  const Value* properties = schema_at(schema, "properties");
  return properties == nullptr ? none : properties->object();
}

const document::Array& list_of(const Value& schema, std::string_view name) {
  static const auto& none = *new document::Array();
  const Value* list = schema.find(name);
  return list != nullptr && list->is_array() ? list->array() : none;
}

std::string at_key(const std::string& path, std::string_view name, std::string_view key) {
  return path + '.' + std::string(name) + '[' + std::string(key) + ']';
}
std::string at_index(const std::string& path, std::string_view name, std::size_t index) {
  return path + '.' + std::string(name) + '[' + std::to_string(index) + ']';
}
std::string below(const std::string& path, std::string_view name) { return path + '.' + std::string(name); }

// ---- Structural -----------------------------------------------------------------------------------------------------

enum class Level : std::uint8_t { kRoot, kItem, kField };

/// Whether the alternatives are exactly {type: integer} and {type: string}, which int-or-strings may have.
bool is_integer_or_string(const Value& schema) {
  const document::Array& any = list_of(schema, "anyOf");
  const auto is_only = [](const Value& alternative, std::string_view type) {
    return alternative.is_object() && alternative.object().size() == 1 && text_at(alternative, {"type"}) == type;
  };
  return any.size() == 2 && is_only(any[0], "integer") && is_only(any[1], "string");
}

/// The rules of pkg/apiserver/schema/validation.go, node by node.
class StructuralCheck {
 public:
  Complaints complaints;

  void check(const Value& schema, Level level, const std::string& path) {
    const std::string_view type = text_at(schema, {"type"});
    const Value* items = schema_at(schema, "items");
    if (type == "array" && items == nullptr) complaints.required(below(path, "items"), "must be specified");
    if (items != nullptr) check(*items, Level::kItem, below(path, "items"));
    for (const Member& property : properties_of(schema)) {
      check(property.value, Level::kField, at_key(path, "properties", property.key));
    }
    check_additional(schema, level, path);
    check_extensions(schema, path);
    check_type(schema, type, level, path);
    check_values(schema, path, is_integer_or_string(schema));
    check_meta(schema, level, path);
  }

 private:
  void check_additional(const Value& schema, Level level, const std::string& path) {
    if (schema.find("additionalProperties") == nullptr) return;
    if (level == Level::kRoot)
      complaints.forbidden(below(path, "additionalProperties"), "must not be used at the root");
    if (const Value* additional = schema_at(schema, "additionalProperties"); additional != nullptr) {
      check(*additional, Level::kField, below(path, "additionalProperties"));
    }
    if (is_true(schema, "x-kubernetes-embedded-resource")) {
      complaints.forbidden(below(path, "additionalProperties"),
                           "must not be used if x-kubernetes-embedded-resource is set");
    }
  }

  void check_extensions(const Value& schema, const std::string& path) {
    if (!is_true(schema, "x-kubernetes-int-or-string")) return;
    for (const std::string_view name : {"x-kubernetes-preserve-unknown-fields", "x-kubernetes-embedded-resource"}) {
      if (!is_true(schema, name)) continue;
      complaints.invalid(below(path, name), Value(true), "must be false if x-kubernetes-int-or-string is true");
    }
  }

  void check_type(const Value& schema, std::string_view type, Level level, const std::string& path) {
    const std::string at = below(path, "type");
    if (is_true(schema, "x-kubernetes-embedded-resource") && type != "object") {
      constexpr std::string_view kDetail = "must be object if x-kubernetes-embedded-resource is true";
      type.empty() ? complaints.required(at, kDetail) : complaints.invalid(at, Value(type), kDetail);
    } else if (type.empty() && !is_true(schema, "x-kubernetes-int-or-string") &&
               !is_true(schema, "x-kubernetes-preserve-unknown-fields")) {
      complaints.required(at, level == Level::kRoot   ? "must not be empty at the root"
                              : level == Level::kItem ? "must not be empty for specified array items"
                                                      : "must not be empty for specified object fields");
    }
    if (level == Level::kRoot && !type.empty() && type != "object") {
      complaints.invalid(at, Value(type), "must be object at the root");
    }
  }

  void check_meta(const Value& schema, Level level, const std::string& path) {
    const bool is_object = level == Level::kRoot || is_true(schema, "x-kubernetes-embedded-resource");
    for (const Member& property : properties_of(schema)) {
      const std::string at = at_key(path, "properties", property.key);
      const std::string_view type = text_at(property.value, {"type"});
      if (is_object && (property.key == "kind" || property.key == "apiVersion") && type != "string") {
        complaints.invalid(below(at, "type"), Value(type), "must be string");
      }
      if (property.key != "metadata") continue;
      if (is_object && type != "object") complaints.invalid(below(at, "type"), Value(type), "must be object");
      if (level == Level::kRoot) check_root_metadata(property.value, at);
    }
    if (is_true(schema, "x-kubernetes-embedded-resource") && properties_of(schema).empty() &&
        !is_true(schema, "x-kubernetes-preserve-unknown-fields")) {
      complaints.required(below(path, "properties"),
                          "must not be empty if x-kubernetes-embedded-resource is true without "
                          "x-kubernetes-preserve-unknown-fields");
    }
  }

  void check_root_metadata(const Value& schema, const std::string& path) {
    bool is_plain = true;
    for (const Member& member : schema.is_object() ? schema.object() : document::Object()) {
      is_plain = is_plain && (member.key == "type" || member.key == "properties" || member.key == "default");
    }
    for (const Member& property : properties_of(schema)) {
      is_plain = is_plain && (property.key == "name" || property.key == "generateName");
    }
    if (is_plain) return;
    complaints.forbidden(
        path, "must not specify anything other than name and generateName, but metadata is implicitly specified");
  }

  /// Alternatives say what values may be, not what they are made of.
  void check_values(const Value& schema, const std::string& path, bool skips_any) {
    for (const std::string_view name : {"anyOf", "allOf", "oneOf"}) {
      const document::Array& alternatives = list_of(schema, name);
      if (name == "anyOf" && skips_any) continue;
      for (std::size_t i = 0; i < alternatives.size(); ++i) {
        const bool is_pattern = name == "allOf" && i == 0 && is_integer_or_string(alternatives[i]);
        check_nested(alternatives[i], at_index(path, name, i), is_pattern);
      }
    }
    if (const Value* negated = schema_at(schema, "not"); negated != nullptr) {
      check_nested(*negated, below(path, "not"), false);
    }
    const std::string_view pattern = text_at(schema, {"pattern"});
    if (pattern.empty()) return;
    if (const auto compiled = Pattern::compile(pattern); !compiled) {
      complaints.invalid(below(path, "pattern"), Value(pattern),
                         "must be a valid regular expression, but isn't: " + compiled.error().message);
    }
  }

  void check_nested(const Value& schema, const std::string& path, bool skips_any) {
    check_values(schema, path, skips_any);
    if (const Value* items = schema_at(schema, "items"); items != nullptr) {
      check_nested(*items, below(path, "items"), false);
    }
    for (const Member& property : properties_of(schema)) {
      check_nested(property.value, at_key(path, "properties", property.key), false);
      if (property.key == "metadata") {
        complaints.forbidden(at_key(path, "properties", property.key), "must not be specified in a nested context");
      }
    }
    using Rule = std::pair<std::string_view, std::string_view>;
    for (const auto& [name, detail] :
         std::initializer_list<Rule>{{"type", "must be empty to be structural"},
                                     {"additionalProperties", "must be undefined to be structural"},
                                     {"default", "must be undefined to be structural"},
                                     {"title", "must be empty to be structural"},
                                     {"description", "must be empty to be structural"},
                                     {"nullable", "must be false to be structural"},
                                     {"x-kubernetes-preserve-unknown-fields", "must be false to be structural"},
                                     {"x-kubernetes-embedded-resource", "must be false to be structural"},
                                     {"x-kubernetes-int-or-string", "must be false to be structural"},
                                     {"x-kubernetes-list-map-keys", "must be empty to be structural"},
                                     {"x-kubernetes-list-type", "must be undefined to be structural"},
                                     {"x-kubernetes-map-type", "must be undefined to be structural"},
                                     {"x-kubernetes-validations", "must be empty to be structural"}}) {
      if (schema.find(name) != nullptr) complaints.forbidden(below(path, name), detail);
    }
  }
};

/// Whatever alternatives speak of must be there in the schema proper.
class CompletenessCheck {
 public:
  Complaints complaints;

  void check(const Value& values, const Value* schema, const std::string& schema_path, const std::string& path) {
    for (const std::string_view name : {"allOf", "anyOf", "oneOf"}) {
      const document::Array& alternatives = list_of(values, name);
      for (std::size_t i = 0; i < alternatives.size(); ++i) {
        check_nested(alternatives[i], schema, schema_path, at_index(path, name, i));
      }
    }
    if (const Value* negated = schema_at(values, "not"); negated != nullptr) {
      check_nested(*negated, schema, schema_path, below(path, "not"));
    }
  }

 private:
  void check_nested(const Value& values, const Value* schema, const std::string& schema_path, const std::string& path) {
    if (schema == nullptr) return complaints.required(schema_path, "because it is defined in " + path);
    check(values, schema, schema_path, path);
    if (const Value* items = schema_at(values, "items"); items != nullptr) {
      check_nested(*items, schema_at(*schema, "items"), below(schema_path, "items"), below(path, "items"));
    }
    for (const Member& property : properties_of(values)) {
      const Value* properties = schema_at(*schema, "properties");
      const Value* counterpart = properties == nullptr ? nullptr : properties->find(property.key);
      check_nested(property.value, counterpart, at_key(schema_path, "properties", property.key),
                   at_key(path, "properties", property.key));
    }
  }
};

/// Defaults must be pruned, and keep the rules of the schema that they stand in.
class DefaultsCheck {
 public:
  Complaints complaints;

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
    const std::unique_ptr<ValueRules> rules = read_schema(schema);
    if (has_unknown_fields(initial, *rules)) complaints.invalid(at, initial, "must not have unknown fields");
    kube::FieldErrors errors = validate_value(initial, nullptr, *rules);
    if (errors.empty()) errors = check_expressions(initial, nullptr, *rules);
    for (const kube::FieldError& error : errors) {
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

  /// `uncorrelated` is the nearest list or map around whose elements cannot be told apart from one version of an object
  /// to the next; empty: none.
  void check(const Value& schema, const std::string& path, const std::string& uncorrelated) {
    check_supported(schema, path);
    check_children(schema, path, uncorrelated);
    check_list_and_map(schema, path);
    if (text_at(schema, {"x-kubernetes-list-type"}) == "map") check_map_keys(schema, path);
    check_expressions_of(schema, path, uncorrelated);
  }

 private:
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
    const bool is_atomic = text_at(schema, {"x-kubernetes-map-type"}) == "atomic";
    for (const Member& property : properties_of(schema)) {
      check(property.value, at_key(path, "properties", property.key), is_atomic ? path : uncorrelated);
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
      complaints.unsupported(below(path, "x-kubernetes-list-type"), list_type, {"atomic", "map", "set"});
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

bool by_text(const kube::FieldError& a, const kube::FieldError& b) {
  return a.path + ": " + a.message < b.path + ": " + b.message;
}

void append(kube::FieldErrors& all, kube::FieldErrors more) {
  for (kube::FieldError& error : more) all.push_back(std::move(error));
}

}  // namespace

kube::FieldErrors validate_schema(const Value& schema, const std::string& path) {
  if (!schema.is_object()) return {};
  StructuralCheck structural;
  structural.check(schema, Level::kRoot, path);
  CompletenessCheck completeness;
  completeness.check(schema, &schema, path, path);
  kube::FieldErrors errors = std::move(structural.complaints.errors);
  append(errors, std::move(completeness.complaints.errors));
  std::sort(errors.begin(), errors.end(), by_text);
  if (errors.empty()) {
    DefaultsCheck defaults;
    defaults.check(schema, path);
    errors = std::move(defaults.complaints.errors);
  }
  SchemaCheck general;
  general.check(schema, path, "");
  append(errors, std::move(general.complaints.errors));
  return errors;
}

}  // namespace loadline::api
