#include "server/apiserver/http/turns.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "foundation/base/virtual_loop.h"
#include "server/apiserver/testing/test_server.h"

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

/// What the server does in one task, and what others may do before the rest of it.
class LongRequestsTest : public ::testing::Test {
 protected:
  /// How many ConfigMaps there are when work that was queued before a request has its turn.
  std::size_t seen_during(const std::function<void()>& request) {
    std::size_t seen = 0;
    server_.loop().post([&] { seen = server_.plane().store().count("configmaps"); });
    request();
    return seen;
  }
  std::string config_map(const std::string& name, std::size_t bytes) {
    return R"({"metadata":{"name":")" + name + R"("},"data":{"a":")" + std::string(bytes, 'x') + "\"}}";
  }

  TestServer server_;
  std::size_t begin_ = server_.plane().store().count("configmaps");
};

constexpr std::string_view kConfigMaps = "/api/v1/namespaces/default/configmaps";

TEST_F(LongRequestsTest, LargeBodiesWaitForTheirTurn) {
  EXPECT_EQ(seen_during([&] { server_.post(kConfigMaps, config_map("small", 100)); }), begin_ + 1);
  EXPECT_EQ(seen_during([&] { server_.post(kConfigMaps, config_map("large", 100'000)); }), begin_ + 1);
  EXPECT_EQ(server_.plane().store().count("configmaps"), begin_ + 2);
}

TEST_F(LongRequestsTest, ACollectionIsRemovedPieceByPiece) {
  for (int i = 0; i < 300; ++i) {
    ASSERT_EQ(server_.post(kConfigMaps, config_map("c" + std::to_string(i), 10)).status, 201);
  }
  Reply reply;
  const std::size_t seen = seen_during([&] { reply = server_.remove(kConfigMaps); });
  EXPECT_GT(seen, 200U);
  EXPECT_LT(seen, 300U + begin_);
  EXPECT_EQ(reply.status, 200);
  EXPECT_GE(reply.json().find("items")->array().size(), 300U);
  EXPECT_LE(server_.get(kConfigMaps).json().find("items")->array().size(), 1U) << "the authority comes back";
}

TEST_F(LongRequestsTest, PagesAndWholeListsAreTheSameInPieces) {
  for (int i = 0; i < 40; ++i) {
    ASSERT_EQ(server_.post(kConfigMaps, config_map("c" + std::to_string(i), 30'000)).status, 201);
  }
  const std::string all = server_.get(kConfigMaps).body;
  EXPECT_EQ(server_.get(std::string(kConfigMaps) + "?limit=1000").body, all) << "a megabyte, in pieces of 256 KiB";
  EXPECT_EQ(server_.get(std::string(kConfigMaps) + "?limit=-1").body, all) << "no limit";
  const Reply page = server_.get(std::string(kConfigMaps) + "?limit=25");
  EXPECT_EQ(page.json().find("items")->array().size(), 25U);
  EXPECT_NE(page.at({"metadata", "continue"}), "");
  net::Headers accepts_yaml;
  accepts_yaml.add("Accept", "application/yaml");
  const Reply yaml = server_.send("GET", kConfigMaps, {}, {}, accepts_yaml);
  EXPECT_EQ(yaml.status, 200);
  EXPECT_NE(yaml.body.find("name: c39"), std::string::npos);
}

/// Each manager used to be compared with all others, and its fields added to all there were.
TEST_F(LongRequestsTest, ManagersOfFieldsCostWhatTheySay) {
  std::string entries;
  for (int i = 0; i < 15'000; ++i) {
    entries += fmt::format(R"({}{{"manager":"m{}","operation":"Update","apiVersion":"v1","fieldsType":"FieldsV1",)"
                           R"("time":"2026-01-01T00:00:00Z","fieldsV1":{{"f:data":{{"f:k{}":{{}}}}}}}})",
                           i == 0 ? "" : ",", i, i);
  }
  const Reply made = server_.post(
      kConfigMaps, R"({"metadata":{"name":"many","managedFields":[)" + entries + R"(]},"data":{"a":"b"}})");
  ASSERT_EQ(made.status, 201) << made.body.substr(0, 500);
  EXPECT_EQ(made.json().find("metadata")->find("managedFields")->array().size(), 10U) << "the oldest are one";
}

TEST_F(LongRequestsTest, OfAHundredThousandMistakesAThousandAreTold) {
  std::string finalizers;
  for (int i = 0; i < 100'000; ++i) finalizers += i == 0 ? R"("a")" : R"(,"a")";
  const Reply refused = server_.post(kConfigMaps, R"({"metadata":{"name":"bad","finalizers":[)" + finalizers + "]}}");
  EXPECT_EQ(refused.status, 422);
  EXPECT_LT(refused.body.size(), 1'000'000U);
  EXPECT_NE(refused.at({"message"}).find("errors more]"), std::string::npos);
}

}  // namespace
}  // namespace loadline::apiserver
