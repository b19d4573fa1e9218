#include "document/unique_members.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace loadline::document {

bool UniqueMembers::contains(std::string_view key) const {
  if (!index_.empty()) return index_.contains(std::string(key));
  const auto begin = stack_.begin() + static_cast<std::ptrdiff_t>(base_);
  return std::any_of(begin, stack_.end(), [&](const Member& member) { return member.key == key; });
}

void UniqueMembers::add(Member member) {
  stack_.push_back(std::move(member));
  if (stack_.size() - base_ <= kSearched) return;
  if (index_.empty()) {
    for (std::size_t i = base_; i + 1 < stack_.size(); ++i) index_.insert(stack_[i].key);
  }
  index_.insert(stack_.back().key);
}

Object UniqueMembers::take() {
  const auto begin = stack_.begin() + static_cast<std::ptrdiff_t>(base_);
  Object members(std::make_move_iterator(begin), std::make_move_iterator(stack_.end()));
  stack_.resize(base_);
  index_.clear();
  return members;
}

Array take_elements(std::vector<Value>& stack, std::size_t base) {
  const auto begin = stack.begin() + static_cast<std::ptrdiff_t>(base);
  Array array(std::make_move_iterator(begin), std::make_move_iterator(stack.end()));
  stack.resize(base);
  return array;
}

}  // namespace loadline::document
