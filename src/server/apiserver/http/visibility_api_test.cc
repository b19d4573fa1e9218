#include "server/apiserver/http/visibility_api.h"

#include <gtest/gtest.h>

#include <utility>

#include "foundation/document/at.h"
#include "server/apiserver/testing/test_server.h"

namespace loadline::apiserver {
namespace {

/// Knows the queue "cq", and says of it what it was asked.
class OneQueue final : public PendingSource {
 public:
  void ask(PendingQuestion question, OnWorkloads done) const override {
    std::optional<std::vector<PendingWorkload>> workloads;
    if (question.queue == "cq") {
      workloads.emplace();
      workloads->push_back({document::with_at({}, {"name"}, document::Value("job-a")), question.limit,
                            question.name_space, question.offset, 7});
    }
    if (!is_stuck) return done(std::move(workloads));
    kept.push_back([workloads, done = std::move(done)] { done(workloads); });
  }

  bool is_stuck = false;
  mutable std::vector<EventLoop::Task> kept;
};

constexpr std::string_view kClusterQueues = "/apis/visibility.kueue.x-k8s.io/v1beta2/clusterqueues/";

TEST(VisibilityApi, TellsWhoWaits) {
  TestServer server;
  const std::string path = std::string(kClusterQueues) + "cq/pendingworkloads";
  EXPECT_EQ(server.get(path).at({"reason"}), "NotFound") << "nobody knows";
  const OneQueue source;
  server.plane().set_pending_source(&source);
  EXPECT_EQ(server.get(path + "?offset=3&limit=5").body,
            R"({"kind":"PendingWorkloadsSummary","apiVersion":"visibility.kueue.x-k8s.io/v1beta2","metadata":{},)"
            R"("items":[{"metadata":{"name":"job-a"},"priority":5,"localQueueName":"","positionInClusterQueue":3,)"
            R"("positionInLocalQueue":7}]})"
            "\n");
  const Reply local = server.get(
      "/apis/visibility.kueue.x-k8s.io/v1beta1/namespaces/team/localqueues/cq/"
      "pendingworkloads?offset=-1&limit=9999999");
  EXPECT_EQ(local.at({"apiVersion"}), "visibility.kueue.x-k8s.io/v1beta1");
  EXPECT_EQ(local.at({"items"}),
            R"([{"metadata":{"name":"job-a"},"priority":100000,"localQueueName":"team","positionInClusterQueue":0,)"
            R"("positionInLocalQueue":7}])");
  server.plane().set_pending_source(nullptr);
  EXPECT_EQ(server.get(path).status, 404);
}

TEST(VisibilityApi, RefusesWhatItCannotTell) {
  TestServer server;
  const OneQueue source;
  server.plane().set_pending_source(&source);
  const std::string queues(kClusterQueues);
  EXPECT_EQ(server.get(queues + "other/pendingworkloads").verdict(),
            "404 NotFound: clusterqueue.visibility.kueue.x-k8s.io \"other\" not found");
  EXPECT_EQ(server.get(queues + "cq/pendingworkloads?limit=x").verdict(),
            "400 BadRequest: strconv.ParseInt: parsing \"x\": invalid syntax");
  EXPECT_EQ(server.get(queues + "cq").status, 404);
  EXPECT_EQ(server.get(queues + "cq/status").status, 404);
  EXPECT_EQ(server.post(queues + "cq/pendingworkloads", "{}").status, 405);
}

TEST(VisibilityApi, WaitsForNobody) {
  TestServer server;
  OneQueue source;
  source.is_stuck = true;
  server.plane().set_pending_source(&source);
  const std::string path = std::string(kClusterQueues) + "cq/pendingworkloads";
  EXPECT_EQ(server.get(path).status, 0) << "not yet";
  server.loop().advance(Duration::seconds(3));
  EXPECT_EQ(server.get(path).status, 503) << "and asks no more";
  ASSERT_EQ(source.kept.size(), 1U);
  source.kept.front()();
  source.is_stuck = false;
  EXPECT_EQ(server.get(path).status, 200);
}

}  // namespace
}  // namespace loadline::apiserver
