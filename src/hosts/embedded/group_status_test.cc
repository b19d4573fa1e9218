// The status of PodGroups of Volcano and of KAI in a whole cluster, as their schedulers write it.
#include <gmock/gmock.h>

#include "foundation/document/writer.h"
#include "hosts/embedded/testing/cluster_fixture.h"
#include "hosts/embedded/testing/picky_client.h"
#include "objects/kube/condition.h"

namespace loadline::embedded {
namespace {

using document::Value;
using ::testing::AllOf;
using ::testing::HasSubstr;
using testing::kPods;
using testing::node;
using ::testing::StartsWith;
using testing::volcano_job;
using testing::yaml;

const kube::ResourceReference kVolcanos{"scheduling.volcano.sh", "v1beta1", "podgroups", "default"};
const kube::ResourceReference kKais{"scheduling.run.ai", "v2alpha2", "podgroups", "default"};

/// Pods take four of the eight CPUs of a node. Groups are called "train", and need three.
class GroupStatusTest : public testing::ClusterTest {
 protected:
  void add_volcanos() {
    apply(kVolcanos,
          "{apiVersion: scheduling.volcano.sh/v1beta1, kind: PodGroup, metadata: {name: train, namespace: default}, "
          "spec: {minMember: 3}}");
  }
  void add_kais() {
    apply(kKais,
          "{apiVersion: scheduling.run.ai/v2alpha2, kind: PodGroup, metadata: {name: train, namespace: default}, spec: "
          "{minMember: 3}}");
  }
  void add_pod(const std::string& name, const std::string& metadata, const std::string& spec = "") {
    apply(kPods, fmt::format("{{apiVersion: v1, kind: Pod, metadata: {{name: {}, namespace: default, {}}}, spec: {{{} "
                             "restartPolicy: Never, containers: [{{name: app, image: train, resources: {{requests: "
                             "{{cpu: \"4\"}}}}}}]}}}}",
                             name, metadata, spec));
  }
  void add_volcanos_pod(const std::string& name, const std::string& run_time = "forever",
                        const std::string& spec = "") {
    add_pod(name, "annotations: {scheduling.k8s.io/group-name: train, loadline.dev/run-time: " + run_time + "}", spec);
  }
  void add_kais_pod(const std::string& name) {
    add_pod(name, "annotations: {pod-group-name: train, loadline.dev/run-time: forever}",
            "schedulerName: kai-scheduler, ");
  }
  void wait() { loop_.advance(Duration::seconds(3)); }
  void add_node(const char* name) {
    apply({"", "v1", "nodes"}, document::write_json(node(name)));
    wait();
  }
  void remove_pod(const std::string& name) {
    kube::ResourceReference one = kPods;
    one.name = name;
    client_->remove(one, {.grace_period_seconds = 0}, [](const kube::Answer<Value>& answer) { EXPECT_TRUE(answer); });
    wait();
  }

  Value group(const kube::ResourceReference& of) { return list(of).front(); }
  std::string phase() { return std::string(document::text_at(group(kVolcanos), {"status", "phase"})); }
  std::int64_t count(std::string_view field) {
    const Value counted = document::value_at(group(kVolcanos), {"status", field});
    return counted.is_integer() ? counted.integer() : 0;
  }
  /// "True NotEnoughResources: 3/3 …"; empty: there is no such condition.
  std::string says(std::string_view type) {
    const Value object = group(kVolcanos);
    const Value* condition = kube::find_condition(object, type);
    if (condition == nullptr) return {};
    return fmt::format("{} {}: {}", document::text_at(*condition, {"status"}),
                       document::text_at(*condition, {"reason"}), document::text_at(*condition, {"message"}));
  }
  std::string revision(const kube::ResourceReference& of) {
    return std::string(document::text_at(group(of), {"metadata", "resourceVersion"}));
  }
  document::Array kais_conditions() { return document::items_at(group(kKais), {"status", "schedulingConditions"}); }
};

TEST_F(GroupStatusTest, AVolcanoGroupIsToldOfFromItsBeginningToItsEnd) {
  start({node("a")});
  add_volcanos();
  wait();
  EXPECT_EQ(phase(), "Inqueue");
  EXPECT_EQ(says("Unschedulable"), "");
  for (const char* name : {"p0", "p1"}) add_volcanos_pod(name, "20s");
  wait();
  EXPECT_THAT(says("Unschedulable"), StartsWith("True NotEnoughResources: 3/2 tasks in gang unschedulable: "));
  add_volcanos_pod("p2", "20s");
  wait();
  EXPECT_EQ(phase(), "Inqueue");
  EXPECT_THAT(says("Unschedulable"),
              AllOf(StartsWith("True NotEnoughResources: 1/3 tasks in gang unschedulable: pod group is not ready, 3 "
                               "Pending, 3 minAvailable; Pending: 1 Unschedulable, 2 Schedulable. Origin reason is p"),
                    HasSubstr("Insufficient cpu")));
  EXPECT_EQ(says("Scheduled"), "");
  add_node("b");
  EXPECT_EQ(phase(), "Running");
  EXPECT_EQ(count("running"), 3);
  EXPECT_EQ(says("Scheduled"), "True tasks in gang are ready to be scheduled: ");
  EXPECT_NE(says("Unschedulable"), "") << "Volcano leaves it";
  loop_.advance(Duration::seconds(30));
  EXPECT_EQ(phase(), "Completed");
  EXPECT_EQ(count("running"), 0);
  EXPECT_EQ(count("succeeded"), 3);
}

TEST_F(GroupStatusTest, AVolcanoGroupThatHasLostAPodIsUnknown) {
  start({node("a"), node("b")});
  add_volcanos();
  for (const char* name : {"p0", "p1", "p2"}) add_volcanos_pod(name);
  wait();
  ASSERT_EQ(phase(), "Running");
  remove_pod("p1");
  EXPECT_EQ(phase(), "Unknown");
  EXPECT_EQ(count("running"), 2);
  add_volcanos_pod("p3");
  wait();
  EXPECT_EQ(phase(), "Running");
}

TEST_F(GroupStatusTest, WhatAJobOfVolcanoWritesLeavesTheStatusAlone) {
  const kube::ResourceReference jobs{"batch.volcano.sh", "v1alpha1", "jobs", "default", "train"};
  start({node("a")});
  apply({"batch.volcano.sh", "v1alpha1", "jobs", "default"}, volcano_job("volcano"));
  wait();
  EXPECT_EQ(phase(), "Inqueue");
  EXPECT_THAT(says("Unschedulable"), StartsWith("True NotEnoughResources: 1/3 tasks in gang unschedulable: "));
  client_->patch(jobs, {kube::PatchType::kMerge, yaml("{spec: {minAvailable: 2}}")},
                 [](const kube::Answer<Value>& answer) { EXPECT_TRUE(answer) << answer.error().message; });
  wait();
  EXPECT_EQ(document::value_at(group(kVolcanos), {"spec", "minMember"}).integer(), 2);
  EXPECT_NE(says("Unschedulable"), "");
  add_node("b");
  EXPECT_EQ(phase(), "Running");
  EXPECT_EQ(count("running"), 3);
}

TEST_F(GroupStatusTest, AGroupThatWaitsIsWrittenOnceAndWakesNobody) {
  std::size_t turns = 0;
  ClusterOptions options;
  options.when_decided = [&turns](const auto&...) { ++turns; };
  start({node("a")}, std::move(options));
  add_volcanos();
  for (const char* name : {"p0", "p1", "p2"}) add_volcanos_pod(name);
  wait();
  const std::string written = revision(kVolcanos);
  const std::size_t taken = turns;
  loop_.advance(Duration::seconds(120));
  EXPECT_EQ(turns, taken) << "what is written of a group is no reason to try it again";
  loop_.advance(Duration::seconds(900));
  EXPECT_GT(turns, taken) << "it is tried again, and fails in the same way";
  EXPECT_EQ(revision(kVolcanos), written);
}

TEST_F(GroupStatusTest, ASchedulerThatBeginsAnewWritesNothingThatIsSaid) {
  start({node("a")});
  add_volcanos();
  for (const char* name : {"p0", "p1", "p2"}) add_volcanos_pod(name);
  wait();
  const std::string written = revision(kVolcanos);
  ASSERT_TRUE(cluster_->restart_control({}));
  wait();
  EXPECT_EQ(revision(kVolcanos), written);
}

TEST_F(GroupStatusTest, AStatusThatIsRefusedIsWrittenLater) {
  bool refuses = true;
  ClusterOptions options;
  options.wire = [this, &refuses](std::unique_ptr<kube::Client> inner) {
    return std::make_unique<testing::PickyClient>(
        std::move(inner), loop_,
        [&refuses](const kube::ResourceReference& of) { return refuses && of.plural == "podgroups"; });
  };
  start({node("a")}, std::move(options));
  add_volcanos();
  add_kais();
  for (const char* name : {"p0", "p1", "p2"}) add_volcanos_pod(name);
  for (const char* name : {"k0", "k1", "k2"}) add_kais_pod(name);
  wait();
  EXPECT_EQ(phase(), "");
  EXPECT_TRUE(kais_conditions().empty());
  refuses = false;
  wait();
  EXPECT_EQ(phase(), "Inqueue");
  EXPECT_EQ(kais_conditions().size(), 1U);
}

TEST_F(GroupStatusTest, AGroupOfAnotherSchedulerIsLeftAlone) {
  start({node("a")});
  add_volcanos();
  add_volcanos_pod("p0", "forever", "schedulerName: another, ");
  wait();
  EXPECT_EQ(phase(), "");
}

TEST_F(GroupStatusTest, AGroupWithoutPodsIsLeftToVolcanosSchedulerIfNoneHereHasItsName) {
  ClusterOptions options;
  options.disabled_operators = {"volcano"};
  start({node("a")}, std::move(options));
  add_volcanos();
  wait();
  EXPECT_EQ(phase(), "");
  for (const char* name : {"p0", "p1", "p2"}) add_volcanos_pod(name);
  wait();
  EXPECT_EQ(phase(), "Inqueue") << "its pods ask for the default scheduler";
}

TEST_F(GroupStatusTest, AKaiGroupSaysWhyItWaitsUntilItsPodsAreBound) {
  start({node("a")});
  add_kais();
  for (const char* name : {"p0", "p1", "p2"}) add_kais_pod(name);
  wait();
  ASSERT_EQ(kais_conditions().size(), 1U);
  const Value said = kais_conditions().front();
  EXPECT_EQ(document::text_at(said, {"type"}), "UnschedulableOnNodePool");
  EXPECT_EQ(document::text_at(said, {"nodePool"}), "default");
  EXPECT_EQ(document::text_at(said, {"reason"}), "Unschedulable");
  EXPECT_EQ(document::text_at(said, {"status"}), "True");
  EXPECT_EQ(document::text_at(said, {"transitionID"}), "1");
  EXPECT_THAT(std::string(document::text_at(said, {"message"})), StartsWith("pod group is unschedulable"));
  const std::string written = revision(kKais);
  loop_.advance(Duration::seconds(900));
  EXPECT_EQ(revision(kKais), written);
  add_node("b");
  EXPECT_TRUE(kais_conditions().empty());
}

TEST_F(GroupStatusTest, AKaiGroupThatGrowsIsNotToldOfAsOneThatDoesNotStart) {
  start({node("a"), node("b")});
  add_kais();
  for (const char* name : {"p0", "p1", "p2", "p3"}) add_kais_pod(name);
  wait();
  add_kais_pod("p4");
  wait();
  EXPECT_TRUE(kais_conditions().empty());
}

}  // namespace
}  // namespace loadline::embedded
