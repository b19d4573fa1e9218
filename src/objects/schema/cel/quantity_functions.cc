#include <string>

#include "objects/schema/cel/libraries.h"
#include "objects/schema/quantity.h"

namespace loadline::schema::cel {
namespace {

Result<Value> pair_function(const Call& call, const Quantity& quantity) {
  const auto* other = call.arguments[1].get<Quantity>();
  const auto* whole = call.arguments[1].get<std::int64_t>();
  if (call.name == "add" || call.name == "sub") {
    if (other == nullptr && whole == nullptr) return no_such_overload();
    const Quantity operand = other != nullptr ? *other : Quantity::of(*whole);
    Quantity result = quantity;
    call.name == "add" ? result += operand : result -= operand;
    return Value(result);
  }
  if (other == nullptr) return no_such_overload();
  if (call.name == "isGreaterThan") return Value(quantity > *other);
  if (call.name == "isLessThan") return Value(quantity < *other);
  return Value(std::int64_t{quantity < *other ? -1 : quantity > *other ? 1 : 0});
}

}  // namespace

Result<Value> quantity_function(const Call& call) {
  const Value& subject = call.arguments[0];
  if (call.name == "quantity" || call.name == "isQuantity") {
    const auto* text = subject.get<std::string>();
    if (text == nullptr) return no_such_overload();
    const Result<Quantity> parsed = Quantity::parse(*text);
    if (call.name == "isQuantity") return Value(parsed.has_value());
    if (!parsed) return tl::unexpected<Error>(parsed.error());
    return Value(*parsed);
  }
  const auto* quantity = subject.get<Quantity>();
  if (quantity == nullptr) return no_such_overload();
  if (call.arguments.size() == 2) return pair_function(call, *quantity);
  if (call.name == "sign") return Value(std::int64_t{quantity->sign()});
  if (call.name == "isInteger") return Value(quantity->is_whole());
  if (call.name == "asApproximateFloat") return Value(quantity->approximate());
  if (!quantity->is_whole()) return failure("cannot convert value to integer");
  return Value(quantity->value());
}

}  // namespace loadline::schema::cel
