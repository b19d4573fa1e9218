#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "foundation/base/event_loop.h"
#include "foundation/document/value.h"
#include "server/apiserver/http/request_info.h"
#include "server/apiserver/server_context.h"
#include "server/net/exchange.h"

namespace loadline::apiserver {

/// Which of the workloads that wait in a queue are asked for.
struct PendingQuestion {
  std::string name_space;  ///< of a LocalQueue; empty: it is about a ClusterQueue
  std::string queue;
  std::int64_t offset = 0;  ///< so many of the first are left out
  std::int64_t limit = 0;   ///< most that are wanted
};

/// A workload that waits. Positions count from 0.
struct PendingWorkload {
  document::Value metadata;  ///< name, namespace, creationTimestamp, ownerReferences
  std::int64_t priority = 0;
  std::string local_queue;
  std::int64_t position_in_cluster_queue = 0;
  std::int64_t position_in_local_queue = 0;
};

/// Who knows the order in which workloads wait, perhaps on another thread. It is asked on the loop's thread, and calls
/// `done` there: at once, later, or never, if it is stuck. Nothing: there is no such queue.
class PendingSource {
 public:
  using OnWorkloads = std::function<void(std::optional<std::vector<PendingWorkload>>)>;

  PendingSource() = default;
  PendingSource(const PendingSource&) = delete;
  PendingSource& operator=(const PendingSource&) = delete;
  virtual ~PendingSource() = default;

  virtual void ask(PendingQuestion question, OnWorkloads done) const = 0;
};

/// visibility.kueue.x-k8s.io, v1beta1 and v1beta2: the workloads that wait in a queue, in order, under
/// `clusterqueues/NAME/pendingworkloads` and `namespaces/NAMESPACE/localqueues/NAME/pendingworkloads`, with `offset`
/// and `limit`. It answers as long as there is a source, and waits for it as MetricsApi does for its own. Discovery
/// does not list the group: its kinds are called as Kueue's own. Source: Kueue v0.19.2, pkg/visibility.
class VisibilityApi {
 public:
  static constexpr std::string_view kGroup = "visibility.kueue.x-k8s.io";

  explicit VisibilityApi(const ServerContext& context) : wall_(&context.loop) {}

  /// From now on `source` is asked, which outlives its last answer; null: there is no source.
  void set_source(const PendingSource* source) {
    source_ = source;
    *is_late_ = false;
  }
  /// By whose time clients wait; it outlives this. As at first: by the loop's.
  void set_wall(EventLoop& wall) { wall_ = &wall; }

  void handle(const std::shared_ptr<net::Exchange>& exchange, const RequestInfo& info);

 private:
  EventLoop* wall_;
  const PendingSource* source_ = nullptr;
  std::shared_ptr<bool> is_late_ = std::make_shared<bool>(false);  ///< a question was given up, and nothing heard since
};

}  // namespace loadline::apiserver
