#include "document/same_document.h"

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
  if (a.is_object() && b.is_object()) return same_members(a.object(), b.object());
  if (a.is_array() && b.is_array()) {
    return &a.array() == &b.array() || std::ranges::equal(a.array(), b.array(), same_document);
  }
  return a == b;
}

}  // namespace loadline::document
