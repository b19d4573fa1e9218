#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "brain/cluster/testing/node_builder.h"
#include "brain/cluster/testing/pod_builder.h"
#include "foundation/document/reader.h"
#include "hosts/extension/http_extender.h"
#include "hosts/extension/testing/fake_service.h"
#include "hosts/simulator/plan.h"
#include "objects/kube/scheduling/priority_class.h"

namespace loadline::simulator {
namespace {

using cluster::testing::node;
using cluster::testing::pod;
using extension::testing::FakeReply;
using extension::testing::FakeRequest;
using extension::testing::FakeService;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

FakeReply saying(std::string body) {
  FakeReply reply;
  reply.body = std::move(body);
  return reply;
}

/// A plan of a small cluster whose scheduler has one extender, a service that answers as the test says.
struct ExtenderPlanTest : ::testing::Test {
  kube::Objects objects_;
  kube::SchedulerConfiguration configuration_;
  kube::Extender extender_;

  ExtenderPlanTest() {
    extender_.filter_verb = "filter";
    extender_.node_cache_capable = true;
    extender_.http_timeout = Duration::seconds(20);  // none of these tests waits for it
  }
  void add(const cluster::testing::NodeBuilder& each) { objects_.of<kube::Node>().push_back(each); }
  void add(const cluster::testing::PodBuilder& each) { objects_.of<kube::Pod>().push_back(each); }

  Plan plan(const std::string& url) {
    extender_.url_prefix = url;
    configuration_.profiles[0].extenders = {extender_};
    PlanOptions options;
    options.now = Instant{} + Duration::seconds(1'700'000'000);
    options.extensions.extenders = std::make_shared<extension::HttpExtenders>();
    auto made = make_plan(objects_, configuration_, options);
    EXPECT_TRUE(made) << made.error().message;
    return std::move(*made);
  }
  static std::vector<std::string> nodes_of(const Plan& plan) {
    std::vector<std::string> nodes;
    for (const PlannedPod& each : plan.pods) nodes.push_back(each.outcome == PodOutcome::kPlaced ? each.node : "");
    return nodes;
  }
  static std::vector<std::string> notes_of(const Plan& plan) {
    std::vector<std::string> notes;
    for (const Diagnostic& note : plan.notes) notes.push_back(note.subject + ": " + note.message);
    return notes;
  }
};

// ---- faults --------------------------------------------------------------------------------------------------------

struct Fault {
  std::string_view name;
  FakeReply reply;
  std::string_view message;  ///< URL stands for the service's
  bool hangs = false;
};

std::vector<Fault> faults() {
  FakeReply close, hang, broken = saying("{}");
  close.manner = FakeReply::Manner::kClose;
  hang.manner = FakeReply::Manner::kHang;
  broken.status = 500;
  return {
      {"Closes", close, "Post \"URL/filter\": the connection was closed without an answer"},
      {"Hangs", hang, "Post \"URL/filter\": no answer within 50ms (httpTimeout)", true},
      {"Fails", broken, "failed filter with extender at URL URL/filter, code 500"},
      {"Garbage", saying("[[["), "cannot read the answer of extender at URL URL/filter: not JSON: "},
      {"OtherType", saying("[]"),
       "cannot read the answer of extender at URL URL/filter: the answer: expected an object, got array"},
      {"UnknownNode", saying(R"({"NodeNames": ["ghost"]})"),
       "extender \"URL\" claims a filtered node \"ghost\" which is not found in the input node list"},
      {"SaysSo", saying(R"({"Error": "no licence"})"), "no licence"},
  };
}

struct ExtenderFaults : ExtenderPlanTest, ::testing::WithParamInterface<Fault> {
  std::string expected(const FakeService& service) const {
    std::string text(GetParam().message);
    constexpr std::string_view kMark = "\"URL";
    for (std::size_t at = 0; (at = text.find(kMark, at)) != std::string::npos;) {
      text.replace(at + 1, kMark.size() - 1, service.url());
    }
    constexpr std::string_view kAfterUrl = "URL URL";
    if (const std::size_t at = text.find(kAfterUrl); at != std::string::npos) text.replace(at + 4, 3, service.url());
    return text;
  }
};

TEST_P(ExtenderFaults, FailTheAttemptAndAreReportedByName) {
  const FakeService service([](const FakeRequest&) { return GetParam().reply; });
  if (GetParam().hangs) extender_.http_timeout = Duration{50'000'000};
  add(node("n"));
  for (const char* name : {"a", "b"}) add(pod(name));
  const Plan made = plan(service.url());
  ASSERT_THAT(made.pods, SizeIs(2));
  for (const PlannedPod& each : made.pods) {
    EXPECT_EQ(each.outcome, PodOutcome::kPending);
    EXPECT_THAT(each.message, HasSubstr(expected(service)));
  }
  EXPECT_THAT(notes_of(made), ElementsAre(HasSubstr("extender " + service.url() +
                                                    ": failed 2 scheduling attempts: " + expected(service))));
  EXPECT_THAT(made.notes.at(0).hint, HasSubstr("--without-extenders"));
}

TEST_P(ExtenderFaults, AreOverlookedAndCountedWhereTheyMayHappen) {
  const FakeService service([](const FakeRequest&) { return GetParam().reply; });
  if (GetParam().hangs) extender_.http_timeout = Duration{50'000'000};
  extender_.ignorable = true;
  add(node("n"));
  for (const char* name : {"a", "b"}) add(pod(name));
  const Plan made = plan(service.url());
  EXPECT_THAT(nodes_of(made), Each("n"));
  EXPECT_THAT(notes_of(made),
              ElementsAre(HasSubstr("extender " + service.url() +
                                    ": failed, and 2 decisions went on without it: " + expected(service))));
}

INSTANTIATE_TEST_SUITE_P(ExtenderPlan, ExtenderFaults, ::testing::ValuesIn(faults()),
                         [](const auto& test) { return std::string(test.param.name); });

TEST_F(ExtenderPlanTest, OneThatHangsIsGivenUpSoon) {
  FakeReply hang;
  hang.manner = FakeReply::Manner::kHang;
  const FakeService service([&](const FakeRequest&) { return hang; });
  extender_.http_timeout = Duration{50'000'000};
  add(node("n"));
  for (int i = 0; i < 50; ++i) add(pod("p" + std::to_string(i)));
  plan(service.url());
  EXPECT_THAT(service.requests(), SizeIs(extension::HttpExtender::kMostUnanswered));
}

TEST_F(ExtenderPlanTest, SettingsThatCannotWorkEndThePlan) {
  extender_.url_prefix = "https://localhost";
  extender_.tls.emplace().ca_file = "/nowhere/ca.crt";
  configuration_.profiles[0].extenders = {extender_};
  PlanOptions options;
  options.extensions.extenders = std::make_shared<extension::HttpExtenders>();
  const auto made = make_plan(objects_, configuration_, options);
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().message, "extender \"https://localhost\": open /nowhere/ca.crt: No such file or directory");
}

// ---- decisions -----------------------------------------------------------------------------------------------------

TEST_F(ExtenderPlanTest, DecidesWhereItIsAsked) {
  const FakeService service([](const FakeRequest& request) {
    if (request.path == "/prioritize") return saying(R"([{"Host": "b", "Score": 10}])");
    return saying(R"({"NodeNames": ["b", "c"], "FailedNodes": {"a": "reserved"}})");
  });
  extender_.prioritize_verb = "prioritize";
  extender_.weight = 100;
  for (const char* name : {"a", "b", "c"}) add(node(name));
  for (const char* name : {"p", "q"}) add(pod(name).request("cpu", "1"));
  const Plan made = plan(service.url());
  EXPECT_THAT(nodes_of(made), ElementsAre("b", "b"));
  EXPECT_THAT(made.notes, IsEmpty());
  EXPECT_THAT(service.requests(), SizeIs(4));
}

TEST_F(ExtenderPlanTest, AFailureThatItHadPartInIsNotRepeatedUnasked) {
  const FakeService service([](const FakeRequest& request) {
    const bool first = request.body.find(R"("name":"p")") != std::string::npos;
    return saying(first ? R"({"FailedNodes": {"n": "not yet"}})" : R"({"NodeNames": ["n"]})");
  });
  add(node("n"));
  for (const char* name : {"p", "q"}) add(pod(name).request("cpu", "1"));  // alike to the scheduler
  const Plan made = plan(service.url());
  EXPECT_THAT(nodes_of(made), ElementsAre("", "n"));
  EXPECT_THAT(made.pods.at(0).message, HasSubstr("0/1 nodes are available: 1 not yet."));
  ASSERT_THAT(made.pods.at(0).reasons, SizeIs(1));
  EXPECT_EQ(made.pods.at(0).reasons[0].plugin, "Extender");
  EXPECT_EQ(made.pods.at(0).reasons[0].text, "not yet");
}

/// Wants the victim that it is offered on b.
FakeReply prefer_b(const FakeRequest& request) {
  const document::Reading reading = document::read_json(request.body, "");
  const document::Value* offered = reading.documents.at(0).find("NodeNameToMetaVictims")->find("b");
  const std::string uid = offered->find("Pods")->array().at(0).find("UID")->string();
  return saying(R"({"NodeNameToMetaVictims": {"b": {"Pods": [{"UID": ")" + uid + R"("}]}}})");
}

TEST_F(ExtenderPlanTest, ChoosesVictimsAmongPodsThatHaveNoUid) {
  const FakeService service(prefer_b);
  extender_.filter_verb.clear();
  extender_.preempt_verb = "preempt";
  for (const char* name : {"low", "high"}) {
    kube::PriorityClass priority_class;
    priority_class.metadata.name = name;
    priority_class.value = name == std::string("low") ? 1 : 100;
    objects_.of<kube::PriorityClass>().push_back(priority_class);
  }
  for (const char* name : {"a", "b"}) add(node(name).allocatable("cpu", "1"));
  for (const char* name : {"va", "vb"}) add(pod(name).request("cpu", "1").priority_class("low"));
  objects_.of<kube::Pod>()[0].status.phase = objects_.of<kube::Pod>()[1].status.phase = kube::PodPhase::kRunning;
  for (const auto& [index, where] : {std::pair(0U, "a"), std::pair(1U, "b")}) {
    kube::PodSpec spec = *objects_.of<kube::Pod>()[index].spec;
    spec.node_name = where;
    spec.priority = 1;
    objects_.of<kube::Pod>()[index].spec = std::make_shared<const kube::PodSpec>(spec);
  }
  add(pod("p").request("cpu", "1").priority_class("high"));
  const Plan made = plan(service.url());
  ASSERT_THAT(made.pods, SizeIs(3));
  EXPECT_EQ(made.pods[0].outcome, PodOutcome::kRunning);
  EXPECT_EQ(made.pods[1].outcome, PodOutcome::kPreempted);
  EXPECT_EQ(made.pods[2].node, "b");
  EXPECT_EQ(service.requests().at(0).path, "/preempt");
}

}  // namespace
}  // namespace loadline::simulator
