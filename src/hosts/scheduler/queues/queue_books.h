#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "brain/queue/kueue/kueue_scheduler.h"
#include "hosts/watching/object.h"

namespace loadline::scheduler::queues {

/// Amounts by flavor and resource.
using FlavorAmounts = std::map<std::pair<std::string, std::string>, queue::kueue::Amount>;

/// What the workloads of a queue come to.
struct QueueSums {
  std::int64_t waiting = 0;  ///< of a ClusterQueue not counted here: its line knows
  std::int64_t reserving = 0;
  std::int64_t admitted = 0;  ///< of those that reserve
  FlavorAmounts reserved;
  FlavorAmounts used;  ///< by those that are admitted
};

/// Sums over the workloads of ClusterQueues and LocalQueues, kept as these change: what one change costs does not grow
/// with them. Whoever writes statuses asks which queues have changed.
class QueueBooks {
 public:
  using Key = watching::ObjectKey;

  /// The workload as the scheduler has it now. `local`: the LocalQueue that it names. It may be none of the
  /// scheduler's: then it counts nowhere.
  void put(const Key& workload, const Key& local, const queue::kueue::KueueScheduler& scheduler, bool is_admitted);
  void remove(const Key& workload);
  /// Nothing counts any more.
  void clear();

  [[nodiscard]] const QueueSums& of_cluster_queue(const std::string& name) const;
  [[nodiscard]] const QueueSums& of_local_queue(const Key& key) const;

  void touch_cluster_queue(const std::string& name) { touched_.insert(name); }
  void touch_local_queue(const Key& key) { touched_locals_.insert(key); }
  [[nodiscard]] bool has_touched() const { return !touched_.empty() || !touched_locals_.empty(); }
  /// Those that have changed since they were taken last.
  [[nodiscard]] std::set<std::string> take_cluster_queues() { return std::exchange(touched_, {}); }
  [[nodiscard]] std::set<Key> take_local_queues() { return std::exchange(touched_locals_, {}); }

 private:
  struct Share {
    Key local;
    std::string cluster_queue;  // empty: it is in none
    bool waits = false;
    bool has_quota = false;
    bool is_admitted = false;
    std::vector<std::pair<FlavorAmounts::key_type, queue::kueue::Amount>> uses;
    friend bool operator==(const Share&, const Share&) = default;
  };
  void count(const Share& share, std::int64_t sign);
  template <class Queue>
  void count(const Share& share, std::int64_t sign, std::map<Queue, QueueSums>& queues, const Queue& queue);

  std::map<Key, Share> shares_;
  const QueueSums none_;
  std::map<std::string, QueueSums> cluster_queues_;  // that have workloads, as the local ones
  std::map<Key, QueueSums> local_queues_;
  std::set<std::string> touched_;
  std::set<Key> touched_locals_;
};

}  // namespace loadline::scheduler::queues
