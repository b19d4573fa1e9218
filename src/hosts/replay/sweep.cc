#include "hosts/replay/sweep.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

#include "hosts/replay/arrangements.h"

namespace loadline::replay {
namespace {

/// Student's t for 95 % on both sides, by degrees of freedom from 1 on.
constexpr std::array kStudent = {12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228,
                                 2.201,  2.179, 2.160, 2.145, 2.131, 2.120, 2.110, 2.101, 2.093, 2.086,
                                 2.080,  2.074, 2.069, 2.064, 2.060, 2.056, 2.052, 2.048, 2.045, 2.042};

double student(std::size_t freedom) { return freedom <= kStudent.size() ? kStudent[freedom - 1] : 1.96; }

/// Runs that threads take one after another; each writes its own result.
class Runs {
 public:
  Runs(const std::vector<Variant>& variants, const OpenWorks& open, const SweepOptions& options,
       const std::function<void(std::size_t)>& progress)
      : variants_(variants), open_(open), options_(options), progress_(progress) {
    results_.resize(variants.size() * options.runs);
  }

  void work() {
    for (std::size_t next = taken_++; next < results_.size(); next = taken_++) {
      Observer none;
      const std::uint64_t number = next % options_.runs;
      const std::uint64_t seed =
          options_.seed == 0 && options_.runs == 1 ? 0 : std::max<std::uint64_t>(options_.seed, 1) + number;
      results_[next] = run_of(variants_[next / options_.runs], seed, open_, options_.replay, none);
      const std::lock_guard lock(mutex_);
      ++done_;
      if (progress_) progress_(done_);
    }
  }

  Result<std::vector<VariantRuns>> conclude() {
    std::vector<VariantRuns> all;
    for (std::size_t i = 0; i < results_.size(); ++i) {
      if (i % options_.runs == 0) all.push_back({variants_[i / options_.runs].name, {}});
      Result<Summary>& result = *results_[i];
      if (!result) return tl::unexpected(result.error());
      all.back().runs.push_back(*std::move(result));
    }
    return all;
  }

 private:
  const std::vector<Variant>& variants_;
  const OpenWorks& open_;
  const SweepOptions& options_;
  const std::function<void(std::size_t)>& progress_;
  std::vector<std::optional<Result<Summary>>> results_;
  std::atomic<std::size_t> taken_ = 0;
  std::mutex mutex_;  // guards done_, and calls of progress_
  std::size_t done_ = 0;
};

}  // namespace

Result<Summary> run_of(const Variant& variant, std::uint64_t seed, const OpenWorks& open, const ReplayOptions& options,
                       Observer& observer) {
  Result<std::unique_ptr<trace::WorkSource>> works = open(variant, seed);
  if (!works) return tl::unexpected(works.error());
  ReplayOptions of_variant = options;
  of_variant.policy = variant.policy;
  if (seed == 0) return replay(*variant.cluster, variant.configuration, **works, of_variant, observer);
  kube::Objects shuffled = *variant.cluster;
  shuffle_nodes(shuffled, seed);
  return replay(shuffled, variant.configuration, **works, of_variant, observer);
}

Result<std::vector<VariantRuns>> sweep(const std::vector<Variant>& variants, const OpenWorks& open,
                                       const SweepOptions& options, const std::function<void(std::size_t)>& progress) {
  Runs runs(variants, open, options, progress);
  const std::size_t others = std::min(options.threads, variants.size() * options.runs) - 1;
  {
    std::vector<std::jthread> threads;
    for (std::size_t i = 0; i < others; ++i) threads.emplace_back([&] { runs.work(); });
    runs.work();
  }
  return runs.conclude();
}

Interval interval_of(const std::vector<double>& values) {
  if (values.empty()) return {};
  const auto count = static_cast<double>(values.size());
  double sum = 0;
  for (const double value : values) sum += value;
  const double mean = sum / count;
  if (values.size() == 1) return {mean, mean, mean};
  double squares = 0;
  for (const double value : values) squares += (value - mean) * (value - mean);
  const double half = student(values.size() - 1) * std::sqrt(squares / (count - 1) / count);
  return {mean, mean - half, mean + half};
}

}  // namespace loadline::replay
