#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "foundation/base/time.h"
#include "objects/kube/core/pod.h"

namespace loadline::gang {

/// What is known of the run of one member.
struct MemberRun {
  std::optional<Instant> started;               ///< nullopt: it does not run yet
  std::optional<Duration> expected;             ///< so long it runs; nullopt: nobody knows
  std::optional<Instant> last_checkpoint;       ///< nullopt: it says none
  std::optional<Duration> checkpoint_interval;  ///< so often it saves its work; nullopt: it does not say
  Duration grace;                               ///< so long it may take to leave
};
MemberRun run_of(const kube::Pod& pod);

/// A gang of which members are on nodes that are to be free by a deadline. Its members leave together.
struct DrainedGang {
  std::optional<Instant> started;  ///< the last start among its members that run; nullopt: none does
  std::optional<Instant> ends;     ///< when it is expected to end by itself; nullopt: nobody knows
  /// The oldest among those that members say; nullopt: none says one. One that is still to come counts for nothing.
  std::optional<Instant> last_checkpoint;
  std::optional<Duration> checkpoint_interval;  ///< the longest among its members'; nullopt: nobody says one
  Duration grace;                               ///< the longest grace period of its members
};

/// Of these members, which end together: so long after the last of them has started. O(members).
DrainedGang as_one(std::span<const MemberRun> members);

/// From when it is known until when the nodes are to be free.
struct DrainWindow {
  Instant announced;
  Instant deadline;
};

/// Why a gang leaves when it does.
enum class LeaveReason : std::uint8_t {
  kNotStarted,          ///< at once: it does not run yet, so nothing is lost
  kEndsByItself,        ///< it is left alone: it is expected to end before the deadline
  kAfterCheckpoint,     ///< right after its next checkpoint
  kNoCheckpointInTime,  ///< at once: its next checkpoint is due too late, so all that it did until then would be lost
  kAtTheLatest,         ///< as late as its grace period allows: nobody knows when it saves its work
};

struct LeaveTime {
  LeaveReason why = LeaveReason::kAtTheLatest;
  Instant at;  ///< never before now; of kEndsByItself: when it is expected to end
  friend bool operator==(const LeaveTime&, const LeaveTime&) = default;
};

/// When all of the gang would have to be asked to leave, for its grace period to be over at the deadline.
Instant latest_leave(const DrainedGang& gang, const DrainWindow& window);

/// When a gang leaves nodes that are to be free by a deadline, as far as it is known now. The first rule that holds:
///
///   1. None of it runs yet: at once.
///   2. It ends by itself by the deadline: it is left alone. An end that has passed is expected a little later
///      (ExpectedEnds::corrected), and counts if that is before the latest time to leave.
///   3. It has saved its work since the drain was announced: at once.
///   4. Its next checkpoint is due before the latest time to leave: when it is due. Checkpoints are due each interval
///      from the last one on, or from the start.
///   5. Its next checkpoint is due after that, and none is overdue: at once. What it would do until the deadline, it
///      would lose.
///   6. Else at the latest time at which its grace period ends by the deadline.
///
/// Example: announced at 12:00 to be free by 14:00, grace 5 min. A gang that saved its work at 11:50 and does so each
/// hour leaves at 12:50; one that does so every three hours leaves at 12:00; one that says nothing at 13:55.
/// O(1).
LeaveTime leave_time(const DrainedGang& gang, const DrainWindow& window, Instant now);

}  // namespace loadline::gang
