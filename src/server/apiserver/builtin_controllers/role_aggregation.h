#pragma once

#include <memory>

#include "server/apiserver/follower.h"
#include "server/apiserver/server_context.h"
#include "server/apiserver/status.h"

namespace loadline::apiserver {

/// Writes the rules of ClusterRoles that gather those of others, at once, from what the store holds now. For the start:
/// a question about a user finds the default roles whole afterwards. Roles may aggregate roles, so that it takes as
/// many rounds as they are deep; roles that aggregate each other reach a fixed point, as rules are only ever added.
Answer<void> aggregate_roles(const ServerContext& context);

/// Keeps them so whenever a ClusterRole changes. Source: pkg/controller/clusterroleaggregation, v1.36.
class RoleAggregation {
 public:
  explicit RoleAggregation(const ServerContext& context);
  RoleAggregation(const RoleAggregation&) = delete;
  RoleAggregation& operator=(const RoleAggregation&) = delete;

 private:
  void plan();
  void run();

  ServerContext context_;
  bool is_planned_ = false;
  std::shared_ptr<bool> is_alive_ = std::make_shared<bool>(true);  // tells planned tasks that this is gone
  Follower follower_;
};

}  // namespace loadline::apiserver
