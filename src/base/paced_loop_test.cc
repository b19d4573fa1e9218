#include "base/paced_loop.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/virtual_loop.h"

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

}  // namespace
}  // namespace loadline
