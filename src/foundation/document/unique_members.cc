#include "foundation/document/unique_members.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "foundation/base/contract.h"

namespace loadline::document {

bool UniqueMembers::contains(std::string_view key) const {
  if (!index_.empty()) return index_.contains(std::string(key));
  const auto begin = stack_.begin() + static_cast<std::ptrdiff_t>(base_);
  return std::any_of(begin, stack_.end(), [&](const Member& member) { return member.key == key; });
}

Member* UniqueMembers::find(std::string_view key) {
  if (!index_.empty()) {
    const auto place = index_.find(std::string(key));
    return place == index_.end() ? nullptr : &stack_[place->second];
  }
  const auto begin = stack_.begin() + static_cast<std::ptrdiff_t>(base_);
  const auto found = std::find_if(begin, stack_.end(), [&](const Member& member) { return member.key == key; });
  return found == stack_.end() ? nullptr : &*found;
}

void UniqueMembers::add(Member member) {
  REQUIRES(stack_.size() >= base_);
  REQUIRES_SLOW(!contains(member.key));
  stack_.push_back(std::move(member));
  if (stack_.size() - base_ <= kSearched) return;
  if (index_.empty()) {
    for (std::size_t i = base_; i + 1 < stack_.size(); ++i) index_.emplace(stack_[i].key, i);
  }
  index_.emplace(stack_.back().key, stack_.size() - 1);
}

Object UniqueMembers::take() {
  REQUIRES(stack_.size() >= base_);
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
