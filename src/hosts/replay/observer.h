#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "foundation/base/time.h"
#include "hosts/trace/work.h"

namespace loadline::replay {

/// What may happen to a work. The words of the event log are those of event_word().
enum class EventKind : std::uint8_t {
  kArrived,
  kAdmitted,   ///< its queue gave it quota
  kPlaced,     ///< one of its pods got a node
  kStarted,    ///< the last of its pods got a node
  kPreempted,  ///< one of its pods gives way; it waits again once that has left
  kEvicted,    ///< one of its pods leaves since its group was started only in part, or its queue takes its quota back
  kStopped,    ///< its queue takes its quota back: it waits again once its pods have left
  kEnded,      ///< it has run its time
  kDeleted,    ///< its owner deleted it
};

std::string_view event_word(EventKind kind);

/// One thing that happened. What it points to is valid during the call.
struct Event {
  Duration at;  ///< since the trace's beginning
  EventKind kind = EventKind::kArrived;
  const trace::Work* work = nullptr;
  std::size_t pod = 0;    ///< of kPlaced, kPreempted and kEvicted: which of its pods, in the order of Work::pods
  std::string_view node;  ///< of the same: where
};

/// A ClusterQueue at one time.
struct QueueSample {
  std::string_view queue;
  std::string resource;      ///< that the amounts are of: GPUs, if it has quota of any
  std::size_t pending = 0;   ///< works
  std::size_t admitted = 0;  ///< works that have quota
  double nominal = 0;        ///< over all flavors, as the next two
  double used = 0;
  double borrowed = 0;
};

/// The state of the cluster at one time.
struct Sample {
  Duration at;
  std::size_t pending_works = 0;
  std::size_t pending_pods = 0;
  std::size_t running_pods = 0;
  std::size_t arrived = 0;  ///< works, since the beginning; the next three too
  std::size_t started = 0;
  std::size_t ended = 0;
  std::size_t preemptions = 0;  ///< pods
  double cpu_used = 0;          ///< shares of what the nodes offer, 0 to 1
  double memory_used = 0;
  double gpus_used = 0;
  double gpus_requested = 0;  ///< of pods on nodes
  double gpus_arrived = 0;    ///< of all pods that have arrived, whatever became of them
  double gpus_pending = 0;
  double fragmentation = 0;         ///< of the free GPUs, see fragmentation.h; a share of all GPUs
  std::vector<QueueSample> queues;  ///< by name
};

/// Hears what happens in a replay, in order of time.
class Observer {
 public:
  Observer() = default;
  Observer(const Observer&) = delete;
  Observer& operator=(const Observer&) = delete;
  virtual ~Observer() = default;

  virtual void happened(const Event& /*event*/) {}
  virtual void sampled(const Sample& /*sample*/) {}
};

}  // namespace loadline::replay
