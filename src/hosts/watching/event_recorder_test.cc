#include "hosts/watching/event_recorder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <deque>

#include "foundation/base/virtual_loop.h"
#include "hosts/watching/testing/scripted_client.h"

namespace loadline::watching {
namespace {

using ::testing::IsEmpty;
using testing::ScriptedClient;
using ::testing::StartsWith;
using testing::yaml;

Event about(const std::string& pod, const std::string& message) {
  Event event;
  event.regarding = yaml("{kind: Pod, apiVersion: v1, namespace: default, name: " + pod + ", uid: u-" + pod + "}");
  event.reason = "Scheduled";
  event.message = message;
  return event;
}

class EventRecorderTest : public ::testing::Test {
 protected:
  void record(int pods) {
    for (int pod = 0; pod < pods; ++pod) recorder_->record("test", about("pod-" + std::to_string(pod), "done"));
  }
  /// Answers what is asked until nothing is; says how often.
  std::size_t answer_all() {
    std::size_t answers = 0;
    for (loop_.run_until_idle(); !client_.requests.empty(); loop_.run_until_idle()) {
      client_.answer(yaml("{}"));
      ++answers;
    }
    return answers;
  }

  VirtualLoop loop_;
  ScriptedClient client_;
  std::unique_ptr<EventRecorder> recorder_ = std::make_unique<EventRecorder>(loop_, client_);
};

TEST_F(EventRecorderTest, SendsAFewAtATime) {
  record(40);
  EXPECT_THAT(client_.requests, IsEmpty()) << "not within the call";
  loop_.run_until_idle();
  EXPECT_EQ(client_.requests.size(), 16U);
  EXPECT_FALSE(recorder_->is_idle());
  EXPECT_EQ(answer_all(), 40U);
  EXPECT_TRUE(recorder_->is_idle());
}

TEST_F(EventRecorderTest, CountsWhatIsSaidAgain) {
  recorder_->record("test", about("web", "done"));
  loop_.run_until_idle();
  EXPECT_EQ(client_.answer(yaml("{}")), "create events");
  recorder_->record("test", about("web", "done"));
  loop_.run_until_idle();
  ASSERT_EQ(client_.requests.size(), 1U);
  EXPECT_EQ(client_.requests.front().document.find("count")->integer(), 2);
  EXPECT_THAT(client_.answer(yaml("{}")), StartsWith("patch events/web."));
}

TEST_F(EventRecorderTest, AnEventThatIsGoneIsWrittenAnew) {
  recorder_->record("test", about("web", "done"));
  recorder_->record("test", about("web", "done"));
  loop_.run_until_idle();
  EXPECT_EQ(client_.refuse(403, "Forbidden"), "create events");
  EXPECT_THAT(client_.refuse(404, "NotFound"), StartsWith("patch events/web."));
  loop_.run_until_idle();
  ASSERT_EQ(client_.requests.size(), 1U) << "what was refused is lost, what was not there is created";
  EXPECT_EQ(client_.requests.front().document.find("count")->integer(), 2);
  EXPECT_EQ(client_.refuse(500, "InternalError"), "create events");
  loop_.run_until_idle();
  EXPECT_TRUE(recorder_->is_idle()) << "the recorder does not try for ever";
}

TEST_F(EventRecorderTest, GivesWayToALoopThatIsBehind) {
  record(1);
  loop_.set_wall_offset(testing::milliseconds(5000));
  answer_all();
  record(1);
  loop_.set_wall_offset(testing::milliseconds(5050));  // the tasks before it took so long
  loop_.run_until_idle();
  EXPECT_THAT(client_.requests, IsEmpty());
  loop_.advance(testing::milliseconds(10));
  EXPECT_EQ(client_.requests.size(), 1U) << "the loop has caught up";
}

TEST_F(EventRecorderTest, IsNotCalledAfterItsEnd) {
  record(20);
  loop_.run_until_idle();
  recorder_.reset();
  while (client_.answer(yaml("{}")) != "nothing") {
  }
  loop_.advance(Duration::seconds(1000));
  EXPECT_THAT(client_.requests, IsEmpty());
}

/// The loop may have nothing to do while the server, on another thread, has.
TEST_F(EventRecorderTest, GivesWayToTheServersThread) {
  std::deque<EventLoop::Task> turns;
  recorder_->give_way([&](EventLoop::Task task) { turns.push_back(std::move(task)); });
  const auto take_turn_after = [&](Duration delay) {
    loop_.advance(delay);
    ASSERT_EQ(turns.size(), 1U);
    const EventLoop::Task task = std::move(turns.front());
    turns.pop_front();
    task();
    loop_.run_until_idle();
  };
  record(40);
  loop_.run_until_idle();
  EXPECT_THAT(client_.requests, IsEmpty());
  take_turn_after(testing::milliseconds(0));
  EXPECT_EQ(answer_all(), 16U);
  take_turn_after(testing::milliseconds(20));
  EXPECT_THAT(client_.requests, IsEmpty());
  loop_.advance(testing::milliseconds(10));
  take_turn_after(testing::milliseconds(1));
  EXPECT_EQ(answer_all(), 16U);
}

}  // namespace
}  // namespace loadline::watching
