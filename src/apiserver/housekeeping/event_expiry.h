#pragma once

#include <cstddef>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "apiserver/follower.h"
#include "apiserver/housekeeping/system_writer.h"
#include "apiserver/housekeeping/work_queue.h"
#include "apiserver/parts.h"

namespace loadline::apiserver {

/// Takes Events away an hour after they were written last, to the minute: a cluster that lives for months would drown
/// in them. Time is counted while the server runs, and not by the wall's clock: after a start, they all have an hour.
/// Source: kube-apiserver's --event-ttl, whose leases etcd keeps likewise.
class EventExpiry {
 public:
  explicit EventExpiry(const Parts& parts);
  EventExpiry(const EventExpiry&) = delete;
  EventExpiry& operator=(const EventExpiry&) = delete;

 private:
  /// An event, as it was written in that minute; a newer version has an entry of its own.
  struct Entry {
    std::string name_space;
    std::string name;
    store::Revision revision = 0;

    friend auto operator<=>(const Entry&, const Entry&) = default;
  };
  using Minute = std::vector<Entry>;

  void note(const store::ObjectPtr& event);
  void arm();
  void on_minute();
  void expire(const Entry& entry);

  Parts parts_;
  SystemWriter writer_;
  std::deque<Minute> minutes_;  // the newest last
  std::size_t entries_ = 0;     // in them
  std::unique_ptr<EventLoop::Timer> timer_;
  WorkQueue<Entry> queue_;
  Follower follower_;
};

}  // namespace loadline::apiserver
