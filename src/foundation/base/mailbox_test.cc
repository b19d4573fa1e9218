#include "foundation/base/mailbox.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "foundation/base/virtual_loop.h"

namespace loadline {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

/// A loop whose tasks have always gone on for long.
class AlwaysLong final : public EventLoop {
 public:
  explicit AlwaysLong(EventLoop& loop) : loop_(loop) {}
  [[nodiscard]] Instant now() const override { return loop_.now(); }
  void post(Task task) override { loop_.post(std::move(task)); }
  [[nodiscard]] bool is_turn_long() const override { return true; }
  [[nodiscard]] std::unique_ptr<Timer> after(Duration delay, Task task) override {
    return loop_.after(delay, std::move(task));
  }

 private:
  EventLoop& loop_;
};

class MailboxTest : public ::testing::Test {
 protected:
  EventLoop::Task note(std::string what) {
    return [this, what = std::move(what)] { ran_.push_back(what); };
  }
  VirtualLoop loop_{Instant{}};
  std::vector<std::string> ran_;
};

TEST_F(MailboxTest, RunsWhatComesInOrderAndLater) {
  Mailbox mailbox(loop_);
  mailbox.post(note("a"));
  mailbox.post([&] {
    ran_.emplace_back("b");
    mailbox.post(note("d"));
  });
  mailbox.post(note("c"));
  EXPECT_THAT(ran_, IsEmpty());
  loop_.run_until_idle();
  EXPECT_THAT(ran_, ElementsAre("a", "b", "c", "d"));
  mailbox.post(note("e"));
  loop_.run_until_idle();
  EXPECT_EQ(ran_.back(), "e");
  EXPECT_EQ(mailbox.posted(), 5U);
}

TEST_F(MailboxTest, LetsOthersHaveTheirTurn) {
  Mailbox mailbox(loop_);
  for (int i = 0; i < 1'000; ++i) mailbox.post(note("message"));
  loop_.post(note("other"));
  loop_.run_until_idle();
  EXPECT_EQ(ran_.size(), 1'001U);
  EXPECT_NE(ran_.back(), "other");
}

/// Requests of the controllers about objects of a megabyte: clients wait for one of them, not for sixty-four.
TEST_F(MailboxTest, TasksThatTakeLongLetOthersHaveTheirTurnSooner) {
  AlwaysLong loop(loop_);
  Mailbox mailbox(loop);
  for (int i = 0; i < 20; ++i) mailbox.post(note("message"));
  loop_.post(note("other"));
  loop_.run_until_idle();
  ASSERT_EQ(ran_.size(), 21U);
  EXPECT_EQ(ran_[1], "other");
}

TEST_F(MailboxTest, TasksWaitForWhoeverTheyWouldOverwhelm) {
  Mailbox mailbox(loop_);
  EventLoop::Task go_on;
  bool is_busy = false;
  mailbox.wait_for({[&] { return is_busy; }, [&](EventLoop::Task then) { go_on = std::move(then); }});
  mailbox.post([&] {
    ran_.emplace_back("first");
    is_busy = true;
  });
  mailbox.post(note("second"));
  loop_.run_until_idle();
  EXPECT_THAT(ran_, ElementsAre("first"));
  is_busy = false;
  go_on();
  mailbox.post(note("third"));
  loop_.run_until_idle();
  EXPECT_THAT(ran_, ElementsAre("first", "second", "third"));
}

TEST_F(MailboxTest, DrainsAtOnce) {
  Mailbox mailbox(loop_);
  for (int i = 0; i < 100; ++i) mailbox.post(note("message"));
  mailbox.drain();
  EXPECT_EQ(ran_.size(), 100U);
  mailbox.post(note("later"));
  EXPECT_EQ(ran_.size(), 100U);
  loop_.run_until_idle();
  EXPECT_EQ(ran_.size(), 101U);
}

TEST_F(MailboxTest, ATaskThatThrowsKeepsNoOtherFromRunning) {
  Mailbox mailbox(loop_);
  mailbox.post([] { throw std::runtime_error("no memory"); });
  mailbox.post(note("a"));
  EXPECT_THROW(loop_.run_until_idle(), std::runtime_error);
  mailbox.post(note("b"));
  loop_.run_until_idle();
  EXPECT_THAT(ran_, ElementsAre("a", "b"));
}

TEST_F(MailboxTest, ForgetsWhatIsLeftAtItsEnd) {
  {
    Mailbox mailbox(loop_);
    mailbox.post(note("a"));
  }
  loop_.run_until_idle();
  EXPECT_THAT(ran_, IsEmpty());
}

TEST_F(MailboxTest, TakesFromOtherThreads) {
  Mailbox mailbox(loop_);
  std::vector<std::thread> threads;
  threads.reserve(4);
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      for (int k = 0; k < 1'000; ++k) mailbox.post(note("message"));
    });
  }
  for (std::thread& thread : threads) thread.join();
  mailbox.drain();
  EXPECT_EQ(ran_.size(), 4'000U);
}

}  // namespace
}  // namespace loadline
