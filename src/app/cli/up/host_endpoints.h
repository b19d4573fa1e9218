#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "app/cli/up/cluster_clock.h"
#include "foundation/document/value.h"
#include "hosts/embedded/creation.h"
#include "server/apiserver/control_plane.h"
#include "server/net/exchange.h"

namespace loadline::cli {

/// What is below /loadline/v1: what no API server has, because only a cluster in one process can do it. Everything else
/// goes on to the API server. The user must be allowed to, as for any path: `nonResourceURLs: ["/loadline/*"]`.
///
///     GET  /loadline/v1/clock     {"now": …, "speed": 60, "paused": false}
///     POST /loadline/v1/clock     {"action": "pause" | "resume"}, {"action": "speed", "speed": 60},
///                                 {"action": "step", "span": "10m"}, which is answered at the end of the step
///     POST /loadline/v1/restore   {"objects": […], "more": true}: some objects of a snapshot, to be put back
class HostEndpoints final : public net::Handler {
 public:
  /// Puts objects back; `more` says that others are to follow soon.
  using Restore = std::function<void(std::vector<document::Value> objects, bool more,
                                     std::function<void(std::vector<embedded::Creation>)> done)>;

  /// Both outlive it.
  HostEndpoints(apiserver::ControlPlane& plane, ClusterClock& clock, Restore restore)
      : plane_(plane), clock_(clock), restore_(std::move(restore)) {}

  void handle(std::shared_ptr<net::Exchange> exchange) override;
  net::Response refuse(int status, std::string_view text) override { return plane_.handler().refuse(status, text); }

 private:
  /// Whether the sender may do that; if not, it has been answered.
  bool admit(net::Exchange& exchange, const std::string& path) const;
  void handle_clock(const std::shared_ptr<net::Exchange>& exchange);
  void handle_restore(const std::shared_ptr<net::Exchange>& exchange);

  apiserver::ControlPlane& plane_;
  ClusterClock& clock_;
  Restore restore_;
};

}  // namespace loadline::cli
