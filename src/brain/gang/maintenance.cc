#include "brain/gang/maintenance.h"

#include <algorithm>

#include "brain/cluster/facts/taint_eviction.h"
#include "brain/gang/expected_ends.h"
#include "objects/kube/defaults.h"
#include "objects/kube/expected_run.h"
#include "objects/kube/maintenance_annotations.h"
#include "objects/kube/preemption_annotations.h"

namespace loadline::gang {
namespace {

/// When checkpoints are due each `interval` from `since` on: the first time after `now`.
Instant next_due(Instant since, Duration interval, Instant now) {
  if (since > now) return since;
  const std::int64_t passed = (now - since).nanoseconds / interval.nanoseconds;
  return since + Duration{(passed + 1) * interval.nanoseconds};
}

/// When the gang is expected to end by itself, if that is early enough.
std::optional<Instant> end_in_time(const DrainedGang& gang, const DrainWindow& window, Instant now) {
  if (!gang.ends) return std::nullopt;
  if (*gang.ends > now) return *gang.ends <= window.deadline ? gang.ends : std::nullopt;
  const Instant corrected = ExpectedEnds::corrected(*gang.ends, now);
  return corrected <= latest_leave(gang, window) ? std::optional(corrected) : std::nullopt;
}

}  // namespace

MemberRun run_of(const kube::Pod& pod) {
  const std::int64_t grace = pod.spec->termination_grace_period_seconds.value_or(kube::kDefaultGracePeriodSeconds);
  return {pod.status.start_time, kube::expected_run(pod), kube::last_checkpoint(pod), kube::checkpoint_interval(pod),
          Duration::seconds(std::clamp<std::int64_t>(grace, 0, cluster::kCentury))};
}

DrainedGang as_one(std::span<const MemberRun> members) {
  DrainedGang all;
  std::optional<Duration> expected = Duration{};
  for (const MemberRun& run : members) {
    if (run.started) all.started = std::max(all.started.value_or(*run.started), *run.started);
    expected = expected && run.expected ? std::optional(std::max(*expected, *run.expected)) : std::nullopt;
    if (run.last_checkpoint) {
      all.last_checkpoint = std::min(all.last_checkpoint.value_or(*run.last_checkpoint), *run.last_checkpoint);
    }
    if (run.checkpoint_interval) {
      all.checkpoint_interval = std::max(all.checkpoint_interval.value_or(Duration{}), *run.checkpoint_interval);
    }
    all.grace = std::max(all.grace, run.grace);
  }
  if (all.started && expected) all.ends = *all.started + *expected;
  return all;
}

Instant latest_leave(const DrainedGang& gang, const DrainWindow& window) {
  return Instant{window.deadline.nanoseconds - gang.grace.nanoseconds};
}

LeaveTime leave_time(const DrainedGang& gang, const DrainWindow& window, Instant now) {
  if (!gang.started) return {LeaveReason::kNotStarted, now};
  if (const std::optional<Instant> end = end_in_time(gang, window, now)) return {LeaveReason::kEndsByItself, *end};
  const bool has_saved = gang.last_checkpoint && *gang.last_checkpoint <= now;
  if (has_saved && *gang.last_checkpoint >= window.announced) return {LeaveReason::kAfterCheckpoint, now};
  const Instant latest = latest_leave(gang, window);
  if (gang.checkpoint_interval) {
    const Instant last = has_saved ? std::max(*gang.started, *gang.last_checkpoint) : *gang.started;
    const Instant due = next_due(last, *gang.checkpoint_interval, now);
    if (due <= latest) return {LeaveReason::kAfterCheckpoint, due};
    const bool is_overdue = last + *gang.checkpoint_interval <= now;
    if (!is_overdue) return {LeaveReason::kNoCheckpointInTime, now};
  }
  return {LeaveReason::kAtTheLatest, std::max(latest, now)};
}

}  // namespace loadline::gang
