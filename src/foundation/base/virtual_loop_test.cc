#include "foundation/base/virtual_loop.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

namespace loadline {
namespace {

TEST(VirtualLoop, RunsPostedTasksInOrderAndWhatTheyPost) {
  VirtualLoop loop;
  std::string order;
  loop.post([&] {
    order += 'a';
    loop.post([&] { order += 'c'; });
  });
  loop.post([&] { order += 'b'; });
  EXPECT_EQ(order, "");
  loop.run_until_idle();
  EXPECT_EQ(order, "abc");
}

TEST(VirtualLoop, RunsTimersAtTheirTimeAndEqualOnesInOrder) {
  VirtualLoop loop(Instant{1'000});
  std::vector<std::pair<char, std::int64_t>> ran;
  const auto note = [&](char name) { return [&, name] { ran.emplace_back(name, loop.now().nanoseconds); }; };
  const auto late = loop.after({20}, note('c'));
  const auto first = loop.after({10}, note('a'));
  const auto second = loop.after({10}, note('b'));
  const auto never = loop.after({31}, note('d'));
  loop.run_until_idle();
  EXPECT_TRUE(ran.empty());
  loop.advance({30});
  EXPECT_EQ(ran, (std::vector<std::pair<char, std::int64_t>>{{'a', 1'010}, {'b', 1'010}, {'c', 1'020}}));
  EXPECT_EQ(loop.elapsed(), Duration{30});
}

TEST(VirtualLoop, ATimerThatIsDestroyedDoesNotRun) {
  VirtualLoop loop;
  bool ran = false;
  auto timer = loop.after({5}, [&] { ran = true; });
  const auto earlier = loop.after({4}, [&] { timer.reset(); });
  loop.advance({10});
  EXPECT_FALSE(ran);
}

TEST(VirtualLoop, ATimerMayOutliveItsLoopAndDestroyItselfInItsTask) {
  std::unique_ptr<EventLoop::Timer> outliving;
  {
    VirtualLoop loop;
    outliving = loop.after({5}, [] {});
    std::unique_ptr<EventLoop::Timer> own;
    own = loop.after({1}, [&] { own.reset(); });
    loop.advance({2});
    EXPECT_EQ(own, nullptr);
  }
  outliving.reset();
}

TEST(VirtualLoop, AJumpOfTheWallClockMovesNoTimer) {
  VirtualLoop loop(Instant{100});
  int ran = 0;
  const auto timer = loop.after({10}, [&] { ++ran; });
  loop.set_wall_offset({-50});
  EXPECT_EQ(loop.now(), Instant{50});
  loop.advance({9});
  EXPECT_EQ(ran, 0);
  loop.set_wall_offset({1'000'000});
  EXPECT_EQ(loop.now(), Instant{1'000'109});
  EXPECT_EQ(ran, 0);
  loop.advance({1});
  EXPECT_EQ(ran, 1);
}

TEST(VirtualLoop, ATaskThatRearmsItselfRunsAtEachOfItsTimes) {
  VirtualLoop loop;
  int ran = 0;
  std::unique_ptr<EventLoop::Timer> timer;
  std::function<void()> tick = [&] {
    ++ran;
    timer = loop.after(Duration::seconds(1), tick);
  };
  tick();
  loop.advance(Duration::seconds(3));
  EXPECT_EQ(ran, 4);
}

}  // namespace
}  // namespace loadline
