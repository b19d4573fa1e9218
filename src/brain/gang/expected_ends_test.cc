#include "brain/gang/expected_ends.h"

#include <gmock/gmock.h>

#include "brain/cluster/testing/node_builder.h"
#include "brain/cluster/testing/pod_builder.h"

namespace loadline::gang {
namespace {

using cluster::PodId;
using cluster::testing::node;
using cluster::testing::pod;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr Instant kNow = Instant{} + Duration::seconds(10'000);

Instant in(std::int64_t seconds) { return kNow + Duration::seconds(seconds); }

class ExpectedEndsTest : public ::testing::Test {
 protected:
  ExpectedEndsTest() : node_(cluster_.add_node(node("n"))) {}

  PodId run(const std::string& name, std::int64_t started, std::optional<std::int64_t> span,
            const std::string& group = "") {
    cluster::testing::PodBuilder builder = pod(name);
    if (!group.empty()) builder.group(group);
    const PodId id = cluster_.add_pod(builder);
    cluster_.place(id, node_);
    cluster_.set_started(id, in(started));
    if (span) cluster_.set_expected_run(id, Duration::seconds(*span));
    return id;
  }
  /// Of each pod that has a known end, how many seconds from now that is.
  std::vector<std::pair<PodId, std::int64_t>> ends() {
    std::vector<std::pair<PodId, std::int64_t>> seconds;
    const ExpectedEnds known(cluster_, kNow);
    for (const End& end : known.all()) {
      seconds.emplace_back(end.pod, (end.at - kNow).nanoseconds / 1'000'000'000);
    }
    return seconds;
  }

  cluster::Cluster cluster_;
  cluster::NodeId node_;
};

TEST_F(ExpectedEndsTest, APodEndsItsExpectedRunAfterItsStart) {
  const PodId late = run("late", -100, 400);
  const PodId early = run("early", 0, 200);
  EXPECT_THAT(ends(), ElementsAre(std::pair(early, 200), std::pair(late, 300)));
  const ExpectedEnds known(cluster_, kNow);
  EXPECT_TRUE(known.is_over(early, in(200)));
  EXPECT_FALSE(known.is_over(early, in(199)));
}

TEST_F(ExpectedEndsTest, NothingIsKnownOfAPodThatDoesNotSay) {
  const PodId silent = run("silent", -100, {});
  EXPECT_THAT(ends(), IsEmpty());
  EXPECT_FALSE(ExpectedEnds(cluster_, kNow).is_over(silent, in(1'000'000)));
}

TEST_F(ExpectedEndsTest, PodsOfAGroupEndTogether) {
  const PodId first = run("first", -500, 600, "g");
  const PodId last = run("last", -100, 600, "g");
  EXPECT_THAT(ends(), ElementsAre(std::pair(first, 500), std::pair(last, 500)));
}

TEST_F(ExpectedEndsTest, APodThatOutlivesItsEndGetsAMinuteThenTwoThenFour) {
  struct Case {
    std::int64_t overdue;
    std::int64_t more;
  };
  for (const Case& each : {Case{0, 60}, Case{59, 1}, Case{60, 60}, Case{119, 1}, Case{120, 120}, Case{240, 240}}) {
    EXPECT_EQ(ExpectedEnds::corrected(in(-each.overdue), kNow), in(each.more)) << each.overdue;
  }
}

TEST_F(ExpectedEndsTest, NothingIsKnownOfAPodOnceItHasOutlivedItsEndByMoreThanItsRun) {
  const PodId longer = run("longer", -1999, 1000);
  const PodId twice = run("twice", -2001, 1000);
  const PodId quick = run("quick", -310, 10);
  const PodId patience_is_over = run("over", -311, 10);
  EXPECT_THAT(ends(), ElementsAre(std::pair(quick, 180), std::pair(longer, 921)));
  ExpectedEnds known(cluster_, kNow);
  EXPECT_FALSE(known.is_over(twice, in(1'000'000)));
  EXPECT_FALSE(known.is_over(patience_is_over, in(1'000'000)));
  known.forget(longer);
  EXPECT_FALSE(known.is_over(longer, in(1'000'000)));
}

TEST_F(ExpectedEndsTest, EndsThatShouldHaveComeAreGuesses) {
  run("late", -100, 50);
  run("early", -100, 500);
  cluster_.set_terminating(run("leaving", -100, 500), true);
  const ExpectedEnds known(cluster_, kNow);
  std::vector<bool> guesses;
  for (const End& end : known.all()) guesses.push_back(end.is_guess);
  EXPECT_THAT(guesses, ElementsAre(true, true, false));
}

TEST_F(ExpectedEndsTest, WhatIsTerminatingEndsSoonWhateverItSaid) {
  const PodId leaving = run("leaving", -100, {});
  cluster_.set_terminating(leaving, true);
  EXPECT_THAT(ends(), ElementsAre(std::pair(leaving, 60)));
}

}  // namespace
}  // namespace loadline::gang
