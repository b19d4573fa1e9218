#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <unordered_map>

#include "document/value.h"

namespace loadline::document {

/// The members of an object that is being read, no key twice. Small objects are searched, large ones indexed:
/// adding n members costs O(n).
class UniqueMembers {
 public:
  /// The member of that key, or null. Valid until the next add.
  [[nodiscard]] Member* find(std::string_view key);

  /// REQUIRES: no member has that key.
  void add(Member member);

  [[nodiscard]] Object take() { return std::move(members_); }

 private:
  static constexpr std::size_t kSearched = 16;

  Object members_;
  std::unordered_map<std::string, std::size_t> index_;  // empty up to kSearched members
};

}  // namespace loadline::document
