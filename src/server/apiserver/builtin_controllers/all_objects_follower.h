#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>

#include "server/apiserver/follower.h"
#include "server/apiserver/server_context.h"

namespace loadline::apiserver {

/// Follows the objects of all resources that are kept, custom ones as they come; not events, which have neither owners
/// nor dependents. It is told of writes in the order in which they were made.
class AllObjectsFollower {
 public:
  AllObjectsFollower(const ServerContext& context, Follower::Tell tell) : context_(context), tell_(std::move(tell)) {}

  /// Follows what has come into the catalog since.
  void refresh();

 private:
  ServerContext context_;
  Follower::Tell tell_;
  std::map<std::string, std::unique_ptr<Follower>, std::less<>> followers_;  // by the resource's name in the store
};

}  // namespace loadline::apiserver
