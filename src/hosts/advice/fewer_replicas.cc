#include "hosts/advice/fewer_replicas.h"

#include "hosts/advice/obstacle_edits.h"
#include "hosts/advice/room.h"

namespace loadline::advice {
namespace {

using simulator::PodOutcome;
using simulator::SimulatedPod;
using simulator::WorkloadName;

/// It gives up what was asked for; the more of it, the worse.
constexpr double kRenunciation = 1.5;
constexpr double kAllOfIt = 2;

bool has_replicas(const WorkloadName& workload) {
  return workload.kind != "Pod" && workload.kind != "DaemonSet" && workload.kind != "CronJob";
}

}  // namespace

std::optional<UntriedRemedy> fewer_replicas(const simulator::Planning& planning, const Target& target) {
  if (!has_replicas(target.workload)) return std::nullopt;
  std::size_t waiting = 0;
  std::size_t placed = 0;
  for (const SimulatedPod& subject : planning.pods().list()) {
    if (simulator::name_of(subject.workload) != target.workload) continue;
    if (subject.on_a_node()) ++placed;
    if (subject.outcome == PodOutcome::kPending || subject.outcome == PodOutcome::kRejected) ++waiting;
  }
  if (placed == 0 || waiting == 0) return std::nullopt;
  const Scale scale = scale_of(planning, target.workload, waiting);
  const double share = scale.from > 0 ? static_cast<double>(scale.from - scale.to) / scale.from : 0;
  return UntriedRemedy{{scale}, {}, cost_of(scale) + kRenunciation + kAllOfIt * share};
}

}  // namespace loadline::advice
