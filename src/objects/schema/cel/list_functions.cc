#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "objects/schema/cel/libraries.h"

namespace loadline::schema::cel {
namespace {

std::vector<Value> elements_of(const Value& list) {
  std::vector<Value> elements;
  elements.reserve(list.size());
  for (std::size_t i = 0; i < list.size(); ++i) elements.push_back(list.element(i));
  return elements;
}

bool have_order(const std::vector<Value>& elements) {
  return std::all_of(elements.begin(), elements.end(), [&](const Value& element) {
    return compare(element, elements.front()).has_value() && compare(element, element).has_value();
  });
}

/// 1, 0 or -1; what has no order is equal.
bool is_less(const Value& a, const Value& b) { return compare(a, b).value_or(0) < 0; }

Result<Value> extreme(std::string_view name, const std::vector<Value>& elements) {
  if (elements.empty()) return failure(std::string(name) + " called on empty list");
  if (!have_order(elements)) return no_such_overload();
  return name == "min" ? *std::min_element(elements.begin(), elements.end(), is_less)
                       : *std::max_element(elements.begin(), elements.end(), is_less);
}

Result<Value> sum(const std::vector<Value>& elements, Budget& budget) {
  if (elements.empty()) return Value(std::int64_t{0});
  Result<Value> total = elements.front();
  for (std::size_t i = 1; total && i < elements.size(); ++i) total = apply_operator("+", *total, elements[i], budget);
  if (total && !total->is_number() && total->get<loadline::Duration>() == nullptr) return no_such_overload();
  return total;
}

Result<Value> join(const Call& call, const std::vector<Value>& elements) {
  std::string separator;
  if (call.arguments.size() == 2) {
    const auto* given = call.arguments[1].get<std::string>();
    if (given == nullptr) return no_such_overload();
    separator = *given;
  }
  std::string text;
  for (std::size_t i = 0; i < elements.size(); ++i) {
    const auto* part = elements[i].get<std::string>();
    if (part == nullptr) return no_such_overload();
    if (i > 0) text += separator;
    text += *part;
    if (static_cast<std::int64_t>(text.size() / 10) > call.budget.left) break;
  }
  call.budget.left -= static_cast<std::int64_t>(text.size() / 10);
  return Value(std::move(text));
}

Result<Value> index_of(const Call& call) {
  const Value& list = call.arguments[0];
  if (call.arguments.size() != 2) return no_such_overload();
  const auto count = static_cast<std::int64_t>(list.size());
  for (std::int64_t i = 0; i < count; ++i) {
    const std::int64_t at = call.name == "lastIndexOf" ? count - 1 - i : i;
    if (list.element(static_cast<std::size_t>(at)) == call.arguments[1]) return Value(at);
  }
  return Value(std::int64_t{-1});
}

Result<Value> slice(const Call& call, const std::vector<Value>& elements) {
  const auto* begin = call.arguments[1].get<std::int64_t>();
  const auto* end = call.arguments[2].get<std::int64_t>();
  if (begin == nullptr || end == nullptr) return no_such_overload();
  const auto size = static_cast<std::int64_t>(elements.size());
  if (*begin < 0 || *end < 0) {
    return failure("cannot slice(" + std::to_string(*begin) + ", " + std::to_string(*end) +
                   "), negative indexes not supported");
  }
  if (*begin > *end) {
    return failure("cannot slice(" + std::to_string(*begin) + ", " + std::to_string(*end) +
                   "), start index must be less than or equal to end index");
  }
  if (*end > size) {
    return failure("cannot slice(" + std::to_string(*begin) + ", " + std::to_string(*end) + "), list is length " +
                   std::to_string(size));
  }
  return list_of({elements.begin() + *begin, elements.begin() + *end});
}

/// Those that are not among the ones before; each pair costs.
Result<Value> distinct(const Call& call, const std::vector<Value>& elements) {
  std::vector<Value> kept;
  for (const Value& element : elements) {
    call.budget.left -= static_cast<std::int64_t>(kept.size());
    if (call.budget.left < 0) break;
    if (std::find(kept.begin(), kept.end(), element) == kept.end()) kept.push_back(element);
  }
  return list_of(std::move(kept));
}

Result<Value> flatten(const std::vector<Value>& elements) {
  std::vector<Value> flat;
  for (const Value& element : elements) {
    if (!element.is_list()) {
      flat.push_back(element);
      continue;
    }
    for (Value& inner : elements_of(element)) flat.push_back(std::move(inner));
  }
  return list_of(std::move(flat));
}

Value optional_of(const Value* value) {
  return Value(Optional{value == nullptr ? nullptr : std::make_shared<const Value>(*value)});
}

bool contains_all(const Value& list, const Value& wanted, Budget& budget) {
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    const Result<Value> found = apply_operator("in", wanted.element(i), list, budget);
    if (budget.left < 0 || !found || !*found->get<bool>()) return false;
  }
  return true;
}

}  // namespace

Result<Value> list_function(const Call& call) {
  if (!call.arguments[0].is_list()) return no_such_overload();
  std::vector<Value> elements = elements_of(call.arguments[0]);
  call.budget.left -= static_cast<std::int64_t>(elements.size());
  if (call.budget.left < 0) return Value();
  const std::string_view name = call.name;
  if (name == "min" || name == "max") return extreme(name, elements);
  if (name == "sum") return sum(elements, call.budget);
  if (name == "join") return join(call, elements);
  if (name == "slice") return slice(call, elements);
  if (name == "distinct") return distinct(call, elements);
  if (name == "flatten") return flatten(elements);
  if (name == "first") return optional_of(elements.empty() ? nullptr : &elements.front());
  if (name == "last") return optional_of(elements.empty() ? nullptr : &elements.back());
  if (name == "reverse") {
    std::reverse(elements.begin(), elements.end());
    return list_of(std::move(elements));
  }
  if (!have_order(elements)) return no_such_overload();
  if (name == "isSorted") return Value(std::is_sorted(elements.begin(), elements.end(), is_less));
  std::stable_sort(elements.begin(), elements.end(), is_less);
  return list_of(std::move(elements));
}

Result<Value> list_or_string_function(const Call& call) {
  if (!call.arguments[0].is_list()) return string_function(call);
  if (call.name == "reverse") return list_function(call);
  call.budget.left -= static_cast<std::int64_t>(call.arguments[0].size());
  return call.budget.left < 0 ? Result<Value>(Value()) : index_of(call);
}

Result<Value> set_function(const Call& call) {
  const Value& a = call.arguments[0];
  const Value& b = call.arguments[1];
  if (!a.is_list() || !b.is_list()) return no_such_overload();
  if (call.name == "sets.contains") return Value(contains_all(a, b, call.budget));
  if (call.name == "sets.equivalent") {
    return Value(contains_all(a, b, call.budget) && contains_all(b, a, call.budget));
  }
  for (std::size_t i = 0; i < b.size() && call.budget.left >= 0; ++i) {
    const Result<Value> found = apply_operator("in", b.element(i), a, call.budget);
    if (found && *found->get<bool>()) return Value(true);
  }
  return Value(false);
}

Result<Value> math_function(const Call& call) {
  std::vector<Value> numbers = call.arguments;
  if (numbers.size() == 1 && numbers[0].is_list()) numbers = elements_of(call.arguments[0]);
  if (!std::all_of(numbers.begin(), numbers.end(), [](const Value& number) { return number.is_number(); })) {
    return no_such_overload();
  }
  if (call.name != "math.abs") return extreme(call.name == "math.least" ? "min" : "max", numbers);
  if (const auto* number = numbers[0].get<double>()) return Value(std::abs(*number));
  const auto* number = numbers[0].get<std::int64_t>();
  return number != nullptr && *number < 0 ? negate(numbers[0]) : numbers[0];
}

}  // namespace loadline::schema::cel
