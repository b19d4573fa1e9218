#include "foundation/document/merge_patch.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "foundation/base/contract.h"
#include "foundation/document/same_document.h"

namespace loadline::document {
namespace {

/// Go merges maps, which it writes by key: so do objects that a patch touches come out, and so errors list their
/// members.
Value by_key(Object members, Mark mark) {
  std::sort(members.begin(), members.end(), [](const Member& a, const Member& b) { return a.key < b.key; });
  return Value(std::move(members), mark);
}

Value without_nulls(const Value& value) {
  if (value.is_array()) {
    Array elements;
    elements.reserve(value.array().size());
    // A null element is no member: it stays.
    for (const Value& element : value.array()) elements.push_back(without_nulls(element));
    return Value(std::move(elements), value.mark());
  }
  if (!value.is_object()) return value;
  Object members;
  members.reserve(value.object().size());
  for (const Member& member : value.object()) {
    if (member.value.is_null()) continue;
    members.push_back(Member{member.key, without_nulls(member.value), member.mark});
  }
  return by_key(std::move(members), value.mark());
}

Value merge(const Value& current, const Value& patch) {
  if (!current.is_object()) return without_nulls(patch);
  if (!patch.is_object()) return patch;
  // The changes are looked up by name, as an object and its patch may both have very many members.
  std::unordered_map<std::string_view, const Value*> changes;
  changes.reserve(patch.object().size());
  for (const Member& member : patch.object()) changes.emplace(member.key, &member.value);

  Object members;
  members.reserve(current.object().size() + patch.object().size());
  for (const Member& member : current.object()) {
    const auto change = changes.find(member.key);
    if (change == changes.end()) {
      members.push_back(member);
      continue;
    }
    const Value& value = *change->second;
    if (!value.is_null()) members.push_back(Member{member.key, merge(member.value, value), member.mark});
    changes.erase(change);
  }
  for (const Member& member : patch.object()) {
    if (member.value.is_null() || changes.erase(member.key) == 0) continue;
    members.push_back(Member{member.key, without_nulls(member.value), member.mark});
  }
  return by_key(std::move(members), current.mark());
}

}  // namespace

PatchResult merge_patch(const Value& document, const Value& patch) {
  REQUIRES(document.is_object());
  using enum PatchError::Kind;
  if (patch.is_null()) return refuse(kMalformed, "Invalid JSON Patch");
  if (!patch.is_object()) {
    return refuse(kMalformed, "error decoding patch: json: cannot unmarshal " + std::string(patch.type_name()) +
                                  " into Go value of type map[string]interface {}");
  }
  return merge(document, patch);
}

Value merge_patch_between(const Value& before, const Value& after) {
  REQUIRES(before.is_object() && after.is_object());
  Object changes;
  for (const Member& member : after.object()) {
    const Value* known = before.find(member.key);
    if (known != nullptr && same_document(*known, member.value)) continue;
    if (known != nullptr && known->is_object() && member.value.is_object()) {
      changes.push_back({member.key, merge_patch_between(*known, member.value), {}});
    } else if (known != nullptr || !member.value.is_null()) {
      changes.push_back({member.key, member.value, {}});
    }
  }
  for (const Member& member : before.object()) {
    if (after.find(member.key) == nullptr) changes.push_back({member.key, Value(), {}});
  }
  return Value(std::move(changes));
}

}  // namespace loadline::document
