#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "objects/schema/catalog.h"
#include "server/apiserver/auth/service_account_tokens.h"
#include "server/apiserver/http/request_info.h"
#include "server/net/exchange.h"

namespace loadline::apiserver {

class OpenApiDocuments;

/// Something that has to be so before the server counts as ready: part of /readyz, and /readyz/NAME.
struct ReadinessCheck {
  std::string name;  ///< "informer-sync"
  std::function<bool()> is_ready;
};

/// Answers every path that is no resource: health, version, discovery, OpenAPI, metrics, the keys of tokens.
class Endpoints {
 public:
  struct Options {
    std::string address;                   ///< "127.0.0.1:6443", as discovery tells it
    std::function<std::string()> metrics;  ///< the text of /metrics
    std::function<bool()> is_ready;
    std::function<void(std::string_view group)> describes = {};  ///< called before OpenAPI describes a group's kinds
  };

  Endpoints(const schema::Catalog& catalog, const ServiceAccountTokens& tokens, Options options);
  ~Endpoints();
  Endpoints(const Endpoints&) = delete;
  Endpoints& operator=(const Endpoints&) = delete;

  void handle(net::Exchange& exchange, const RequestInfo& info);

  void add_readiness(ReadinessCheck check) { readiness_.push_back(std::move(check)); }
  void set_address(std::string address) { options_.address = std::move(address); }

  /// Whether there is any resource in that version.
  [[nodiscard]] bool serves(std::string_view group, std::string_view version);
  /// Says that it is not served: with a Status if the group is one of Kubernetes' own, else with a page.
  void refuse_version(net::Exchange& exchange, std::string_view group) const;

 private:
  struct Documents;

  bool handle_health(net::Exchange& exchange, const RequestInfo& info);
  [[nodiscard]] std::vector<std::pair<std::string_view, bool>> health_of(std::string_view path) const;
  bool handle_discovery(net::Exchange& exchange, const RequestInfo& info);
  bool handle_openapi(net::Exchange& exchange, const RequestInfo& info);
  [[nodiscard]] std::string root_paths() const;
  Documents& documents();

  const schema::Catalog& catalog_;
  const ServiceAccountTokens& tokens_;
  Options options_;
  std::vector<ReadinessCheck> readiness_;
  std::unique_ptr<Documents> documents_;
  std::unique_ptr<OpenApiDocuments> openapi_;
};

}  // namespace loadline::apiserver
