#include "objects/schema/cel/program.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "objects/schema/cel/functions.h"
#include "objects/schema/cel/syntax.h"

namespace loadline::schema::cel {
namespace {

using Kind = Expression::Kind;
using Variables = std::vector<std::pair<std::string_view, Value>>;

constexpr std::array<std::string_view, 2> kRoots{"self", "oldSelf"};
constexpr std::array<std::string_view, 12> kTypes{"bool", "bytes",  "double", "dyn",  "int",       "list",
                                                  "map",  "string", "type",   "uint", "null_type", "optional_type"};
constexpr std::array<std::string_view, 15> kOperators{"+",  "-", "*",  "/",  "%",  "==", "!=", "<",
                                                      "<=", ">", ">=", "in", "&&", "||", "?:"};

template <class Range>
bool has(const Range& range, std::string_view name) {
  return std::find(range.begin(), range.end(), name) != range.end();
}

/// Makes sure that every name means something.
class Checker {
 public:
  /// What is wrong; empty: nothing.
  std::string check(const Expression& expression) {
    visit(expression);
    return error_;
  }
  [[nodiscard]] bool uses_old_self() const { return uses_old_self_; }

 private:
  void visit(const Expression& expression) {
    switch (expression.kind) {
      case Kind::kIdentifier:
        return visit_name(expression.name);
      case Kind::kCall:
        if (!has(kOperators, expression.name) && expression.name != "!" && expression.name != "negate" &&
            !is_function(expression.name, expression.operands.size())) {
          fail(fmt::format("function '{}' is not supported", expression.name));
        }
        return visit_operands(expression, expression.operands.size());
      case Kind::kLoop:
      case Kind::kOptionalMap:
      case Kind::kBind:
        visit(*expression.operands[0]);
        names_.push_back(expression.variable);
        for (std::size_t i = 1; i < expression.operands.size(); ++i) visit(*expression.operands[i]);
        names_.pop_back();
        return;
      default:
        return visit_operands(expression, expression.operands.size());
    }
  }

  void visit_operands(const Expression& expression, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) visit(*expression.operands[i]);
  }

  void visit_name(std::string_view name) {
    if (has(names_, name)) return;
    if (name == "oldSelf") uses_old_self_ = true;
    if (has(kRoots, name) || has(kTypes, name)) return;
    fail(fmt::format("undeclared reference to '{}' (in container '')", name));
  }

  void fail(std::string message) {
    if (error_.empty()) error_ = std::move(message);
  }

  std::vector<std::string_view> names_;
  std::string error_;
  bool uses_old_self_ = false;
};

/// One evaluation.
class Evaluator {
 public:
  Evaluator(const Variables& variables, Budget& budget) : variables_(variables), budget_(budget) {}

  Result<Value> evaluate(const Expression& expression) {
    if (--budget_.left < 0) return spent();
    Result<Value> value = step(expression);
    // Values are copied, and long texts with them.
    const std::string* text = value ? value->get<std::string>() : nullptr;
    if (text != nullptr) budget_.left -= static_cast<std::int64_t>(text->size() / 1024);
    return value;
  }

 private:
  Result<Value> step(const Expression& expression) {
    switch (expression.kind) {
      case Kind::kLiteral:
        return expression.literal;
      case Kind::kIdentifier:
        return variable(expression.name);
      case Kind::kSelect:
        return select(expression);
      case Kind::kHas:
        return presence(expression);
      case Kind::kIndex:
        return index(expression);
      case Kind::kCall:
        return call(expression);
      case Kind::kList:
        return list(expression);
      case Kind::kMap:
        return map(expression);
      case Kind::kLoop:
        return loop(expression);
      case Kind::kBind:
        return bind(expression);
      case Kind::kOptionalMap:
        return optional_map(expression);
    }
    return no_such_overload();
  }

  /// What looking up a member takes.
  void charge_lookup(const Value& map) { budget_.left -= static_cast<std::int64_t>(map.size() / 64); }

  static tl::unexpected<Error> spent() { return failure("operation cancelled: actual cost limit exceeded"); }

  Result<Value> variable(std::string_view name) const {
    for (auto at = variables_.rbegin(); at != variables_.rend(); ++at) {
      if (at->first == name) return at->second;
    }
    if (has(kTypes, name)) return Value(TypeName{std::string(name)});
    return failure(fmt::format("no such attribute(s): {}", name));
  }

  static Value none() { return Value(Optional{}); }
  static Value some(Value value) { return Value(Optional{std::make_shared<const Value>(std::move(value))}); }

  /// Looks something up in a value that may be optional, and says so in the answer: `a.?b.c` is none if b is.
  template <class Lookup>
  Result<Value> through_optional(const Expression& expression, const Lookup& lookup) {
    Result<Value> target = evaluate(*expression.operands[0]);
    if (!target) return target;
    const Optional* optional = target->get<Optional>();
    if (optional == nullptr && !expression.is_optional) return lookup(*target);
    if (optional != nullptr && optional->value == nullptr) return none();
    Result<Value> found = lookup(optional != nullptr ? *optional->value : *target);
    if (found) return some(std::move(*found));
    const bool is_missing =
        found.error().message.starts_with("no such key") || found.error().message.starts_with("index out of bounds");
    return is_missing ? Result<Value>(none()) : found;
  }

  Result<Value> select(const Expression& expression) {
    return through_optional(expression, [&](const Value& target) -> Result<Value> {
      if (!target.is_map()) return no_such_overload();
      charge_lookup(target);
      return at_index(target, Value(expression.name));
    });
  }

  Result<Value> presence(const Expression& expression) {
    Result<Value> target = evaluate(*expression.operands[0]);
    if (!target) return target;
    const Optional* optional = target->get<Optional>();
    if (optional != nullptr && optional->value == nullptr) return Value(false);
    const Value& value = optional != nullptr ? *optional->value : *target;
    if (!value.is_map()) return no_such_overload();
    charge_lookup(value);
    return Value(value.member(Value(expression.name)).has_value());
  }

  Result<Value> index(const Expression& expression) {
    Result<Value> at = evaluate(*expression.operands[1]);
    if (!at) return at;
    return through_optional(expression, [&](const Value& target) {
      if (target.is_map()) charge_lookup(target);
      return at_index(target, *at);
    });
  }

  Result<Value> call(const Expression& expression) {
    const std::string_view name = expression.name;
    if (name == "&&" || name == "||") return logic(expression, name == "||");
    if (name == "?:") return choice(expression);
    std::vector<Value> arguments;
    arguments.reserve(expression.operands.size());
    for (const auto& operand : expression.operands) {
      Result<Value> argument = evaluate(*operand);
      if (!argument) return argument;
      arguments.push_back(std::move(*argument));
    }
    Result<Value> result = dispatch(expression, arguments);
    if (budget_.left < 0) return spent();
    return result;
  }

  Result<Value> dispatch(const Expression& expression, const std::vector<Value>& arguments) {
    if (expression.name == "!") {
      const bool* boolean = arguments[0].get<bool>();
      if (boolean == nullptr) return no_such_overload();
      return Value(!*boolean);
    }
    if (expression.name == "negate") return negate(arguments[0]);
    if (has(kOperators, expression.name)) {
      return apply_operator(expression.name, arguments[0], arguments[1], budget_);
    }
    return call_function({expression.name, expression.is_method, arguments, budget_, patterns_});
  }

  /// An operand that decides the matter makes good for errors in the others, whatever their order.
  Result<Value> logic(const Expression& expression, bool decisive) {
    std::optional<Error> error;
    for (const auto& operand : expression.operands) {
      Result<Value> value = evaluate(*operand);
      if (!value && budget_.left < 0) return value;
      const bool* boolean = value ? value->get<bool>() : nullptr;
      if (boolean != nullptr && *boolean == decisive) return Value(decisive);
      if (boolean == nullptr && !error) error = value ? no_such_overload().value() : value.error();
    }
    if (error) return tl::unexpected<Error>(std::move(*error));
    return Value(!decisive);
  }

  Result<Value> choice(const Expression& expression) {
    Result<Value> condition = evaluate(*expression.operands[0]);
    if (!condition) return condition;
    const bool* boolean = condition->get<bool>();
    if (boolean == nullptr) return no_such_overload();
    return evaluate(*expression.operands[*boolean ? 1 : 2]);
  }

  Result<Value> list(const Expression& expression) {
    std::vector<Value> elements;
    for (const auto& operand : expression.operands) {
      Result<Value> element = evaluate(*operand);
      if (!element) return element;
      const Optional* optional = operand->is_optional ? element->get<Optional>() : nullptr;
      if (optional == nullptr) {
        elements.push_back(std::move(*element));
      } else if (optional->value != nullptr) {
        elements.push_back(*optional->value);
      }
    }
    return list_of(std::move(elements));
  }

  Result<Value> map(const Expression& expression) {
    std::vector<std::pair<Value, Value>> members;
    for (std::size_t i = 0; i + 1 < expression.operands.size(); i += 2) {
      Result<Value> key = evaluate(*expression.operands[i]);
      if (!key) return key;
      Result<Value> value = evaluate(*expression.operands[i + 1]);
      if (!value) return value;
      for (const auto& member : members) {
        if (member.first == *key) return failure("Failed with repeated key");
      }
      members.emplace_back(std::move(*key), std::move(*value));
    }
    return Value(std::make_shared<const std::vector<std::pair<Value, Value>>>(std::move(members)));
  }

  Result<Value> bind(const Expression& expression) {
    Result<Value> bound = evaluate(*expression.operands[0]);
    if (!bound) return bound;
    variables_.emplace_back(expression.variable, std::move(*bound));
    Result<Value> result = evaluate(*expression.operands[1]);
    variables_.pop_back();
    return result;
  }

  Result<Value> optional_map(const Expression& expression) {
    Result<Value> target = evaluate(*expression.operands[0]);
    if (!target) return target;
    const Optional* optional = target->get<Optional>();
    if (optional == nullptr) return no_such_overload();
    if (optional->value == nullptr) return none();
    variables_.emplace_back(expression.variable, *optional->value);
    Result<Value> result = evaluate(*expression.operands[1]);
    variables_.pop_back();
    if (!result || expression.name == "optFlatMap") return result;
    return some(std::move(*result));
  }

  Result<Value> loop(const Expression& expression) {
    Result<Value> range = evaluate(*expression.operands[0]);
    if (!range) return range;
    std::vector<Value> keys;
    if (range->is_map()) {
      keys = range->keys();
    } else if (!range->is_list()) {
      return no_such_overload();
    }
    Loop state{expression, {}, 0, {}};
    const std::size_t count = range->size();
    budget_.left -= static_cast<std::int64_t>(count / 16);
    variables_.emplace_back(expression.variable, Value());
    std::optional<Result<Value>> early;
    for (std::size_t i = 0; i < count && !early; ++i) {
      variables_.back().second = range->is_list() ? range->element(i) : keys[i];
      early = advance(state);
    }
    variables_.pop_back();
    if (early) return std::move(*early);
    return finish(state);
  }

  struct Loop {
    const Expression& expression;
    std::vector<Value> elements;  // of map and filter
    int count = 0;                // of exists_one
    std::optional<Error> error;   // that another element may yet make good for
  };

  /// One element; what the loop gives, if it ends here.
  std::optional<Result<Value>> advance(Loop& state) {
    const std::string_view name = state.expression.name;
    const bool is_mapped = name == "map" && state.expression.operands.size() == 2;
    const Expression& body = *state.expression.operands[1];
    Result<Value> value = evaluate(body);
    if (is_mapped) {
      if (!value) return value;
      state.elements.push_back(std::move(*value));
      return std::nullopt;
    }
    const bool* boolean = value ? value->get<bool>() : nullptr;
    if (boolean == nullptr) {
      Error error = value ? no_such_overload().value() : value.error();
      if ((name != "all" && name != "exists") || budget_.left < 0) return tl::unexpected<Error>(std::move(error));
      if (!state.error) state.error = std::move(error);
      return std::nullopt;
    }
    if (name == "all" && !*boolean) return Result<Value>(Value(false));
    if (name == "exists" && *boolean) return Result<Value>(Value(true));
    if (*boolean) return keep(state);
    return std::nullopt;
  }

  std::optional<Result<Value>> keep(Loop& state) {
    ++state.count;
    if (state.expression.name == "filter") state.elements.push_back(variables_.back().second);
    if (state.expression.name == "map") {
      Result<Value> value = evaluate(*state.expression.operands[2]);
      if (!value) return value;
      state.elements.push_back(std::move(*value));
    }
    return std::nullopt;
  }

  static Result<Value> finish(Loop& state) {
    const std::string_view name = state.expression.name;
    if (name == "map" || name == "filter") return list_of(std::move(state.elements));
    if (name == "exists_one") return Value(state.count == 1);
    if (state.error) return tl::unexpected<Error>(std::move(*state.error));
    return Value(name == "all");
  }

  Variables variables_;
  Budget& budget_;
  Patterns patterns_;
};

}  // namespace

Program::Program(std::unique_ptr<const Expression> expression, bool uses_old_self)
    : expression_(std::move(expression)), uses_old_self_(uses_old_self) {}
Program::~Program() = default;

Result<Value> Program::evaluate(const Variables& variables, Budget& budget) const {
  return Evaluator(variables, budget).evaluate(*expression_);
}

Result<std::shared_ptr<const Program>> compile(std::string_view text) {
  Result<std::unique_ptr<Expression>> expression = parse(text);
  if (!expression) return tl::unexpected<Error>(std::move(expression.error()));
  Checker checker;
  if (std::string error = checker.check(**expression); !error.empty()) return failure(std::move(error));
  return std::make_shared<const Program>(std::move(*expression), checker.uses_old_self());
}

}  // namespace loadline::schema::cel
