#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "foundation/document/at.h"
#include "foundation/document/reader.h"
#include "server/apiserver/kinds/pod_rules.h"
#include "server/apiserver/testing/test_server.h"

namespace loadline::apiserver {
namespace {

constexpr std::string_view kPods = "/api/v1/namespaces/default/pods";
constexpr std::string_view kPod = "/api/v1/namespaces/default/pods/p";
constexpr std::string_view kStatus = "/api/v1/namespaces/default/pods/p/status";

document::Value json(std::string_view text) { return document::read_json(text, {}).documents.at(0); }

std::string pod(std::string_view spec, std::string_view metadata = R"("name":"p")") {
  return fmt::format(R"({{"metadata":{{{}}},"spec":{{"containers":[{{"name":"c","image":"x"}}]{}{}}}}})", metadata,
                     spec.empty() ? "" : ",", spec);
}

/// What is wrong with the request: the message without the pod's name.
std::string pod_problem(const Reply& reply) {
  constexpr std::string_view kBegin = "Pod \"p\" is invalid: ";
  const std::string message = reply.at({"message"});
  return message.starts_with(kBegin) ? message.substr(kBegin.size()) : reply.verdict();
}

/// What stays as it was is not judged again; what changes is, whichever way it comes.
TEST(ChangedPod, IsJudgedByWhatChanges) {
  TestServer server;
  ASSERT_EQ(server.post(kPods, pod("", R"("name":"p","labels":{"a":"b"},"annotations":{"c":"d"})")).verdict(), "201");
  for (const std::string_view path : {kPod, kStatus}) {
    const auto change = [&](std::string_view metadata) {
      return pod_problem(server.patch("merge", path, fmt::format(R"({{"metadata":{}}})", metadata)));
    };
    EXPECT_TRUE(change(R"({"labels":{"no good":"x"}})").starts_with("metadata.labels: Invalid value: \"no good\""))
        << path;
    EXPECT_TRUE(change(R"({"labels":{"a":"no good"}})").starts_with("metadata.labels: Invalid value: \"no good\""))
        << path;
    EXPECT_TRUE(change(R"({"annotations":{"no good":"x"}})").starts_with("metadata.annotations: Invalid value: "))
        << path;
    EXPECT_EQ(change(R"({"labels":{"a":"z"},"annotations":{"c":"z"}})"), "200") << path;
    EXPECT_EQ(change(R"({"labels":{"a":"b"},"annotations":{"c":"d"}})"), "200") << path;
  }
}

TEST(NewPod, IsPendingAndOfAClass) {
  TestServer server;
  const Reply reply = server.post(kPods, pod("", R"("name":"p","generation":7)"));
  EXPECT_EQ(reply.verdict(), "201");
  EXPECT_EQ(reply.at({"status"}), R"({"phase":"Pending","qosClass":"BestEffort"})");
  EXPECT_EQ(reply.at({"metadata", "generation"}), "1");
}

struct ClassCase {
  std::string_view resources;
  std::string_view expected;
};

TEST(NewPod, HasTheClassOfItsResources) {
  TestServer server;
  for (const ClassCase& each : {
           ClassCase{R"({})", "BestEffort"},
           ClassCase{R"({"requests":{"cpu":"0"}})", "BestEffort"},
           ClassCase{R"({"requests":{"cpu":"1"}})", "Burstable"},
           ClassCase{R"({"limits":{"cpu":"1","memory":"1Gi"}})", "Guaranteed"},
           ClassCase{R"({"limits":{"cpu":"1","memory":"1Gi"},"requests":{"memory":"1Mi"}})", "Burstable"},
       }) {
    const Reply reply = server.post(
        std::string(kPods) + "?dryRun=All",
        fmt::format(
            R"({{"metadata":{{"name":"p"}},"spec":{{"containers":[{{"name":"c","image":"x","resources":{}}}]}}}})",
            each.resources));
    EXPECT_EQ(reply.at({"status", "qosClass"}), each.expected) << each.resources;
  }
}

TEST(NewPod, SaysThatItWaitsAtAGate) {
  TestServer server;
  const Reply reply = server.post(kPods, pod(R"("schedulingGates":[{"name":"a/b"}])"));
  EXPECT_NE(
      reply.at({"status", "conditions"})
          .find(R"("reason":"SchedulingGated","message":"Scheduling is blocked due to non-empty scheduling gates")"),
      std::string::npos)
      << reply.body;
}

TEST(NewPod, TakesOverLabelsThatItsSelectorsName) {
  TestServer server;
  const Reply reply = server.post(
      kPods,
      pod(R"("topologySpreadConstraints":[{"maxSkew":1,"topologyKey":"zone","whenUnsatisfiable":"DoNotSchedule",)"
          R"("labelSelector":{"matchLabels":{"app":"a"}},"matchLabelKeys":["version","none"]}])",
          R"("name":"p","labels":{"app":"a","version":"2"})"));
  EXPECT_NE(reply.body.find(R"("labelSelector":{"matchLabels":{"app":"a"},)"
                            R"("matchExpressions":[{"key":"version","operator":"In","values":["2"]}]})"),
            std::string::npos)
      << reply.body;
}

struct Refusal {
  std::string_view change;  ///< a merge patch of the specification
  std::string_view expected;
};

TEST(ChangedPod, MayChangeLittle) {
  TestServer server;
  ASSERT_EQ(server.post(kPods, pod(R"("activeDeadlineSeconds":100,"tolerations":[{"key":"k","operator":"Exists"}])"))
                .verdict(),
            "201");
  for (const Refusal& each : {
           Refusal{R"({"containers":[{"name":"c","image":"y"}]})", "200"},
           Refusal{R"({"activeDeadlineSeconds":50})", "200"},
           Refusal{R"({"activeDeadlineSeconds":60})",
                   "spec.activeDeadlineSeconds: Invalid value: 60: must be less than or equal to previous value"},
           Refusal{
               R"({"activeDeadlineSeconds":null})",
               "spec.activeDeadlineSeconds: Invalid value: null: must not update from a positive integer to nil value"},
           Refusal{R"({"containers":[{"name":"c","image":"y"},{"name":"d","image":"y"}]})",
                   "spec.containers: Forbidden: pod updates may not add or remove containers"},
           Refusal{R"({"tolerations":null})",
                   "spec.tolerations: Forbidden: existing toleration can not be modified except its tolerationSeconds"},
           Refusal{R"({"schedulingGates":[{"name":"z/z"}]})",
                   "spec.schedulingGates[0].name: Forbidden: only deletion is allowed, but found new scheduling gate "
                   "'z/z'"},
           Refusal{R"({"nodeName":"n1"})",
                   "spec: Forbidden: pod updates may not change fields other than "
                   "`spec.containers[*].image`,`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,"
                   "`spec.tolerations` (only additions to existing tolerations),`spec.terminationGracePeriodSeconds` "
                   "(allow it to be set to 1 if it was previously negative)\n+ spec.nodeName: \"n1\"\n"},
       }) {
    const Reply reply = server.patch("merge", kPod, fmt::format(R"({{"spec":{}}})", each.change));
    EXPECT_EQ(pod_problem(reply), each.expected) << each.change;
  }
  EXPECT_EQ(server.get(kPod).at({"metadata", "generation"}), "3");
}

TEST(ChangedPod, IsChoosierBehindItsGateOnly) {
  TestServer server;
  ASSERT_EQ(server.post(kPods, pod(R"("schedulingGates":[{"name":"a/b"}],"nodeSelector":{"a":"b"})")).verdict(), "201");
  EXPECT_EQ(pod_problem(server.patch("merge", kPod, R"({"spec":{"nodeSelector":{"c":"d"}}})")), "200");
  EXPECT_EQ(pod_problem(server.patch("merge", kPod, R"({"spec":{"nodeSelector":{"a":"z"}}})")),
            R"(spec.nodeSelector: Invalid value: {"a":"z","c":"d"}: only additions to spec.nodeSelector are allowed )"
            R"((no mutations or deletions))");
  EXPECT_EQ(pod_problem(
                server.patch("merge", kPod,
                             R"({"spec":{"affinity":{"nodeAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":)"
                             R"({"nodeSelectorTerms":[{"matchExpressions":[{"key":"k","operator":"Exists"}]}]}}}}})")),
            "200");
  EXPECT_EQ(
      pod_problem(
          server.patch("merge", kPod,
                       R"({"spec":{"affinity":{"nodeAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":)"
                       R"({"nodeSelectorTerms":[{"matchExpressions":[{"key":"z","operator":"Exists"}]}]}}}}})")),
      R"(spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[0]: )"
      R"(Invalid value: {"MatchExpressions":[{"Key":"z","Operator":"Exists","Values":null}],"MatchFields":null}: )"
      R"(only additions are allowed (no mutations or deletions))");
  EXPECT_EQ(pod_problem(server.patch("merge", kPod, R"({"spec":{"schedulingGates":null}})")), "200");
  const std::string refused = pod_problem(server.patch("merge", kPod, R"({"spec":{"nodeSelector":{"e":"f"}}})"));
  EXPECT_TRUE(refused.starts_with("spec: Forbidden: pod updates may not change fields other than")) << refused;
}

TEST(ChangedPod, NamesEachErrorOnceAndEachCause) {
  TestServer server;
  ASSERT_EQ(server.post(kPods, pod("")).verdict(), "201");
  const Reply reply =
      server.patch("merge", kPod, R"({"spec":{"containers":[{"name":"c","image":" x","imagePullPolicy":"Always"}]}})");
  EXPECT_EQ(pod_problem(reply),
            "spec.containers[0].image: Invalid value: \" x\": must not have leading or trailing whitespace");
  EXPECT_EQ(json(reply.body).find("details")->find("causes")->array().size(), 2U);
}

TEST(PodStatus, KeepsWhatTheServerKnows) {
  TestServer server;
  ASSERT_EQ(server.post(kPods, pod(R"("restartPolicy":"Never")")).verdict(), "201");
  const Reply running = server.patch(
      "merge", kStatus,
      R"({"metadata":{"ownerReferences":[{"apiVersion":"v1","kind":"Node","name":"n","uid":"u"}]},)"
      R"("status":{"phase":"Running","qosClass":null,"containerStatuses":[{"name":"c","ready":false,"restartCount":0,)"
      R"("image":"x","imageID":"","state":{"terminated":{"exitCode":1}}}]}})");
  EXPECT_EQ(running.verdict(), "200");
  EXPECT_EQ(running.at({"status", "qosClass"}), "BestEffort");
  EXPECT_EQ(running.at({"metadata", "ownerReferences"}), "");
  EXPECT_EQ(pod_problem(server.patch("merge", kStatus, R"({"status":{"qosClass":"Burstable"}})")),
            "status.qosClass: Invalid value: \"Burstable\": field is immutable");
  EXPECT_EQ(pod_problem(server.patch("merge", kStatus,
                                     R"({"status":{"containerStatuses":[{"name":"c","ready":true,"restartCount":0,)"
                                     R"("image":"x","imageID":"","state":{"running":{}}}]}})")),
            "status.containerStatuses[0].state: Forbidden: may not be transitioned to non-terminated state");
  EXPECT_EQ(
      pod_problem(server.patch("merge", kStatus, R"({"status":{"podIPs":[{"ip":"010.0.0.1"}],"podIP":"010.0.0.1"}})")),
      "status.podIPs[0]: Invalid value: \"010.0.0.1\": must not have leading 0s");
}

struct GraceCase {
  std::string_view spec;
  std::string_view options;
  std::string_view expected;
};

TEST(DeletedPod, LivesForItsGracePeriodOnANode) {
  for (const GraceCase& each : {
           GraceCase{"", "", ""},
           GraceCase{R"("nodeName":"n1")", "", "30"},
           GraceCase{R"("nodeName":"n1","terminationGracePeriodSeconds":5)", "", "5"},
           GraceCase{R"("nodeName":"n1")", R"({"gracePeriodSeconds":7})", "7"},
           GraceCase{R"("nodeName":"n1")", R"({"gracePeriodSeconds":0})", ""},
       }) {
    TestServer server;
    ASSERT_EQ(server.post(kPods, pod(each.spec)).verdict(), "201");
    EXPECT_EQ(server.remove(kPod, each.options).verdict(), "200");
    EXPECT_EQ(server.get(kPod).at({"metadata", "deletionGracePeriodSeconds"}), each.expected) << each.spec;
  }
}

struct WarningCase {
  std::string_view pod;
  std::vector<std::string> expected;
};

TEST(PodWarnings, AreUpstreams) {
  const WarningCase cases[] = {
      {R"({"metadata":{"name":"a.b"}})",
       {"metadata.name: this is used in the Pod's hostname, which can result in surprising behavior; a DNS label is "
        "recommended: [must not contain dots]"}},
      {R"({"metadata":{"name":"a"},"spec":{"nodeSelector":{"beta.kubernetes.io/os":"linux"}}})",
       {"spec.nodeSelector[beta.kubernetes.io/os]: deprecated since v1.14; use \"kubernetes.io/os\" instead"}},
      {R"({"metadata":{"name":"a"},"spec":{"containers":[{"env":[{"name":"A","value":"1"},{"name":"A","value":"2"}]}]}})",
       {"spec.containers[0].env[1]: hides previous definition of \"A\", which may be dropped when using apply"}},
      {R"({"metadata":{"name":"a"},"spec":{"containers":[{"env":[{"name":"A","value":"1"},{"name":"A","value":"$(A)2"}]}]}})",
       {}},
      {R"({"metadata":{"name":"a"},"spec":{"containers":[{"resources":{"limits":{"memory":"100m"}}}]}})",
       {"spec.containers[0].resources.limits[memory]: fractional byte value \"100m\" is invalid, must be an integer"}},
      {R"({"metadata":{"name":"a"},"spec":{"containers":[{"ports":[{"containerPort":80,"protocol":"TCP","name":"x"},)"
       R"({"containerPort":80,"protocol":"TCP","name":"x"}]}]}})",
       {"spec.containers[0].ports[1]: duplicate port definition with spec.containers[0].ports[0]",
        "spec.containers[0].ports[1]: duplicate port name \"x\" with spec.containers[0].ports[0], services and probes "
        "that select ports by name will use spec.containers[0].ports[0]"}},
      {R"({"metadata":{"name":"a"},"spec":{"terminationGracePeriodSeconds":-1}})",
       {"spec.terminationGracePeriodSeconds: must be >= 0; negative values are invalid and will be treated as 1"}},
  };
  for (const WarningCase& each : cases) EXPECT_EQ(pod_warnings(json(each.pod)), each.expected) << each.pod;
}

/// Each clashes with each: told of all, a request of a megabyte would take gigabytes.
TEST(PodWarnings, OfVeryManyPortsOfOneNumberSomeAreNamed) {
  document::Array containers;
  for (int i = 0; i < 2'000; ++i) {
    containers.push_back(json(fmt::format(R"({{"name":"c{}","ports":[{{"containerPort":80}}]}})", i)));
  }
  const document::Value pod = document::with_at(json(R"({"metadata":{"name":"p"}})"), {"spec", "containers"},
                                                document::Value(std::move(containers)));
  const std::vector<std::string> warnings = pod_warnings(pod);
  EXPECT_EQ(warnings.front(),
            "spec.containers[1].ports[0]: duplicate port definition with spec.containers[0].ports[0]");
  EXPECT_LT(warnings.size(), 101'000U);
}

}  // namespace
}  // namespace loadline::apiserver
