#include "server/apiserver/http/turns.h"

#include <gmock/gmock.h>

#include <string>
#include <vector>

#include "foundation/base/virtual_loop.h"

namespace loadline::apiserver {
namespace {

using ::testing::ElementsAre;

class TurnsTest : public ::testing::Test {
 protected:
  EventLoop::Task note(std::string what) {
    return [this, what = std::move(what)] { ran_.push_back(what); };
  }

  VirtualLoop loop_{Instant{}};
  Turns turns_{loop_};
  std::vector<std::string> ran_;
};

TEST_F(TurnsTest, UsersTakeTurnsWhoeverHasMostToBeDone) {
  for (const char* task : {"a1", "a2", "a3", "a4"}) turns_.add("a", note(task));
  turns_.add("b", note("b1"));
  turns_.add("c", note("c1"));
  turns_.add("b", note("b2"));
  loop_.run_until_idle();
  EXPECT_THAT(ran_, ElementsAre("a1", "b1", "c1", "a2", "b2", "a3", "a4"));
}

TEST_F(TurnsTest, OtherWorkOfTheLoopComesBetween) {
  for (const char* task : {"a1", "a2", "a3"}) turns_.add("a", note(task));
  loop_.post(note("other"));
  loop_.run_until_idle();
  EXPECT_THAT(ran_, ElementsAre("a1", "other", "a2", "a3"));
}

TEST_F(TurnsTest, TasksMayAddTasks) {
  turns_.add("a", [this] { turns_.add("a", note("second")); });
  loop_.run_until_idle();
  EXPECT_THAT(ran_, ElementsAre("second"));
}

}  // namespace
}  // namespace loadline::apiserver
