#include "objects/schema/custom/structural_validation.h"

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <utility>

#include "foundation/document/at.h"
#include "objects/schema/custom/pattern.h"
#include "objects/schema/custom/schema_complaints.h"
#include "objects/schema/custom/schema_members.h"

namespace loadline::schema {
namespace {

using document::Member;
using document::text_at;
using document::Value;

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

bool by_text(const FieldError& a, const FieldError& b) { return a.path + ": " + a.message < b.path + ": " + b.message; }

}  // namespace

FieldErrors validate_structural(const Value& schema, const std::string& path) {
  StructuralCheck structural;
  structural.check(schema, Level::kRoot, path);
  CompletenessCheck completeness;
  completeness.check(schema, &schema, path, path);
  FieldErrors errors = std::move(structural.complaints.errors);
  for (FieldError& error : completeness.complaints.errors) errors.push_back(std::move(error));
  std::sort(errors.begin(), errors.end(), by_text);
  return errors;
}

}  // namespace loadline::schema
