#pragma once

#include <functional>
#include <memory>
#include <string>

#include "server/apiserver/auth/authenticator.h"
#include "server/apiserver/http/endpoints.h"
#include "server/apiserver/http/metrics_api.h"
#include "server/apiserver/http/request_info.h"
#include "server/apiserver/http/request_metrics.h"
#include "server/apiserver/http/resource_routes.h"
#include "server/apiserver/http/turns.h"
#include "server/apiserver/http/visibility_api.h"
#include "server/apiserver/server_context.h"
#include "server/net/exchange.h"

namespace loadline::apiserver {

/// Answers requests as kube-apiserver does: authenticates the user, authorizes the request, and routes it. Runs on the
/// loop's thread. Requests with large bodies, which take milliseconds, are carried out in turns.
class ApiServer final : public net::Handler {
 public:
  ApiServer(ServerContext context, const Authenticator& authenticator, Endpoints& endpoints, RequestMetrics requests)
      : context_(context),
        authenticator_(authenticator),
        endpoints_(endpoints),
        requests_(std::move(requests)),
        resources_(context),
        metrics_(context),
        visibility_(context),
        large_(context.loop) {}

  void handle(std::shared_ptr<net::Exchange> exchange) override;
  net::Response refuse(int status, std::string_view text) override;

  /// By whose time watches end, and requests wait for what they ask others. It outlives the server.
  void set_wall(EventLoop& wall);
  /// Ends all watches, so that clients know before the connections go.
  void stop() { resources_.stop(); }
  [[nodiscard]] MetricsApi& metrics() { return metrics_; }
  [[nodiscard]] VisibilityApi& visibility() { return visibility_; }
  [[nodiscard]] std::size_t watches() const { return resources_.watches(); }

 private:
  [[nodiscard]] Answer<User> identify(const net::Request& request, const RequestInfo& info) const;

  ServerContext context_;
  const Authenticator& authenticator_;
  Endpoints& endpoints_;
  RequestMetrics requests_;
  ResourceRoutes resources_;
  MetricsApi metrics_;
  VisibilityApi visibility_;
  Turns large_;  // requests with large bodies
};

}  // namespace loadline::apiserver
