#include "simulator/taint_eviction.h"

#include <algorithm>

namespace loadline::simulator {

std::optional<Duration> time_to_stay(const cluster::NodeFacts& node, const cluster::PodShape& pod) {
  std::optional<Duration> shortest;
  for (const cluster::CompiledTaint& taint : node.taints) {
    if (taint.effect != kube::TaintEffect::kNoExecute) continue;
    const auto used = std::find_if(pod.tolerations.begin(), pod.tolerations.end(),
                                   [&](const auto& toleration) { return cluster::tolerates(toleration, taint); });
    if (used == pod.tolerations.end()) return Duration{};
    if (!used->seconds || *used->seconds > kCentury) continue;
    const Duration limit = Duration::seconds(std::max<std::int64_t>(*used->seconds, 0));
    shortest = shortest ? std::min(*shortest, limit) : limit;
  }
  return shortest;
}

}  // namespace loadline::simulator
