#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "brain/cluster/cluster.h"
#include "brain/decision/eviction.h"
#include "foundation/base/time.h"
#include "hosts/replay/gpus.h"
#include "hosts/replay/observer.h"
#include "hosts/replay/summary.h"
#include "hosts/replay/typical_pods.h"

namespace loadline::replay {

/// How a work left the replay, or where it stood at its end.
enum class WorkEnd : std::uint8_t { kEnded, kDeleted, kStillThere };

/// What is measured of one work.
struct WorkTimes {
  Duration arrived;
  bool has_started = false;
  Duration first_started;
  Duration run;  ///< of its last run, to the end
  Duration left;
  bool is_whole = false;  ///< all its pods run then, or have ended
  WorkEnd end = WorkEnd::kStillThere;
};

/// Measures a replay as it goes on: what is on nodes over time, and what became of each work.
class Measures {
 public:
  explicit Measures(const cluster::Cluster& cluster);

  // ---- steps, in order of time -------------------------------------------------------------------------------------
  /// Time passes until `now`; call before the state changes.
  void pass(Duration now);
  void work_arrived(Duration now);
  void pods_arrived(const cluster::PodShape& shape, std::size_t pods);
  void pod_placed(const cluster::PodShape& shape) { count_on_nodes(shape, 1); }
  void pod_left(const cluster::PodShape& shape) { count_on_nodes(shape, -1); }
  void pod_waits(const cluster::PodShape& shape, int sign);
  void pod_evicted(decision::EvictionCause cause);
  void work_waits(int sign);
  [[nodiscard]] std::size_t waiting_works() const { return current_.pending_works; }
  /// The first time that all its pods run.
  void work_started() { ++current_.started; }
  /// A work starts that was promised a start; `late` is negative if it starts earlier.
  void promise_settled(Duration late);
  void gpu_time(std::int64_t milli_gpus, Duration span, bool is_lost);
  void work_left(const std::string& work_class, const WorkTimes& times);
  /// All that arrived at this time has had its turn: a point of the allocation over arrived work.
  void arrival_settled();

  /// REQUIRES: passed to `at`.
  Sample sample(Duration at);
  Summary summarize(Duration end, bool was_cut, std::size_t decisions);

  [[nodiscard]] const GpuCount& gpus() const { return gpus_; }

 private:
  struct Samples {
    WorkSummary counts;
    std::vector<double> waiting;
    std::vector<double> completion;
    std::vector<double> slowdown;
  };
  struct Bucket {
    double allocated = 0;
    std::size_t arrivals = 0;
    double fragmentation = 0;
  };

  void count_on_nodes(const cluster::PodShape& shape, int sign);
  [[nodiscard]] double share_of_gpus(double milli) const { return gpu_capacity_ > 0 ? milli / gpu_capacity_ : 0; }
  static void add(Samples& samples, const WorkTimes& times);
  static WorkSummary conclude(Samples& samples);

  const cluster::Cluster& cluster_;
  GpuCount gpus_;
  TypicalPods typical_;
  double cpu_capacity_ = 0;
  double memory_capacity_ = 0;
  double gpu_capacity_ = 0;  // thousandths

  Duration now_;
  bool has_begun_ = false;
  Duration begin_;
  Duration last_left_;
  std::int64_t cpu_ = 0;  // of pods on nodes; amounts are whole, so that sums are exact
  std::int64_t memory_ = 0;
  std::int64_t gpu_ = 0;
  std::int64_t gpu_arrived_ = 0;
  std::int64_t gpu_pending_ = 0;
  double cpu_time_ = 0;  // amount × seconds
  double memory_time_ = 0;
  double gpu_time_ = 0;
  double gpu_seconds_ = 0;
  double gpu_seconds_lost_ = 0;
  double fragmentation_sum_ = 0;
  std::size_t samples_taken_ = 0;

  Sample current_;
  std::size_t pods_ = 0;
  std::size_t most_pending_ = 0;
  std::size_t releases_ = 0;
  Samples all_;
  std::map<std::string, Samples> by_class_;
  std::map<int, Bucket> allocation_;
  PromiseSummary promises_;
  std::vector<double> promise_errors_;
};

}  // namespace loadline::replay
