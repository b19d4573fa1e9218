#include "hosts/trace/generator.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "hosts/trace/arrival_rhythm.h"
#include "hosts/trace/job_shapes.h"
#include "hosts/trace/modal_estimates.h"
#include "hosts/trace/pod_of_one_container.h"
#include "hosts/trace/portable_math.h"
#include "hosts/trace/trace_time.h"

namespace loadline::trace {
namespace {

constexpr std::int64_t kMostGpusOfAPod = 8;
constexpr std::int64_t kCpusOfAGpu = 8;
constexpr std::int64_t kGibibytesOfAGpu = 64;
constexpr std::size_t kTenants = 20;

/// Streams of random numbers that do not disturb each other: what one draws more changes nothing for the others.
enum class Stream : std::uint64_t { kShapes = 1, kArrivals, kDetails };

std::uint64_t seed_of(std::uint64_t seed, Stream stream) {
  Rng rng(seed);
  std::uint64_t derived = 0;
  for (std::uint64_t i = 0; i < static_cast<std::uint64_t>(stream); ++i) derived = rng.next();
  return derived;
}

struct PriorityShare {
  std::int32_t priority;
  double up_to;
};
/// Of all jobs but interactive ones, which have a level of their own.
constexpr std::array kPriorities = {PriorityShare{0, 0.3}, PriorityShare{100, 0.9}, PriorityShare{200, 1.0}};
constexpr std::int32_t kInteractivePriority = 300;

/// Tenants by Zipf's law: the k-th has a share of 1 / k.
class Tenants {
 public:
  Tenants() {
    double sum = 0;
    for (std::size_t i = 0; i < kTenants; ++i) {
      sum += 1.0 / static_cast<double>(i + 1);
      up_to_[i] = sum;
      names_[i] = fmt::format("team-{}", i + 1);
    }
  }

  [[nodiscard]] const std::string& draw(Rng& rng) const {
    const double rank = uniform(rng) * up_to_.back();
    const auto found = std::find_if(up_to_.begin(), up_to_.end() - 1, [&](double up_to) { return rank < up_to; });
    return names_[static_cast<std::size_t>(found - up_to_.begin())];
  }

 private:
  std::array<double, kTenants> up_to_{};
  std::array<std::string, kTenants> names_;
};

std::int64_t largest_power_of_two_up_to(std::int64_t number) {
  std::int64_t power = 1;
  while (2 * power <= number) power *= 2;
  return power;
}

/// GPU seconds of all jobs.
double total_demand(const GeneratorOptions& options, const JobShapes& shapes) {
  Rng rng(seed_of(options.seed, Stream::kShapes));
  double sum = 0;
  for (std::size_t i = 0; i < options.jobs; ++i) {
    const JobShape shape = shapes.draw(rng);
    sum += static_cast<double>(shape.gpus * (shape.run_time.nanoseconds / kNanosecondsOfSecond));
  }
  return sum;
}

std::int64_t max_job(const GeneratorOptions& options) {
  return std::min(options.max_gpus, options.nodes * options.gpus_per_node);
}

class Generator final : public WorkSource {
 public:
  explicit Generator(const GeneratorOptions& options)
      : options_(options),
        shapes_(max_job(options)),
        gpus_of_a_pod_(largest_power_of_two_up_to(std::min(options.gpus_per_node, kMostGpusOfAPod))),
        shape_rng_(seed_of(options.seed, Stream::kShapes)),
        detail_rng_(seed_of(options.seed, Stream::kDetails)),
        rhythm_(options.start, span(options, shapes_), static_cast<double>(std::max<std::size_t>(options.jobs, 1)),
                seed_of(options.seed, Stream::kArrivals)) {}

  Result<std::optional<Work>> next() override {
    if (made_ == options_.jobs) return std::nullopt;
    const JobShape shape = shapes_.draw(shape_rng_);
    Work work;
    work.name = fmt::format("job-{}", ++made_);
    work.arrives = rhythm_.next();
    work.run_time = shape.run_time;
    work.work_class = shape.work_class;
    work.tenant = tenants_.draw(detail_rng_);
    const std::optional<std::int32_t> priority = draw_priority(shape);
    const Duration modal = modal_estimate(shape.run_time, detail_rng_);
    work.estimate = options_.estimates == Estimates::kExact ? shape.run_time : modal;
    const std::int64_t gpus = std::min(shape.gpus, gpus_of_a_pod_);
    work.pods.push_back({pod(gpus, priority, work.tenant), static_cast<std::size_t>(shape.gpus / gpus)});
    work.is_gang = work.pods.front().count > 1;
    return work;
  }

 private:
  /// As long as it takes a cluster to give the share `load` of its GPU time.
  static Duration span(const GeneratorOptions& options, const JobShapes& shapes) {
    const double gpus = static_cast<double>(options.nodes * options.gpus_per_node);
    const double seconds = total_demand(options, shapes) / (options.load * gpus);
    return Duration::seconds(static_cast<std::int64_t>(std::clamp(seconds, 1.0, 3e9)));
  }

  std::optional<std::int32_t> draw_priority(const JobShape& shape) {
    const double rank = uniform(detail_rng_);
    if (!options_.has_priorities) return std::nullopt;
    if (shape.work_class == "interactive") return kInteractivePriority;
    return std::find_if(kPriorities.begin(), kPriorities.end() - 1,
                        [&](const PriorityShare& each) { return rank < each.up_to; })
        ->priority;
  }

  std::shared_ptr<const kube::Pod> pod(std::int64_t gpus, std::optional<std::int32_t> priority,
                                       const std::string& tenant) {
    auto& known = known_[{gpus, priority, tenant}];
    if (known == nullptr) {
      PodOfOneContainer row;
      row.resources.emplace("cpu", kube::Quantity::of(gpus * kCpusOfAGpu));
      row.resources.emplace("memory",
                            kube::Quantity::of(gpus * kGibibytesOfAGpu << 30U, kube::Quantity::Format::kBinarySI));
      row.resources.emplace(kGpuResource, kube::Quantity::of(gpus));
      row.priority = priority;
      known = pods_.pod(row, tenant);
    }
    return known;
  }

  GeneratorOptions options_;
  JobShapes shapes_;
  std::int64_t gpus_of_a_pod_;
  Rng shape_rng_;
  Rng detail_rng_;
  ArrivalRhythm rhythm_;
  Tenants tenants_;
  PodsOfOneContainer pods_;
  std::map<std::tuple<std::int64_t, std::optional<std::int32_t>, std::string>, std::shared_ptr<const kube::Pod>> known_;
  std::size_t made_ = 0;
};

}  // namespace

Result<std::unique_ptr<WorkSource>> generate(const GeneratorOptions& options) {
  if (options.jobs > kMostJobs) return failure(fmt::format("jobs: {} are more than {}", options.jobs, kMostJobs));
  if (options.nodes < 1) return failure(fmt::format("nodes: {} is not at least 1", options.nodes));
  if (options.gpus_per_node < 1)
    return failure(fmt::format("GPUs per node: {} is not at least 1", options.gpus_per_node));
  if (options.nodes > kMostGpus / options.gpus_per_node) {
    return failure(
        fmt::format("{} nodes of {} GPUs are more than {} GPUs", options.nodes, options.gpus_per_node, kMostGpus));
  }
  if (options.max_gpus < 1) return failure(fmt::format("most GPUs of a job: {} is not at least 1", options.max_gpus));
  if (!(options.load >= 0.001 && options.load <= 100)) {
    return failure(fmt::format("load: {} is not between 0.001 and 100; 0.9 is nine tenths of the GPUs", options.load));
  }
  return std::make_unique<Generator>(options);
}

}  // namespace loadline::trace
