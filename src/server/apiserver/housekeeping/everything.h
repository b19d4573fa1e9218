#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>

#include "server/apiserver/follower.h"
#include "server/apiserver/parts.h"

namespace loadline::apiserver {

/// Follows the objects of all resources that are kept, custom ones as they come; not events, which own nothing and are
/// owned by nobody. Hears of writes in the order in which they were made.
class Everything {
 public:
  Everything(const Parts& parts, Follower::Tell tell) : parts_(parts), tell_(std::move(tell)) {}

  /// Follows what has come into the catalog since.
  void refresh();

 private:
  Parts parts_;
  Follower::Tell tell_;
  std::map<std::string, std::unique_ptr<Follower>, std::less<>> followers_;  // by the resource's name in the store
};

}  // namespace loadline::apiserver
