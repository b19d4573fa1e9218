#pragma once

#include <cstddef>
#include <deque>
#include <memory>
#include <string>

#include "server/apiserver/builtin_controllers/system_writer.h"
#include "server/apiserver/builtin_controllers/work_queue.h"
#include "server/apiserver/follower.h"
#include "server/apiserver/server_context.h"

namespace loadline::observe {
class Log;
}

namespace loadline::apiserver {

/// Takes Events away an hour after they were written last, to the minute: they would fill the memory of a cluster that
/// lives for months. Time is counted while the server runs, and not by the wall's clock: after a start, they all have
/// an hour. Source: kube-apiserver's --event-ttl, whose leases etcd keeps likewise.
///
/// There are `most` at a time: when one client makes them without end, those that were written longest ago are deleted
/// before that hour is over, a tenth of them at once, and the log says so.
///
/// Nothing is remembered of an event: its revision tells the minute it was written in. Cost: a walk over all events a
/// minute, and one for each tenth of `most` that comes beyond it.
class EventExpiry {
 public:
  /// `log` may be null.
  EventExpiry(const ServerContext& context, std::size_t most, std::shared_ptr<observe::Log> log);
  EventExpiry(const EventExpiry&) = delete;
  EventExpiry& operator=(const EventExpiry&) = delete;

 private:
  /// An event that is to go unless it was written since.
  struct Entry {
    std::string name_space;
    std::string name;
    store::Revision revision = 0;

    friend auto operator<=>(const Entry&, const Entry&) = default;
  };

  void on_write();
  void arm();
  void on_minute();
  void make_room();
  void take_away_up_to(store::Revision last);
  void expire(const Entry& entry);

  ServerContext context_;
  std::size_t most_;
  std::shared_ptr<observe::Log> log_;
  SystemWriter writer_;
  std::deque<store::Revision> minutes_;  // the last write of each minute that is over, of an hour
  std::unique_ptr<EventLoop::Timer> timer_;
  WorkQueue<Entry> queue_;
  Follower follower_;
};

}  // namespace loadline::apiserver
