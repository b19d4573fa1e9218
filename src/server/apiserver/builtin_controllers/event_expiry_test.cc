#include "server/apiserver/builtin_controllers/event_expiry.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "foundation/observe/log.h"
#include "server/apiserver/testing/test_server.h"

namespace loadline::apiserver {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr std::string_view kPath = "/api/v1/namespaces/default/events";

/// A server that keeps ten events at a time, and what it says.
class EventExpiryTest : public ::testing::Test {
 protected:
  EventExpiryTest()
      : log_(std::make_shared<observe::Log>(
            observe::LogOptions{}, [this](std::string_view line) { lines_.emplace_back(line); },
            [] { return Instant{}; })) {
    ControlPlaneOptions options = TestServer::default_options();
    options.most_events = 10;
    options.log_to = log_;
    server_ = std::make_unique<TestServer>(options);
  }

  void make_event(int number) {
    const std::string event =
        fmt::format(R"({{"metadata":{{"name":"e{}"}},"involvedObject":{{"namespace":"default"}}}})", number);
    ASSERT_EQ(server_->post(kPath, event).status, 201);
  }
  [[nodiscard]] bool is_there(int number) { return server_->get(fmt::format("{}/e{}", kPath, number)).status == 200; }
  [[nodiscard]] std::size_t count() { return server_->plane().store().count("events"); }

  std::vector<std::string> lines_;
  std::shared_ptr<observe::Log> log_;
  std::unique_ptr<TestServer> server_;
};

TEST_F(EventExpiryTest, MakesRoomByTakingAwayWhatWasWrittenLongestAgo) {
  for (int i = 0; i < 10; ++i) make_event(i);
  EXPECT_EQ(server_->patch("merge", fmt::format("{}/e0", kPath), R"({"count":2})").status, 200);
  server_->loop().advance(Duration::seconds(1));
  EXPECT_EQ(count(), 10U);
  EXPECT_THAT(lines_, IsEmpty());
  make_event(10);
  server_->loop().advance(Duration::seconds(1));
  EXPECT_EQ(count(), 9U) << "a tenth goes at once";
  EXPECT_FALSE(is_there(1));
  EXPECT_FALSE(is_there(2));
  EXPECT_TRUE(is_there(0)) << "it was written since";
  EXPECT_TRUE(is_there(3));
  EXPECT_TRUE(is_there(10));
  EXPECT_THAT(
      lines_,
      ElementsAre(HasSubstr(R"("Too many events: the oldest go before their hour" events="11" most="10" going="2")")));
}

TEST_F(EventExpiryTest, AnEndlessClientLeavesNoMoreThanThat) {
  for (int i = 0; i < 1000; ++i) make_event(i);
  server_->loop().advance(Duration::seconds(1));
  EXPECT_LE(count(), 10U);
  EXPECT_TRUE(is_there(999));
}

TEST_F(EventExpiryTest, TheHourBeginsAnewWithEachWrite) {
  make_event(1);
  make_event(2);
  for (int minute = 0; minute < 45; ++minute) server_->loop().advance(Duration::seconds(60));
  EXPECT_EQ(server_->patch("merge", fmt::format("{}/e2", kPath), R"({"count":2})").status, 200);
  server_->loop().advance(Duration::seconds(14 * 60));
  EXPECT_TRUE(is_there(1));
  server_->loop().advance(Duration::seconds(3 * 60));
  EXPECT_FALSE(is_there(1));
  EXPECT_TRUE(is_there(2));
  server_->loop().advance(Duration::seconds(60 * 60));
  EXPECT_EQ(count(), 0U);
  make_event(3);
  server_->loop().advance(Duration::seconds(59 * 60));
  EXPECT_TRUE(is_there(3));
  server_->loop().advance(Duration::seconds(3 * 60));
  EXPECT_FALSE(is_there(3));
}

/// Events are most of what is written: if their documents stayed parsed, those of pods would be read again and again.
TEST(EventDocuments, DoNotPushOutThoseOfOthers) {
  ControlPlaneOptions options = TestServer::default_options();
  options.parsed_text_bytes = 10'000;
  TestServer server(options);
  ASSERT_EQ(server.post("/api/v1/namespaces/default/configmaps", R"({"metadata":{"name":"c"},"data":{}})").status, 201);
  const store::Key key{"configmaps", "default", "c"};
  const document::Value read = server.plane().store().get(key)->document();
  const std::string change = fmt::format(R"({{"message":"{}"}})", std::string(1000, 'x'));
  for (int i = 0; i < 20; ++i) {
    const std::string event =
        fmt::format(R"({{"metadata":{{"name":"e{}"}},"involvedObject":{{"namespace":"default"}}}})", i);
    ASSERT_EQ(server.post(kPath, event).status, 201);
    ASSERT_EQ(server.patch("merge", fmt::format("{}/e{}", kPath, i), change).status, 200);
  }
  EXPECT_EQ(read.find("metadata"), server.plane().store().get(key)->document().find("metadata"))
      << "it was parsed anew";
}

}  // namespace
}  // namespace loadline::apiserver
