#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/report/scope.h"
#include "foundation/base/time.h"
#include "hosts/timeline/timeline.h"

namespace loadline::report {

/// "pending", "starting", "running", "completed", "failed" or "deleted".
std::string_view ending_word(timeline::Ending ending);

/// "Job ml/train".
std::string workload_text(const timeline::WorkloadName& name);

/// How many workloads stand how when a timeline ends.
struct Endings {
  std::size_t workloads = 0;
  std::size_t pending = 0;
  std::size_t starting = 0;
  std::size_t running = 0;
  std::size_t completed = 0;
  std::size_t failed = 0;
  std::size_t deleted = 0;
  std::size_t lost = 0;       ///< of those deleted the bare pods: no controller brings them back
  std::size_t undecided = 0;  ///< that queues of other projects decide about: WorkloadLife::undecided
  std::size_t refused = 0;    ///< objects that the API server did not take: the warnings among the notes

  [[nodiscard]] std::size_t waiting() const { return pending + starting; }
  /// Everything has started or ended well, and nothing was left undecided: exit status 0.
  [[nodiscard]] bool all_well() const { return would_be_well() && undecided == 0; }
  /// The same, as if queues of other projects let start what they are asked for.
  [[nodiscard]] bool would_be_well() const { return waiting() + failed + lost + refused == 0; }
};

Endings endings_of(const timeline::Timeline& timeline);

/// A pod that is gone although its owner did not delete it: a bare one, which had to go for others or with its node.
bool is_lost(const timeline::WorkloadLife& workload);

/// From a workload's arrival until the first of its pods got a node; if none did, until it was gone, or the end.
Duration waiting_of(const timeline::WorkloadLife& workload, Duration end);

/// The median of all workloads' waiting; nothing if there are none.
std::optional<Duration> median_waiting(const timeline::Timeline& timeline);

/// From the first arrival to the last end, or to the end of the timeline if a workload runs or waits still.
Duration makespan_of(const timeline::Timeline& timeline);

/// What a workload does for a while.
enum class Activity : std::uint8_t {
  kWaiting,   ///< it has pods, and none of them has a node
  kStarting,  ///< some of its pods have nodes, others wait
  kRunning,   ///< all of its pods have nodes
};

struct Phase {
  Activity activity = Activity::kWaiting;
  Duration from;
  Duration to;
};

/// The phases of each workload, in order; while a workload has no pods (between two runs of a CronJob) there is none. A
/// workload that never had pods waits from its arrival. Two phases that meet differ in what is done. O(pods log pods).
std::vector<std::vector<Phase>> phases_of(const timeline::Timeline& timeline);

/// The shares of what is allocatable that are requested, from each change on; 0 where nothing is allocatable.
std::vector<timeline::Step> shares_of(const timeline::ResourceUse& use);

/// The mean over the time from `from` to `to` of what steps say; 0 before the first one. Of no time: the value then.
double mean_of(const std::vector<timeline::Step>& steps, Duration from, Duration to);

/// The means of `cells` equal parts of the time from the beginning to `end`. O(steps + cells).
std::vector<double> means_of(const std::vector<timeline::Step>& steps, Duration end, std::size_t cells);

/// Whether there is any of it: what no node has and no pod asks for is not worth a line.
bool is_there(const timeline::ResourceUse& use);

/// The timeline without the workloads and pods of other namespaces; what is about all nodes stays as it is.
timeline::Timeline narrowed_to(const timeline::Timeline& timeline, const Scope& scope);

}  // namespace loadline::report
