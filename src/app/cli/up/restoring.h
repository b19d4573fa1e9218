#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "foundation/base/event_loop.h"
#include "foundation/document/value.h"
#include "hosts/embedded/cluster.h"
#include "hosts/embedded/creation.h"

namespace loadline::cli {

/// Puts snapshots back into a cluster that runs. Meanwhile its controllers, scheduler and kubelets rest, so that no
/// controller replaces pods that are still to come; then they start as after a crash, and take the cluster as they
/// find it.
class Restoring {
 public:
  /// Both outlive it. `wall` is the loop of sockets: a cluster whose clock stands still is filled, too.
  Restoring(embedded::Cluster& cluster, EventLoop& wall) : cluster_(cluster), wall_(wall) {}

  /// Objects that follow soon (`more`) are waited for some seconds, for their sender may have died.
  void load(std::vector<document::Value> objects, bool more, std::function<void(std::vector<embedded::Creation>)> done);

 private:
  using Done = std::function<void(std::vector<embedded::Creation>)>;

  void put(std::vector<document::Value> objects, bool more, const Done& done);
  void rest();
  void wake();

  embedded::Cluster& cluster_;
  EventLoop& wall_;
  std::size_t open_ = 0;                   // portions that are being put back
  bool is_resting_ = false;                // the controllers are
  std::vector<EventLoop::Task> portions_;  // wait for that
  std::unique_ptr<EventLoop::Timer> patience_;
  std::shared_ptr<int> alive_ = std::make_shared<int>(0);  // what is called back looks at it
};

}  // namespace loadline::cli
