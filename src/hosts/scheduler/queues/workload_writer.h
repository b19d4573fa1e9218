#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <vector>

#include "foundation/base/event_loop.h"
#include "hosts/scheduler/queues/workload_deed.h"
#include "hosts/watching/actuator.h"
#include "hosts/watching/caches.h"

namespace loadline::scheduler::queues {

/// Has what rounds decided written to Workloads. The queues run ahead of the API server: from want() on a workload is
/// what was decided, until the cache tells of it as such.
///
/// One write of an object after the other, each of all that is wanted by then, on the version that the cache has: what
/// another writer was faster with is looked at first, and the write is made anew on top of it, unless it makes no sense
/// any more. A write that may have been carried out is tried again. One that is refused is given up, but for evictions:
/// the queues count on them.
class WorkloadWriter {
 public:
  using Key = watching::ObjectKey;
  /// What was wanted of a workload will not be: it is as its object says. `is_refused`: by the API server, which would
  /// do so again if it were asked at once.
  using GaveUp = std::function<void(const Key& key, bool is_refused)>;

  /// Everything that is named outlives it.
  WorkloadWriter(EventLoop& loop, const watching::Caches& caches, watching::Actuator& actuator,
                 watching::Actuator::Say say, GaveUp gave_up);
  WorkloadWriter(const WorkloadWriter&) = delete;
  WorkloadWriter& operator=(const WorkloadWriter&) = delete;

  /// What was decided last counts: why a workload waits is forgotten when it waits for something else, or no longer.
  void want(const Key& key, WorkloadDeed deed);
  /// The object as it will be.
  [[nodiscard]] kube::KueueWorkload as_decided(const watching::Observed<kube::KueueWorkload>& object) const;
  /// The cache tells of the object in another version; null: it is gone. To be called before as_decided() is asked.
  void changed(const Key& key, const watching::Observed<kube::KueueWorkload>* object);
  [[nodiscard]] bool is_idle() const { return writes_ == 0; }

 private:
  struct Wanted {
    WorkloadDeed deed;
    std::uint64_t number = 0;
    std::uint64_t written = 0;  // the revision in which the object says it; 0: not known yet
  };
  struct Entry {
    std::vector<Wanted> wanted;  // in the order in which it was decided
    std::uint64_t written = 0;   // no write before the cache has that revision
    bool is_under_way = false;
    std::unique_ptr<EventLoop::Timer> retry;
  };
  struct Write {
    Key key;
    std::uint64_t base = 0;              // the revision that it was made on
    std::vector<std::uint64_t> numbers;  // of what it says
    std::vector<watching::Event> events;
  };

  void write(const Key& key);
  void forget_void(const Key& key, Entry& entry, const watching::Observed<kube::KueueWorkload>& object);
  void on_answer(const Write& write, const watching::ReconciliationResult& outcome);
  void on_refusal(const Write& write, const kube::Status& status);
  void on_written(const Write& write, std::uint64_t revision);
  void retry_later(const Key& key);
  void drop_if_idle(const Key& key);

  EventLoop& loop_;
  const watching::Caches& caches_;
  watching::Actuator& actuator_;
  watching::Actuator::Say say_;
  GaveUp gave_up_;
  std::map<Key, Entry> entries_;  // of which something is wanted, or under way
  std::uint64_t last_number_ = 0;
  std::size_t writes_ = 0;  // without an answer
};

}  // namespace loadline::scheduler::queues
