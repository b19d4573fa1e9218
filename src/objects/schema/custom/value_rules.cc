#include "objects/schema/custom/value_rules.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "foundation/base/closest.h"
#include "foundation/document/field_path.h"
#include "foundation/document/utf8.h"
#include "foundation/document/writer.h"
#include "objects/schema/quoted.h"

namespace loadline::schema {
namespace {

using document::Array;
using document::FieldPath;
using document::Member;
using document::Object;
using document::Value;

/// Of an object with a hundred thousand mistakes, so many are told: each is compared with the others.
constexpr std::size_t kMostErrors = 1000;
/// Bytes of "supported values" that are told about one object.
constexpr std::size_t kMostTold = std::size_t{1} << 20;

/// What one schema found, and how much of it the value met: of several alternatives that fail, the one that met most
/// speaks for all.
struct SchemaMatch {
  FieldErrors errors;
  int matches = 0;

  [[nodiscard]] bool is_valid() const { return errors.empty(); }
  void add(FieldError error) {
    if (errors.size() >= kMostErrors) return;
    if (errors.size() + 1 == kMostErrors) error.message = "Too many mistakes: those that follow are not told";
    if (std::find(errors.begin(), errors.end(), error) == errors.end()) errors.push_back(std::move(error));
  }
  void merge(SchemaMatch other) {
    for (FieldError& error : other.errors) add(std::move(error));
    matches += other.matches;
  }
};

std::string_view json_type(const Value& value) {
  if (value.is_boolean()) return "boolean";
  if (value.is_string()) return "string";
  if (value.is_integer()) return "integer";
  if (value.is_float()) return "number";
  return value.is_array() ? "array" : value.is_object() ? "object" : "null";
}

std::string_view go_format(const Value& value) {
  return value.is_integer() ? "int64" : value.is_float() ? "float64" : "";
}

/// swag.IsFloat64AJSONInteger.
bool is_whole(double number) {
  constexpr double kMaxJson = 9007199254740991.0;
  constexpr double kEpsilon = 1e-9;
  if (!std::isfinite(number) || std::abs(number) > kMaxJson) return false;
  const double whole = std::trunc(number);
  if (number == whole) return true;
  if (whole == 0) return false;
  return std::abs(number - whole) / (std::abs(number) + std::abs(whole)) < kEpsilon;
}

std::int64_t to_integer(double number) {
  if (number >= 9.2233720368547758e18) return std::numeric_limits<std::int64_t>::max();
  if (number <= -9.2233720368547758e18) return std::numeric_limits<std::int64_t>::min();
  return static_cast<std::int64_t>(number);
}

std::int64_t code_points(std::string_view text) {
  std::int64_t count = 0;
  for (std::size_t at = 0; at < text.size(); ++count) at += document::code_point_at(text, at).size();
  return count;
}

bool is_enumerated(const Value& value, const Value& allowed) {
  if (value.is_number() && allowed.is_number()) {
    return allowed.is_integer() ? to_integer(value.number()) == allowed.integer() : value.number() == allowed.number();
  }
  return !value.is_null() && value == allowed;
}

class ValueValidator {
 public:
  SchemaMatch check(const Value& value, const Value* old, const ValueRules& rules, const FieldPath& path) {
    SchemaMatch outcome;
    if (old != nullptr && *old == value) return outcome;
    path_ = &path;
    if (value.is_null()) {
      check_null(rules, outcome);
      check_enumeration(value, rules, outcome);
      return outcome;
    }
    if (!types(rules).empty() || !rules.format.empty()) step(outcome, check_type(value, rules));
    step(outcome, check_alternatives(value, rules, path));
    path_ = &path;
    if (value.is_string()) step(outcome, check_string(value, rules));
    if (value.is_string() && !rules.format.empty()) step(outcome, check_format(value, rules));
    if (value.is_number()) step(outcome, check_number(value, rules));
    if (value.is_array()) step(outcome, check_list(value, old, rules, path));
    path_ = &path;
    SchemaMatch enumeration;
    check_enumeration(value, rules, enumeration);
    step(outcome, std::move(enumeration));
    if (value.is_object()) step(outcome, check_object(value, old, rules, path));
    ++outcome.matches;
    return outcome;
  }

 private:
  static void step(SchemaMatch& outcome, SchemaMatch part) {
    outcome.merge(std::move(part));
    ++outcome.matches;
  }

  /// "integer,string" for an int-or-string.
  static std::string types(const ValueRules& rules) { return rules.is_int_or_string ? "integer,string" : rules.type; }
  static bool takes(const ValueRules& rules, std::string_view type) {
    return rules.is_int_or_string ? type == "integer" || type == "string" : rules.type == type;
  }

  /// `path in body ...`, the beginning of most complaints.
  std::string in_body(std::string_view rest) const { return fmt::format("{} in body {}", path_->to_string(), rest); }

  void invalid(SchemaMatch& outcome, const Value& value, std::string_view rest) const {
    outcome.add({field_path(), fmt::format("Invalid value: {}: {}", shown_value(value), in_body(rest)), {}});
  }

  std::string field_path() const { return path_->parent == nullptr ? "<nil>" : path_->to_string(); }

  SchemaMatch wrong_type(std::string_view expected, std::string_view found) const {
    SchemaMatch outcome;
    const std::string quoted = schema::quoted(found);
    outcome.add(
        {field_path(),
         fmt::format("Invalid value: {}: {}", quoted, in_body(fmt::format("must be of type {}: {}", expected, quoted))),
         {}});
    return outcome;
  }

  void check_null(const ValueRules& rules, SchemaMatch& outcome) const {
    if (!types(rules).empty() && !rules.is_nullable) {
      outcome.merge(wrong_type(types(rules), "null"));
    } else {
      ++outcome.matches;
    }
  }

  SchemaMatch check_type(const Value& value, const ValueRules& rules) const {
    const std::string_view found = json_type(value);
    const bool is_text = value.is_string() || value.is_array();
    const bool fits = takes(rules, found) ||
                      (value.is_float() && is_whole(value.number()) && takes(rules, "integer")) ||
                      (value.is_integer() && takes(rules, "number"));
    if (!is_text && !rules.format.empty() && !fits && go_format(value) != rules.format) {
      return wrong_type(rules.format, go_format(value));
    }
    const bool is_numeric = takes(rules, "number") || takes(rules, "integer");
    const bool is_formatted_text = !is_numeric && !rules.format.empty() && is_text;
    if (!is_formatted_text && !fits) return wrong_type(types(rules), found);
    SchemaMatch outcome;
    ++outcome.matches;
    return outcome;
  }

  /// A complaint that belongs to no one field.
  void about_all(SchemaMatch& outcome, const FieldPath& path, std::string_view rest) const {
    outcome.add({"<nil>", fmt::format("Invalid value: \"\": {} {}", quoted(path.to_string()), rest), {}});
  }

  SchemaMatch check_alternatives(const Value& value, const ValueRules& rules, const FieldPath& path) {
    SchemaMatch outcome;
    if (!rules.any_of.empty()) check_any(value, rules, path, outcome);
    if (!rules.one_of.empty()) check_one(value, rules, path, outcome);
    if (!rules.all_of.empty()) check_all(value, rules, path, outcome);
    if (rules.negated != nullptr && check(value, nullptr, *rules.negated, path).is_valid()) {
      about_all(outcome, path, "must not validate the schema (not)");
    }
    ++outcome.matches;
    return outcome;
  }

  void check_any(const Value& value, const ValueRules& rules, const FieldPath& path, SchemaMatch& outcome) {
    std::optional<SchemaMatch> best;
    for (const ValueRules::Child& alternative : rules.any_of) {
      SchemaMatch tried = check(value, nullptr, *alternative, path);
      if (tried.is_valid()) return outcome.merge(std::move(tried));
      if (!best || tried.matches > best->matches) best = std::move(tried);
    }
    about_all(outcome, path, "must validate at least one schema (anyOf)");
    outcome.merge(std::move(*best));
  }

  void check_one(const Value& value, const ValueRules& rules, const FieldPath& path, SchemaMatch& outcome) {
    std::optional<SchemaMatch> best;
    std::optional<SchemaMatch> first;
    int valid = 0;
    for (const ValueRules::Child& alternative : rules.one_of) {
      SchemaMatch tried = check(value, nullptr, *alternative, path);
      if (tried.is_valid()) {
        if (++valid == 1) first = std::move(tried);
      } else if (!best || tried.matches > best->matches) {
        best = std::move(tried);
      }
    }
    if (valid == 1) return outcome.merge(std::move(*first));
    about_all(outcome, path,
              fmt::format("must validate one and only one schema (oneOf). {}",
                          valid == 0 ? "Found none valid" : fmt::format("Found {} valid alternatives", valid)));
    if (valid == 0) outcome.merge(std::move(*best));
  }

  void check_all(const Value& value, const ValueRules& rules, const FieldPath& path, SchemaMatch& outcome) {
    std::size_t valid = 0;
    for (const ValueRules::Child& part : rules.all_of) {
      SchemaMatch tried = check(value, nullptr, *part, path);
      if (tried.is_valid()) ++valid;
      outcome.merge(std::move(tried));
    }
    if (valid == rules.all_of.size()) return;
    about_all(outcome, path,
              fmt::format("must validate all the schemas (allOf){}", valid == 0 ? ". None validated" : ""));
  }

  SchemaMatch check_string(const Value& value, const ValueRules& rules) const {
    SchemaMatch outcome;
    const std::string& text = value.string();
    if (rules.max_length && code_points(text) > *rules.max_length) {
      outcome.add({field_path(),
                   fmt::format("Too long: may not be more than {} byte{}", *rules.max_length,
                               *rules.max_length == 1 ? "" : "s"),
                   {}});
    } else if (rules.min_length && code_points(text) < *rules.min_length) {
      invalid(outcome, value, fmt::format("should be at least {} chars long", *rules.min_length));
    } else if (rules.pattern && !rules.pattern->matches(text)) {
      invalid(outcome, value, fmt::format("should match '{}'", rules.pattern->text()));
    }
    return outcome;
  }

  SchemaMatch check_format(const Value& value, const ValueRules& rules) const {
    if (has_format(value.string(), rules.format)) return {};
    SchemaMatch outcome;
    const std::string quoted = schema::quoted(value.string());
    outcome.add({field_path(),
                 fmt::format("Invalid value: {}: {}", quoted,
                             in_body(fmt::format("must be of type {}: {}", rules.format, quoted))),
                 {}});
    return outcome;
  }

  SchemaMatch check_number(const Value& value, const ValueRules& rules) const {
    SchemaMatch outcome;
    check_range(value, rules, outcome);
    if (rules.multiple_of) check_multiple(value, *rules.multiple_of, outcome);
    if (rules.maximum) {
      const bool exceeds = value.is_integer() ? exceeds_integer(value.integer(), to_integer(*rules.maximum), rules)
                                              : exceeds_number(value.number(), *rules.maximum, rules);
      const std::string_view words = rules.excludes_maximum ? "less than" : "less than or equal to";
      if (exceeds) invalid(outcome, value, fmt::format("should be {} {}", words, limit(value, *rules.maximum)));
    }
    if (rules.minimum) {
      const bool is_under = value.is_integer() ? undercuts_integer(value.integer(), to_integer(*rules.minimum), rules)
                                               : undercuts_number(value.number(), *rules.minimum, rules);
      const std::string_view words = rules.excludes_minimum ? "greater than" : "greater than or equal to";
      if (is_under) invalid(outcome, value, fmt::format("should be {} {}", words, limit(value, *rules.minimum)));
    }
    ++outcome.matches;
    return outcome;
  }

  static bool exceeds_integer(std::int64_t value, std::int64_t maximum, const ValueRules& rules) {
    return rules.excludes_maximum ? value >= maximum : value > maximum;
  }
  static bool exceeds_number(double value, double maximum, const ValueRules& rules) {
    return rules.excludes_maximum ? value >= maximum : value > maximum;
  }
  static bool undercuts_integer(std::int64_t value, std::int64_t minimum, const ValueRules& rules) {
    return rules.excludes_minimum ? value <= minimum : value < minimum;
  }
  static bool undercuts_number(double value, double minimum, const ValueRules& rules) {
    return rules.excludes_minimum ? value <= minimum : value < minimum;
  }

  /// Limits of integers are integers upstream, too.
  static std::string limit(const Value& value, double number) {
    return value.is_integer() ? std::to_string(to_integer(number)) : document::format_number(number);
  }

  void check_range(const Value& value, const ValueRules& rules, SchemaMatch& outcome) const {
    if (rules.is_int_or_string) return;
    const bool is_integer = rules.type == "integer";
    const bool is_narrow = is_integer && rules.format == "int32";
    const bool is_float = rules.type == "number" && rules.format == "float";
    bool fits = true;
    if (is_narrow) fits = std::abs(value.number() + 0.5) <= 2147483647.5;
    if (is_float) fits = std::abs(value.number()) <= static_cast<double>(std::numeric_limits<float>::max());
    if (is_integer && value.is_float()) fits = fits && is_whole(value.number());
    if (fits) return;
    const std::string what = rules.format.empty() ? rules.type + " (default format)"
                                                  : fmt::format("{} with format {}", rules.type, rules.format);
    outcome.add({"<nil>",
                 fmt::format("Invalid value: \"\": Checked value must be of type {} in {}", what, path_->to_string()),
                 {}});
  }

  void check_multiple(const Value& value, double factor, SchemaMatch& outcome) const {
    const std::int64_t whole = to_integer(factor);
    if (value.is_integer() ? whole <= 0 : factor <= 0) {
      const Value shown = value.is_integer() ? Value(whole) : Value(factor);
      outcome.add({field_path(),
                   fmt::format("Invalid value: {}: factor MultipleOf declared for {} must be positive: {}",
                               shown_value(shown), path_->to_string(), shown_value(shown)),
                   {}});
      return;
    }
    const bool is_multiple = value.is_integer()
                                 ? value.integer() % whole == 0
                                 : is_whole(factor < 1 ? 1 / factor * value.number() : value.number() / factor);
    if (!is_multiple) invalid(outcome, value, fmt::format("should be a multiple of {}", limit(value, factor)));
  }

  SchemaMatch check_list(const Value& value, const Value* old, const ValueRules& rules, const FieldPath& path) {
    SchemaMatch outcome;
    const Array& elements = value.array();
    if (rules.items != nullptr) {
      const OldElements before(old, rules);
      for (std::size_t i = 0; i < elements.size(); ++i) {
        outcome.merge(check(elements[i], before.find(elements[i]), *rules.items, FieldPath{&path, {}, i, true}));
      }
    }
    path_ = &path;
    const auto size = static_cast<std::int64_t>(elements.size());
    if (rules.min_items && size < *rules.min_items) {
      invalid(outcome, Value(size), fmt::format("should have at least {} items", *rules.min_items));
    }
    if (rules.max_items && size > *rules.max_items) too_many(outcome, size, *rules.max_items);
    if (rules.wants_unique_items && has_duplicates(elements)) {
      invalid(outcome, Value(""), "shouldn't contain duplicates");
    }
    ++outcome.matches;
    return outcome;
  }

  static bool has_duplicates(const Array& elements) {
    std::vector<std::string> texts;
    texts.reserve(elements.size());
    for (const Value& element : elements) texts.push_back(document::write_json(element));
    std::sort(texts.begin(), texts.end());
    return std::adjacent_find(texts.begin(), texts.end()) != texts.end();
  }

  void too_many(SchemaMatch& outcome, std::int64_t size, std::int64_t limit) const {
    outcome.add({field_path(),
                 fmt::format("Too many: {}: must have at most {} item{}", size, limit, limit == 1 ? "" : "s"),
                 {}});
  }

  void check_enumeration(const Value& value, const ValueRules& rules, SchemaMatch& outcome) const {
    if (rules.enumeration.empty() || is_enumerated_by(value, rules)) return;
    const std::string what = fmt::format("Unsupported value: {}", shown_value(value));
    // A list with a hundred thousand of them would else be told all that is supported so often.
    if (told_bytes_ > kMostTold) return outcome.add({field_path(), what, {}});
    std::string supported;
    std::vector<std::string_view> words;
    for (const Value& allowed : rules.enumeration) {
      if (!supported.empty()) supported += ", ";
      supported += quoted(allowed.is_string() ? allowed.string() : document::write_json(allowed));
      if (allowed.is_string()) words.push_back(allowed.string());
    }
    told_bytes_ += supported.size();
    outcome.add({field_path(), fmt::format("{}: supported values: {}", what, supported), hint_for(value, words)});
  }

  /// Of many values, the texts among them are found by a set, which is made once an object.
  bool is_enumerated_by(const Value& value, const ValueRules& rules) const {
    constexpr std::size_t kFew = 32;
    if (!value.is_string() || rules.enumeration.size() <= kFew) {
      return std::ranges::any_of(rules.enumeration,
                                 [&](const Value& allowed) { return is_enumerated(value, allowed); });
    }
    std::unordered_set<std::string_view>& texts = texts_[&rules];
    if (texts.empty()) {
      for (const Value& allowed : rules.enumeration) {
        if (allowed.is_string()) texts.insert(allowed.string());
      }
      texts.insert({});  // no empty set: it would be made again
    }
    const bool is_empty = value.string().empty();
    return is_empty ? std::ranges::find(rules.enumeration, value) != rules.enumeration.end()
                    : texts.contains(value.string());
  }

  static std::string hint_for(const Value& value, const std::vector<std::string_view>& words) {
    constexpr std::size_t kLongestWord = 100;
    if (!value.is_string() || value.string().size() > kLongestWord) return {};
    const std::string_view meant = closest(value.string(), words);
    return meant.empty() ? std::string() : fmt::format("did you mean {}?", quoted(meant));
  }

  SchemaMatch check_object(const Value& value, const Value* old, const ValueRules& rules, const FieldPath& path) {
    SchemaMatch outcome;
    const Object& members = value.object();
    const auto size = static_cast<std::int64_t>(members.size());
    if (rules.min_properties && size < *rules.min_properties) {
      invalid(outcome, Value(size), fmt::format("should have at least {} properties", *rules.min_properties));
    }
    if (rules.max_properties && size > *rules.max_properties) too_many(outcome, size, *rules.max_properties);
    for (const Member& member : members) {
      const ValueRules* below = rules.member(member.key);
      if (below != nullptr) {
        const Value* was = old == nullptr ? nullptr : old->find(member.key);
        outcome.merge(check(member.value, was, *below, FieldPath{&path, member.key, 0, false}));
        path_ = &path;
      } else if (rules.forbids_additional) {
        outcome.add({field_path(),
                     fmt::format("Invalid value: {}: {}.{} in body is a forbidden property", quoted(member.key),
                                 path.to_string(), member.key),
                     {}});
      }
    }
    for (const std::string& name : rules.required) {
      if (value.find(name) != nullptr) continue;
      outcome.add({FieldPath{&path, name, 0, false}.to_string(), "Required value", {}});
    }
    return outcome;
  }

  const FieldPath* path_ = nullptr;                                                            // of the value at hand
  mutable std::size_t told_bytes_ = 0;                                                         // of supported values
  mutable std::unordered_map<const ValueRules*, std::unordered_set<std::string_view>> texts_;  // enumerated ones
};

}  // namespace

const ValueRules* ValueRules::find(std::string_view property) const {
  const auto at = std::lower_bound(properties.begin(), properties.end(), property,
                                   [](const auto& entry, std::string_view name) { return entry.first < name; });
  return at == properties.end() || at->first != property ? nullptr : at->second.get();
}

const ValueRules* ValueRules::member(std::string_view name) const {
  const ValueRules* property = find(name);
  return property != nullptr ? property : additional.get();
}

OldElements::OldElements(const Value* old, const ValueRules& list) : keys_(list.list_keys) {
  if (old == nullptr || !old->is_array() || list.list_type != "map") return;
  for (const Value& element : old->array()) by_key_.try_emplace(key_of(element), &element);
}

const Value* OldElements::find(const Value& element) const {
  if (by_key_.empty()) return nullptr;
  const auto found = by_key_.find(key_of(element));
  return found == by_key_.end() ? nullptr : found->second;
}

std::string OldElements::key_of(const Value& element) const {
  std::string key;
  for (const std::string& name : keys_) {
    const Value* part = element.find(name);
    key += part == nullptr ? "-" : document::write_json(*part);
    key += ',';
  }
  return key;
}

FieldErrors validate_value(const Value& value, const Value* old, const ValueRules& rules) {
  return ValueValidator().check(value, old, rules, FieldPath{}).errors;
}

std::string shown_value(const Value& value) {
  if (value.is_string()) return quoted(value.string());
  return document::write_json(value);
}

}  // namespace loadline::schema
