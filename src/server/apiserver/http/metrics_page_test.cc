#include "server/apiserver/http/metrics_page.h"

#include <gmock/gmock.h>

#include "server/apiserver/testing/test_server.h"

namespace loadline::apiserver {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class MetricsPageTest : public ::testing::Test {
 protected:
  MetricsPageTest() {
    server_.plane().add_metrics([this](const std::function<void(std::string)>& done) {
      ++asked_;
      if (!is_stuck_) return done("elsewhere 1\n");
      kept_ = done;
    });
  }

  TestServer server_;
  bool is_stuck_ = false;
  int asked_ = 0;
  std::function<void(std::string)> kept_;
};

constexpr std::string_view kMetrics = "/metrics";

TEST_F(MetricsPageTest, HoldsWhatOthersCount) {
  const Reply reply = server_.get(kMetrics);
  EXPECT_EQ(reply.status, 200);
  EXPECT_THAT(reply.body, HasSubstr("apiserver_"));
  EXPECT_THAT(reply.body, HasSubstr("\nelsewhere 1\n"));
  EXPECT_THAT(reply.body, Not(HasSubstr("busy")));
}

TEST_F(MetricsPageTest, ScrapesWaitTogetherForOneAnswer) {
  is_stuck_ = true;
  const Reply& first = server_.open(kMetrics);
  const Reply& second = server_.open(kMetrics);
  EXPECT_EQ(asked_, 1);
  EXPECT_EQ(first.status, 0);
  kept_("elsewhere 2\n");
  for (const Reply* reply : {&first, &second}) EXPECT_THAT(reply->body, HasSubstr("\nelsewhere 2\n"));
}

/// Scheduler and controllers are stuck: what they said last is told, with its time.
TEST_F(MetricsPageTest, WaitsForNobodyLongerThanTwoSeconds) {
  static_cast<void>(server_.get(kMetrics));
  is_stuck_ = true;
  const Reply& waits = server_.open(kMetrics);
  server_.loop().advance(Duration::seconds(1));
  EXPECT_EQ(waits.status, 0);
  server_.loop().advance(Duration::seconds(1));
  EXPECT_EQ(waits.status, 200);
  EXPECT_THAT(waits.body, HasSubstr("# scheduler and controllers are busy: what follows is of 2026-11-21T12:00:00Z\n"
                                    "elsewhere 1\n"));
  EXPECT_EQ(server_.get(kMetrics).status, 200) << "known to be stuck: not waited for again";
  EXPECT_EQ(asked_, 2);
  is_stuck_ = false;
  kept_("elsewhere 3\n");
  EXPECT_THAT(server_.get(kMetrics).body, Not(HasSubstr("busy")));
}

}  // namespace
}  // namespace loadline::apiserver
