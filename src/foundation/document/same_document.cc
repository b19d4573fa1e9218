#include "foundation/document/same_document.h"

#include <algorithm>
#include <string>
#include <vector>

namespace loadline::document {
namespace {

std::vector<const Member*> sorted_members(const Object& object) {
  std::vector<const Member*> members;
  members.reserve(object.size());
  for (const Member& member : object) members.push_back(&member);
  std::ranges::sort(members, {}, [](const Member* member) -> const std::string& { return member->key; });
  return members;
}

bool same_members(const Object& a, const Object& b) {
  if (&a == &b) return true;
  if (a.size() != b.size()) return false;
  std::size_t i = 0;
  // Most often the order is the same too, and nothing need be sorted.
  while (i < a.size() && a[i].key == b[i].key) {
    if (!same_document(a[i].value, b[i].value)) return false;
    ++i;
  }
  if (i == a.size()) return true;
  return std::ranges::equal(sorted_members(a), sorted_members(b), [](const Member* x, const Member* y) {
    return x->key == y->key && same_document(x->value, y->value);
  });
}

}  // namespace

bool same_document(const Value& a, const Value& b) {
  if (are_shared(a, b)) return true;
  if (a.is_object() && b.is_object()) return same_members(a.object(), b.object());
  if (a.is_array() && b.is_array()) {
    return &a.array() == &b.array() || std::ranges::equal(a.array(), b.array(), same_document);
  }
  return a == b;
}

bool are_shared(const Value& a, const Value& b) {
  if (a.is_string() && b.is_string()) return &a.string() == &b.string();
  if (a.is_array() && b.is_array()) return &a.array() == &b.array();
  if (!a.is_object() || !b.is_object()) return false;
  // A text need not be parsed only to see that it is the same.
  const std::string* unread = a.unread_text();
  if (unread != nullptr || b.unread_text() != nullptr) return unread == b.unread_text();
  return &a.object() == &b.object();
}

const Value* earlier_member(const Value* earlier, std::string_view key, std::size_t place) {
  if (earlier == nullptr || !earlier->is_object()) return nullptr;
  const Object& members = earlier->object();
  if (place < members.size() && members[place].key == key) return &members[place].value;
  return earlier->find(key);
}

const Value* earlier_element(const Value* earlier, std::size_t place) {
  const bool was_there = earlier != nullptr && earlier->is_array() && place < earlier->array().size();
  return was_there ? &earlier->array()[place] : nullptr;
}

Value without_same(const Value& object, const Value* earlier, std::initializer_list<std::string_view> names) {
  if (earlier == nullptr || !earlier->is_object() || !object.is_object()) return object;
  Value rest = object;
  for (const std::string_view name : names) {
    const Value* value = object.find(name);
    const Value* before = earlier->find(name);
    if (value != nullptr && before != nullptr && *value == *before) rest = std::move(rest).without(name);
  }
  return rest;
}

}  // namespace loadline::document
