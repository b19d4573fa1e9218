#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "brain/engine/policy.h"
#include "foundation/base/result.h"
#include "hosts/replay/replay.h"
#include "hosts/replay/summary.h"
#include "hosts/trace/work.h"
#include "objects/kube/config/scheduler_configuration.h"
#include "objects/kube/objects.h"

namespace loadline::replay {

/// One way to run a cluster.
struct Variant {
  std::string name;  ///< "nodes=120 policy=parity.yaml"; empty: there is only one
  std::shared_ptr<const kube::Objects> cluster;
  kube::SchedulerConfiguration configuration;
  engine::Policy policy;
};

struct SweepOptions {
  ReplayOptions replay;
  std::size_t runs = 1;     ///< of each variant
  std::uint64_t seed = 0;   ///< of the first run; the next ones have the numbers after it. 0: see run_of()
  std::size_t threads = 1;  ///< at most so many replays at one time
};

struct VariantRuns {
  std::string name;
  std::vector<Summary> runs;  ///< in order of their seeds
};

/// Opens the works of a run: the same ones for each variant, from the beginning. Called by several threads.
using OpenWorks = std::function<Result<std::unique_ptr<trace::WorkSource>>(const Variant&, std::uint64_t seed)>;

/// A run of a variant: its nodes in the order that the seed gives, or, of seed 0, in their own.
Result<Summary> run_of(const Variant& variant, std::uint64_t seed, const OpenWorks& open, const ReplayOptions& options,
                       Observer& observer);

/// All runs of all variants, in as many threads as there are to be. Runs share nothing that changes, so the result does
/// not depend on the number of threads. `progress` may be empty; it is told how many runs are done, by one thread at a
/// time. Errors: the first one, by the order of variants and seeds.
Result<std::vector<VariantRuns>> sweep(const std::vector<Variant>& variants, const OpenWorks& open,
                                       const SweepOptions& options, const std::function<void(std::size_t)>& progress);

/// A mean, and the interval in which the true one lies with 95 % confidence if the values are drawn alike from a normal
/// distribution: mean ± t(0.975, n - 1) × s / √n. Of one value, the interval is that value.
struct Interval {
  double mean = 0;
  double low = 0;
  double high = 0;
};
Interval interval_of(const std::vector<double>& values);

}  // namespace loadline::replay
