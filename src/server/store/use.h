#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>

#include "server/store/object.h"

namespace loadline::store {

/// How much there is now, but for Events, which have a bound of their own.
struct Use {
  std::size_t bytes = 0;  ///< Object::memory()
  std::size_t pods = 0;

  friend bool operator==(const Use&, const Use&) = default;
};

/// How much the objects of each namespace take. Objects without a namespace are in "".
class UseLedger {
 public:
  void come(const Object& object);
  /// REQUIRES: it came.
  void go(const Object& object);

  [[nodiscard]] Use of(std::string_view name_space) const;
  [[nodiscard]] const Use& all() const { return all_; }

 private:
  std::map<std::string, Use, std::less<>> by_namespace_;
  Use all_;
};

}  // namespace loadline::store
