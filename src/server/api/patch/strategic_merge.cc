#include "server/api/patch/strategic_merge.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "foundation/base/contract.h"
#include "server/api/go_text.h"
#include "server/api/patch/merge_list.h"
#include "server/api/patch/patch_schema.h"

namespace loadline::api {

using schema::Field;
using schema::Type;
namespace {

using document::Array;
using document::Member;
using document::Object;
using document::PatchError;
using document::PatchResult;
using document::refuse;
using document::Value;
using enum PatchError::Kind;

using PatchOutcome = tl::expected<void, PatchError>;

constexpr std::string_view kDirective = "$patch";
constexpr std::string_view kRetainKeys = "$retainKeys";
constexpr std::string_view kDeleteFrom = "$deleteFromPrimitiveList";
constexpr std::string_view kSetOrder = "$setElementOrder";

tl::unexpected<PatchError> bad_argument(std::string_view expected, const Value& value) {
  return refuse(kCannotProcess,
                "expected a " + std::string(expected) + ", but received a " + std::string(go_type_name(value)));
}

/// An object under change: members are found by name at once, and keep their order.
class Members {
 public:
  explicit Members(const Value& object) : members_(object.is_object() ? object.object() : Object{}) {
    places_.reserve(members_.size());
    for (std::size_t i = 0; i < members_.size(); ++i) places_.emplace(members_[i].key, i);
  }
  [[nodiscard]] const Value* find(const std::string& key) const {
    const auto place = places_.find(key);
    return place == places_.end() ? nullptr : &members_[place->second].value;
  }
  void set(const std::string& key, Value value) {
    const auto [place, is_new] = places_.emplace(key, members_.size());
    if (is_new) {
      members_.push_back(Member{key, std::move(value), {}});
    } else {
      members_[place->second].value = std::move(value);
    }
  }
  void erase(const std::string& key) { places_.erase(key); }
  /// Copies, so that members may be erased or set meanwhile.
  [[nodiscard]] std::vector<std::string> keys() const {
    std::vector<std::string> keys;
    keys.reserve(places_.size());
    for (const auto& [key, place] : places_) keys.push_back(key);
    return keys;
  }
  [[nodiscard]] Value value() const {
    Object kept;
    kept.reserve(places_.size());
    for (std::size_t i = 0; i < members_.size(); ++i) {
      const auto place = places_.find(members_[i].key);
      if (place != places_.end() && place->second == i) kept.push_back(members_[i]);
    }
    return Value(std::move(kept));
  }

 private:
  Object members_;  // the erased ones too
  std::unordered_map<std::string, std::size_t> places_;
};

/// A value that is new to the document, without the maps that carry directives; nothing if it is such a map itself.
std::optional<Value> without_directives(const Value& value) {
  if (value.is_array()) {
    Array elements;
    for (const Value& element : value.array()) {
      if (std::optional<Value> kept = without_directives(element)) elements.push_back(std::move(*kept));
    }
    return Value(std::move(elements));
  }
  if (!value.is_object()) return value;
  if (value.find(kDirective) != nullptr) return std::nullopt;
  Object members;
  for (const Member& member : value.object()) {
    std::optional<Value> kept = without_directives(member.value);
    if (kept) members.push_back(Member{member.key, std::move(*kept), member.mark});
  }
  return Value(std::move(members));
}

Value without_nulls(const Value& value) {
  if (value.is_array()) {
    Array elements;
    for (const Value& element : value.array()) elements.push_back(without_nulls(element));
    return Value(std::move(elements));
  }
  if (!value.is_object()) return value;
  Object members;
  for (const Member& member : value.object()) {
    if (!member.value.is_null()) members.push_back(Member{member.key, without_nulls(member.value), member.mark});
  }
  return Value(std::move(members));
}

/// "$setElementOrder/env" names "env".
tl::expected<std::string, PatchError> named_field(const std::string& key, std::string_view prefix) {
  if (key.size() > prefix.size() && key[prefix.size()] == '/') return key.substr(prefix.size() + 1);
  return refuse(kMalformed, prefix == kDeleteFrom ? "invalid patch format of primitive list"
                                                  : "invalid patch format of setElementOrder list");
}

PatchResult merge_object(const Value& original, const Value& patch, const PatchSchema& schema);

/// One object on its way from the original to the patched one.
class ObjectMerge {
 public:
  ObjectMerge(const Value& original, const Value& patch, const PatchSchema& schema)
      : result_(original), patch_(patch), patch_keys_(keys_of(patch)), schema_(schema) {}

  PatchResult run() {
    if (PatchOutcome outcome = retain_keys(); !outcome) return tl::unexpected<PatchError>(outcome.error());
    for (const auto step : {&ObjectMerge::order_list, &ObjectMerge::merge_member}) {
      for (const std::string& key : patch_keys_) {
        // Steps before may have dealt with it already.
        if (patch_.find(key) == nullptr) continue;
        if (PatchOutcome outcome = (this->*step)(key); !outcome) return tl::unexpected<PatchError>(outcome.error());
      }
    }
    return result_.value();
  }

 private:
  static std::vector<std::string> keys_of(const Value& patch) {
    std::vector<std::string> keys;
    for (const Member& member : patch.object()) keys.push_back(member.key);
    // Upstream's order is that of a Go map: any. Sorted, directives come first.
    std::ranges::sort(keys);
    return keys;
  }

  PatchOutcome retain_keys();
  PatchOutcome order_list(const std::string& key);
  PatchOutcome merge_member(const std::string& key);
  PatchOutcome merge_known(const std::string& key, const Value& current, const Value& change, bool deletes);
  void take(const std::string& key, const Value& change);
  static ListResult delete_from(Array& original, const Array& patch, const PatchSchema::Found& found);
  static ListResult merge_field(Array& original, const Array& patch, const PatchSchema::Found& found);

  Members result_;
  Members patch_;
  std::vector<std::string> patch_keys_;
  PatchSchema schema_;
};

/// $retainKeys: members that the list does not name go, and the patch may bring no others.
PatchOutcome ObjectMerge::retain_keys() {
  const std::string directive(kRetainKeys);
  const Value* list = patch_.find(directive);
  if (list == nullptr) return {};
  if (!list->is_array()) return refuse(kMalformed, "invalid patch format of retainKeys");
  std::unordered_set<std::string> retained;
  for (const Value& name : list->array()) {
    if (name.is_string()) retained.insert(name.string());
  }
  patch_.erase(directive);
  for (const std::string& key : patch_.keys()) {
    if (patch_.find(key)->is_null() || key.starts_with(kDeleteFrom) || key.starts_with(kSetOrder)) continue;
    if (!retained.contains(key)) return refuse(kMalformed, "invalid patch format of retainKeys");
  }
  for (const std::string& key : result_.keys()) {
    if (!retained.contains(key)) result_.erase(key);
  }
  return {};
}

ListResult ObjectMerge::merge_field(Array& original, const Array& patch, const PatchSchema::Found& found) {
  if (!found.field->merges) return patch;
  const PatchSchema element = found.schema;
  return merge_list(original, patch, element, found.field->merge_key,
                    [element](const Value& o, const Value& p) { return merge_object(o, p, element); });
}

/// $deleteFromPrimitiveList, whatever the field says of merging. On a list of objects it merges, as upstream does.
ListResult ObjectMerge::delete_from(Array& original, const Array& patch, const PatchSchema::Found& found) {
  const auto is_container = [](const Value& value) { return value.is_object() || value.is_array(); };
  if (std::ranges::none_of(original, is_container) && std::ranges::none_of(patch, is_container)) {
    return without_elements(original, patch);
  }
  Field merging = *found.field;
  merging.merges = true;
  return merge_field(original, patch, {found.schema, &merging});
}

/// $setElementOrder: merges the list that it is about, and puts it in order.
PatchOutcome ObjectMerge::order_list(const std::string& key) {
  if (!key.starts_with(kSetOrder)) return {};
  const Value order = *patch_.find(key);
  patch_.erase(key);
  if (!order.is_array()) return bad_argument("[]interface {}", order);
  const auto name = named_field(key, kSetOrder);
  if (!name) return tl::unexpected<PatchError>(name.error());

  Array live;
  Array change;
  const Value* original = result_.find(*name);
  const Value* patch = patch_.find(*name);
  if (original != nullptr && !original->is_array()) return bad_argument("[]interface {}", *original);
  if (patch != nullptr && !patch->is_array()) return bad_argument("[]interface {}", *patch);
  if (original != nullptr) live = original->array();
  if (patch != nullptr) change = patch->array();
  const auto found = schema_.find_list(*name);
  if (!found) return tl::unexpected<PatchError>(found.error());
  const std::string& merge_key = found->field->merge_key;
  if (PatchOutcome checked = check_element_order(change, order.array(), merge_key); !checked) return checked;
  if (original == nullptr && patch == nullptr) return {};

  ListResult merged = live;
  if (original == nullptr) merged = without_directives(*patch)->array();
  if (original != nullptr && patch != nullptr) merged = merge_field(live, change, *found);
  if (merged) merged = order_elements(*merged, order.array(), live, change, merge_key);
  if (!merged) return tl::unexpected<PatchError>(merged.error());
  result_.set(*name, Value(std::move(*merged)));
  patch_.erase(*name);
  return {};
}

/// Sets a member to what the patch says, whatever it was.
void ObjectMerge::take(const std::string& key, const Value& change) {
  std::optional<Value> value = without_directives(without_nulls(change));
  if (value) {
    result_.set(key, std::move(*value));
  } else {
    result_.erase(key);
  }
}

PatchOutcome ObjectMerge::merge_member(const std::string& patch_key) {
  const bool deletes = patch_key.starts_with(kDeleteFrom);
  const auto key = deletes ? named_field(patch_key, kDeleteFrom) : patch_key;
  if (!key) return tl::unexpected<PatchError>(key.error());
  const Value change = *patch_.find(patch_key);
  if (change.is_null()) {
    result_.erase(*key);
    return {};
  }
  const Value* current = result_.find(*key);
  if (current == nullptr || go_type_name(*current) != go_type_name(change)) {
    if (!deletes) take(*key, change);
    return {};
  }
  return merge_known(*key, Value(*current), change, deletes);
}

/// Merges two values of the same type.
PatchOutcome ObjectMerge::merge_known(const std::string& key, const Value& current, const Value& change, bool deletes) {
  if (current.is_object()) {
    const auto found = schema_.find(key);
    if (!found) return tl::unexpected<PatchError>(found.error());
    PatchResult merged = merge_object(current, change, found->schema);
    if (!merged) return tl::unexpected<PatchError>(merged.error());
    result_.set(key, std::move(*merged));
  } else if (current.is_array()) {
    const auto found = schema_.find_list(key);
    if (!found) return tl::unexpected<PatchError>(found.error());
    Array live = current.array();
    ListResult merged = deletes ? delete_from(live, change.array(), *found) : merge_field(live, change.array(), *found);
    if (!merged) return tl::unexpected<PatchError>(merged.error());
    result_.set(key, Value(std::move(*merged)));
  } else {
    result_.set(key, change);
  }
  return {};
}

PatchResult merge_object(const Value& original, const Value& patch, const PatchSchema& schema) {
  const Value* directive = patch.find(kDirective);
  if (directive == nullptr) return ObjectMerge(original, patch, schema).run();
  const std::string name = directive->is_string() ? directive->string() : std::string();
  if (name == "replace") return patch.without(kDirective);
  if (name == "delete") return Value(Object{});
  return refuse(kCannotProcess, "unknown patch type: " + go_string_verb(*directive) + " in map: " + go_text(patch));
}

}  // namespace

PatchResult strategic_merge(const Value& original, const Value& patch, const Type& type) {
  REQUIRES(original.is_object());
  if (patch.is_null()) return original;
  if (!patch.is_object()) {
    return refuse(kMalformed, "json: cannot unmarshal " + std::string(patch.type_name()) +
                                  " into Go value of type map[string]interface {}");
  }
  return merge_object(original, patch, PatchSchema{&type, false});
}

}  // namespace loadline::api
