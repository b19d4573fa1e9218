#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "foundation/base/result.h"
#include "foundation/base/time.h"
#include "hosts/trace/work.h"

namespace loadline::trace {

/// How people say how long their jobs will run.
enum class Estimates : std::uint8_t {
  kModal,  ///< one of twenty round numbers for nine jobs in ten, the longest the most popular; never too short
  kExact,  ///< the truth
};

struct GeneratorOptions {
  std::uint64_t seed = 1;
  std::size_t jobs = 10'000;
  std::int64_t nodes = 128;
  std::int64_t gpus_per_node = 8;
  /// GPU time that all jobs ask for, of what the cluster has from the first arrival to the last: 0.9 of it.
  double load = 0.9;
  std::int64_t max_gpus = 256;  ///< of one job
  Instant start = kMonday;      ///< when the trace begins: what its arrivals know of the day and the week, in UTC
  Estimates estimates = Estimates::kModal;
  bool has_priorities = true;  ///< false: no job goes before another, so none is preempted

  static constexpr Instant kMonday{1'767'571'200 * std::int64_t{1'000'000'000}};  // 2026-01-05T00:00:00Z
};

/// The most that options may ask for.
inline constexpr std::size_t kMostJobs = 100'000'000;
inline constexpr std::int64_t kMostGpus = 100'000'000;  ///< of the cluster

/// GPU work as clusters for machine learning see it, made from a seed: the same options give the same works on every
/// machine. Each job has
///
/// - a size of 1 to `max_gpus` GPUs, a power of two, half of all jobs 1; pods of at most 8 GPUs, as many as a node has,
///   and a gang if there are several;
/// - a run time: lognormal, median 20 minutes, 90th percentile 3.5 hours, at most 7 days, longer for larger jobs (a
///   normal copula, correlation 0.3);
/// - an arrival: a Poisson process whose rate follows the hours of the day and the days of the week;
/// - an estimate; a class, which follows from the size; a tenant, by Zipf's law; a priority.
///
/// The length of the trace follows from `load`: the GPU time of all its jobs is known before the first arrives.
/// Formulas and sources: docs/traces.md. Cost: under a microsecond a job, and as little before the first; memory for
/// what differs among pods.
Result<std::unique_ptr<WorkSource>> generate(const GeneratorOptions& options);

}  // namespace loadline::trace
