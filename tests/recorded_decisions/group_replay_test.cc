// Recorded cycles of groups, and the same with one thing changed: each part of them is compared.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <string>

#include "recorded_decisions/recorded_case.h"
#include "recorded_decisions/replay.h"

namespace loadline::recorded_decisions {
namespace {

using ::testing::HasSubstr;

using Change = std::function<void(RecordedCase&)>;

/// Every divergence as text, or the error; empty if all is as recorded.
std::string outcome_of(const std::string& name, const Change& change = nullptr) {
  Result<RecordedCase> recorded = load_case(LOADLINE_SOURCE_DIR "/conformance/cases/" + name);
  if (!recorded) return recorded.error().message;
  if (change) change(*recorded);
  const Result<Replay> replayed = replay(*recorded);
  if (!replayed) return replayed.error().message;
  std::string outcome;
  for (const Divergence& divergence : replayed->divergences) outcome += divergence.to_string();
  return outcome;
}

/// What shows once the first cycle of the group that is rolled back is recorded otherwise.
std::string outcome_with(const std::function<void(RecordedGroupCycle&)>& change) {
  return outcome_of("group-rolled-back", [&](RecordedCase& recorded) { change(recorded.group_cycles.front()); });
}

TEST(GroupReplay, WholeTurnsAreAmongThoseCompared) {
  const Result<RecordedCase> recorded = load_case(LOADLINE_SOURCE_DIR "/conformance/cases/group-without-its-surplus");
  ASSERT_TRUE(recorded) << recorded.error().message;
  const Result<Replay> replayed = replay(*recorded);
  ASSERT_TRUE(replayed) << replayed.error().message;
  EXPECT_EQ(replayed->group_turns, 2u);
  EXPECT_TRUE(replayed->divergences.empty());
}

TEST(GroupReplay, EachPartOfACycleIsCompared) {
  EXPECT_THAT(outcome_with([](RecordedGroupCycle& cycle) { cycle.outcome = "scheduled"; }),
              HasSubstr("(a/g): group: outcome\n  expected: scheduled\n  actual:   unschedulable"));
  EXPECT_THAT(outcome_with([](RecordedGroupCycle& cycle) { cycle.members[1].message = "m"; }),
              HasSubstr("group: message\n  expected: m\n"));
  EXPECT_THAT(outcome_with([](RecordedGroupCycle& cycle) { cycle.members[1].reason = "r"; }),
              HasSubstr("group: reason\n  expected: r\n"));
  EXPECT_THAT(outcome_with([](RecordedGroupCycle& cycle) { cycle.members[1].nominated_node = "n1"; }),
              HasSubstr("group: nominated\n  expected: yes\n  actual:   no"));
  EXPECT_THAT(outcome_with([](RecordedGroupCycle& cycle) { cycle.condition->message = "m"; }),
              HasSubstr("group: condition\n  expected: False Unschedulable: m\n"));
  EXPECT_THAT(outcome_of("group-rolled-back", [](RecordedCase& recorded) { recorded.attempts[0].permit = "Success"; }),
              HasSubstr("(a/g-0): group: permit\n  expected: Success\n  actual:   Wait"));
}

TEST(GroupReplay, MembersAreSeenWhereTheOthersWerePut) {
  const std::string outcome = outcome_of("group-rolled-back", [](RecordedCase& recorded) {
    for (std::size_t i = 0; i < 2; ++i) recorded.attempts[i].assumed.reset();
  });
  EXPECT_THAT(outcome, HasSubstr("attempt 4 (a/g-1): result\n  expected: unschedulable\n  actual:   scheduled"));
}

TEST(GroupReplay, OneThatIsRecordedAsBoundStaysThere) {
  const std::string outcome = outcome_of("group-rolled-back", [](RecordedCase& recorded) {
    recorded.group_cycles.front().members[0].node = recorded.attempts[8].node;
    recorded.group_cycles.resize(1);
    recorded.attempts.resize(9);  // without the later cycles, and the attempts that they tell of
  });
  EXPECT_THAT(outcome, HasSubstr("group: bound\n  expected: yes\n  actual:   no"));
  EXPECT_THAT(outcome, HasSubstr("attempt 8 (a/s-3): result\n  expected: scheduled\n  actual:   unschedulable"));
}

TEST(GroupReplay, AMemberWithoutItsCycleIsAnError) {
  EXPECT_EQ(outcome_of("group-rolled-back", [](RecordedCase& recorded) { recorded.group_cycles.clear(); }),
            "group-rolled-back: attempt 0 (a/g-0): it is part of a group's cycle that is not there");
}

}  // namespace
}  // namespace loadline::recorded_decisions
