#include "server/apiserver/http/metrics_api.h"

#include <gtest/gtest.h>

#include "server/apiserver/testing/test_server.h"

namespace loadline::apiserver {
namespace {

/// Knows one node and one pod. While it is stuck, it keeps what it is asked.
class OneOfEach final : public UsageSource {
 public:
  void measure_nodes(std::vector<std::string> names, OnNodes done) const override {
    ++asked;
    std::vector<std::optional<NodeUsage>> usages;
    for (const std::string& name : names) {
      usages.push_back(name == "n" ? std::optional(NodeUsage{usage(), at(), Duration::seconds(10)}) : std::nullopt);
    }
    if (!is_stuck) return done(usages);
    kept.push_back([usages, done = std::move(done)] { done(usages); });
  }
  void measure_pods(std::vector<PodName> names, OnPods done) const override {
    std::vector<std::optional<PodUsage>> usages;
    for (const PodName& name : names) {
      const bool is_known = name.name_space == "default" && name.name == "p";
      usages.push_back(is_known ? std::optional(PodUsage{{{"c", usage()}}, at(), Duration::seconds(90)})
                                : std::nullopt);
    }
    done(usages);
  }
  void go_on() {
    is_stuck = false;
    for (const EventLoop::Task& answer : std::exchange(kept, {})) answer();
  }

  bool is_stuck = false;
  mutable int asked = 0;
  mutable std::vector<EventLoop::Task> kept;

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

/// The source works on a thread that scheduler and controllers hold up.
TEST(MetricsApi, WaitsForNobodyLongerThanTwoSeconds) {
  TestServer server;
  OneOfEach source;
  server.plane().set_usage_source(&source);
  ASSERT_EQ(server.post("/api/v1/nodes", R"({"metadata":{"name":"n"}})").status, 201);
  constexpr std::string_view kNodes = "/apis/metrics.k8s.io/v1beta1/nodes";
  const std::string busy = "503 ServiceUnavailable: scheduler and controllers are busy, and they know what is used";
  source.is_stuck = true;
  const Reply& waits = server.open(kNodes);
  EXPECT_EQ(waits.status, 0);
  EXPECT_EQ(server.get("/api/v1/nodes").status, 200);
  server.loop().advance(Duration::seconds(1));
  EXPECT_EQ(waits.status, 0);
  server.loop().advance(Duration::seconds(1));
  EXPECT_EQ(waits.verdict(), busy);
  EXPECT_EQ(server.get(kNodes).verdict(), busy) << "known to be stuck: not asked again";
  EXPECT_EQ(source.asked, 1);
  source.go_on();
  EXPECT_EQ(waits.verdict(), busy) << "too late";
  EXPECT_EQ(server.get(kNodes).status, 200);
}

TEST(MetricsApi, AsksAboutAFewRequestsAtATime) {
  TestServer server;
  OneOfEach source;
  server.plane().set_usage_source(&source);
  ASSERT_EQ(server.post("/api/v1/nodes", R"({"metadata":{"name":"n"}})").status, 201);
  source.is_stuck = true;
  std::vector<const Reply*> replies;
  for (int i = 0; i < 40; ++i) replies.push_back(&server.open("/apis/metrics.k8s.io/v1beta1/nodes/n"));
  EXPECT_EQ(source.asked, 16);
  source.go_on();
  EXPECT_EQ(source.asked, 40);
  for (const Reply* reply : replies) EXPECT_EQ(reply->status, 200);
}

}  // namespace
}  // namespace loadline::apiserver
