#include "foundation/document/mutable_tree.h"

#include <algorithm>
#include <string>

#include "foundation/base/contract.h"

namespace loadline::document {

MutableTree::~MutableTree() = default;

std::vector<MutableTree::Child>& MutableTree::children() {
  REQUIRES(is_container());
  if (children_) return *children_;
  std::vector<Child> children;
  if (is_array()) {
    children.reserve(value_.array().size());
    for (const Value& element : value_.array()) children.push_back(Child{{}, MutableTree(element)});
    value_ = Value(Array{}, value_.mark());
  } else {
    children.reserve(value_.object().size());
    for (const Member& member : value_.object()) children.push_back(Child{member.key, MutableTree(member.value)});
    value_ = Value(Object{}, value_.mark());
  }
  return children_.emplace(std::move(children));
}

MutableTree::Child* MutableTree::find(std::string_view key) {
  REQUIRES(is_object());
  for (Child& child : children()) {
    if (child.key == key) return &child;
  }
  return nullptr;
}

Value MutableTree::value() const {
  if (!children_) return value_;
  if (is_array()) {
    Array elements;
    elements.reserve(children_->size());
    for (const Child& child : *children_) elements.push_back(child.tree.value());
    return Value(std::move(elements), value_.mark());
  }
  Object members;
  members.reserve(children_->size());
  for (const Child& child : *children_) members.push_back(Member{child.key, child.tree.value(), {}});
  return Value(std::move(members), value_.mark());
}

std::size_t MutableTree::depth() const {
  if (!children_) return depth_of(value_);
  std::size_t deepest = 0;
  for (const Child& child : *children_) deepest = std::max(deepest, child.tree.depth());
  return deepest + 1;
}

std::size_t depth_of(const Value& value) {
  std::size_t deepest = 0;
  if (value.is_array()) {
    for (const Value& element : value.array()) deepest = std::max(deepest, depth_of(element));
    return deepest + 1;
  }
  if (!value.is_object()) return 0;
  for (const Member& member : value.object()) deepest = std::max(deepest, depth_of(member.value));
  return deepest + 1;
}

}  // namespace loadline::document
