#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>

#include "objects/schema/cel/functions.h"

namespace loadline::schema::cel {
namespace {

constexpr std::int64_t kNanos = 1'000'000'000;

tl::unexpected<Error> overflow(std::string_view type) { return failure(fmt::format("{} overflow", type)); }

Result<Value> integers(std::string_view sign, std::int64_t a, std::int64_t b) {
  std::int64_t result = 0;
  if (sign == "/" || sign == "%") {
    if (b == 0) return failure(sign == "/" ? "division by zero" : "modulus by zero");
    if (a == std::numeric_limits<std::int64_t>::min() && b == -1) return overflow("integer");
    return Value(sign == "/" ? a / b : a % b);
  }
  const bool overflows = sign == "+"   ? __builtin_add_overflow(a, b, &result)
                         : sign == "-" ? __builtin_sub_overflow(a, b, &result)
                                       : __builtin_mul_overflow(a, b, &result);
  if (overflows) return overflow("integer");
  return Value(result);
}

Result<Value> unsigned_integers(std::string_view sign, std::uint64_t a, std::uint64_t b) {
  std::uint64_t result = 0;
  if (sign == "/" || sign == "%") {
    if (b == 0) return failure(sign == "/" ? "division by zero" : "modulus by zero");
    return Value(sign == "/" ? a / b : a % b);
  }
  const bool overflows = sign == "+"   ? __builtin_add_overflow(a, b, &result)
                         : sign == "-" ? __builtin_sub_overflow(a, b, &result)
                                       : __builtin_mul_overflow(a, b, &result);
  if (overflows) return overflow("unsigned integer");
  return Value(result);
}

Result<Value> doubles(std::string_view sign, double a, double b) {
  if (sign == "+") return Value(a + b);
  if (sign == "-") return Value(a - b);
  if (sign == "*") return Value(a * b);
  if (sign == "/") return Value(a / b);
  return no_such_overload();
}

Result<Value> durations(std::string_view sign, loadline::Duration a, loadline::Duration b) {
  std::int64_t result = 0;
  if (sign != "+" && sign != "-") return no_such_overload();
  const bool overflows = sign == "+" ? __builtin_add_overflow(a.nanoseconds, b.nanoseconds, &result)
                                     : __builtin_sub_overflow(a.nanoseconds, b.nanoseconds, &result);
  if (overflows) return overflow("duration");
  return Value(loadline::Duration{result});
}

Result<Value> moved(Timestamp at, loadline::Duration span) {
  std::int64_t nanos = at.nanoseconds + span.nanoseconds % kNanos;
  std::int64_t seconds = at.seconds + span.nanoseconds / kNanos;
  if (nanos < 0) {
    nanos += kNanos;
    --seconds;
  } else if (nanos >= kNanos) {
    nanos -= kNanos;
    ++seconds;
  }
  return Value(Timestamp{seconds, static_cast<std::int32_t>(nanos)});
}

Result<Value> times(std::string_view sign, const Value& a, const Value& b) {
  const auto* at = a.get<Timestamp>();
  const auto* span = b.get<loadline::Duration>();
  if (at != nullptr && span != nullptr && sign == "+") return moved(*at, *span);
  if (at != nullptr && span != nullptr && sign == "-") {
    if (span->nanoseconds == std::numeric_limits<std::int64_t>::min()) return overflow("timestamp");
    return moved(*at, {-span->nanoseconds});
  }
  const auto* other = b.get<Timestamp>();
  if (at != nullptr && other != nullptr && sign == "-") {
    const __int128_t nanos =
        static_cast<__int128_t>(at->seconds - other->seconds) * kNanos + at->nanoseconds - other->nanoseconds;
    if (nanos > std::numeric_limits<std::int64_t>::max() || nanos < std::numeric_limits<std::int64_t>::min()) {
      return overflow("timestamp");
    }
    return Value(loadline::Duration{static_cast<std::int64_t>(nanos)});
  }
  if (a.get<loadline::Duration>() != nullptr && b.get<Timestamp>() != nullptr && sign == "+") return times(sign, b, a);
  return no_such_overload();
}

Result<Value> joined_lists(const Value& a, const Value& b, Budget& budget) {
  budget.left -= static_cast<std::int64_t>(a.size() + b.size());
  std::vector<Value> elements;
  elements.reserve(a.size() + b.size());
  for (std::size_t i = 0; i < a.size(); ++i) elements.push_back(a.element(i));
  for (std::size_t i = 0; i < b.size(); ++i) elements.push_back(b.element(i));
  return Value(std::make_shared<const std::vector<Value>>(std::move(elements)));
}

Result<Value> arithmetic(std::string_view sign, const Value& a, const Value& b, Budget& budget) {
  if (const auto *x = a.get<std::int64_t>(), *y = b.get<std::int64_t>(); x != nullptr && y != nullptr) {
    return integers(sign, *x, *y);
  }
  if (const auto *x = a.get<std::uint64_t>(), *y = b.get<std::uint64_t>(); x != nullptr && y != nullptr) {
    return unsigned_integers(sign, *x, *y);
  }
  if (const auto *x = a.get<double>(), *y = b.get<double>(); x != nullptr && y != nullptr) return doubles(sign, *x, *y);
  if (const auto *x = a.get<loadline::Duration>(), *y = b.get<loadline::Duration>(); x != nullptr && y != nullptr) {
    return durations(sign, *x, *y);
  }
  if (a.get<Timestamp>() != nullptr || b.get<Timestamp>() != nullptr) return times(sign, a, b);
  if (sign != "+") return no_such_overload();
  if (const auto *x = a.get<std::string>(), *y = b.get<std::string>(); x != nullptr && y != nullptr) {
    budget.left -= static_cast<std::int64_t>((x->size() + y->size()) / 10);
    return Value(*x + *y);
  }
  if (const auto *x = a.get<Bytes>(), *y = b.get<Bytes>(); x != nullptr && y != nullptr) {
    return Value(Bytes{x->bytes + y->bytes});
  }
  if (a.is_list() && b.is_list()) return joined_lists(a, b, budget);
  return no_such_overload();
}

/// What it takes to compare: containers are walked.
std::int64_t comparison_cost(const Value& value) {
  if (const auto* text = value.get<std::string>()) return static_cast<std::int64_t>(text->size() / 10);
  return value.is_list() || value.is_map() ? static_cast<std::int64_t>(value.size()) : 0;
}

Result<Value> membership(const Value& element, const Value& container, Budget& budget) {
  if (container.is_map()) {
    budget.left -= static_cast<std::int64_t>(container.size() / 64);
    return Value(container.member(element).has_value());
  }
  if (!container.is_list()) return no_such_overload();
  budget.left -= static_cast<std::int64_t>(container.size()) * (1 + comparison_cost(element));
  if (budget.left < 0) return Value(false);
  for (std::size_t i = 0; i < container.size(); ++i) {
    if (container.element(i) == element) return Value(true);
  }
  return Value(false);
}

}  // namespace

tl::unexpected<Error> no_such_overload() { return failure("no such overload"); }

Result<Value> apply_operator(std::string_view sign, const Value& a, const Value& b, Budget& budget) {
  if (sign == "in") return membership(a, b, budget);
  if (sign == "==" || sign == "!=") {
    // Lists that are sets are compared each with each.
    const std::int64_t cost = comparison_cost(a);
    const bool squares = a.is_list() && b.is_list();
    budget.left -= squares ? cost * std::max<std::int64_t>(1, comparison_cost(b)) : cost;
    if (budget.left < 0) return Value(false);
    return Value((a == b) == (sign == "=="));
  }
  if (sign[0] != '<' && sign[0] != '>') return arithmetic(sign, a, b, budget);
  const std::optional<int> order = compare(a, b);
  if (!order) {
    // NaN is neither less nor more than anything.
    if (a.is_number() && b.is_number()) return Value(false);
    return no_such_overload();
  }
  budget.left -= comparison_cost(a);
  if (sign == "<") return Value(*order < 0);
  if (sign == "<=") return Value(*order <= 0);
  return Value(sign == ">" ? *order > 0 : *order >= 0);
}

Result<Value> negate(const Value& value) {
  if (const auto* number = value.get<std::int64_t>()) return integers("-", 0, *number);
  if (const auto* number = value.get<double>()) return Value(-*number);
  if (const auto* span = value.get<loadline::Duration>()) return durations("-", {0}, *span);
  return no_such_overload();
}

Result<Value> at_index(const Value& container, const Value& index) {
  if (container.is_map()) {
    if (std::optional<Value> member = container.member(index)) return std::move(*member);
    if (const auto* name = index.get<std::string>()) return failure("no such key: " + *name);
    return failure("no such key");
  }
  if (!container.is_list()) return no_such_overload();
  const auto* at = index.get<std::int64_t>();
  if (at == nullptr) return no_such_overload();
  if (*at < 0 || static_cast<std::uint64_t>(*at) >= container.size()) {
    return failure(fmt::format("index out of bounds: {}", *at));
  }
  return container.element(static_cast<std::size_t>(*at));
}

}  // namespace loadline::schema::cel
