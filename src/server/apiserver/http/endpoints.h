#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "objects/schema/catalog.h"
#include "server/apiserver/auth/service_account_tokens.h"
#include "server/apiserver/http/metrics_page.h"
#include "server/apiserver/http/request_info.h"
#include "server/net/exchange.h"

namespace loadline::apiserver {

class OpenApiDocuments;

/// Something that has to be so before the server counts as ready: part of /readyz, and /readyz/NAME.
struct ReadinessCheck {
  std::string name;  ///< "informer-sync"
  std::function<bool()> is_ready;
};

/// How the store is, for health checks.
struct StoreHealth {
  std::function<bool()> is_open;  ///< what it began with is durable
  /// Why the last write failed; empty: it did not.
  std::function<std::string()> failure;
  /// Tries to write, if the last write failed, and calls back, at once or later.
  std::function<void(std::function<void()> done)> try_again;
};

/// Answers every path that is no resource: health, version, discovery, OpenAPI, metrics, the keys of tokens.
class Endpoints {
 public:
  struct Options {
    std::string address;                   ///< "127.0.0.1:6443", as discovery tells it
    std::function<std::string()> metrics;  ///< the server's own part of /metrics
    StoreHealth store;
    std::function<void(std::string_view group)> describes = {};  ///< called before OpenAPI describes a group's kinds
  };

  /// `wall`: by whose time it waits for what it asks; it outlives this.
  Endpoints(EventLoop& wall, const schema::Catalog& catalog, const ServiceAccountTokens& tokens, Options options);
  ~Endpoints();
  Endpoints(const Endpoints&) = delete;
  Endpoints& operator=(const Endpoints&) = delete;

  void handle(const std::shared_ptr<net::Exchange>& exchange, const RequestInfo& info);

  void add_metrics(MetricsSource source) { metrics_.add(std::move(source)); }
  void set_wall(EventLoop& wall);
  void add_readiness(ReadinessCheck check) { readiness_.push_back(std::move(check)); }
  void set_address(std::string address) { options_.address = std::move(address); }

  /// Whether there is any resource in that version.
  [[nodiscard]] bool serves(std::string_view group, std::string_view version);
  /// Says that it is not served: with a Status if the group is one of Kubernetes' own, else with a page.
  void refuse_version(net::Exchange& exchange, std::string_view group) const;

 private:
  struct Documents;

  /// A part of a health check: its name, and why it is not well; empty: it is.
  struct Health {
    std::string_view name;
    std::string failure;
  };

  bool handle_health(const std::shared_ptr<net::Exchange>& exchange, const RequestInfo& info);
  void answer_health(net::Exchange& exchange, const RequestInfo& info, std::string_view path) const;
  [[nodiscard]] std::vector<Health> health_of(std::string_view path) const;
  static void respond_health(net::Exchange& exchange, std::string_view name, const std::vector<Health>& checks,
                             const Query& query);
  bool handle_discovery(net::Exchange& exchange, const RequestInfo& info);
  bool handle_openapi(net::Exchange& exchange, const RequestInfo& info);
  [[nodiscard]] std::string root_paths() const;
  Documents& documents();

  EventLoop* wall_;
  const schema::Catalog& catalog_;
  const ServiceAccountTokens& tokens_;
  Options options_;
  MetricsPage metrics_;
  std::vector<ReadinessCheck> readiness_;
  std::unique_ptr<Documents> documents_;
  std::unique_ptr<OpenApiDocuments> openapi_;
};

}  // namespace loadline::apiserver
