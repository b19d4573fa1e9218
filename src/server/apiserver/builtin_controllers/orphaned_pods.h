#pragma once

#include <map>
#include <memory>
#include <utility>

#include "server/apiserver/builtin_controllers/system_writer.h"
#include "server/apiserver/builtin_controllers/work_queue.h"

namespace loadline::apiserver {

/// Takes deleted pods away that no kubelet will take away: those that are bound to no node, or to one that is not
/// there, once their grace period is over. Pods on nodes wait for their kubelet. Source: pkg/controller/podgc, v1.36,
/// which waits longer.
class OrphanedPods {
 public:
  explicit OrphanedPods(const ServerContext& context);

  /// Of every object: it is there, was changed or is gone.
  void on_object(const store::ObjectPtr& object, bool gone);

 private:
  void check(const store::Key& pod);
  void on_time(const store::Key& pod);

  /// A pod that is terminating.
  struct Deleted {
    Instant ends;                             ///< its grace period, by the wall's clock
    std::unique_ptr<EventLoop::Timer> timer;  ///< until then, by a clock that does not jump; null: it is over
  };

  ServerContext context_;
  SystemWriter writer_;
  std::map<store::Key, Deleted> deleted_;
  WorkQueue<store::Key> queue_;
};

}  // namespace loadline::apiserver
