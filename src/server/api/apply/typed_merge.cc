#include "server/api/apply/typed_merge.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "server/api/apply/merge_shape.h"
#include "server/api/go_text.h"

namespace loadline::api {

using schema::Form;
using schema::Type;
namespace {

using document::Array;
using document::Member;
using document::Object;
using document::Value;
using enum MergeShape::Kind;

/// Nothing: the merged value is not there.
using Merged = Result<std::optional<Value>>;

Merged merge(const Value* live, const Value* applied, const Type& type);

/// The elements of a list in its order, and what each stands for.
struct Elements {
  std::vector<PathElement> order;
  std::unordered_map<std::string, const Value*> values;  // null: there more than once

  [[nodiscard]] bool has(const PathElement& element) const { return values.contains(element.text()); }
};

Result<Elements> elements_of(const Array* list, const Type& type, bool allows_duplicates) {
  Elements elements;
  if (list == nullptr) return elements;
  for (std::size_t i = 0; i < list->size(); ++i) {
    const Value& value = (*list)[i];
    auto element = list_element(type, value);
    if (!element) return failure("element " + std::to_string(i) + ": " + element.error().message);
    const auto [known, is_new] = elements.values.emplace(element->text(), &value);
    if (!is_new && !allows_duplicates) return failure("duplicate entries for key " + element->readable());
    if (!is_new) known->second = nullptr;
    elements.order.push_back(std::move(*element));
  }
  return elements;
}

/// Interleaves a live list and an applied one; upstream's algorithm, step by step, since its order is a contract.
class ListMerge {
 public:
  ListMerge(const Array* live, const Elements& left, const Elements& right, const Type& type)
      : live_(live), left_(left), right_(right), type_(type) {
    for (const PathElement& element : right_.order) {
      if (left_.has(element)) shared_.push_back(&element);
    }
  }

  Merged run() {
    while (l_ < left_.order.size() || r_ < right_.order.size()) {
      if (auto stepped = step(); !stepped) return tl::unexpected<Error>(stepped.error());
    }
    if (merged_.empty()) return std::optional<Value>();
    return std::optional<Value>(Value(std::move(merged_)));
  }

 private:
  [[nodiscard]] const PathElement* next_shared() const {
    return at_shared_ < shared_.size() ? shared_[at_shared_] : nullptr;
  }

  Result<void> step() {
    if (l_ < left_.order.size() && r_ < right_.order.size()) {
      const PathElement& element = left_.order[l_];
      if (element == right_.order[r_]) {
        ++l_;
        if (auto taken = take_applied(); !taken) return taken;
        ++at_shared_;
        return {};
      }
      if (right_.has(element) && next_shared() != nullptr && *next_shared() != element) {
        // Both have it, but it is not its turn.
        ++l_;
        return {};
      }
    }
    if (l_ < left_.order.size()) {
      const PathElement& element = left_.order[l_];
      if (!right_.has(element)) return take_live();
      if (taken_.contains(element.text())) ++l_;
    }
    if (r_ == right_.order.size()) return {};
    const PathElement& element = right_.order[r_];
    const bool was_next = next_shared() != nullptr && *next_shared() == element;
    if (auto taken = take_applied(); !taken) return taken;
    if (was_next) ++at_shared_;
    return {};
  }

  Result<void> take_live() { return push(merge(&(*live_)[l_++], nullptr, element_type(type_))); }

  Result<void> take_applied() {
    const PathElement& element = right_.order[r_++];
    taken_.insert(element.text());
    static const Value& null = *new Value();
    const auto live = left_.values.find(element.text());
    const Value* current = live == left_.values.end() ? nullptr : live->second == nullptr ? &null : live->second;
    return push(merge(current, right_.values.at(element.text()), element_type(type_)));
  }

  Result<void> push(Merged merged) {
    if (!merged) return tl::unexpected<Error>(merged.error());
    if (*merged) merged_.push_back(std::move(**merged));
    return {};
  }

  const Array* live_;
  const Elements& left_;
  const Elements& right_;
  const Type& type_;
  std::vector<const PathElement*> shared_;  // in the applied list's order
  std::size_t at_shared_ = 0;
  std::size_t l_ = 0;
  std::size_t r_ = 0;
  std::unordered_set<std::string> taken_;
  Array merged_;
};

Merged merge_lists(const Array* live, const Array* applied, const Type& type) {
  const auto right = elements_of(applied, type, false);
  if (!right) return tl::unexpected<Error>(right.error());
  const auto left = elements_of(live, type, true);
  if (!left) return tl::unexpected<Error>(left.error());
  return ListMerge(live, *left, *right, type).run();
}

Merged merge_maps(const Value* live, const Value* applied, const Type& type) {
  Object merged;
  const auto add = [&](const std::string& key, const Value* before, const Value* change) -> Result<void> {
    const MemberType known = member_type(type, key);
    if (known.type == nullptr) return failure("." + key + ": field not declared in schema");
    auto value = merge(before, change, *known.type);
    if (!value)
      return failure("." + key + (value.error().message.starts_with(".") ? "" : ": ") + value.error().message);
    if (*value) merged.push_back(Member{key, std::move(**value), {}});
    return {};
  };
  std::unordered_map<std::string_view, const Value*> changes;
  if (const Object* object = map_or_null(applied)) {
    for (const Member& member : *object) changes.emplace(member.key, &member.value);
  }
  if (const Object* object = map_or_null(live)) {
    for (const Member& member : *object) {
      const auto change = changes.find(member.key);
      const Value* after = change == changes.end() ? nullptr : change->second;
      if (auto added = add(member.key, &member.value, after); !added) return tl::unexpected<Error>(added.error());
      changes.erase(member.key);
    }
  }
  if (const Object* object = map_or_null(applied)) {
    for (const Member& member : *object) {
      if (changes.erase(member.key) == 0) continue;
      if (auto added = add(member.key, nullptr, &member.value); !added) return tl::unexpected<Error>(added.error());
    }
  }
  if (merged.empty()) return std::optional<Value>();
  return std::optional<Value>(Value(std::move(merged)));
}

Merged merge(const Value* live, const Value* applied, const Type& type) {
  // What only one side has is taken over whole: merging it with nothing would build it again.
  if (applied == nullptr) return std::optional<Value>(*live);
  if (live == nullptr) return std::optional<Value>(*applied);
  const MergeShape shape = merge_shape(type, merge_shape(type, applied) == merge_shape(type, live) ? live : applied);
  const bool is_list = shape.kind == kList;
  const Array* left = list_or_null(live);
  const Array* right = list_or_null(applied);
  const auto is_empty = [](const auto* container) { return container == nullptr || container->empty(); };
  const bool is_leaf =
      shape.kind == kScalar || shape.is_atomic ||
      (is_list ? is_empty(left) && is_empty(right) : is_empty(map_or_null(live)) && is_empty(map_or_null(applied)));
  if (is_leaf) return std::optional<Value>(*applied);
  return is_list ? merge_lists(left, right, type) : merge_maps(live, applied, type);
}

Value without_elements(const Value& list, const FieldSet& removed, const Type& type) {
  Array kept;
  for (const Value& value : list.array()) {
    const auto element = list_element(type, value);
    const FieldSet::Node* node = element ? removed.find(*element) : nullptr;
    if (node != nullptr && node->is_member) continue;
    const bool is_changed = node != nullptr && !node->below.empty();
    kept.push_back(is_changed ? without_fields(value, node->below, element_type(type)) : value);
  }
  return kept.empty() ? Value() : Value(std::move(kept));
}

Value without_members(const Value& map, const FieldSet& removed, const Type& type) {
  Object kept;
  for (const Member& member : map.object()) {
    const FieldSet::Node* node = removed.find(PathElement::field(member.key));
    if (node != nullptr && node->is_member) continue;
    const Type* inner = member_type(type, member.key).type;
    const bool is_changed = node != nullptr && !node->below.empty() && inner != nullptr;
    kept.push_back(
        Member{member.key, is_changed ? without_fields(member.value, node->below, *inner) : member.value, {}});
  }
  return kept.empty() ? Value() : Value(std::move(kept));
}

/// Collects what is wrong with a document.
class Check {
 public:
  void value(const Value& value, const Type& type, const std::string& path);
  [[nodiscard]] Result<void> result() const;

 private:
  void list(const Value& list, const Type& type, const std::string& path);
  void fail(const std::string& path, const std::string& message) {
    problems_.push_back(path.empty() ? message : path + ": " + message);
  }

  std::vector<std::string> problems_;
};

/// A value as Go's %v shows it in a wrapper.
std::string shown(const Value& value) { return "&{" + go_text(value) + "}"; }

/// What a scalar of a form must be, in upstream's words; nothing if the value is one.
std::optional<std::string> scalar_fault(const Value& value, Form form) {
  switch (form) {
    case Form::kInt32:
    case Form::kInt64:
    case Form::kNumber:
      if (value.is_number()) return std::nullopt;
      return "expected numeric (int or float), got " + std::string(go_type_name(value));
    case Form::kString:
    case Form::kBytes:
    case Form::kDuration:
      if (value.is_string()) return std::nullopt;
      return "expected string, got &value.valueUnstructured{Value:" + go_syntax(value) + "}";
    case Form::kBoolean:
      if (value.is_boolean()) return std::nullopt;
      return "expected boolean, got " + shown(value);
    default:
      if (!value.is_object() && !value.is_array()) return std::nullopt;
      return "expected any scalar, got " + shown(value);
  }
}

void Check::list(const Value& list, const Type& type, const std::string& path) {
  std::unordered_set<std::string> seen;
  const bool is_atomic = merge_shape(type, &list).is_atomic;
  for (std::size_t i = 0; i < list.array().size(); ++i) {
    const Value& element = list.array()[i];
    std::string name = "[" + std::to_string(i) + "]";
    if (!is_atomic) {
      const auto known = list_element(type, element);
      if (!known) return fail(path, "element " + std::to_string(i) + ": " + known.error().message);
      if (!seen.insert(known->text()).second) fail(path, "duplicate entries for key " + known->readable());
      name = known->readable();
    }
    value(element, element_type(type), path + name);
  }
}

void Check::value(const Value& value, const Type& type, const std::string& path) {
  if (value.is_null()) return;
  const MergeShape shape = merge_shape(type, &value);
  if (shape.kind == kScalar) {
    if (auto fault = scalar_fault(value, type.form)) fail(path, *fault);
  } else if (shape.kind == kList) {
    if (!value.is_array()) return fail(path, "expected list, got " + shown(value));
    list(value, type, path);
  } else {
    if (!value.is_object()) return fail(path, "expected map, got " + shown(value));
    for (const Member& member : value.object()) {
      const MemberType known = member_type(type, member.key);
      // Upstream stops at the first field that it does not know.
      if (known.type == nullptr) return fail(path + "." + member.key, "field not declared in schema");
      this->value(member.value, *known.type, path + "." + member.key);
    }
  }
}

Result<void> Check::result() const {
  if (problems_.empty()) return {};
  if (problems_.size() == 1) return failure(problems_[0]);
  std::string message = "errors:";
  for (const std::string& problem : problems_) message += "\n  " + problem;
  return failure(message);
}

}  // namespace

Result<Value> merge_typed(const Value& live, const Value& applied, const Type& type) {
  return merge(&live, &applied, type).map([](std::optional<Value>&& merged) {
    return merged ? std::move(*merged) : Value();
  });
}

Value without_fields(const Value& document, const FieldSet& removed, const Type& type) {
  const MergeShape shape = merge_shape(type, &document);
  if (shape.kind == kScalar) return document;
  if (shape.is_atomic) return Value();
  if (shape.kind == kList) return document.is_array() ? without_elements(document, removed, type) : Value();
  return document.is_object() ? without_members(document, removed, type) : Value();
}

Result<void> check_typed(const Value& document, const Type& type) {
  Check check;
  check.value(document, type, "");
  return check.result();
}

}  // namespace loadline::api
