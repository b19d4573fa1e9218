#pragma once

#include <map>
#include <string>
#include <vector>

#include "brain/queue/kueue/kueue_scheduler.h"
#include "foundation/base/time.h"
#include "hosts/replay/observer.h"
#include "hosts/replay/summary.h"

namespace loadline::replay {

/// Measures ClusterQueues: who waits in them for how long, and how much of their quota is in use over time.
class QueueMeasures {
 public:
  /// Of the queues that the scheduler knows, from then on. It outlives this.
  QueueMeasures(const queue::kueue::KueueScheduler& scheduler, Instant start);

  // ---- what happens ------------------------------------------------------------------------------------------------
  void work_arrived(queue::kueue::QueueId queue);
  /// It has quota for the first time.
  void work_admitted(queue::kueue::QueueId queue, Duration waited);
  void work_stopped(queue::kueue::QueueId queue);
  /// The queue uses another amount than when this was called last. REQUIRES: time does not go back.
  void usage_changed(queue::kueue::QueueId queue, Instant now);

  // ---- what came of it ---------------------------------------------------------------------------------------------
  [[nodiscard]] std::vector<QueueSample> sample() const;
  [[nodiscard]] std::vector<QueueSummary> summarize(Instant now);

 private:
  /// Of one resource of a flavor, in its own unit.
  struct Use {
    queue::kueue::QuotaCellId cell;
    std::string resource;
    double used = 0;  // since it was noted last
    double borrowed = 0;
    double used_seconds = 0;
    double borrowed_seconds = 0;
  };
  struct Tally {
    queue::kueue::QueueId queue;
    Instant since;
    std::vector<Use> uses;
    QueueSummary summary;
    std::vector<double> waiting;  // seconds
  };

  [[nodiscard]] Tally& of(queue::kueue::QueueId queue) { return tallies_[places_.at(queue)]; }
  void read(Use& use) const;

  const queue::kueue::KueueScheduler& scheduler_;
  Instant start_;
  std::vector<Tally> tallies_;  // by name
  std::map<queue::kueue::QueueId, std::size_t> places_;
};

}  // namespace loadline::replay
