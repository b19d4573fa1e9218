#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "foundation/base/result.h"
#include "foundation/base/time.h"
#include "objects/kube/kueue/cluster_queue.h"
#include "objects/kube/kueue/workload.h"

namespace loadline::bench {

/// Of each queue, `count` workloads of one pod come, one every `every`.
struct WorkloadClass {
  std::string name;
  std::size_t count = 1;
  Duration every;
  Duration runtime;  ///< from when it is admitted, if it is not evicted before
  std::int32_t priority = 0;
  std::int64_t cpus = 1;
};

/// Queues in cohorts, all alike, and what comes to them: a file of bench/queue, which the peer reads, too.
struct Generator {
  std::string name;
  std::size_t cohorts = 1;
  std::size_t queues_per_cohort = 1;
  std::int64_t nominal = 0;    ///< CPUs of each queue
  std::int64_t borrowing = 0;  ///< at most so many more
  kube::QueuePreemptionPolicy reclaim_within_cohort = kube::QueuePreemptionPolicy::kNever;
  kube::QueuePreemptionPolicy within_cluster_queue = kube::QueuePreemptionPolicy::kNever;
  std::vector<WorkloadClass> classes = {};

  [[nodiscard]] std::size_t queue_count() const { return cohorts * queues_per_cohort; }
  /// A tenth of the workloads of each class, at least one.
  void shrink();
};

Result<Generator> read_generator(const std::filesystem::path& file);

/// Its flavor is kGeneratedFlavor.
[[nodiscard]] std::vector<kube::ClusterQueue> make_queues(const Generator& generator);
inline constexpr const char* kGeneratedFlavor = "default";

struct Arrival {
  Duration at;  ///< from the start
  std::size_t class_ = 0;
  kube::KueueWorkload object;
};

/// In order: by time, then queue by queue, class by class. Their uids grow in that order; their queues are LocalQueues
/// of their namespaces, all three called alike.
[[nodiscard]] std::vector<Arrival> make_arrivals(const Generator& generator, Instant start);

}  // namespace loadline::bench
