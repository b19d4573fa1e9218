#include "document/unique_members.h"

namespace loadline::document {

Member* UniqueMembers::find(std::string_view key) {
  if (!index_.empty()) {
    const auto found = index_.find(std::string(key));
    return found == index_.end() ? nullptr : &members_[found->second];
  }
  for (Member& member : members_) {
    if (member.key == key) return &member;
  }
  return nullptr;
}

void UniqueMembers::add(Member member) {
  members_.push_back(std::move(member));
  if (members_.size() <= kSearched) return;
  if (index_.empty()) {
    for (std::size_t i = 0; i + 1 < members_.size(); ++i) index_.emplace(members_[i].key, i);
  }
  index_.emplace(members_.back().key, members_.size() - 1);
}

}  // namespace loadline::document
