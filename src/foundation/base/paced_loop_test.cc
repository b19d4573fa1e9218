#include "foundation/base/paced_loop.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "foundation/base/virtual_loop.h"

namespace loadline {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class PacedLoopTest : public ::testing::Test {
 protected:
  EventLoop::Task note(std::string what) {
    return [this, what = std::move(what)] { ran_.push_back(what); };
  }
  VirtualLoop under_{Instant{} + Duration::seconds(1000)};
  PacedLoop loop_{under_};
  std::vector<std::string> ran_;
};

TEST_F(PacedLoopTest, KeepsTheTimeOfTheLoopBelowAtFirst) {
  const auto timer = loop_.after(Duration::seconds(2), note("a"));
  under_.advance(Duration::seconds(1));
  EXPECT_THAT(ran_, IsEmpty());
  under_.advance(Duration::seconds(1));
  EXPECT_THAT(ran_, ElementsAre("a"));
  EXPECT_EQ(loop_.now(), Instant{} + Duration::seconds(1002));
}

TEST_F(PacedLoopTest, RunsFaster) {
  loop_.set_speed(60);
  const auto timer = loop_.after(Duration::seconds(600), note("a"));
  under_.advance(Duration::seconds(9));
  EXPECT_THAT(ran_, IsEmpty());
  under_.advance(Duration::seconds(1));
  EXPECT_THAT(ran_, ElementsAre("a"));
  EXPECT_EQ(loop_.now(), Instant{} + Duration::seconds(1600));
}

TEST_F(PacedLoopTest, StandsStillUntilItIsTold) {
  loop_.set_speed(0);
  const auto timer = loop_.after(Duration::seconds(1), note("a"));
  under_.advance(Duration::seconds(100));
  EXPECT_THAT(ran_, IsEmpty());
  EXPECT_EQ(loop_.now(), Instant{} + Duration::seconds(1000));
  loop_.set_speed(1);
  under_.advance(Duration::seconds(1));
  EXPECT_THAT(ran_, ElementsAre("a"));
}

TEST_F(PacedLoopTest, WhatIsPostedComesBeforeTheNextThatIsDue) {
  const auto first = loop_.after({}, [&] {
    ran_.emplace_back("a");
    loop_.post(note("posted by a"));
  });
  const auto second = loop_.after({}, note("b"));
  under_.run_until_idle();
  EXPECT_THAT(ran_, ElementsAre("a", "posted by a", "b"));
}

TEST_F(PacedLoopTest, WhatIsDueAtOnceCanBeStoppedAndTakenBack) {
  auto gone = loop_.after({}, note("gone"));
  const auto waits = loop_.after({}, note("waits"));
  gone.reset();
  loop_.set_speed(0);
  under_.run_until_idle();
  EXPECT_THAT(ran_, IsEmpty());
  loop_.set_speed(1);
  under_.run_until_idle();
  EXPECT_THAT(ran_, ElementsAre("waits"));
}

TEST_F(PacedLoopTest, StepsEventByEvent) {
  loop_.set_speed(0);
  std::unique_ptr<EventLoop::Timer> later;
  const auto first = loop_.after(Duration::seconds(1), [&] {
    ran_.emplace_back("first");
    loop_.post(note("posted by first"));
    later = loop_.after(Duration::seconds(2), note("made by first"));
  });
  const auto second = loop_.after(Duration::seconds(2), note("second"));
  const auto never = loop_.after(Duration::seconds(60), note("never"));
  loop_.step(Duration::seconds(10), note("done"));
  under_.run_until_idle();
  EXPECT_THAT(ran_, ElementsAre("first", "posted by first", "second", "made by first", "done"));
  EXPECT_EQ(loop_.now(), Instant{} + Duration::seconds(1010));
}

TEST_F(PacedLoopTest, ForgetsATimerThatIsTakenBack) {
  auto timer = loop_.after(Duration::seconds(1), note("a"));
  timer.reset();
  under_.advance(Duration::seconds(5));
  EXPECT_THAT(ran_, IsEmpty());
}

class LaneTest : public PacedLoopTest {
 protected:
  /// Until neither loop has anything to do.
  void run() {
    for (int i = 0; i < 100; ++i) {
      under_.run_until_idle();
      other_.run_until_idle();
    }
  }
  VirtualLoop other_{Instant{} + Duration::seconds(5)};  // no expectation depends on its time
  std::unique_ptr<EventLoop> lane_ = loop_.lane(other_);
};

TEST_F(LaneTest, RunsOnTheOtherLoopInTheTimeOfThisOne) {
  const auto timer = lane_->after(Duration::seconds(2), note("a"));
  EXPECT_EQ(lane_->now(), loop_.now());
  run();
  under_.advance(Duration::seconds(2));
  EXPECT_THAT(ran_, IsEmpty());
  other_.run_until_idle();
  EXPECT_THAT(ran_, ElementsAre("a"));
  lane_->post(note("b"));
  under_.run_until_idle();
  EXPECT_THAT(ran_, ElementsAre("a"));
  other_.run_until_idle();
  EXPECT_THAT(ran_, ElementsAre("a", "b"));
}

TEST_F(LaneTest, TakesATimerBackThatIsOnItsWay) {
  auto timer = lane_->after(Duration::seconds(1), note("a"));
  run();
  under_.advance(Duration::seconds(1));
  timer.reset();
  run();
  EXPECT_THAT(ran_, IsEmpty());
}

TEST_F(LaneTest, ATaskMayEndItsOwnTimer) {
  std::unique_ptr<EventLoop::Timer> timer;
  timer = lane_->after(Duration::seconds(1), [&, text = std::string("a text that is not kept in the task itself")] {
    timer.reset();
    ran_.push_back(text);
  });
  run();
  under_.advance(Duration::seconds(1));
  run();
  EXPECT_EQ(ran_.size(), 1U);
}

TEST_F(LaneTest, StandsStillAndIsSteppedWithIt) {
  loop_.set_speed(0);
  loop_.settle_with([&](EventLoop::Task then) {
    // There and back, twice: until what the task asked for was answered.
    const auto round = [&](const EventLoop::Task& next) { other_.post([&, next] { under_.post(next); }); };
    round([round, then = std::move(then)] { round(then); });
  });
  const auto first = lane_->after(Duration::seconds(1), [&] {
    ran_.emplace_back("first");
    under_.post([&] { ran_.push_back("answer at " + std::to_string(loop_.now().nanoseconds / 1'000'000'000)); });
  });
  const auto second = loop_.after(Duration::seconds(2), note("second"));
  const auto third = lane_->after(Duration::seconds(2), note("third"));
  under_.advance(Duration::seconds(100));
  run();
  EXPECT_THAT(ran_, IsEmpty());
  loop_.step(Duration::seconds(10), note("done"));
  run();
  EXPECT_THAT(ran_, ElementsAre("first", "answer at 1001", "second", "third", "done"));
  EXPECT_EQ(lane_->now(), Instant{} + Duration::seconds(1010));
}

TEST_F(LaneTest, WakesTheOtherForATimerThatIsDueBeforeAllOthers) {
  const auto late = loop_.after(Duration::seconds(60), note("late"));
  const auto early = lane_->after(Duration::seconds(1), note("early"));
  run();
  under_.advance(Duration::seconds(1));
  run();
  EXPECT_THAT(ran_, ElementsAre("early"));
}

}  // namespace
}  // namespace loadline
