#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <tuple>
#include <vector>

#include "brain/cluster/cluster.h"
#include "hosts/replay/gpus.h"

namespace loadline::replay {

/// The mix of pods that arrive, and how much of the free GPUs is of no use to it.
///
/// Fragmentation of a node with T free GPUs: the sum over typical pods m of share(m) × f(m), where f(m) is 0 if the
/// node has the GPUs and the CPUs that m asks for, and T if it has not, or if m asks for no GPU. Typical are the most
/// frequent pods by CPUs and GPUs that make up 95 % of those that have arrived. Memory counts for nothing.
/// Source: FGD (Weng et al., USENIX ATC'23), section 3; devices of a node are not told apart here, so what FGD counts
/// of single GPUs that are too small for a share is left out.
class TypicalPods {
 public:
  explicit TypicalPods(const GpuCount& gpus) : gpus_(gpus) {}

  void arrived(const cluster::PodShape& shape, std::size_t pods);
  /// In thousandths of GPUs, summed over all nodes. O(nodes × typical pods).
  [[nodiscard]] double fragmented(const cluster::Cluster& cluster) const;

 private:
  using Amounts = std::tuple<std::int64_t, std::int64_t>;  // milli-CPUs, thousandths of GPUs
  struct Typical {
    std::int64_t cpu = 0;
    std::int64_t gpus = 0;
    double share = 0;
  };
  [[nodiscard]] std::vector<Typical> typical() const;

  const GpuCount& gpus_;
  std::map<Amounts, std::size_t> counts_;
  std::size_t total_ = 0;
};

}  // namespace loadline::replay
