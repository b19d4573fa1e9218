#include <gtest/gtest.h>

#include "server/apiserver/testing/test_server.h"

namespace loadline::apiserver {
namespace {

constexpr std::string_view kApi = "/apis/rbac.authorization.k8s.io/v1";

std::string at(std::string_view path) { return std::string(kApi) + std::string(path); }

/// Bob may read pods and write roles and bindings of the namespace, and nothing else.
class RbacEscalationTest : public testing::Test {
 protected:
  RbacEscalationTest() {
    EXPECT_EQ(
        server
            .post(at("/namespaces/default/roles"),
                  R"({"metadata":{"name":"bob"},"rules":[{"verbs":["get"],"apiGroups":[""],"resources":["pods"]},)"
                  R"({"verbs":["*"],"apiGroups":["rbac.authorization.k8s.io"],"resources":["roles2",)"
                  R"("rolebindings"]},{"verbs":["create","update","patch","get"],)"
                  R"("apiGroups":["rbac.authorization.k8s.io"],"resources":["roles"]}]})")
            .verdict(),
        "201");
    EXPECT_EQ(
        server
            .post(at("/namespaces/default/rolebindings"),
                  R"({"metadata":{"name":"bob"},"roleRef":{"apiGroup":"rbac.authorization.k8s.io","kind":"Role",)"
                  R"("name":"bob"},"subjects":[{"kind":"User","apiGroup":"rbac.authorization.k8s.io","name":"bob"}]})")
            .verdict(),
        "201");
    server.act_as("bob");
  }

  TestServer server;
};

TEST_F(RbacEscalationTest, RolesHandOutOnlyWhatOneHas) {
  const std::string roles = at("/namespaces/default/roles");
  const auto with = [](std::string_view verb) {
    return R"({"metadata":{"name":"r"},"rules":[{"verbs":[")" + std::string(verb) +
           R"("],"apiGroups":[""],"resources":["pods"]}]})";
  };
  EXPECT_EQ(server.post(roles, with("delete")).verdict(),
            "403 Forbidden: roles.rbac.authorization.k8s.io \"r\" is forbidden: user \"bob\" "
            "(groups=[\"system:authenticated\"]) is attempting to grant RBAC permissions not currently held:\n"
            "{APIGroups:[\"\"], Resources:[\"pods\"], Verbs:[\"delete\"]}");
  EXPECT_EQ(server.post(roles, with("get")).verdict(), "201");
  EXPECT_EQ(server.patch("merge", roles + "/r", with("delete")).status, 403);
  EXPECT_EQ(server.patch("merge", roles + "/r", R"({"metadata":{"labels":{"a":"b"}}})").verdict(), "200");
}

TEST_F(RbacEscalationTest, BindingsToo) {
  const std::string bindings = at("/namespaces/default/rolebindings");
  const auto to = [](std::string_view kind, std::string_view name) {
    return R"({"metadata":{"name":"x"},"roleRef":{"apiGroup":"rbac.authorization.k8s.io","kind":")" +
           std::string(kind) + R"(","name":")" + std::string(name) + R"("}})";
  };
  const Reply refused = server.post(bindings, to("ClusterRole", "cluster-admin"));
  EXPECT_EQ(refused.status, 403);
  EXPECT_NE(refused.at({"message"}).find("is attempting to grant RBAC permissions not currently held"),
            std::string::npos);
  EXPECT_EQ(server.post(bindings, to("Role", "missing")).status, 404);
  EXPECT_EQ(server.post(bindings, to("Role", "bob")).verdict(), "201");
}

}  // namespace
}  // namespace loadline::apiserver
