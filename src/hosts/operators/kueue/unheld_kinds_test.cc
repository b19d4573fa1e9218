#include "hosts/operators/kueue/unheld_kinds.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "server/apiserver/testing/test_server.h"

namespace loadline::operators::kueue {
namespace {

using apiserver::Reply;
using apiserver::TestServer;

apiserver::ControlPlaneOptions with_unheld_kinds() {
  apiserver::ControlPlaneOptions options = TestServer::default_options();
  options.webhooks = make_unheld_kinds_webhooks();
  return options;
}

class UnheldKindsTest : public ::testing::Test {
 protected:
  Reply make_service(const std::string& name, const std::string& labels) {
    return server_.post("/apis/ray.io/v1/namespaces/default/rayservices",
                        R"({"apiVersion":"ray.io/v1","kind":"RayService","metadata":{"name":")" + name +
                            R"(","labels":{)" + labels +
                            R"(}},"spec":{"rayClusterConfig":{"headGroupSpec":{"rayStartParams":{},"template":{"spec":)"
                            R"({"containers":[{"name":"c","image":"c"}]}}}}}})");
  }

  TestServer server_{with_unheld_kinds()};
};

TEST_F(UnheldKindsTest, ANameOfAQueueOnOneIsWarnedOf) {
  const std::string named = R"("kueue.x-k8s.io/queue-name":"team")";
  EXPECT_EQ(make_service("before", named).header("Warning"), "") << "without queues it means nothing anywhere";
  const Reply queue =
      server_.post("/apis/kueue.x-k8s.io/v1beta2/namespaces/default/localqueues",
                   R"({"apiVersion":"kueue.x-k8s.io/v1beta2","kind":"LocalQueue","metadata":{"name":"team"},"spec":)"
                   R"({"clusterQueue":"cq"}})");
  ASSERT_EQ(queue.verdict(), "201");
  EXPECT_EQ(make_service("allowed", named).verdict(), "201");
  EXPECT_THAT(make_service("named", named).header("Warning"),
              ::testing::HasSubstr("metadata.labels[kueue.x-k8s.io/queue-name]: queue team does not hold it"));
  EXPECT_EQ(make_service("unnamed", "").header("Warning"), "");
  EXPECT_TRUE(is_unheld("ray.io/rayservice"));
  EXPECT_FALSE(is_unheld("ray.io/raycluster"));
}

}  // namespace
}  // namespace loadline::operators::kueue
