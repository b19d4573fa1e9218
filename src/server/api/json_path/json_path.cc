#include "server/api/json_path/json_path.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <compare>
#include <cstddef>
#include <optional>
#include <utility>

#include "foundation/document/go_json.h"
#include "server/api/json_path/json_path_steps.h"

namespace loadline::api {
namespace {

using document::Value;
using Step = JsonPath::Step;
using Steps = std::vector<Step>;
using Found = std::vector<const Value*>;

constexpr std::size_t kMostValues = 100'000;

/// One evaluation: counts what it visits, so that no path takes for ever.
class Search {
 public:
  Result<Found> run(const Steps& steps, Found found) {
    for (const Step& step : steps) {
      auto next = std::visit([this, &found](const auto& what) { return this->apply(what, found); }, step.what);
      if (!next) return next;
      visited_ += next->size();
      if (visited_ > kMostValues) return failure("the path leads to more than 100000 values");
      found = std::move(*next);
    }
    return found;
  }

 private:
  static Result<Found> apply(const FieldStep& field, const Found& found) {
    Found next;
    for (const Value* value : found) {
      if (const Value* member = value->find(field.name)) next.push_back(member);
    }
    return next;
  }

  static Result<Found> apply(const WildcardStep&, const Found& found) {
    Found next;
    for (const Value* value : found) append_children(*value, next);
    return next;
  }

  static void append_children(const Value& value, Found& to) {
    if (value.is_object()) {
      for (const document::Member& member : value.object()) to.push_back(&member.value);
    } else if (value.is_array()) {
      for (const Value& element : value.array()) to.push_back(&element);
    }
  }

  Result<Found> apply(const DescentStep&, const Found& found) {
    Found next;
    // Depth first, each value before what is below it. Upstream leaves out what holds nothing: numbers, booleans, the
    // empty. The stack is explicit, since documents may be deep.
    Found stack(found.rbegin(), found.rend());
    while (!stack.empty()) {
      const Value* value = stack.back();
      stack.pop_back();
      if (++visited_ > kMostValues) return failure("the path leads to more than 100000 values");
      Found children;
      append_children(*value, children);
      if (!children.empty() || (value->is_string() && !value->string().empty())) next.push_back(value);
      stack.insert(stack.end(), children.rbegin(), children.rend());
    }
    return next;
  }

  static Result<Found> apply(const SliceStep& slice, const Found& found) {
    Found next;
    for (const Value* value : found) {
      if (value->is_null()) continue;
      if (!value->is_array()) return failure(std::string(value->type_name()) + " is not array or slice");
      if (auto done = append_slice(slice, value->array(), next); !done) return tl::unexpected(done.error());
    }
    return next;
  }

  static Result<bool> append_slice(const SliceStep& slice, const document::Array& array, Found& to) {
    const auto length = static_cast<std::int64_t>(array.size());
    std::int64_t start = slice.start.value_or(0);
    std::int64_t end = slice.is_single ? start + 1 : slice.end.value_or(length);
    if (start < 0) start += length;
    if (end < 0 || (end == 0 && slice.is_single)) end += length;
    if (start == end) return true;  // upstream lets a slice of nothing pass, wherever it is
    const auto out_of_bounds = [length](std::int64_t index) {
      return failure("array index out of bounds: index " + std::to_string(index) + ", length " +
                     std::to_string(length));
    };
    if (start >= length || start < 0) return out_of_bounds(start);
    if (end > length || end < 0) return out_of_bounds(end - 1);
    if (start > end) {
      return failure("starting index " + std::to_string(start) + " is greater than ending index " +
                     std::to_string(end));
    }
    const std::int64_t step = slice.step.value_or(1);
    if (step <= 0) return failure("step must be > 0");
    for (std::int64_t index = start; index < end; index += std::min(step, length)) {
      to.push_back(&array[static_cast<std::size_t>(index)]);
    }
    return true;
  }

  static Result<Found> apply(const LiteralStep& literal, const Found& found) {
    return Found(literal.is_repeated ? found.size() : 1, &literal.value);
  }

  Result<Found> apply(const UnionStep& unions, const Found& found) {
    Found next;
    for (const Steps& alternative : unions.alternatives) {
      auto some = run(alternative, found);
      if (!some) return some;
      next.insert(next.end(), some->begin(), some->end());
    }
    return next;
  }

  Result<Found> apply(const FilterStep& filter, const Found& found) {
    Found next;
    for (const Value* value : found) {
      if (!value->is_array()) {
        return failure(std::string(value->type_name()) + " is not array or slice and cannot be filtered");
      }
      for (const Value& element : value->array()) {
        const auto passes = this->passes(filter, element);
        if (!passes) return tl::unexpected(passes.error());
        if (*passes) next.push_back(&element);
      }
    }
    return next;
  }

  Result<bool> passes(const FilterStep& filter, const Value& element) {
    if (++visited_ > kMostValues) return failure("the path leads to more than 100000 values");
    const auto left = run(filter.left, {&element});
    // As upstream, a left side that cannot be evaluated counts as being there.
    if (filter.comparison.empty()) return !left || !left->empty();
    if (!left) return tl::unexpected(left.error());
    if (left->empty()) return false;
    if (left->size() > 1) return failure("can only compare one element at a time");
    const auto right = run(filter.right, {&element});
    if (!right) return tl::unexpected(right.error());
    if (right->empty()) return false;
    if (right->size() > 1) return failure("can only compare one element at a time");
    return compare(*left->front(), filter.comparison, *right->front());
  }

  static Result<bool> compare(const Value& left, std::string_view comparison, const Value& right) {
    const auto is_basic = [](const Value& value) {
      return !value.is_null() && !value.is_array() && !value.is_object();
    };
    if (!is_basic(left) || !is_basic(right)) return failure("invalid type for comparison");
    const bool same_type = left.is_integer() == right.is_integer() && left.type_name() == right.type_name();
    if (!same_type) return failure("incompatible types for comparison");
    if (comparison == "==") return left == right;
    if (comparison == "!=") return left != right;
    if (left.is_boolean()) return failure("invalid type for comparison");
    const bool less = is_less(left, right);
    if (comparison == "<") return less;
    if (comparison == "<=") return less || left == right;
    if (comparison == ">") return !less && left != right;
    if (comparison == ">=") return !less;
    return failure("unrecognized filter operator " + std::string(comparison));
  }

  static bool is_less(const Value& left, const Value& right) {
    if (left.is_string()) return left.string() < right.string();
    return left.is_integer() ? left.integer() < right.integer() : left.number() < right.number();
  }

  static Result<Found> apply(const WordStep& word, const Found&) {
    return failure("unrecognized identifier " + word.word);
  }

  std::size_t visited_ = 0;
};

/// A float as Go's fmt.Print: shortest digits, an exponent of two digits at least below 1e-4 and from 1e21 on.
std::string printed_float(double number) {
  std::array<char, 64> digits{};
  const double size = std::abs(number);
  const bool has_exponent = size != 0 && (size < 1e-4 || size >= 1e21);
  const auto format = has_exponent ? std::chars_format::scientific : std::chars_format::fixed;
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), number, format);
  return {digits.data(), end.ptr};
}

}  // namespace

Result<JsonPath> JsonPath::parse(std::string_view text) {
  auto steps = parse_json_path(text);
  if (!steps) return tl::unexpected(steps.error());
  JsonPath path;
  path.steps_ = std::make_shared<const std::vector<Step>>(std::move(*steps));
  return path;
}

Result<std::vector<const Value*>> JsonPath::find(const Value& root) const {
  if (steps_ == nullptr) return std::vector<const Value*>{&root};
  return Search().run(*steps_, {&root});
}

std::string printed(const Value& value) {
  if (value.is_string()) return value.string();
  if (value.is_integer()) return std::to_string(value.integer());
  if (value.is_float()) return printed_float(value.number());
  if (value.is_boolean()) return value.boolean() ? "true" : "false";
  return value.is_null() ? "<no value>" : document::write_go_json(document::with_sorted_members(value));
}

}  // namespace loadline::api
