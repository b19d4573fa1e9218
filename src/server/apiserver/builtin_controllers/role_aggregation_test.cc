#include <gtest/gtest.h>

#include "server/apiserver/testing/test_server.h"

namespace loadline::apiserver {
namespace {

constexpr std::string_view kRoles = "/apis/rbac.authorization.k8s.io/v1/clusterroles";

std::string role(std::string_view name) { return std::string(kRoles) + "/" + std::string(name); }

TEST(RoleAggregation, DefaultRolesAreWholeFromTheStart) {
  TestServer server;
  for (const std::string_view name : {"view", "edit", "admin"}) {
    EXPECT_NE(server.get(role(name)).at({"rules"}).find(R"("pods")"), std::string::npos) << name;
  }
  EXPECT_EQ(server.get("/readyz").status, 200);
}

TEST(RoleAggregation, FollowsItsParts) {
  TestServer server;
  ASSERT_EQ(server
                .post(kRoles, R"({"metadata":{"name":"sum"},"aggregationRule":{"clusterRoleSelectors":[{"matchLabels":)"
                              R"({"part":"yes"}}]}})")
                .verdict(),
            "201");
  const std::string rules = R"([{"verbs":["get"],"apiGroups":["example.com"],"resources":["widgets"]}])";
  ASSERT_EQ(
      server.post(kRoles, R"({"metadata":{"name":"one","labels":{"part":"yes"}},"rules":)" + rules + "}").verdict(),
      "201");
  EXPECT_EQ(server.get(role("sum")).at({"rules"}), rules);
  server.act_as("bob");
  EXPECT_EQ(server.get("/apis/example.com/v1/widgets/w").status, 403);
  server.act_as_owner();
  ASSERT_EQ(server.remove(role("one")).status, 200);
  EXPECT_NE(server.get(role("sum")).at({"rules"}), rules);
}

}  // namespace
}  // namespace loadline::apiserver
