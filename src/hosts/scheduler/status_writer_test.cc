#include "hosts/scheduler/status_writer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "foundation/base/virtual_loop.h"
#include "hosts/watching/testing/scripted_client.h"

namespace loadline::scheduler {
namespace {

using ::testing::IsEmpty;
using ::testing::SizeIs;
using watching::testing::yaml;

/// What is wanted of pods is a text, which they say or do not.
class StatusWriterTest : public ::testing::Test {
 protected:
  /// What the request that waits for its answer wants.
  [[nodiscard]] std::string asked() const {
    return client_.requests.empty() ? "nothing"
                                    : std::string(document::text_at(client_.requests[0].document, {"text"}));
  }

  const watching::ObjectKey web_{"default", "web"};
  VirtualLoop loop_;
  watching::testing::ScriptedClient client_;
  watching::Actuator actuator_{client_, [](const watching::Event&) {}};
  std::string said_;
  StatusWriter<std::string> writer_{
      loop_, actuator_, [this](const watching::ObjectKey& key, const std::string& wanted) {
        std::vector<watching::Action> actions;
        if (wanted != said_) {
          actions.push_back(watching::patch(watching::testing::pod_kind(), key, kube::PatchType::kMerge,
                                            yaml("{text: " + wanted + "}"), "status"));
        }
        return actions;
      }};
};

TEST_F(StatusWriterTest, WritesNothingBeforeItIsStarted) {
  writer_.want(web_, "early");
  EXPECT_EQ(asked(), "nothing");
  writer_.start();
  EXPECT_EQ(asked(), "early");
}

TEST_F(StatusWriterTest, WritesNothingThatIsSaidAlready) {
  writer_.start();
  said_ = "same";
  writer_.want(web_, "same");
  EXPECT_EQ(asked(), "nothing");
}

TEST_F(StatusWriterTest, WritesOneAfterTheOtherAndTheLastCounts) {
  writer_.start();
  for (const char* text : {"first", "second", "third"}) writer_.want(web_, text);
  ASSERT_THAT(client_.requests, SizeIs(1));
  client_.answer({});
  EXPECT_EQ(asked(), "third");
  client_.answer({});
  EXPECT_THAT(client_.requests, IsEmpty());
}

TEST_F(StatusWriterTest, WhatIsWantedAgainWhileItIsWrittenIsNotWrittenTwice) {
  writer_.start();
  for (int i = 0; i < 3; ++i) writer_.want(web_, "same");
  client_.answer({});
  EXPECT_THAT(client_.requests, IsEmpty());
}

TEST_F(StatusWriterTest, TriesAgainWhatFailedUntilItIsForgotten) {
  writer_.start();
  writer_.want(web_, "text");
  for (int i = 0; i < 2; ++i) {
    client_.refuse(409, "Conflict");
    EXPECT_EQ(asked(), "nothing");
    loop_.advance(Duration::seconds(1));
    EXPECT_EQ(asked(), "text");
  }
  writer_.forget(web_);
  client_.refuse(409, "Conflict");
  loop_.advance(Duration::seconds(10));
  EXPECT_EQ(asked(), "nothing");
}

}  // namespace
}  // namespace loadline::scheduler
