#include "server/apiserver/http/metrics_api.h"

#include <gtest/gtest.h>

#include "server/apiserver/testing/test_server.h"

namespace loadline::apiserver {
namespace {

/// Knows one node and one pod.
class OneOfEach final : public UsageSource {
 public:
  [[nodiscard]] std::optional<NodeUsage> node(std::string_view name) const override {
    if (name != "n") return std::nullopt;
    return NodeUsage{usage(), at(), Duration::seconds(10)};
  }
  [[nodiscard]] std::optional<PodUsage> pod(std::string_view name_space, std::string_view name) const override {
    if (name_space != "default" || name != "p") return std::nullopt;
    return PodUsage{{{"c", usage()}}, at(), Duration::seconds(90)};
  }

 private:
  static Instant at() { return parse_rfc3339("2026-11-21T11:59:00Z").value(); }
  static Usage usage() {
    return {kube::Quantity::of_milli(1500), kube::Quantity::of(3 << 20, kube::Quantity::Format::kBinarySI)};
  }
};

TEST(MetricsApi, IsNotThereWithoutAUsageSource) {
  TestServer server;
  const auto expect_nothing = [&] {
    const Reply reply = server.get("/apis/metrics.k8s.io/v1beta1/nodes");
    EXPECT_EQ(reply.status, 404);
    EXPECT_EQ(reply.body, "404 page not found\n");
    EXPECT_EQ(server.get("/apis").body.find("metrics.k8s.io"), std::string::npos);
  };
  expect_nothing();
  const OneOfEach source;
  server.plane().set_usage_source(&source);
  EXPECT_NE(server.get("/apis").body.find("metrics.k8s.io"), std::string::npos);
  EXPECT_EQ(server.get("/apis/metrics.k8s.io/v1beta1").at({"kind"}), "APIResourceList");
  EXPECT_EQ(server.get("/openapi/v3/apis/metrics.k8s.io/v1beta1").status, 200);
  server.plane().set_usage_source(nullptr);
  expect_nothing();
}

TEST(MetricsApi, TellsWhatIsMeasured) {
  TestServer server;
  const OneOfEach source;
  server.plane().set_usage_source(&source);
  for (const std::string_view name : {"n", "m"}) {
    ASSERT_EQ(server.post("/api/v1/nodes", R"({"metadata":{"name":")" + std::string(name) + R"("}})").status, 201);
  }
  ASSERT_EQ(
      server
          .post("/api/v1/namespaces/default/pods",
                R"({"metadata":{"name":"p","labels":{"a":"b"}},"spec":{"containers":[{"name":"c","image":"i"}]}})")
          .status,
      201);
  EXPECT_EQ(server.get("/apis/metrics.k8s.io/v1beta1/nodes").body,
            R"({"kind":"NodeMetricsList","apiVersion":"metrics.k8s.io/v1beta1","metadata":{},"items":[{"metadata":{)"
            R"("name":"n","creationTimestamp":"2026-11-21T12:00:00Z"},"timestamp":"2026-11-21T11:59:00Z",)"
            R"("window":"10s","usage":{"cpu":"1500m","memory":"3Mi"}}]})"
            "\n");
  const std::string_view pods = "/apis/metrics.k8s.io/v1beta1/namespaces/default/pods";
  EXPECT_EQ(
      server.get(std::string(pods) + "/p").body,
      R"({"kind":"PodMetrics","apiVersion":"metrics.k8s.io/v1beta1","metadata":{"name":"p","namespace":"default",)"
      R"("creationTimestamp":"2026-11-21T12:00:00Z","labels":{"a":"b"}},"timestamp":"2026-11-21T11:59:00Z",)"
      R"("window":"1m30s","containers":[{"name":"c","usage":{"cpu":"1500m","memory":"3Mi"}}]})"
      "\n");
  EXPECT_EQ(server.get("/apis/metrics.k8s.io/v1beta1/pods?labelSelector=a%3Dc").at({"items"}), "[]");
  EXPECT_NE(server.get("/apis/metrics.k8s.io/v1beta1/pods?labelSelector=a%3Db").at({"items"}), "[]");
  EXPECT_EQ(server.get("/apis/metrics.k8s.io/v1beta1/nodes/m").verdict(),
            R"(404 NotFound: nodemetrics.metrics.k8s.io "m" not found)");
  EXPECT_EQ(server.get(std::string(pods) + "/q").verdict(),
            R"(404 NotFound: podmetrics.metrics.k8s.io "default/q" not found)");
  EXPECT_EQ(server.remove(std::string(pods) + "/p").status, 405);
}

}  // namespace
}  // namespace loadline::apiserver
