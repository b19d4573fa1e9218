#include "brain/cluster/facts/taint_eviction.h"

#include <algorithm>

namespace loadline::cluster {

std::optional<Duration> time_to_stay(std::span<const CompiledTaint> taints,
                                     std::span<const CompiledToleration> tolerations) {
  std::optional<Duration> shortest;
  for (const CompiledTaint& taint : taints) {
    if (taint.effect != kube::TaintEffect::kNoExecute) continue;
    const auto used = std::find_if(tolerations.begin(), tolerations.end(),
                                   [&](const auto& toleration) { return tolerates(toleration, taint); });
    if (used == tolerations.end()) return Duration{};
    if (!used->seconds || *used->seconds > kCentury) continue;
    const Duration limit = Duration::seconds(std::max<std::int64_t>(*used->seconds, 0));
    shortest = shortest ? std::min(*shortest, limit) : limit;
  }
  return shortest;
}

}  // namespace loadline::cluster
