#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>

#include "brain/engine/policy.h"
#include "foundation/base/result.h"
#include "foundation/base/time.h"
#include "hosts/replay/observer.h"
#include "hosts/replay/summary.h"
#include "hosts/trace/work.h"
#include "objects/kube/config/scheduler_configuration.h"
#include "objects/kube/objects.h"

namespace loadline::replay {

struct ReplayOptions {
  Instant start;                                    ///< of the trace: its time zero
  std::optional<Duration> until;                    ///< nothing later happens; nullopt: until nothing is left to happen
  Duration sample_every = Duration::seconds(3600);  ///< how often the observer gets a sample; the first one at 0
  engine::Policy policy;
  /// Called now and then with how many works have arrived; may be empty.
  std::function<void(std::size_t)> progress;
};

/// Lets the works of `source` arrive in a cluster, runs and ends their pods, and lets the scheduler decide, in virtual
/// time, by the code that decides in a plan and in a live cluster.
///
/// `cluster` brings the nodes, and pods that are on them already, which stay for ever; its other pods and its workloads
/// take no part. Pods run from the moment they are placed, as on virtual nodes without annotations. A pod of a work
/// that is no gang ends Work::run_time after it was placed, a gang so long after the last of its pods was. A pod that
/// was preempted leaves after its grace period, and another one waits in its stead; a gang that lost one has lost its
/// run, and begins it again once it is whole. Kueue's queues among the objects of `cluster` decide when works start,
/// see QueuedWorks; no ResourceQuota and no disruption budget takes part: the trace is what was created.
///
/// At one time, what ends goes first, then what is deleted, then what arrives; the scheduler works when all that has
/// happened. So it does at the trace's own order, and the same source gives the same decisions.
///
/// Memory follows the works that are there at one time, and some numbers of each work. Errors: the configuration is
/// inconsistent, or the source cannot be read further.
Result<Summary> replay(const kube::Objects& cluster, const kube::SchedulerConfiguration& configuration,
                       trace::WorkSource& source, const ReplayOptions& options, Observer& observer);

}  // namespace loadline::replay
