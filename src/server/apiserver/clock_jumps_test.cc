// The wall's clock is wrong by years, forwards and backwards, while the server runs: what waits waits as long as it
// should, nothing is forgotten early, and only what is meant by the wall's clock follows it.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "foundation/base/time.h"
#include "server/apiserver/testing/test_server.h"

namespace loadline::apiserver {
namespace {

using testing::HasSubstr;

constexpr Duration kYear = Duration::seconds(365 * 86'400);
constexpr Duration kYearBack = Duration::seconds(-365 * 86'400);
constexpr Duration kHours = Duration::seconds(2 * 3'600);
constexpr Duration kHoursBack = Duration::seconds(-2 * 3'600);
const char* const kConfigMaps = "/api/v1/namespaces/default/configmaps";

class ClockJumps : public testing::TestWithParam<Duration> {
 protected:
  void jump(Duration offset) { server.loop().set_wall_offset(offset); }

  TestServer server;
};

INSTANTIATE_TEST_SUITE_P(BothWays, ClockJumps, testing::Values(kYear, kYearBack));

TEST_P(ClockJumps, WatchesEndInTheirTime) {
  const Reply& watch = server.open(fmt::format("{}?watch=true&timeoutSeconds=30", kConfigMaps));
  server.loop().advance(Duration::seconds(10));
  jump(GetParam());
  server.loop().advance(Duration::seconds(19));
  EXPECT_FALSE(watch.is_whole || watch.is_cut);
  server.loop().advance(Duration::seconds(2));
  EXPECT_TRUE(watch.is_whole);
}

TEST_P(ClockJumps, HistoryIsKept) {
  const std::string before = server.get(kConfigMaps).at({"metadata", "resourceVersion"});
  ASSERT_EQ(server.post(kConfigMaps, R"({"metadata":{"name":"a"}})").status, 201);
  jump(GetParam());
  server.loop().advance(Duration::seconds(120));
  const Reply& watch = server.open(fmt::format("{}?watch=true&resourceVersion={}", kConfigMaps, before));
  EXPECT_EQ(watch.status, 200);
  EXPECT_THAT(watch.body, HasSubstr(R"("type":"ADDED")"));
}

TEST_P(ClockJumps, ObjectsKeepTheirTimes) {
  const std::string path = std::string(kConfigMaps) + "/a";
  const std::string created =
      server.post(kConfigMaps, R"({"metadata":{"name":"a"}})").at({"metadata", "creationTimestamp"});
  jump(GetParam());
  const Reply changed = server.patch("merge", path, R"({"data":{"a":"b"}})");
  EXPECT_EQ(changed.status, 200);
  EXPECT_EQ(changed.at({"metadata", "creationTimestamp"}), created);
  const Reply later = server.post(kConfigMaps, R"({"metadata":{"name":"b"}})");
  EXPECT_EQ(parse_rfc3339(later.at({"metadata", "creationTimestamp"}))->nanoseconds / 1'000'000'000,
            server.loop().now().nanoseconds / 1'000'000'000);
}

TEST_P(ClockJumps, DeletedPodsGoWhenTheirGracePeriodIsOver) {
  const std::string pods = "/api/v1/namespaces/default/pods";
  const std::string pod =
      R"({"metadata":{"name":"p"},"spec":{"nodeName":"gone","containers":[{"name":"c","image":"i"}]}})";
  ASSERT_EQ(server.post(pods, pod).status, 201);
  ASSERT_EQ(server.remove(pods + "/p?gracePeriodSeconds=40").status, 200);
  server.loop().advance(Duration::seconds(5));
  jump(GetParam());
  server.loop().advance(Duration::seconds(30));
  EXPECT_EQ(server.get(pods + "/p").status, 200);
  server.loop().advance(Duration::seconds(10));
  EXPECT_EQ(server.get(pods + "/p").status, 404);
}

TEST_P(ClockJumps, EventsLiveForAnHour) {
  const std::string events = "/api/v1/namespaces/default/events";
  const auto event = [](const char* name) {
    return fmt::format(R"({{"metadata":{{"name":"{}"}},"involvedObject":{{"namespace":"default"}}}})", name);
  };
  ASSERT_EQ(server.post(events, event("a")).status, 201);
  ASSERT_EQ(server.post(events, event("b")).status, 201);
  jump(GetParam());
  server.loop().advance(Duration::seconds(1800));
  ASSERT_EQ(server.patch("merge", events + "/b", R"({"count":2})").status, 200);
  server.loop().advance(Duration::seconds(1790));
  EXPECT_EQ(server.get(events + "/a").status, 200);
  server.loop().advance(Duration::seconds(130));
  EXPECT_EQ(server.get(events + "/a").status, 404);
  EXPECT_EQ(server.get(events + "/b").status, 200) << "it was written since";
  server.loop().advance(Duration::seconds(1800));
  EXPECT_EQ(server.get(events + "/b").status, 404);
}

TEST(TokensByTheClock, AreGoodFromWhenToWhenTheySay) {
  TestServer server;
  ASSERT_EQ(server.post("/api/v1/namespaces/default/serviceaccounts", R"({"metadata":{"name":"s"}})").status, 201);
  const Reply made =
      server.post("/api/v1/namespaces/default/serviceaccounts/s/token", R"({"spec":{"expirationSeconds":3600}})");
  ASSERT_EQ(made.status, 201);
  const auto ask = [&] {
    return server.send("GET", kConfigMaps, {}, {}, {{"Authorization", "Bearer " + made.at({"status", "token"})}})
        .status;
  };
  EXPECT_EQ(ask(), 403) << "it is known, and may do nothing";
  server.loop().set_wall_offset(kHours);
  EXPECT_EQ(ask(), 401) << "expired";
  server.loop().set_wall_offset(kHoursBack);
  EXPECT_EQ(ask(), 401) << "not yet valid";
  server.loop().set_wall_offset({});
  EXPECT_EQ(ask(), 403);
}

}  // namespace
}  // namespace loadline::apiserver
