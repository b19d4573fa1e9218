#include "objects/schema/custom/custom_expressions.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "foundation/base/text.h"
#include "objects/schema/cel/program.h"
#include "objects/schema/quoted.h"

namespace loadline::schema {
namespace {

using document::Member;
using document::Value;

/// What all expressions of one object may cost, and one of them. Source: k8s.io/apiserver/pkg/apis/cel/config.go.
constexpr std::int64_t kObjectBudget = 10'000'000;
constexpr std::int64_t kCallBudget = 1'000'000;
constexpr std::size_t kMaxMessage = 5120;
constexpr std::string_view kNothingMore =
    "validation failed due to running out of cost budget, no further validation rules will be run";

/// Where a value stands, as field.Path writes it, and what it was before.
struct ValuePlace {
  const ValuePlace* parent = nullptr;
  std::string step;  // ".spec", "[0]", "[key]"
  const Value* value = nullptr;
  const Value* old = nullptr;  // null: it was not there, or cannot be told

  [[nodiscard]] std::string text() const {
    const std::string whole = joined();
    return whole.empty() ? "<nil>" : whole;
  }

  [[nodiscard]] std::string joined() const {
    const std::string above = parent == nullptr ? "" : parent->joined();
    return above.empty() && step.starts_with('.') ? step.substr(1) : above + step;
  }

  /// Whether the value, or the nearest one around it that can be told, is what it was.
  [[nodiscard]] bool is_unchanged() const {
    for (const ValuePlace* at = this; at != nullptr; at = at->parent) {
      if (at->old != nullptr) return *at->old == *at->value;
    }
    return false;
  }
};

/// fieldPath (`.a`, `['b c']`) as a step below the value.
std::string normalized(std::string_view path, const ValueRules& rules) {
  std::string text;
  const ValueRules* at = &rules;
  while (!path.empty()) {
    std::string name;
    if (path.starts_with("['")) {
      const std::size_t end = path.find("']");
      if (end == std::string_view::npos) break;
      name = path.substr(2, end - 2);
      path.remove_prefix(end + 2);
    } else {
      if (path.starts_with('.')) path.remove_prefix(1);
      const std::size_t end = std::min(path.find_first_of(".["), path.size());
      if (end == 0) break;
      name = path.substr(0, end);
      path.remove_prefix(end);
    }
    const bool is_key = at != nullptr && at->properties.empty() && at->additional != nullptr;
    text += is_key ? '[' + name + ']' : '.' + name;
    at = at == nullptr ? nullptr : at->member(name);
  }
  return text;
}

std::string shown_rule(const ExpressionRule& rule) {
  return std::string(trim(rule.message.empty() ? rule.rule : rule.message));
}

class ExpressionChecker {
 public:
  FieldErrors run(const Value& object, const Value* old, const ValueRules& rules) {
    visit(ValuePlace{nullptr, {}, &object, old}, rules);
    return std::move(errors_);
  }

 private:
  void visit(const ValuePlace& place, const ValueRules& rules) {
    if (is_over_ || !rules.holds_expressions || place.value->is_null()) return;
    check(place, rules, rules);
    for (const ValueRules::Child& part : rules.all_of) check_nested(place, *part, rules);
    if (place.value->is_array()) visit_list(place, rules);
    if (place.value->is_object()) visit_object(place, rules);
  }

  /// Expressions inside of allOf speak of the same value; its type is that of the schema around them.
  void check_nested(const ValuePlace& place, const ValueRules& part, const ValueRules& around) {
    if (!is_over_) check(place, part, around);
    for (const ValueRules::Child& deeper : part.all_of) check_nested(place, *deeper, around);
  }

  void visit_list(const ValuePlace& place, const ValueRules& rules) {
    if (rules.items == nullptr) return;
    const OldElements before(place.old, rules);
    const document::Array& elements = place.value->array();
    for (std::size_t i = 0; i < elements.size(); ++i) {
      visit(ValuePlace{&place, '[' + std::to_string(i) + ']', &elements[i], before.find(elements[i])}, *rules.items);
    }
  }

  void visit_object(const ValuePlace& place, const ValueRules& rules) {
    for (const Member& member : place.value->object()) {
      const ValueRules* property = rules.find(member.key);
      const ValueRules* below = property != nullptr ? property : rules.additional.get();
      if (below == nullptr) continue;
      const Value* was = place.old == nullptr ? nullptr : place.old->find(member.key);
      visit(ValuePlace{&place, property != nullptr ? '.' + member.key : '[' + member.key + ']', &member.value, was},
            *below);
    }
  }

  void check(const ValuePlace& place, const ValueRules& part, const ValueRules& rules) {
    for (const ExpressionRule& rule : part.expressions) {
      if (is_over_) return;
      if (rule.program == nullptr) continue;
      if (rule.program->uses_old_self() && place.old == nullptr && !rule.optional_old_self) continue;
      check_rule(place, rule, rules);
    }
  }

  void check_rule(const ValuePlace& place, const ExpressionRule& rule, const ValueRules& rules) {
    const auto variables = variables_of(place, rule, rules);
    const Result<cel::Value> result = evaluate(*rule.program, variables);
    if (budget_ < 0) return give_up(place, rules, std::string(kNothingMore));
    if (!result) return fail(place, rule, rules, result.error().message);
    const bool* holds = result->get<bool>();
    if (holds != nullptr && *holds) return;
    if (!rule.program->uses_old_self() && place.is_unchanged()) return;
    const std::string at = ValuePlace{&place, normalized(rule.field_path, rules), nullptr, nullptr}.text();
    errors_.push_back({at, complaint(place, rule, rules, message(rule, variables)), {}});
  }

  using Variables = std::vector<std::pair<std::string_view, cel::Value>>;

  static Variables variables_of(const ValuePlace& place, const ExpressionRule& rule, const ValueRules& rules) {
    Variables variables{{"self", cel::Value::of(*place.value, &rules)}};
    if (rule.optional_old_self) {
      cel::Optional optional;
      if (place.old != nullptr) optional.value = std::make_shared<const cel::Value>(cel::Value::of(*place.old, &rules));
      variables.emplace_back("oldSelf", cel::Value(std::move(optional)));
    } else if (place.old != nullptr) {
      variables.emplace_back("oldSelf", cel::Value::of(*place.old, &rules));
    }
    return variables;
  }

  Result<cel::Value> evaluate(const cel::Program& program, const Variables& variables) {
    cel::Budget call{std::min(kCallBudget, budget_)};
    const std::int64_t before = call.left;
    Result<cel::Value> result = program.evaluate(variables, call);
    budget_ -= before - call.left;
    return result;
  }

  void fail(const ValuePlace& place, const ExpressionRule& rule, const ValueRules& rules, const std::string& error) {
    if (error.starts_with("operation cancelled")) {
      return give_up(place, rules,
                     fmt::format("'{}': no further validation rules will be run due to call cost exceeds limit for "
                                 "rule: {}",
                                 error, shown_rule(rule)));
    }
    const std::string detail =
        error.starts_with("no such overload")
            ? fmt::format(
                  "'{}': call arguments did not match a supported operator, function or macro signature for "
                  "rule: {}",
                  error, shown_rule(rule))
            : fmt::format("{} evaluating rule: {}", error, shown_rule(rule));
    errors_.push_back({place.text(), fmt::format("Invalid value: {}: {}", quoted(rules.type), detail), {}});
  }

  void give_up(const ValuePlace& place, const ValueRules& rules, const std::string& detail) {
    is_over_ = true;
    errors_.push_back({place.text(), fmt::format("Invalid value: {}: {}", quoted(rules.type), detail), {}});
  }

  std::string message(const ExpressionRule& rule, const Variables& variables) {
    if (rule.message_program != nullptr) {
      const Result<cel::Value> result = evaluate(*rule.message_program, variables);
      const std::string* text = result ? result->get<std::string>() : nullptr;
      if (text != nullptr) {
        const std::string_view trimmed = trim(*text);
        const bool is_usable = !trimmed.empty() && trimmed.size() <= kMaxMessage &&
                               trimmed.find_first_of("\r\n") == std::string_view::npos;
        if (is_usable) return std::string(trimmed);
      }
    }
    if (rule.message.empty()) return "failed rule: " + std::string(trim(rule.rule));
    return std::string(trim(rule.message));
  }

  static std::string complaint(const ValuePlace& place, const ExpressionRule& rule, const ValueRules& rules,
                               const std::string& detail) {
    if (rule.reason == "FieldValueForbidden") return "Forbidden: " + detail;
    if (rule.reason == "FieldValueRequired") return "Required value: " + detail;
    const bool is_shown = rules.type != "object" && rules.type != "array";
    const std::string shown = is_shown ? ": " + shown_value(*place.value) : "";
    if (rule.reason == "FieldValueDuplicate") return "Duplicate value" + shown;
    return fmt::format("Invalid value{}: {}", shown, detail);
  }

  FieldErrors errors_;
  std::int64_t budget_ = kObjectBudget;
  bool is_over_ = false;
};

}  // namespace

FieldErrors check_expressions(const Value& object, const Value* old, const ValueRules& rules) {
  return ExpressionChecker().run(object, old, rules);
}

}  // namespace loadline::schema
