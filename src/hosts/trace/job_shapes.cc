#include "hosts/trace/job_shapes.h"

#include <algorithm>

#include "foundation/base/contract.h"
#include "hosts/trace/portable_math.h"

namespace loadline::trace {
namespace {

struct SizeWeight {
  std::int64_t gpus;
  double weight;
};
constexpr std::array kSizes = {SizeWeight{1, 52.0}, SizeWeight{2, 13.0},  SizeWeight{4, 12.0},
                               SizeWeight{8, 14.0}, SizeWeight{16, 4.5},  SizeWeight{32, 2.5},
                               SizeWeight{64, 1.2}, SizeWeight{128, 0.5}, SizeWeight{256, 0.3}};
/// Of all jobs with a single GPU, those that people wait for.
constexpr double kInteractive = 0.4;

constexpr double kLogMedian = 7.090076835776092;  // ln 1200 s
constexpr double kSigma = 1.8347878621366676;     // ln(12600 / 1200) / inverse_normal(0.9)
constexpr double kCorrelation = 0.3;
constexpr double kRest = 0.9539392014169457;  // sqrt(1 - 0.3²)
constexpr std::int64_t kLongestRun = 7 * 24 * 3600;

std::string_view class_of(std::int64_t gpus, double rank_of_single) {
  if (gpus > 8) return "large";
  if (gpus > 1) return "training";
  return rank_of_single < kInteractive ? "interactive" : "experiment";
}

}  // namespace

JobShapes::JobShapes(std::int64_t max_gpus) {
  REQUIRES(max_gpus >= 1);
  double sum = 0;
  for (const SizeWeight& size : kSizes) {
    if (size.gpus > max_gpus) break;
    sum += size.weight;
    sizes_.push_back({size.gpus, sum});
  }
  for (Size& size : sizes_) size.up_to /= sum;
}

JobShape JobShapes::draw(Rng& rng) const {
  const double rank = uniform(rng);
  const double normal = kCorrelation * inverse_normal(rank) + kRest * inverse_normal(uniform(rng));
  const double seconds = exponential(kLogMedian + kSigma * normal);
  const auto whole = static_cast<std::int64_t>(std::min(seconds + 0.5, static_cast<double>(kLongestRun)));
  const auto size = std::find_if(sizes_.begin(), sizes_.end() - 1, [&](const Size& each) { return rank < each.up_to; });
  return {size->gpus, Duration::seconds(std::max<std::int64_t>(whole, 1)),
          class_of(size->gpus, rank / sizes_.front().up_to)};
}

}  // namespace loadline::trace
