#pragma once

#include <cstdint>
#include <memory>

#include "foundation/base/result.h"
#include "foundation/base/rng.h"
#include "hosts/trace/work.h"
#include "objects/kube/objects.h"

namespace loadline::replay {

/// A number of the standard normal distribution, by the method of Box and Muller (1958): two numbers of `rng` each.
double standard_normal(Rng& rng);

/// Puts the nodes into an order that the seed gives. The scheduler takes the first of equally good nodes, so another
/// seed breaks ties otherwise. Source of the method: FGD's protocol, which renames nodes by a random permutation.
void shuffle_nodes(kube::Objects& objects, std::uint64_t seed);

/// The works of another source, whose run times are exp(sigma × N(0, 1)) times as long, in whole seconds, at least one:
/// what would have become of a queue if jobs had run a little longer or shorter. Estimates stay.
class NoisyWorks final : public trace::WorkSource {
 public:
  NoisyWorks(std::unique_ptr<trace::WorkSource> source, double sigma, std::uint64_t seed)
      : source_(std::move(source)), sigma_(sigma), rng_(seed) {}
  Result<std::optional<trace::Work>> next() override;

 private:
  std::unique_ptr<trace::WorkSource> source_;
  double sigma_;
  Rng rng_;
};

/// FGD's way to fill a cluster: the works in random order, one a second, and behind them copies of works that are drawn
/// at random, until the next draw would ask for more than `ratio` times `gpus`, a number of GPUs in thousandths. None
/// of them ever leaves. Where the works ask for more than that in the first place, random ones are left out until they
/// do not. Reads the whole source. Errors: those of the source; no work asks for a GPU. Source: Weng et al., "Beware of
/// Fragmentation", USENIX ATC'23, section 6: workload inflation.
Result<std::unique_ptr<trace::WorkSource>> fill_cluster(trace::WorkSource& source, std::int64_t gpus, double ratio,
                                                        std::uint64_t seed);

}  // namespace loadline::replay
