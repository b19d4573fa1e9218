#include "server/apiserver/builtin_controllers/orphaned_pods.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "server/apiserver/testing/test_server.h"

namespace loadline::apiserver {
namespace {

constexpr std::string_view kPods = "/api/v1/namespaces/default/pods";

class OrphanedPodsTest : public testing::Test {
 protected:
  void make(std::string_view name, std::string_view node) {
    EXPECT_EQ(server
                  .post(kPods, fmt::format(R"({{"metadata":{{"name":"{}"}},"spec":{{"nodeName":"{}",
                  "containers":[{{"name":"c","image":"i"}}]}}}})",
                                           name, node))
                  .verdict(),
              "201");
  }

  int status_of(std::string_view name) { return server.get(fmt::format("{}/{}", kPods, name)).status; }
  int remove(std::string_view name) { return server.remove(fmt::format("{}/{}", kPods, name)).status; }

  TestServer server;
};

TEST_F(OrphanedPodsTest, GoAfterTheirGracePeriod) {
  make("p", "nowhere");
  EXPECT_EQ(remove("p"), 200);
  server.loop().advance(Duration::seconds(29));
  EXPECT_EQ(status_of("p"), 200);
  server.loop().advance(Duration::seconds(2));
  EXPECT_EQ(status_of("p"), 404);
}

TEST_F(OrphanedPodsTest, WaitForTheirKubeletWhileThereIsOne) {
  EXPECT_EQ(server.post("/api/v1/nodes", R"({"metadata":{"name":"n"}})").verdict(), "201");
  make("p", "n");
  EXPECT_EQ(remove("p"), 200);
  server.loop().advance(Duration::seconds(300));
  EXPECT_EQ(status_of("p"), 200);
  EXPECT_EQ(server.remove("/api/v1/nodes/n").status, 200);
  EXPECT_EQ(status_of("p"), 404);
}

TEST_F(OrphanedPodsTest, AreOnlyThoseThatAreDeleted) {
  make("p", "nowhere");
  server.loop().advance(Duration::seconds(300));
  EXPECT_EQ(status_of("p"), 200);
}

TEST_F(OrphanedPodsTest, FollowAShorterGracePeriod) {
  make("p", "nowhere");
  EXPECT_EQ(remove("p"), 200);
  EXPECT_EQ(server.remove(std::string(kPods) + "/p?gracePeriodSeconds=5").status, 200);
  server.loop().advance(Duration::seconds(6));
  EXPECT_EQ(status_of("p"), 404);
}

}  // namespace
}  // namespace loadline::apiserver
