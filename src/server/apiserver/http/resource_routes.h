#pragma once

#include <memory>
#include <string>
#include <unordered_map>

#include "server/apiserver/auth/user.h"
#include "server/apiserver/call.h"
#include "server/apiserver/http/request_info.h"
#include "server/apiserver/reads/watch_stream.h"
#include "server/apiserver/server_context.h"
#include "server/apiserver/status.h"
#include "server/net/exchange.h"

namespace loadline::apiserver {

/// Answers requests about resources, of users that may make them.
class ResourceRoutes {
 public:
  explicit ResourceRoutes(ServerContext context) : context_(context) {}
  ~ResourceRoutes() { stop(); }
  ResourceRoutes(const ResourceRoutes&) = delete;
  ResourceRoutes& operator=(const ResourceRoutes&) = delete;

  void handle(const std::shared_ptr<net::Exchange>& exchange, const RequestInfo& info, User user);

  /// By whose time watches end, where the cluster's clock runs at a pace of its own. It outlives this.
  void set_wall(EventLoop& wall) { wall_ = &wall; }

  /// Ends all watches.
  void stop();
  [[nodiscard]] std::size_t watches() const { return watches_.size(); }

 private:
  using Exchange = std::shared_ptr<net::Exchange>;

  void list(const Exchange& exchange, Call& call, const RequestInfo& info, const Rendering& rendering);
  void watch(const Exchange& exchange, Call& call, const RequestInfo& info, const Rendering& rendering);
  void remove_collection(const Exchange& exchange, Call& call, const RequestInfo& info, const Rendering& rendering);
  void answer(const Exchange& exchange, const Call& call, const Rendering& rendering, Answer<Written> written);

  ServerContext context_;
  EventLoop* wall_ = nullptr;
  std::unordered_map<const WatchStream*, std::shared_ptr<WatchStream>> watches_;
  std::shared_ptr<int> alive_ = std::make_shared<int>(0);  // what goes on for several tasks looks at it
};

}  // namespace loadline::apiserver
