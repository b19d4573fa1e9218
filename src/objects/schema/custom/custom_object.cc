#include "objects/schema/custom/custom_object.h"

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "foundation/document/field_path.h"
#include "foundation/document/writer.h"
#include "objects/schema/custom/custom_expressions.h"
#include "objects/schema/names.h"
#include "objects/schema/quoted.h"

namespace loadline::schema {
namespace {

using document::Array;
using document::FieldPath;
using document::Member;
using document::Object;
using document::Value;

bool is_meta_field(std::string_view name) { return name == "apiVersion" || name == "kind" || name == "metadata"; }

/// Each step returns what the value becomes, or nothing if it stays as it is.
using Change = std::optional<Value>;

class CustomConformer {
 public:
  explicit CustomConformer(const Type& object_meta) : object_meta_(object_meta) {}

  Conformed run(const Value& object, const ValueRules& rules, const Diagnostics& duplicates) {
    Conformed conformed;
    if (!object.is_object()) {
      conformed.error = "json: cannot unmarshal " + std::string(object.type_name()) +
                        " into Go value of type map[string]interface {}";
      return conformed;
    }
    const FieldPath root;
    Change change = visit_object(object, &rules, root, false);
    conformed.value = with_sorted_members(change ? *change : object);
    conformed.error = std::move(error_);
    for (const Diagnostic& problem : duplicates) {
      if (problem.message.starts_with("duplicate field ")) conformed.findings.push_back(problem.message);
    }
    std::sort(unknown_.begin(), unknown_.end());
    for (const std::string& path : unknown_) conformed.findings.push_back("unknown field " + quoted(path));
    return conformed;
  }

 private:
  /// `rules` is null below a value that nothing is known of; `keeps` where such values stay.
  Change visit(const Value& value, const ValueRules* rules, const FieldPath& path, bool keeps) {
    if (value.is_object()) return visit_object(value, rules, path, keeps);
    if (value.is_array()) return visit_list(value, rules, path, keeps);
    return std::nullopt;
  }

  Change visit_object(const Value& value, const ValueRules* rules, const FieldPath& path, bool keeps) {
    if (rules == nullptr && keeps) return std::nullopt;
    const bool is_root = path.parent == nullptr;
    const bool has_meta = is_root || (rules != nullptr && rules->is_embedded_object);
    keeps = keeps || (rules != nullptr && rules->preserves_unknown);
    Object members;
    members.reserve(value.object().size());
    bool changed = false;
    for (const Member& member : value.object()) {
      const FieldPath below{&path, member.key, 0, false};
      const bool is_meta = has_meta && is_meta_field(member.key);
      if (is_meta && (is_root || rules->find(member.key) == nullptr || member.key == "metadata")) {
        changed = add_meta(member, below, members) || changed;
        continue;
      }
      const ValueRules* child = rules == nullptr ? nullptr : rules->member(member.key);
      // `additionalProperties: true` lets members in, but knows nothing of what they hold.
      const bool lets_in = rules != nullptr && (rules->has_additional || rules->forbids_additional);
      const bool is_known = child != nullptr || lets_in;
      if (!is_known && !keeps) {
        unknown_.push_back(below.to_string());
        changed = true;
        continue;
      }
      changed = add(member, child, below, !is_known, members) || changed;
    }
    if (rules != nullptr) changed = add_defaults(*rules, path, has_meta, members) || changed;
    if (!changed) return std::nullopt;
    return Value(std::move(members), value.mark());
  }

  /// Whether the member is no longer what it was.
  bool add(const Member& member, const ValueRules* rules, const FieldPath& path, bool keeps, Object& members) {
    if (member.value.is_null() && rules != nullptr && !rules->is_nullable) {
      if (rules->initial) members.push_back({member.key, defaulted(*rules, path), member.mark});
      return true;
    }
    Change change = visit(member.value, rules, path, keeps);
    const bool changed = change.has_value();
    members.push_back({member.key, std::move(change).value_or(member.value), member.mark});
    return changed;
  }

  bool add_meta(const Member& member, const FieldPath& path, Object& members) {
    if (member.key != "metadata" || member.value.is_null()) {
      members.push_back(member);
      return false;
    }
    Conformed meta = conform(member.value, object_meta_);
    if (!meta.error.empty() && error_.empty()) error_ = std::move(meta.error);
    constexpr std::string_view kUnknown = "unknown field \"";
    for (const std::string& finding : meta.findings) {
      unknown_.push_back(path.to_string() + '.' +
                         finding.substr(kUnknown.size(), finding.size() - kUnknown.size() - 1));
    }
    members.push_back({member.key, std::move(meta.value), member.mark});
    return true;
  }

  bool add_defaults(const ValueRules& rules, const FieldPath& path, bool has_meta, Object& members) {
    bool changed = false;
    for (const auto& [name, property] : rules.properties) {
      if (!property->initial || (has_meta && is_meta_field(name))) continue;
      const auto same = [&wanted = name](const Member& member) { return member.key == wanted; };
      if (std::any_of(members.begin(), members.end(), same)) continue;
      members.push_back({name, defaulted(*property, FieldPath{&path, name, 0, false}), {}});
      changed = true;
    }
    return changed;
  }

  /// A default, with the defaults of what lies below it.
  Value defaulted(const ValueRules& rules, const FieldPath& path) {
    const std::size_t known = unknown_.size();
    Change change = visit(*rules.initial, &rules, path, false);
    unknown_.resize(known);  // a definition's fault, if at all
    return std::move(change).value_or(*rules.initial);
  }

  Change visit_list(const Value& value, const ValueRules* rules, const FieldPath& path, bool keeps) {
    const ValueRules* items = rules == nullptr ? nullptr : rules->items.get();
    keeps = keeps || (rules != nullptr && rules->preserves_unknown);
    const Array& elements = value.array();
    std::optional<Array> changed;
    for (std::size_t i = 0; i < elements.size(); ++i) {
      const FieldPath below{&path, {}, i, true};
      const bool is_defaulted = elements[i].is_null() && items != nullptr && !items->is_nullable && items->initial;
      Change change = is_defaulted ? Change(defaulted(*items, below)) : visit(elements[i], items, below, keeps);
      if (!change) continue;
      if (!changed) changed = elements;
      (*changed)[i] = std::move(*change);
    }
    if (!changed) return std::nullopt;
    return Value(std::move(*changed), value.mark());
  }

  const Type& object_meta_;
  std::vector<std::string> unknown_;
  std::string error_;
};

// ---- Validation -----------------------------------------------------------------------------------------------------

/// "spec.a[0].b", and "a[key]" for members of maps, as field.Path writes them.
struct Path {
  const Path* parent = nullptr;
  std::string_view name;
  std::size_t index = 0;
  enum class Kind : std::uint8_t { kField, kKey, kIndex } kind = Kind::kField;

  [[nodiscard]] std::string text() const {
    if (parent == nullptr) return {};
    const std::string above = parent->text();
    if (kind == Kind::kIndex) return above + '[' + std::to_string(index) + ']';
    if (kind == Kind::kKey) return above + '[' + std::string(name) + ']';
    return above.empty() ? std::string(name) : above + '.' + std::string(name);
  }
};

/// Looks at one value and its schema after the other, all the way down.
template <class Visitor>
void walk(const Value& value, const ValueRules& rules, const Path& path, const Visitor& visitor) {
  visitor(value, rules, path);
  if (value.is_object()) {
    for (const Member& member : value.object()) {
      const ValueRules* property = rules.find(member.key);
      const ValueRules* below = property != nullptr ? property : rules.additional.get();
      const Path::Kind kind = property != nullptr ? Path::Kind::kField : Path::Kind::kKey;
      if (below != nullptr) walk(member.value, *below, Path{&path, member.key, 0, kind}, visitor);
    }
  } else if (value.is_array() && rules.items != nullptr) {
    const Array& elements = value.array();
    for (std::size_t i = 0; i < elements.size(); ++i) {
      walk(elements[i], *rules.items, Path{&path, {}, i, Path::Kind::kIndex}, visitor);
    }
  }
}

void check_meta_text(const Value* value, std::string_view name, const Path& path, FieldErrors& errors) {
  const std::string at = Path{&path, name, 0, Path::Kind::kField}.text();
  if (value == nullptr) {
    errors.push_back({at, "Required value", {}});
  } else if (!value->is_string()) {
    errors.push_back({at, "Invalid value: " + shown_value(*value) + ": must be a string", {}});
  } else if (value->string().empty()) {
    errors.push_back({at, "Invalid value: \"\": must not be empty", {}});
  } else if (name == "apiVersion" && std::count(value->string().begin(), value->string().end(), '/') > 1) {
    errors.push_back(
        {at, "Invalid value: " + shown_value(*value) + ": unexpected GroupVersion string: " + value->string(), {}});
  } else if (name == "kind") {
    for (const std::string& problem : dns_1035_label_problems(lower_case(value->string()))) {
      errors.push_back(
          {at,
           "Invalid value: " + shown_value(*value) + ": may have mixed case, but should otherwise match: " + problem,
           {}});
    }
  }
}

void check_embedded(const Value& value, const ValueRules& rules, const Path& path, FieldErrors& errors) {
  if (!value.is_object() || !rules.is_embedded_object) return;
  check_meta_text(value.find("apiVersion"), "apiVersion", path, errors);
  check_meta_text(value.find("kind"), "kind", path, errors);
}

/// What tells an element apart: itself in a set, its keys in a map.
Value identity_in_list(const Value& element, const ValueRules& list) {
  if (list.list_type == "set") return element;
  Object keys;
  for (const std::string& name : list.list_keys) {
    if (const Value* key = element.find(name); key != nullptr) keys.push_back({name, *key, {}});
  }
  return Value(std::move(keys));
}

void check_unique(const Value& value, const ValueRules& rules, const Path& path, FieldErrors& errors) {
  if (!value.is_array() || (rules.list_type != "set" && rules.list_type != "map")) return;
  const Array& elements = value.array();
  const auto at = [&](std::size_t i) { return Path{&path, {}, i, Path::Kind::kIndex}.text(); };
  if (rules.list_type == "map") {
    for (std::size_t i = 0; i < elements.size(); ++i) {
      if (elements[i].is_object() || elements[i].is_null()) continue;
      errors.push_back(
          {at(i),
           "Invalid value: " + shown_value(elements[i]) + ": must be an object for an array of list-type map",
           {}});
      return;
    }
  }
  std::unordered_map<std::string, int> seen;
  for (std::size_t i = 0; i < elements.size(); ++i) {
    const std::string text = document::write_json(with_sorted_members(identity_in_list(elements[i], rules)));
    // Only the first repetition is complained of.
    if (++seen[text] == 2) errors.push_back({at(i), "Duplicate value: " + text, {}});
  }
}

FieldErrors duplicates(const Value& object, const ValueRules& rules) {
  FieldErrors errors;
  walk(object, rules, Path{},
       [&](const Value& value, const ValueRules& at, const Path& path) { check_unique(value, at, path, errors); });
  return errors;
}

/// Errors that leave too little of an object to evaluate expressions on.
bool blocks_expressions(const FieldError& error) {
  for (const std::string_view words : {"Unsupported value", "Required value", "Too long", "Too many"}) {
    if (error.message.starts_with(words)) return true;
  }
  return error.message.find(" in body must be of type ") != std::string::npos;
}

Change sorted(const Value& value) {
  if (value.is_array()) {
    std::optional<Array> changed;
    for (std::size_t i = 0; i < value.array().size(); ++i) {
      Change change = sorted(value.array()[i]);
      if (!change) continue;
      if (!changed) changed = value.array();
      (*changed)[i] = std::move(*change);
    }
    if (!changed) return std::nullopt;
    return Value(std::move(*changed), value.mark());
  }
  if (!value.is_object()) return std::nullopt;
  const Object& members = value.object();
  std::optional<Object> changed;
  const auto by_key = [](const Member& a, const Member& b) { return a.key < b.key; };
  if (!std::is_sorted(members.begin(), members.end(), by_key)) changed = members;
  for (std::size_t i = 0; i < members.size(); ++i) {
    Change change = sorted(members[i].value);
    if (!change) continue;
    if (!changed) changed = members;
    (*changed)[i].value = std::move(*change);
  }
  if (!changed) return std::nullopt;
  std::sort(changed->begin(), changed->end(), by_key);
  return Value(std::move(*changed), value.mark());
}

}  // namespace

Conformed conform_custom(const Value& object, const ValueRules& rules, const Type& object_meta,
                         const Diagnostics& duplicates) {
  return CustomConformer(object_meta).run(object, rules, duplicates);
}

FieldErrors validate_custom(const Value& object, const Value* old, const ValueRules& rules) {
  FieldErrors errors = validate_value(object, old, rules);
  walk(object, rules, Path{},
       [&](const Value& value, const ValueRules& at, const Path& path) { check_embedded(value, at, path, errors); });
  if (old == nullptr || duplicates(*old, rules).empty()) {
    for (FieldError& error : duplicates(object, rules)) errors.push_back(std::move(error));
  }
  if (!rules.holds_expressions) return errors;
  if (std::any_of(errors.begin(), errors.end(), blocks_expressions)) {
    errors.push_back({"<nil>",
                      "Invalid value: null: some validation rules were not checked because the object was invalid; "
                      "correct the existing errors to complete validation",
                      {}});
    return errors;
  }
  for (FieldError& error : check_expressions(object, old, rules)) errors.push_back(std::move(error));
  return errors;
}

Value with_sorted_members(const Value& value) {
  Change change = sorted(value);
  return std::move(change).value_or(value);
}

}  // namespace loadline::schema
