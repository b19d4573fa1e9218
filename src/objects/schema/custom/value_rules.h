#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "foundation/document/value.h"
#include "objects/schema/custom/pattern.h"
#include "objects/schema/field_error.h"

namespace loadline::schema {

namespace cel {
class Program;
}

/// One of x-kubernetes-validations.
struct ExpressionRule {
  std::string rule;
  std::string message;
  std::string message_expression;
  std::string reason;      ///< "FieldValueForbidden"; empty: FieldValueInvalid
  std::string field_path;  ///< below the value that the rule is about: ".spec.a"; empty: the value itself
  bool optional_old_self = false;
  std::shared_ptr<const cel::Program> program;          ///< null: it is not evaluated
  std::shared_ptr<const cel::Program> message_program;  ///< null: there is none, or it is not evaluated
};

/// A structural schema: one node of a CustomResourceDefinition's openAPIV3Schema with everything below it, ready to be
/// applied to documents. Built by structural_schema.h.
struct ValueRules {
  using Child = std::shared_ptr<const ValueRules>;  // schemas that say the same may share it

  std::string type;    ///< "object", "array", "string", "integer", "number", "boolean"; empty: any
  std::string format;  ///< empty: none, or one that upstream does not know and so ignores
  bool is_nullable = false;
  bool is_int_or_string = false;
  bool preserves_unknown = false;
  bool is_embedded_object = false;
  std::optional<document::Value> initial;  ///< `default`

  std::vector<std::pair<std::string, Child>> properties;  ///< by name, sorted
  Child additional;                                       ///< additionalProperties, if it is a schema
  bool has_additional = false;                            ///< additionalProperties is a schema or true
  bool forbids_additional = false;                        ///< additionalProperties is false
  Child items;
  std::string list_type;  ///< "set", "map" or "atomic"; empty: atomic
  std::vector<std::string> list_keys;
  bool is_atomic_map = false;

  std::optional<double> minimum;
  std::optional<double> maximum;
  bool excludes_minimum = false;
  bool excludes_maximum = false;
  std::optional<double> multiple_of;
  std::optional<std::int64_t> min_length;
  std::optional<std::int64_t> max_length;
  std::optional<std::int64_t> min_items;
  std::optional<std::int64_t> max_items;
  std::optional<std::int64_t> min_properties;
  std::optional<std::int64_t> max_properties;
  bool wants_unique_items = false;
  std::optional<Pattern> pattern;
  std::vector<document::Value> enumeration;
  std::vector<std::string> required;
  std::vector<Child> all_of;
  std::vector<Child> any_of;
  std::vector<Child> one_of;
  Child negated;  ///< `not`
  std::vector<ExpressionRule> expressions;
  bool holds_expressions = false;  ///< here or anywhere below

  /// The schema of that property, or null. O(log properties).
  [[nodiscard]] const ValueRules* find(std::string_view property) const;
  /// The schema of a member: its property's, else that of additional properties, else null.
  [[nodiscard]] const ValueRules* member(std::string_view name) const;
};

/// Finds what elements of a list were before: of a list-type map the one with the same keys; elements of other lists
/// cannot be told apart. O(old) to make, O(1) to ask.
class OldElements {
 public:
  /// REQUIRES: both outlive it. `old` may be null or no list.
  OldElements(const document::Value* old, const ValueRules& list);

  /// Null: there was none.
  [[nodiscard]] const document::Value* find(const document::Value& element) const;

 private:
  [[nodiscard]] std::string key_of(const document::Value& element) const;

  const std::vector<std::string>& keys_;
  std::unordered_map<std::string, const document::Value*> by_key_;
};

/// What the schema, without its expressions, has to say against the value, in upstream's words and, where upstream has
/// one, order: `spec.size: Invalid value: 0: spec.size in body should be greater than or equal to 1`. Values that are
/// what they were in `old` (null: the object is new) are not looked at. Complaints that concern several alternatives
/// have the path "<nil>", as upstream's.
/// Source: kube-openapi's pkg/validation/validate as apiextensions-apiserver v0.36 uses it.
[[nodiscard]] FieldErrors validate_value(const document::Value& value, const document::Value* old,
                                         const ValueRules& rules);

/// Whether the text has that format. Formats unknown to upstream fit every text. Source: kube-openapi's strfmt.
[[nodiscard]] bool has_format(std::string_view text, std::string_view format);
/// Whether upstream checks the format at all, for values of that type.
[[nodiscard]] bool is_known_format(std::string_view format, std::string_view type);

/// A value as field errors show it: `"text"`, `5`, `{"a":1}`, `null`.
[[nodiscard]] std::string shown_value(const document::Value& value);

}  // namespace loadline::schema
