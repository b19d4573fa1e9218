#include "server/net/loop.h"

#include <gtest/gtest.h>

#include <chrono>
#include <thread>

namespace loadline::net {
namespace {

TEST(Loop, KnowsWhenATaskHasGoneOnForLong) {
  Loop loop;
  bool was_long_at_first = true;
  bool was_long_later = false;
  bool was_long_in_the_next = true;
  loop.post([&] {
    was_long_at_first = loop.is_turn_long();
    std::this_thread::sleep_for(std::chrono::milliseconds(15));
    was_long_later = loop.is_turn_long();
  });
  loop.post([&] {
    was_long_in_the_next = loop.is_turn_long();
    loop.stop();
  });
  loop.run();
  EXPECT_FALSE(was_long_at_first);
  EXPECT_TRUE(was_long_later);
  EXPECT_FALSE(was_long_in_the_next);
}

}  // namespace
}  // namespace loadline::net
