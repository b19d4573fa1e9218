#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "foundation/base/event_loop.h"
#include "foundation/base/result.h"
#include "objects/kube/client.h"
#include "objects/schema/catalog.h"
#include "server/apiserver/admission/cluster_bounds.h"
#include "server/apiserver/admission/webhook.h"
#include "server/apiserver/credentials.h"
#include "server/apiserver/http/metrics_page.h"
#include "server/apiserver/http/server.h"
#include "server/net/exchange.h"
#include "server/store/store.h"

namespace loadline::observe {
class Log;
}

namespace loadline::apiserver {

struct ControlPlaneOptions {
  std::string data_dir;            ///< empty: nothing is kept
  std::vector<std::string> names;  ///< that the server's certificate is for, besides the loopback addresses
  std::uint64_t seed = 0;          ///< of uids and generated names; 0: from the system's generator
  store::LogOptions log;           ///< for tests: see store::Options
  bool commits_on_loop = false;    ///< likewise
  /// For tests: those of an earlier life of the server. Null: what `data_dir` keeps, else new ones.
  std::shared_ptr<const ServerSecrets> secrets = {};
  /// Texts of the objects whose documents stay parsed for their next readers. Many, where controllers in this process
  /// follow every write; few, where the memory of one that goes is better reused while it is in the processor's cache.
  std::size_t parsed_text_bytes = std::size_t{128} * 1024;
  /// Events at a time; beyond that the oldest are deleted before they expire (builtin_controllers/event_expiry.h).
  std::size_t most_events = 100'000;
  /// Whether it collects garbage, empties namespaces that are being deleted, and creates the default objects of new
  /// ones, as kube-controller-manager does.
  bool runs_builtin_controllers = true;
  /// Admission plugins that are left out, by upstream's names: see default_plugin_names().
  std::vector<std::string> disabled_admission_plugins = {};
  /// What does not fit into these is not created.
  Bounds bounds = {};
  Webhooks webhooks = {};                     ///< that writes are shown to
  std::shared_ptr<observe::Log> log_to = {};  ///< null: requests that failed are not logged
};

/// A Kubernetes API server with all that belongs to it, in one object: the store, the resources that are served, the
/// users and their permissions, and the controllers that no API server does without. It opens no sockets: it is a
/// net::Handler.
class ControlPlane {
 public:
  /// Opens or makes the store, and creates what every cluster has from the start. `loop` outlives the control plane.
  static Result<std::unique_ptr<ControlPlane>> open(EventLoop& loop, const ControlPlaneOptions& options);
  ~ControlPlane();
  ControlPlane(const ControlPlane&) = delete;
  ControlPlane& operator=(const ControlPlane&) = delete;

  [[nodiscard]] net::Handler& handler();
  [[nodiscard]] const ServerSecrets& secrets() const;
  [[nodiscard]] store::Store& store();
  [[nodiscard]] ServerContext context();

  /// The API for a controller in this process, as that user; `manager` owns the fields that it writes. The control
  /// plane outlives the client and its watches. May be called on any thread: only using the client is the loop's.
  [[nodiscard]] std::unique_ptr<kube::Client> client(User user, std::string manager);

  /// What discovery tells clients: "127.0.0.1:6443".
  void set_address(std::string address);

  /// Calls back, on the loop, once what was created at start is durable: the server may say that it is ready.
  void when_ready(std::function<void(Result<void>)> done);

  /// More for /metrics.
  void add_metrics(MetricsSource source);

  /// One more thing that has to be so before /readyz says that the server is ready.
  void add_readiness(std::string name, std::function<bool()> is_ready);

  /// Whose measurements metrics.k8s.io serves; null, as at first: the group is not there.
  void set_usage_source(const UsageSource* source);
  /// Who knows what visibility.kueue.x-k8s.io serves; null, as at first: the group is not there.
  void set_pending_source(const PendingSource* source);

  /// By whose time the watches of clients end, and their requests wait, where the loop's clock runs at a pace of its
  /// own: a client counts the seconds that it sees. It outlives the control plane.
  void set_wall(EventLoop& wall);

  /// Ends all watches.
  void stop();

 private:
  struct State;
  explicit ControlPlane(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace loadline::apiserver
