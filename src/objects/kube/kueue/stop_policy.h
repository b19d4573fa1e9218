#pragma once

#include <cstdint>

namespace loadline::kube {

/// Of a ClusterQueue or a LocalQueue: whether workloads are admitted from it.
enum class StopPolicy : std::uint8_t {
  kNone,
  kHoldAndDrain,  ///< nothing is admitted, and what was admitted is evicted
  kHold,          ///< nothing is admitted, reservations are cancelled, and what was admitted runs on
};

}  // namespace loadline::kube
