#pragma once

#include <memory>
#include <string>

#include "foundation/observe/log.h"
#include "foundation/observe/metrics.h"
#include "server/apiserver/http/request_info.h"
#include "server/apiserver/resources/served_resource.h"
#include "server/net/exchange.h"
#include "server/store/store.h"

namespace loadline::apiserver {

/// Counts requests from where they are let in to the end of their answers, and tells of those that the server failed.
/// How long they took is real time, whatever the cluster's clock says.
class RequestMetrics {
 public:
  /// `log` may be null.
  RequestMetrics(ServedResources& served, std::shared_ptr<observe::Metrics> metrics, std::shared_ptr<observe::Log> log)
      : served_(served), metrics_(std::move(metrics)), log_(std::move(log)) {}

  void follow(net::Exchange& exchange, const RequestInfo& info);

 private:
  struct Told;
  [[nodiscard]] std::shared_ptr<const Told> told_of(const RequestInfo& info) const;
  [[nodiscard]] observe::RequestLabels labels_of(const net::Request& request, const RequestInfo& info) const;

  ServedResources& served_;
  // Exchanges may outlive the server.
  std::shared_ptr<observe::Metrics> metrics_;
  std::shared_ptr<observe::Log> log_;
};

/// The text of /metrics.
std::string metrics_text(observe::Metrics& metrics, const store::Store& store);

}  // namespace loadline::apiserver
