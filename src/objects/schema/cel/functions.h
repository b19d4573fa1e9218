#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "foundation/base/result.h"
#include "objects/schema/cel/program.h"
#include "objects/schema/cel/value.h"
#include "objects/schema/custom/pattern.h"

namespace loadline::schema::cel {

/// Patterns of one evaluation, each compiled once.
using Patterns = std::unordered_map<std::string, Pattern>;

/// What functions are called with. A method's target is the first argument.
struct Call {
  std::string_view name;
  bool is_method = false;
  const std::vector<Value>& arguments;
  Budget& budget;
  Patterns& patterns;
};

/// Whether there is a function of that name with so many arguments.
[[nodiscard]] bool is_function(std::string_view name, std::size_t arguments);

/// Calls it. Errors: "no such overload", and the function's own.
[[nodiscard]] Result<Value> call_function(const Call& call);

/// Operators with two operands: + - * / % == != < <= > >= in.
[[nodiscard]] Result<Value> apply_operator(std::string_view sign, const Value& a, const Value& b, Budget& budget);
[[nodiscard]] Result<Value> negate(const Value& value);

/// The element or member at that index or key. "index out of bounds: 5", "no such key: x".
[[nodiscard]] Result<Value> at_index(const Value& container, const Value& index);

[[nodiscard]] tl::unexpected<Error> no_such_overload();

}  // namespace loadline::schema::cel
