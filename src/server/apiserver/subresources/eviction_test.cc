#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "server/apiserver/testing/test_server.h"

namespace loadline::apiserver {
namespace {

constexpr std::string_view kPods = "/api/v1/namespaces/default/pods";
constexpr std::string_view kBudgets = "/apis/policy/v1/namespaces/default/poddisruptionbudgets";
constexpr std::string_view kNow = "2026-11-21T12:00:00Z";

/// A server with a node and a running pod `p` that is labelled x=y.
class Eviction : public testing::Test {
 protected:
  Eviction() {
    EXPECT_EQ(server.post("/api/v1/nodes", R"({"metadata":{"name":"n"}})").status, 201);
    make_pod("p", "Running", true);
  }

  void make_pod(std::string_view name, std::string_view phase, bool is_ready) {
    const Reply made = server.post(
        kPods,
        fmt::format(
            R"({{"metadata":{{"name":"{}","labels":{{"x":"y"}}}},"spec":{{"nodeName":"n","containers":[{{"name":"c","image":"i"}}]}}}})",
            name));
    EXPECT_EQ(made.verdict(), "201");
    const Reply changed =
        server.patch("merge", fmt::format("{}/{}/status", kPods, name),
                     fmt::format(R"({{"status":{{"phase":"{}","conditions":[{{"type":"Ready","status":"{}"}}]}}}})",
                                 phase, is_ready ? "True" : "False"));
    EXPECT_EQ(changed.verdict(), "200");
  }

  void make_budget(std::string_view name, std::string_view status, std::string_view more = {}) {
    const Reply made = server.post(
        kBudgets,
        fmt::format(
            R"({{"metadata":{{"name":"{}"}},"spec":{{"minAvailable":1,{}"selector":{{"matchLabels":{{"x":"y"}}}}}}}})",
            name, more));
    EXPECT_EQ(made.verdict(), "201");
    if (status.empty()) return;
    EXPECT_EQ(
        server.patch("merge", fmt::format("{}/{}/status", kBudgets, name), fmt::format(R"({{"status":{}}})", status))
            .verdict(),
        "200");
  }

  Reply evict(std::string_view name, std::string_view options = {}, std::string_view query = {}) {
    return server.post(fmt::format("{}/{}/eviction{}", kPods, name, query),
                       fmt::format(R"({{"apiVersion":"policy/v1","kind":"Eviction","metadata":{{"name":"{}"}}{}}})",
                                   name, options.empty() ? "" : fmt::format(R"(,"deleteOptions":{})", options)));
  }

  /// "gone", "going" or "there".
  std::string state_of(std::string_view pod) {
    const Reply reply = server.get(fmt::format("{}/{}", kPods, pod));
    if (reply.status == 404) return "gone";
    return reply.at({"metadata", "deletionTimestamp"}).empty() ? "there" : "going";
  }

  TestServer server;
};

TEST_F(Eviction, WithoutBudgetDeletes) {
  const Reply reply = evict("p");
  EXPECT_EQ(reply.status, 201);
  EXPECT_EQ(reply.body, R"({"kind":"Status","apiVersion":"v1","metadata":{},"status":"Success","code":201})"
                        "\n");
  EXPECT_NE(state_of("p"), "there");
}

TEST_F(Eviction, RefusesWhatIsNotThere) {
  EXPECT_EQ(evict("zz").verdict(), R"(404 NotFound: pods "zz" not found)");
  EXPECT_EQ(server.post(fmt::format("{}/p/eviction", kPods), R"({"metadata":{"name":"q"}})").verdict(),
            "400 BadRequest: name in URL does not match name in Eviction object");
}

TEST_F(Eviction, BudgetNotSeenByItsController) {
  make_budget("b", "");
  const Reply reply = evict("p");
  EXPECT_EQ(reply.status, 429);
  EXPECT_EQ(reply.header("Retry-After"), "10");
  EXPECT_EQ(reply.body,
            R"({"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"Cannot evict pod as it )"
            R"(would violate the pod's disruption budget.","reason":"TooManyRequests","details":{"causes":[{"reason":)"
            R"("DisruptionBudget","message":"The disruption budget b is still being processed by the server."}],)"
            R"("retryAfterSeconds":10},"code":429})"
            "\n");
  EXPECT_EQ(state_of("p"), "there");
}

TEST_F(Eviction, BudgetUsedUp) {
  make_budget("b", R"({"observedGeneration":1,"disruptionsAllowed":0,"currentHealthy":1,"desiredHealthy":1})");
  const Reply reply = evict("p");
  EXPECT_EQ(reply.status, 429);
  EXPECT_EQ(reply.header("Retry-After"), "");
  EXPECT_EQ(reply.body,
            R"({"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"Cannot evict pod as it )"
            R"(would violate the pod's disruption budget.","reason":"TooManyRequests","details":{"causes":[{"reason":)"
            R"("DisruptionBudget","message":"The disruption budget b needs 1 healthy pods and has 1 currently"}]},)"
            R"("code":429})"
            "\n");
}

TEST_F(Eviction, SaysWhyThereIsNoDisruption) {
  struct Case {
    std::string_view status;
    std::string_view cause;
  };
  const Case cases[] = {
      {R"({"observedGeneration":1,"currentHealthy":3,"desiredHealthy":1})",
       "The disruption budget b does not allow evicting pods currently"},
      {R"({"observedGeneration":1,"currentHealthy":3,"desiredHealthy":1,"conditions":[{"type":"DisruptionAllowed",)"
       R"("status":"False","reason":"Odd","message":"why","lastTransitionTime":"2026-11-21T12:00:00Z"}]})",
       "The disruption budget b does not allow evicting pods currently (Odd): why"},
      {R"({"observedGeneration":1,"conditions":[{"type":"DisruptionAllowed","status":"False","reason":"SyncFailed",)"
       R"("message":"no scale","lastTransitionTime":"2026-11-21T12:00:00Z"}]})",
       "The disruption budget b does not allow evicting pods currently because it failed sync: no scale"},
  };
  for (const Case& c : cases) {
    make_budget("b", c.status);
    EXPECT_NE(evict("p").body.find(fmt::format("\"message\":\"{}\"", c.cause)), std::string::npos) << c.cause;
    EXPECT_EQ(server.remove(fmt::format("{}/b", kBudgets)).status, 200);
  }
}

TEST_F(Eviction, TakesADisruption) {
  make_budget("b", R"({"observedGeneration":1,"disruptionsAllowed":2,"currentHealthy":3,"desiredHealthy":1})");
  make_pod("q", "Running", true);
  EXPECT_EQ(evict("p", R"({"gracePeriodSeconds":60})").verdict(), "201");
  const std::string budget = fmt::format("{}/b", kBudgets);
  EXPECT_EQ(server.get(budget).at({"status", "disruptionsAllowed"}), "1");
  EXPECT_EQ(server.get(budget).at({"status", "disruptedPods", "p"}), kNow);
  EXPECT_EQ(server.get(budget).at({"status", "conditions"}), "");

  EXPECT_EQ(evict("q").verdict(), "201");
  EXPECT_EQ(server.get(budget).at({"status", "disruptionsAllowed"}), "0");
  EXPECT_EQ(server.get(budget).at({"status", "conditions"}),
            R"([{"type":"DisruptionAllowed","status":"False","observedGeneration":1,"lastTransitionTime":)"
            R"("2026-11-21T12:00:00Z","reason":"InsufficientPods","message":""}])");
}

TEST_F(Eviction, MarksThePod) {
  const Reply& watch = server.open(fmt::format("{}?watch=true&resourceVersion=0", kPods));
  EXPECT_EQ(evict("p").verdict(), "201");
  server.loop().run_until_idle();
  EXPECT_NE(
      watch.body.find(R"({"type":"DisruptionTarget","status":"True","lastProbeTime":null,"lastTransitionTime":)"
                      R"("2026-11-21T12:00:00Z","reason":"EvictionByEvictionAPI","message":"Eviction API: evicting"})"),
      std::string::npos)
      << watch.body;
}

TEST_F(Eviction, DryRunLeavesAllAsItWas) {
  make_budget("b", R"({"observedGeneration":1,"disruptionsAllowed":1,"currentHealthy":2,"desiredHealthy":1})");
  for (const Reply& reply : {evict("p", {}, "?dryRun=All"), evict("p", R"({"dryRun":["All"]})")}) {
    EXPECT_EQ(reply.verdict(), "201");
    EXPECT_EQ(state_of("p"), "there");
    EXPECT_EQ(server.get(fmt::format("{}/b", kBudgets)).at({"status", "disruptionsAllowed"}), "1");
  }
}

TEST_F(Eviction, PreconditionsHoldBeforeAnythingIsWritten) {
  const std::string uid = server.get(fmt::format("{}/p", kPods)).at({"metadata", "uid"});
  EXPECT_EQ(
      evict("p", R"({"preconditions":{"uid":"other"}})").verdict(),
      "409 Conflict: Operation cannot be fulfilled on Pod \"p\": the UID in the precondition (other) does not match "
      "the UID in record (" +
          uid + "). The object might have been deleted and then recreated");
  const std::string version = server.get(fmt::format("{}/p", kPods)).at({"metadata", "resourceVersion"});
  EXPECT_EQ(server.get(fmt::format("{}/p", kPods)).body.find("DisruptionTarget"), std::string::npos);
  EXPECT_EQ(evict("p", fmt::format(R"({{"preconditions":{{"resourceVersion":"{}"}}}})", version)).verdict(), "201");
}

TEST_F(Eviction, WhomBudgetsDoNotKeep) {
  const std::string_view used_up = R"({"observedGeneration":1,"currentHealthy":0,"desiredHealthy":1})";
  make_budget("b", used_up);
  make_pod("pending", "Pending", false);
  make_pod("succeeded", "Succeeded", false);
  make_pod("failed", "Failed", false);
  make_pod("unhealthy", "Running", false);
  for (const std::string_view name : {"pending", "succeeded", "failed"}) {
    EXPECT_EQ(evict(name).verdict(), "201") << name;
  }
  EXPECT_EQ(evict("unhealthy").status, 429);
  // The others are well, so that an unhealthy one may go; a healthy one may not.
  server.patch("merge", fmt::format("{}/b/status", kBudgets), R"({"status":{"currentHealthy":1}})");
  EXPECT_EQ(evict("p").status, 429);
  EXPECT_EQ(evict("unhealthy").verdict(), "201");
  EXPECT_EQ(server.get(fmt::format("{}/b", kBudgets)).at({"status", "disruptedPods"}), "");
}

TEST_F(Eviction, AlwaysAllowed) {
  make_budget("b", R"({"observedGeneration":1,"currentHealthy":0,"desiredHealthy":1})",
              R"("unhealthyPodEvictionPolicy":"AlwaysAllow",)");
  make_pod("unhealthy", "Running", false);
  EXPECT_EQ(evict("unhealthy").verdict(), "201");
  EXPECT_EQ(evict("p").status, 429);
}

TEST_F(Eviction, SeveralBudgets) {
  make_budget("a", "");
  make_budget("b", "");
  const Reply reply = evict("p");
  EXPECT_EQ(reply.status, 201);  // and the Status says no
  EXPECT_EQ(reply.body,
            R"({"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"This pod has more than )"
            R"(one PodDisruptionBudget, which the eviction subresource does not support.","code":500})"
            "\n");
  EXPECT_EQ(state_of("p"), "there");
}

}  // namespace
}  // namespace loadline::apiserver
