#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <string>

#include "base/event_loop.h"
#include "controllers/action.h"
#include "kube/client.h"

namespace loadline::control {

/// Writes what controllers say into the cluster, as Events. It gives way to work: a few at a time, and whatever does
/// not fit into its queue is lost, as in upstream, whose queue holds a tenth of ours.
class EventRecorder {
 public:
  /// `source` is who says it: "replicaset-controller".
  EventRecorder(EventLoop& loop, kube::Client& client) : loop_(loop), client_(client) {}
  EventRecorder(const EventRecorder&) = delete;
  EventRecorder& operator=(const EventRecorder&) = delete;

  void record(const std::string& source, const controllers::Event& event);
  [[nodiscard]] bool is_idle() const { return queue_.empty() && open_ == 0; }

 private:
  struct Waiting {
    kube::ResourceReference of;
    document::Value document;
  };
  void post();
  void write();

  EventLoop& loop_;
  kube::Client& client_;
  std::deque<Waiting> queue_;
  std::size_t open_ = 0;
  std::uint64_t made_ = 0;
  bool is_posted_ = false;
  std::shared_ptr<int> alive_ = std::make_shared<int>(0);  // answers under way look at it
};

}  // namespace loadline::control
