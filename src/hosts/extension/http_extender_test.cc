#include "hosts/extension/http_extender.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <string>
#include <thread>

#include "hosts/extension/testing/fake_service.h"

namespace loadline::extension {
namespace {

using placement::ExtenderFilterAnswer;
using ::testing::ElementsAre;
using testing::FakeReply;
using testing::FakeRequest;
using testing::FakeService;
using ::testing::HasSubstr;
using ::testing::StartsWith;

struct HttpExtenderTest : ::testing::Test {
  kube::Extender settings_;
  kube::Pod pod_;
  std::vector<kube::Node> nodes_{2};

  HttpExtenderTest() {
    settings_.filter_verb = "filter";
    settings_.prioritize_verb = "prioritize";
    settings_.preempt_verb = "preempt";
    settings_.bind_verb = "bind";
    settings_.weight = 1;
    settings_.node_cache_capable = true;
    settings_.http_timeout = Duration::seconds(20);  // none of these tests waits for it
    pod_.metadata.name = "p";
    pod_.metadata.namespace_ = "default";
    pod_.metadata.uid = "u";
    nodes_[0].metadata.name = "a";
    nodes_[1].metadata.name = "b";
  }

  std::unique_ptr<HttpExtender> extender(const std::string& url) {
    settings_.url_prefix = url;
    Result<std::unique_ptr<HttpExtender>> made = HttpExtender::make(settings_);
    EXPECT_TRUE(made) << made.error().message;
    return std::move(*made);
  }
  [[nodiscard]] std::vector<const kube::Node*> shown() const { return {nodes_.data(), nodes_.data() + 1}; }

  Result<ExtenderFilterAnswer> filter(const FakeService& service) {
    return extender(service.url())->filter(pod_, shown());
  }
};

FakeService::Behaviour always(FakeReply reply) {
  return [reply](const FakeRequest&) { return reply; };
}
FakeReply saying(std::string body) {
  FakeReply reply;
  reply.body = std::move(body);
  return reply;
}

constexpr std::string_view kPod =
    R"({"metadata":{"name":"p","namespace":"default","uid":"u"},)"
    R"("spec":{"containers":[],"restartPolicy":"Always","schedulerName":"default-scheduler"},)"
    R"("status":{"phase":"Pending"}})";

// ---- what is sent --------------------------------------------------------------------------------------------------

TEST_F(HttpExtenderTest, PostsThePodAndTheNamesOfNodes) {
  const FakeService service(always(saying(R"({"NodeNames": ["b"], "FailedNodes": {"a": "full"}})")));
  const auto answer = extender(service.url() + "/scheduler//")->filter(pod_, shown());
  ASSERT_TRUE(answer) << answer.error().message;
  EXPECT_THAT(answer->nodes, ElementsAre("b"));
  EXPECT_EQ(answer->failed.at("a"), "full");
  ASSERT_EQ(service.requests().size(), 1U);
  const FakeRequest request = service.requests()[0];
  EXPECT_EQ(request.path, "/scheduler/filter");
  EXPECT_THAT(request.headers, HasSubstr("Content-Type: application/json"));
  EXPECT_EQ(request.body, "{\"Pod\":" + std::string(kPod) + R"(,"Nodes":null,"NodeNames":["a","b"]})");
}

TEST_F(HttpExtenderTest, PostsWholeNodesToThoseThatKeepNone) {
  settings_.node_cache_capable = false;
  nodes_[0].allocatable["cpu"] = kube::Quantity::of(4);
  nodes_[0].taints.push_back({"k", "v", kube::TaintEffect::kNoSchedule, std::nullopt});
  const FakeService service(always(saying(R"({"Nodes": {"items": [{"metadata": {"name": "a"}}]}})")));
  const auto answer = filter(service);
  ASSERT_TRUE(answer) << answer.error().message;
  EXPECT_THAT(answer->nodes, ElementsAre("a"));
  EXPECT_TRUE(answer->whole_nodes);
  EXPECT_EQ(service.requests().at(0).body,
            "{\"Pod\":" + std::string(kPod) +
                R"(,"Nodes":{"metadata":{},"items":[{"metadata":{"name":"a"},)"
                R"("spec":{"taints":[{"effect":"NoSchedule","key":"k","value":"v"}]},)"
                R"("status":{"allocatable":{"cpu":"4"}}},{"metadata":{"name":"b"}}]},"NodeNames":null})");
}

TEST_F(HttpExtenderTest, GivesAUidToPodsThatHaveNone) {
  const FakeService service(always(saying("[]")));
  pod_.metadata.uid.clear();
  ASSERT_TRUE(extender(service.url())->prioritize(pod_, shown()));
  const std::string uid = placement::uid_of(pod_);
  EXPECT_EQ(uid.size(), 36U);
  EXPECT_THAT(service.requests().at(0).body, HasSubstr("\"uid\":\"" + uid + "\""));
  kube::Pod other = pod_;
  other.metadata.name = "q";
  EXPECT_NE(placement::uid_of(other), uid);
}

TEST_F(HttpExtenderTest, PostsCandidatesForPreemption) {
  kube::Pod victim = pod_;
  victim.metadata.name = "v";
  victim.metadata.uid = "uv";
  const std::vector<placement::ShownCandidate> candidates = {{&nodes_[1], {&victim}, 1}};
  const FakeService service(
      always(saying(R"({"NodeNameToMetaVictims": {"b": {"Pods": [{"UID": "uv"}], "NumPDBViolations": 1}}})")));
  const auto answer = extender(service.url())->process_preemption(pod_, candidates);
  ASSERT_TRUE(answer) << answer.error().message;
  EXPECT_THAT(answer->at("b").uids, ElementsAre("uv"));
  EXPECT_EQ(service.requests().at(0).body,
            "{\"Pod\":" + std::string(kPod) +
                R"(,"NodeNameToVictims":null,"NodeNameToMetaVictims":{"b":{"Pods":[{"UID":"uv"}],)"
                R"("NumPDBViolations":1}}})");

  settings_.node_cache_capable = false;
  ASSERT_TRUE(extender(service.url())->process_preemption(pod_, candidates));
  const std::string body = service.requests().at(1).body;
  EXPECT_THAT(body, HasSubstr(R"("NodeNameToVictims":{"b":{"Pods":[{"metadata":{"name":"v",)"));
  EXPECT_THAT(body, HasSubstr(R"("NodeNameToMetaVictims":null)"));
}

TEST_F(HttpExtenderTest, BindsWhenAHostAsks) {
  const FakeService service([](const FakeRequest& request) {
    return saying(request.body.find("\"Node\":\"a\"") != std::string::npos ? "{}" : R"({"Error": "gone"})");
  });
  const auto binder = extender(service.url());
  EXPECT_TRUE(binder->bind(pod_, "a"));
  const auto refused = binder->bind(pod_, "b");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().message, "gone");
  EXPECT_EQ(service.requests().at(0).path, "/bind");
  EXPECT_EQ(service.requests().at(0).body, R"({"PodName":"p","PodNamespace":"default","PodUID":"u","Node":"a"})");
}

TEST_F(HttpExtenderTest, KeepsItsConnection) {
  const FakeService service(always(saying("[]")));
  const auto same = extender(service.url());
  for (int i = 0; i < 5; ++i) ASSERT_TRUE(same->prioritize(pod_, shown()));
  EXPECT_EQ(service.requests().size(), 5U);
  EXPECT_EQ(service.connections(), 1);
}

TEST_F(HttpExtenderTest, TakesNoProxyFromTheEnvironment) {
  const FakeService service(always(saying("[]")));
  setenv("http_proxy", "http://127.0.0.1:1", 1);
  const auto answer = extender(service.url())->prioritize(pod_, shown());
  unsetenv("http_proxy");
  EXPECT_TRUE(answer) << answer.error().message;
}

// ---- what can go wrong ---------------------------------------------------------------------------------------------

std::string message_of(const Result<ExtenderFilterAnswer>& answer) {
  return answer ? "it answered" : answer.error().message;
}

TEST_F(HttpExtenderTest, OtherCodesThanOkAreErrorsInUpstreamsWords) {
  for (const int status : {500, 404, 204, 302}) {
    FakeReply reply = saying("{}");
    reply.status = status;
    if (status == 302) reply.headers = "Location: /elsewhere\r\n";
    const FakeService service(always(reply));
    EXPECT_EQ(message_of(filter(service)),
              "failed filter with extender at URL " + service.url() + "/filter, code " + std::to_string(status));
    EXPECT_EQ(service.requests().size(), 1U);
  }
}

TEST_F(HttpExtenderTest, AHangingServiceEndsWithTheTimeout) {
  FakeReply reply;
  reply.manner = FakeReply::Manner::kHang;
  const FakeService service(always(reply));
  settings_.http_timeout = Duration{100'000'000};
  EXPECT_EQ(message_of(filter(service)), "Post \"" + service.url() + "/filter\": no answer within 100ms (httpTimeout)");
}

TEST_F(HttpExtenderTest, AServiceThatHangsUpIsReported) {
  FakeReply reply;
  reply.manner = FakeReply::Manner::kClose;
  const FakeService service(always(reply));
  EXPECT_EQ(message_of(filter(service)),
            "Post \"" + service.url() + "/filter\": the connection was closed without an answer");
}

TEST_F(HttpExtenderTest, AServiceThatIsNotThereIsReportedAndSoonNotAskedAgain) {
  std::string url;
  {
    const FakeService service(always(saying("{}")));
    url = service.url();
  }
  const auto absent = extender(url);
  for (int i = 0; i < HttpExtender::kMostUnanswered; ++i) {
    EXPECT_EQ(message_of(absent->filter(pod_, shown())), "Post \"" + url + "/filter\": Connection refused");
  }
  EXPECT_EQ(message_of(absent->filter(pod_, shown())),
            "Post \"" + url + "/filter\": not called again: 3 calls in a row got no answer");
}

TEST_F(HttpExtenderTest, ThePolicyMayHaveItAskedAgain) {
  std::string url;
  {
    const FakeService service(always(saying("{}")));
    url = service.url();
  }
  const auto absent = extender(url);
  absent->heed({.silent_extenders = placement::SilentExtenders::kAskAgain});
  for (int i = 0; i < HttpExtender::kMostUnanswered + 2; ++i) {
    EXPECT_EQ(message_of(absent->filter(pod_, shown())), "Post \"" + url + "/filter\": Connection refused");
  }
  absent->heed({});
  EXPECT_EQ(message_of(absent->filter(pod_, shown())),
            "Post \"" + url + "/filter\": not called again: 5 calls in a row got no answer");
}

TEST_F(HttpExtenderTest, AHostMayBoundCallsAndAskAgainAfterARest) {
  std::string url;
  {
    const FakeService service(always(saying("{}")));
    url = service.url();
  }
  kube::Extender settings;
  settings.url_prefix = url;
  settings.filter_verb = "filter";
  settings.http_timeout = Duration::seconds(60);
  const auto absent = *HttpExtender::make(settings, {Duration::seconds(2), Duration{}});
  EXPECT_EQ(absent->settings().http_timeout, Duration::seconds(2));
  for (int i = 0; i < HttpExtender::kMostUnanswered + 2; ++i) {
    EXPECT_EQ(message_of(absent->filter(pod_, shown())), "Post \"" + url + "/filter\": Connection refused");
  }
}

TEST_F(HttpExtenderTest, AnAnswerInBetweenCountsFromTheStart) {
  int calls = 0;
  FakeReply hang_up;
  hang_up.manner = FakeReply::Manner::kClose;
  FakeReply answer = saying("{}");
  answer.headers = "Connection: close\r\n";  // on one that is kept, being hung up on is tried again
  const FakeService service([&](const FakeRequest&) { return ++calls % 3 == 0 ? answer : hang_up; });
  const auto moody = extender(service.url());
  for (int i = 0; i < 9; ++i) EXPECT_EQ(moody->filter(pod_, shown()).has_value(), i % 3 == 2) << i;
}

TEST_F(HttpExtenderTest, GarbageIsReportedWithTheUrl) {
  const FakeService service(always(saying("<html>")));
  EXPECT_THAT(message_of(filter(service)),
              StartsWith("cannot read the answer of extender at URL " + service.url() + "/filter: not JSON: "));
}

TEST_F(HttpExtenderTest, AHugeAnswerIsCutShort) {
  const FakeService service(always(saying(std::string(HttpClient::kMostBytes + 1, ' '))));
  EXPECT_EQ(message_of(filter(service)), "Post \"" + service.url() + "/filter\": the answer is larger than 64 MiB");
}

TEST_F(HttpExtenderTest, ANodeThatItWasNotShownIsAnError) {
  const FakeService service(always(saying(R"({"NodeNames": ["a", "ghost"]})")));
  EXPECT_EQ(message_of(filter(service)), "extender \"" + service.url() +
                                             "\" claims a filtered node \"ghost\" which is not found in the input "
                                             "node list");
}

TEST_F(HttpExtenderTest, ItsOwnErrorIsTheMessage) {
  const FakeService service(always(saying(R"({"Error": "no licence"})")));
  EXPECT_EQ(message_of(filter(service)), "no licence");
}

TEST_F(HttpExtenderTest, AHostWithoutAddressIsReported) {
  EXPECT_EQ(message_of(extender("http://nowhere.invalid")->filter(pod_, shown())),
            "Post \"http://nowhere.invalid/filter\": no such host");
}

TEST_F(HttpExtenderTest, ContradictoryTlsSettingsAreErrors) {
  const auto error_of = [&](const kube::ExtenderTls& tls) {
    settings_.url_prefix = "https://localhost";
    settings_.tls = tls;
    const auto made = HttpExtender::make(settings_);
    return made ? "accepted" : made.error().message;
  };
  kube::ExtenderTls tls;
  tls.insecure = true;
  tls.ca_data = "pem";
  EXPECT_EQ(error_of(tls), "specifying a root certificates file with the insecure flag is not allowed");
  tls = {};
  tls.cert_data = "pem";
  EXPECT_EQ(error_of(tls), "tlsConfig needs both a client's certificate and its key");
  tls = {};
  tls.ca_file = "/nowhere/ca.crt";
  EXPECT_EQ(error_of(tls), "open /nowhere/ca.crt: No such file or directory");
  tls.ca_file = "/dev/zero";
  EXPECT_EQ(error_of(tls), "open /dev/zero: is no regular file") << "it has no end";
}

}  // namespace
}  // namespace loadline::extension
