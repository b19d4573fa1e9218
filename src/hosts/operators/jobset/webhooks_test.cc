#include "hosts/operators/jobset/webhooks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "server/apiserver/testing/test_server.h"

namespace loadline::operators {
namespace {

using apiserver::Reply;
using apiserver::TestServer;

apiserver::ControlPlaneOptions with_webhooks() {
  apiserver::ControlPlaneOptions options = TestServer::default_options();
  options.webhooks = make_jobset_webhooks();
  options.runs_builtin_controllers = false;  // which would collect pods of Jobs that are not there
  options.disabled_admission_plugins = {"ServiceAccount"};
  return options;
}

class JobSetWebhookTest : public ::testing::Test {
 protected:
  static constexpr const char* kSets = "/apis/jobset.x-k8s.io/v1alpha2/namespaces/default/jobsets";
  static constexpr const char* kPods = "/api/v1/namespaces/default/pods";

  Reply make_set(const std::string& name, const std::string& spec) {
    return server_.post(kSets, R"({"apiVersion":"jobset.x-k8s.io/v1alpha2","kind":"JobSet","metadata":{"name":")" +
                                   name + R"("},"spec":{)" + spec +
                                   R"("replicatedJobs":[{"name":"a","template":{"spec":{"completions":1,"template":)"
                                   R"({"spec":{"containers":[{"name":"c","image":"c"}]}}}}}]}})");
  }
  /// A pod of the Job "js-a-0" that has the rack to itself.
  Reply make_pod(const std::string& index, const std::string& uid = "job-uid", const std::string& suffix = "abcde") {
    return server_.post(
        kPods, R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"js-a-0-)" + index + '-' + suffix +
                   R"(","labels":{)"
                   R"("jobset.sigs.k8s.io/jobset-name":"js","jobset.sigs.k8s.io/replicatedjob-name":"a",)"
                   R"("jobset.sigs.k8s.io/job-index":"0","jobset.sigs.k8s.io/job-key":"key"},"annotations":{)"
                   R"("jobset.sigs.k8s.io/jobset-name":"js","alpha.jobset.sigs.k8s.io/exclusive-topology":"rack",)"
                   R"("batch.kubernetes.io/job-completion-index":")" +
                   index + R"("},"ownerReferences":[{"apiVersion":"batch/v1","kind":"Job","name":"js-a-0","uid":")" +
                   uid + R"(","controller":true}]},"spec":{"containers":[{"name":"c","image":"c"}]}})");
  }

  TestServer server_{with_webhooks()};
};

TEST_F(JobSetWebhookTest, CompletesAndJudges) {
  const Reply made = make_set("js", R"("failurePolicy":{"rules":[{"action":"FailJobSet","onJobFailureReasons":[)"
                                    R"("BackoffLimitExceeded"]}]},)");
  EXPECT_EQ(made.verdict(), "201");
  EXPECT_EQ(made.at({"spec", "successPolicy"}), R"({"operator":"All"})");
  EXPECT_EQ(server_.patch("merge", std::string(kSets) + "/js", R"({"spec":{"suspend":true}})").verdict(), "200")
      << "what is immutable is what it was, wherever the webhook has put a name";
  EXPECT_EQ(
      make_set("other", R"("coordinator":{"replicatedJob":"x"},)").verdict(),
      "403 Forbidden: admission webhook \"vjobset.kb.io\" denied the request: JobSet.jobset.x-k8s.io \"other\" is "
      "invalid: <nil>: Internal error: coordinator replicatedJob x does not exist");
}

/// JobSet 0.12 counts the leader that failed, and refuses followers for ever (kubernetes-sigs/jobset#1276).
TEST_F(JobSetWebhookTest, PodsFollowTheLeaderThatReplacesOneThatFailed) {
  const auto bind = [&](const std::string& pod) {
    return server_
        .post(std::string(kPods) + '/' + pod + "/binding",
              R"({"apiVersion":"v1","kind":"Binding","metadata":{"name":")" + pod + R"("},"target":{"name":"n"}})")
        .verdict();
  };
  server_.post("/api/v1/nodes", R"({"apiVersion":"v1","kind":"Node","metadata":{"name":"n","labels":{"rack":"r7"}}})");
  ASSERT_EQ(make_pod("0").verdict(), "201");
  ASSERT_EQ(bind("js-a-0-0-abcde"), "201");
  ASSERT_EQ(server_.patch("merge", std::string(kPods) + "/js-a-0-0-abcde/status", R"({"status":{"phase":"Failed"}})")
                .verdict(),
            "200");
  EXPECT_THAT(make_pod("1").verdict(), ::testing::StartsWith("403")) << "its replacement is not there yet";
  ASSERT_EQ(make_pod("0", "job-uid", "fghij").verdict(), "201");
  ASSERT_EQ(bind("js-a-0-0-fghij"), "201");
  EXPECT_EQ(make_pod("1").verdict(), "201");
  ASSERT_EQ(server_.patch("merge", std::string(kPods) + "/js-a-0-0-fghij/status", R"({"status":{"phase":"Succeeded"}})")
                .verdict(),
            "200");
  EXPECT_EQ(make_pod("2").verdict(), "201") << "no other first pod will come";
}

TEST_F(JobSetWebhookTest, PodsFollowTheirLeaderIntoItsDomain) {
  EXPECT_EQ(make_pod("1").verdict(),
            "403 Forbidden: admission webhook \"vpod.kb.io\" denied the request: follower pod node selector not set");
  const Reply leader = make_pod("0");
  EXPECT_EQ(leader.verdict(), "201");
  EXPECT_EQ(leader.at({"metadata", "labels", "jobset.sigs.k8s.io/priority"}), "0");
  EXPECT_THAT(leader.at({"spec", "affinity", "podAntiAffinity"}), ::testing::HasSubstr(R"("values":["key"])"));
  EXPECT_THAT(make_pod("1").verdict(), ::testing::StartsWith("403"));
  ASSERT_EQ(
      server_
          .post("/api/v1/nodes", R"({"apiVersion":"v1","kind":"Node","metadata":{"name":"n","labels":{"rack":"r7"}}})")
          .verdict(),
      "201");
  ASSERT_EQ(
      server_
          .post(std::string(kPods) + "/js-a-0-0-abcde/binding",
                R"({"apiVersion":"v1","kind":"Binding","metadata":{"name":"js-a-0-0-abcde"},"target":{"name":"n"}})")
          .verdict(),
      "201");
  EXPECT_THAT(make_pod("1", "other-job").verdict(), ::testing::StartsWith("403")) << "of a Job before this one";
  const Reply follower = make_pod("1");
  EXPECT_EQ(follower.verdict(), "201");
  EXPECT_EQ(follower.at({"spec", "nodeSelector"}), R"({"rack":"r7"})");
}

}  // namespace
}  // namespace loadline::operators
