#pragma once

#include <array>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "foundation/base/time.h"
#include "foundation/document/value.h"
#include "objects/kube/scalars.h"
#include "server/apiserver/http/request_info.h"
#include "server/apiserver/server_context.h"
#include "server/net/exchange.h"

namespace loadline::apiserver {

/// What something used: averaged over a window of time.
struct Usage {
  kube::Quantity cpu;     ///< cores
  kube::Quantity memory;  ///< bytes
};

struct NodeUsage {
  Usage usage;
  Instant at;  ///< the end of the window
  Duration window;
};

struct PodUsage {
  std::vector<std::pair<std::string, Usage>> containers;  ///< by name, in the order of the pod
  Instant at;
  Duration window;
};

/// The source of what nodes and pods use. Asked on the loop's thread.
class UsageSource {
 public:
  UsageSource() = default;
  UsageSource(const UsageSource&) = delete;
  UsageSource& operator=(const UsageSource&) = delete;
  virtual ~UsageSource() = default;

  /// What is measured stays as it is while `read` asks. Asking for many at once costs less.
  virtual void hold_still(const std::function<void()>& read) const { read(); }
  /// Nothing: not measured (yet). REQUIRES: within hold_still().
  [[nodiscard]] virtual std::optional<NodeUsage> node(std::string_view name) const = 0;
  [[nodiscard]] virtual std::optional<PodUsage> pod(std::string_view name_space, std::string_view name) const = 0;
};

/// metrics.k8s.io/v1beta1: what `kubectl top` and autoscalers read. The group is served as long as there is a source of
/// usage; without, discovery does not list it and its paths are none, as in a cluster without metrics-server. Nodes and
/// pods that are not measured are left out of lists, and not found. Source: kubernetes-sigs/metrics-server v0.8,
/// pkg/api.
class MetricsApi {
 public:
  static constexpr std::string_view kGroup = "metrics.k8s.io";

  /// Takes the group out of the catalog, which has it published.
  explicit MetricsApi(const ServerContext& context);

  /// From now on `source` is asked, which outlives this; null: there is no source.
  void set_source(const UsageSource* source);

  /// Answers a request about a resource of the group; without a source there is none.
  void handle(net::Exchange& exchange, const RequestInfo& info) const;

 private:
  struct Kind;

  static const std::array<Kind, 2>& kinds();
  [[nodiscard]] std::optional<document::Object> metrics_of(const Kind& kind, const store::Object& object) const;
  void get(net::Exchange& exchange, const RequestInfo& info, const Kind& kind) const;
  void list(net::Exchange& exchange, const RequestInfo& info, const Kind& kind) const;

  ServerContext context_;
  const UsageSource* source_ = nullptr;
  std::vector<std::shared_ptr<const schema::Resource>> resources_;  // of the group, also while there is no source
};

}  // namespace loadline::apiserver
