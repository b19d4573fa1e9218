#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "foundation/document/value.h"

namespace loadline::document {

/// Members of objects that are being read, the innermost object's last. One stack serves a whole document, so that each
/// object is allocated once, at its final size.
using MemberStack = std::vector<Member>;

/// The members of one object that is being read, no key twice: the top of the stack. Small objects are searched, large
/// ones indexed, so that adding n members costs O(n).
/// REQUIRES: objects are finished in the reverse of the order in which they were begun; adds happen to the innermost.
class UniqueMembers {
 public:
  explicit UniqueMembers(MemberStack& stack) : stack_(stack), base_(stack.size()) {}
  ~UniqueMembers() { stack_.resize(base_); }
  UniqueMembers(const UniqueMembers&) = delete;
  UniqueMembers& operator=(const UniqueMembers&) = delete;

  [[nodiscard]] bool contains(std::string_view key) const;

  /// The member of that key; null if there is none.
  [[nodiscard]] Member* find(std::string_view key);

  /// REQUIRES: no member has that key.
  void add(Member member);

  [[nodiscard]] Object take();

 private:
  static constexpr std::size_t kSearched = 16;

  MemberStack& stack_;
  std::size_t base_;
  std::unordered_map<std::string, std::size_t> index_;  // places on the stack; empty up to kSearched members
};

/// The elements of an array from such a stack of elements: takes those from `base` on.
Array take_elements(std::vector<Value>& stack, std::size_t base);

}  // namespace loadline::document
