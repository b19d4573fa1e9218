// When a gang leaves nodes that are to be free by a deadline.
#include "brain/gang/maintenance.h"

#include <gmock/gmock.h>

namespace loadline::gang {
namespace {

constexpr Instant minute(std::int64_t minutes) { return Instant{} + Duration::seconds(60 * minutes); }
constexpr Duration minutes(std::int64_t count) { return Duration::seconds(60 * count); }

/// The drain is announced at minute 720, and the nodes are to be free at minute 840: at 12:00 and at 14:00.
constexpr DrainWindow kWindow{minute(720), minute(840)};

/// Runs since 02:00; its grace period is five minutes, so it leaves at 13:55 at the latest.
DrainedGang gang() { return {minute(120), std::nullopt, std::nullopt, std::nullopt, minutes(5)}; }

TEST(LeaveTime, OfAGangThatSaysNothingIsTheLatest) {
  EXPECT_EQ(leave_time(gang(), kWindow, minute(720)), (LeaveTime{LeaveReason::kAtTheLatest, minute(835)}));
}

TEST(LeaveTime, IsNowWhereTheGracePeriodIsLongerThanWhatIsLeft) {
  DrainedGang slow = gang();
  slow.grace = minutes(180);
  EXPECT_EQ(leave_time(slow, kWindow, minute(720)), (LeaveTime{LeaveReason::kAtTheLatest, minute(720)}));
  EXPECT_EQ(leave_time(gang(), kWindow, minute(900)), (LeaveTime{LeaveReason::kAtTheLatest, minute(900)}));
}

TEST(LeaveTime, IsNowForAGangThatDoesNotRunYet) {
  DrainedGang fresh = gang();
  fresh.started.reset();
  EXPECT_EQ(leave_time(fresh, kWindow, minute(720)), (LeaveTime{LeaveReason::kNotStarted, minute(720)}));
}

TEST(LeaveTime, LeavesAloneWhatEndsByTheDeadline) {
  DrainedGang ending = gang();
  ending.ends = minute(840);
  EXPECT_EQ(leave_time(ending, kWindow, minute(720)), (LeaveTime{LeaveReason::kEndsByItself, minute(840)}));
  ending.ends = minute(841);
  EXPECT_EQ(leave_time(ending, kWindow, minute(720)), (LeaveTime{LeaveReason::kAtTheLatest, minute(835)}));
}

TEST(LeaveTime, WaitsForWhatOutlivesItsEndOnlyUntilTheLatest) {
  DrainedGang late = gang();
  late.ends = minute(719);
  // It is expected to end a minute after its end, then two, and so on.
  EXPECT_EQ(leave_time(late, kWindow, minute(720)), (LeaveTime{LeaveReason::kEndsByItself, minute(721)}));
  late.ends = minute(836);
  EXPECT_EQ(leave_time(late, kWindow, minute(836)), (LeaveTime{LeaveReason::kAtTheLatest, minute(836)}));
}

TEST(LeaveTime, IsWhenTheNextCheckpointIsDue) {
  DrainedGang saving = gang();
  saving.last_checkpoint = minute(710);
  saving.checkpoint_interval = minutes(60);
  EXPECT_EQ(leave_time(saving, kWindow, minute(720)), (LeaveTime{LeaveReason::kAfterCheckpoint, minute(770)}));
  // Where it has saved nothing yet, the interval counts from its start, at minute 120.
  saving.last_checkpoint.reset();
  EXPECT_EQ(leave_time(saving, kWindow, minute(720)), (LeaveTime{LeaveReason::kAfterCheckpoint, minute(780)}));
}

TEST(LeaveTime, IsNowOnceTheWorkIsSaved) {
  DrainedGang saved = gang();
  saved.last_checkpoint = minute(730);
  saved.checkpoint_interval = minutes(60);
  EXPECT_EQ(leave_time(saved, kWindow, minute(731)), (LeaveTime{LeaveReason::kAfterCheckpoint, minute(731)}));
  // A checkpoint before the announcement is not the one that it waits for, and one that is still to come is a mistake.
  saved.last_checkpoint = minute(719);
  EXPECT_EQ(leave_time(saved, kWindow, minute(731)), (LeaveTime{LeaveReason::kAfterCheckpoint, minute(779)}));
  saved.last_checkpoint = minute(900);
  EXPECT_EQ(leave_time(saved, kWindow, minute(731)), (LeaveTime{LeaveReason::kAfterCheckpoint, minute(780)}));
}

TEST(LeaveTime, IsNowIfTheNextCheckpointComesTooLate) {
  DrainedGang rare = gang();
  rare.last_checkpoint = minute(710);
  rare.checkpoint_interval = minutes(180);
  EXPECT_EQ(leave_time(rare, kWindow, minute(720)), (LeaveTime{LeaveReason::kNoCheckpointInTime, minute(720)}));
}

TEST(LeaveTime, WaitsForACheckpointThatIsOverdue) {
  DrainedGang overdue = gang();
  overdue.last_checkpoint = minute(600);
  overdue.checkpoint_interval = minutes(125);  // due at minute 725, and again at minute 850
  EXPECT_EQ(leave_time(overdue, kWindow, minute(720)), (LeaveTime{LeaveReason::kAfterCheckpoint, minute(725)}));
  EXPECT_EQ(leave_time(overdue, kWindow, minute(726)), (LeaveTime{LeaveReason::kAtTheLatest, minute(835)}));
}

TEST(AsOne, TakesTheLastStartTheOldestCheckpointAndTheLongestGracePeriod) {
  const MemberRun members[] = {{minute(0), minutes(60), minute(30), minutes(10), minutes(1)},
                               {minute(5), minutes(50), std::nullopt, minutes(20), minutes(2)},
                               {minute(3), minutes(40), minute(20), std::nullopt, minutes(0)}};
  const DrainedGang all = as_one(members);
  EXPECT_EQ(all.started, minute(5));
  EXPECT_EQ(all.ends, minute(65));
  EXPECT_EQ(all.last_checkpoint, minute(20));
  EXPECT_EQ(all.checkpoint_interval, minutes(20));
  EXPECT_EQ(all.grace, minutes(2));
}

TEST(AsOne, KnowsNoEndWhereAMemberSaysNone) {
  MemberRun members[] = {{minute(0), minutes(60), {}, {}, {}}, {minute(5), {}, {}, {}, {}}};
  EXPECT_EQ(as_one(members).ends, std::nullopt);
  members[0].started.reset();
  EXPECT_EQ(as_one(members).started, minute(5)) << "one that comes later does not undo what the other has done";
  members[1].started.reset();
  EXPECT_EQ(as_one(members).started, std::nullopt);
}

/// Whatever a gang says, it is asked to leave early enough for its grace period, or at once; and it never leaves later
/// than one that says nothing.
TEST(LeaveTime, IsNeverLaterThanTheGracePeriodAllows) {
  for (std::int64_t last = 700; last <= 730; last += 3) {
    for (std::int64_t interval = 1; interval <= 200; interval += 7) {
      for (std::int64_t now = 730; now <= 845; now += 5) {
        DrainedGang any = gang();
        any.last_checkpoint = minute(last);
        any.checkpoint_interval = minutes(interval);
        const LeaveTime leaves = leave_time(any, kWindow, minute(now));
        EXPECT_GE(leaves.at, minute(now));
        EXPECT_LE(leaves.at, std::max(latest_leave(any, kWindow), minute(now)));
      }
    }
  }
}

}  // namespace
}  // namespace loadline::gang
