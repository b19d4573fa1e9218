// Schedulers that people configure in ConfigMaps, in a whole cluster.
#include <gmock/gmock.h>

#include "hosts/embedded/testing/cluster_fixture.h"

namespace loadline::embedded {
namespace {

using document::Value;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::node;

using testing::kPods;
const kube::ResourceReference kConfigMaps{"", "v1", "configmaps", "kube-system"};

constexpr const char* kPacking = R"(
apiVersion: v1
kind: ConfigMap
metadata: {{name: {0}}}
data:
  scheduler-config.yaml: |
    apiVersion: kubescheduler.config.k8s.io/v1
    kind: KubeSchedulerConfiguration
    profiles:
    - schedulerName: {1}
      pluginConfig:
      - name: NodeResourcesFit
        args: {{scoringStrategy: {{type: {2}, resources: [{{name: cpu, weight: 1}}]}}}}
)";
constexpr const char* kScheduledPod = R"(
apiVersion: v1
kind: Pod
metadata: {{name: {0}, namespace: default}}
spec:
  schedulerName: {1}
  containers: [{{name: app, image: train, resources: {{requests: {{cpu: "1"}}}}}}]
)";

class ProfilesTest : public testing::ClusterTest {
 protected:
  static ClusterOptions replacing() {
    ClusterOptions options;
    options.configurations.replaces_default = true;
    return options;
  }

  void add_pods(const std::string& prefix, const std::string& scheduler, int count) {
    for (int i = 0; i < count; ++i) apply(kPods, fmt::format(kScheduledPod, prefix + std::to_string(i), scheduler));
    loop_.advance(Duration::seconds(1));
  }
};

TEST_F(ProfilesTest, AConfigMapSchedulesThePodsThatNameItsProfile) {
  start({node("a"), node("b")});
  add_pods("early", "packing", 1);
  EXPECT_THAT(pods(), ElementsAre(std::pair("Pending on ", 1))) << "no profile has that name";
  apply(kConfigMaps, fmt::format(kPacking, "mine", "packing", "MostAllocated"));
  add_pods("late", "packing", 3);
  EXPECT_THAT(pods(), ElementsAre(std::pair("Running on a", 4)));
  EXPECT_THAT(events("SchedulerConfigured"),
              ElementsAre("Pods with schedulerName \"packing\" are scheduled by this configuration"));
  client_->remove({"", "v1", "configmaps", "kube-system", "mine"}, {}, [](const kube::Answer<Value>&) {});
  loop_.run_until_idle();
  add_pods("later", "packing", 1);
  EXPECT_THAT(pods(), ElementsAre(std::pair("Pending on ", 1), std::pair("Running on a", 4)));
}

/// The right to write a ConfigMap of some namespace is not the right to decide for all.
TEST_F(ProfilesTest, AConfigMapElsewhereDoesNotCountAndIsTold) {
  start({node("a"), node("b")});
  apply({"", "v1", "configmaps", "default"}, fmt::format(kPacking, "mine", "packing", "MostAllocated"));
  apply({"", "v1", "configmaps", "default"}, fmt::format(kPacking, "broken", "packing", "MostAllocatd"));
  apply({"", "v1", "configmaps", "default"},
        "{apiVersion: v1, kind: ConfigMap, metadata: {name: notes}, data: {a: 'about KubeSchedulerConfiguration'}}");
  add_pods("p", "packing", 1);
  EXPECT_THAT(pods(), ElementsAre(std::pair("Pending on ", 1)));
  EXPECT_THAT(events("SchedulerConfigured"), ElementsAre());
  const char* const kText = "does not count: scheduler configurations count in the namespace \"kube-system\" only";
  EXPECT_THAT(events("InvalidSchedulerConfiguration"), ElementsAre(kText, kText)) << "one for each that is one";
}

TEST_F(ProfilesTest, TheNamespaceThatCountsMayBeAnother) {
  ClusterOptions options;
  options.configurations.name_space = "default";
  start({node("a"), node("b")}, std::move(options));
  apply({"", "v1", "configmaps", "default"}, fmt::format(kPacking, "mine", "packing", "MostAllocated"));
  apply(kConfigMaps, fmt::format(kPacking, "other", "other", "MostAllocated"));
  add_pods("p", "packing", 1);
  add_pods("q", "other", 1);
  EXPECT_THAT(pods(), ElementsAre(std::pair("Pending on ", 1), std::pair("Running on a", 1)));
}

TEST_F(ProfilesTest, ADefaultSchedulerThatNobodyAskedForIsLeftOut) {
  start({node("a"), node("b")});
  apply(kConfigMaps, fmt::format(kPacking, "mine", "default-scheduler", "MostAllocated"));
  apply(kConfigMaps, R"(
apiVersion: v1
kind: ConfigMap
metadata: {name: plain}
data: {a: "{apiVersion: kubescheduler.config.k8s.io/v1, kind: KubeSchedulerConfiguration}"}
)");
  add_pods("spread", "default-scheduler", 4);
  EXPECT_THAT(pods(), ElementsAre(std::pair("Running on a", 2), std::pair("Running on b", 2)));
  EXPECT_THAT(events("InvalidSchedulerConfiguration"),
              ElementsAre("profile \"default-scheduler\" is left out: a ConfigMap does not replace it, unless the "
                          "cluster is started with --replace-default-scheduler"))
      << "one that changes nothing is not worth a word";
}

TEST_F(ProfilesTest, AConfigMapMayChangeTheDefaultSchedulerAndGiveItBack) {
  start({node("a"), node("b")}, replacing());
  apply(kConfigMaps, fmt::format(kPacking, "mine", "default-scheduler", "MostAllocated"));
  add_pods("packed", "default-scheduler", 4);
  EXPECT_THAT(pods(), ElementsAre(std::pair("Running on a", 4)));
  client_->remove({"", "v1", "configmaps", "kube-system", "mine"}, {}, [](const kube::Answer<Value>&) {});
  loop_.run_until_idle();
  add_pods("spread", "default-scheduler", 2);
  EXPECT_THAT(pods(), ElementsAre(std::pair("Running on a", 4), std::pair("Running on b", 2)));
}

TEST_F(ProfilesTest, AFaultyConfigurationIsToldAndTheOthersWork) {
  start({node("a")});
  apply(kConfigMaps, fmt::format(kPacking, "good", "packing", "MostAllocated"));
  apply(kConfigMaps, fmt::format(kPacking, "bad", "broken", "MostAllocatd"));
  apply(kConfigMaps, fmt::format(kPacking, "second", "packing", "LeastAllocated"));
  add_pods("p", "packing", 1);
  add_pods("q", "default-scheduler", 1);
  add_pods("r", "broken", 1);
  EXPECT_THAT(pods(), ElementsAre(std::pair("Pending on ", 1), std::pair("Running on a", 2)));
  EXPECT_THAT(events("InvalidSchedulerConfiguration"),
              ::testing::UnorderedElementsAre(
                  HasSubstr("MostAllocatd"), "profile \"packing\" is left out: ConfigMap kube-system/good defines it"));
}

TEST_F(ProfilesTest, ConfigMapsThatWereThereBeforeCountFromTheStart) {
  start({node("a"), node("b")}, replacing());
  apply(kConfigMaps, fmt::format(kPacking, "mine", "default-scheduler", "MostAllocated"));
  cluster_->stop_control();
  add_pods("p", "default-scheduler", 4);
  EXPECT_THAT(pods(), ElementsAre(std::pair("Pending on ", 4)));
  ASSERT_TRUE(cluster_->restart_control({}));
  loop_.advance(Duration::seconds(1));
  EXPECT_THAT(pods(), ElementsAre(std::pair("Running on a", 4)));
}

std::string configuration_of(const std::string& name, int profiles, const std::string& prefix) {
  std::string text = fmt::format(R"(
apiVersion: v1
kind: ConfigMap
metadata: {{name: {}, namespace: kube-system}}
data:
  config.yaml: |
    apiVersion: kubescheduler.config.k8s.io/v1
    kind: KubeSchedulerConfiguration
    profiles:
)",
                                 name);
  for (int i = 0; i < profiles; ++i) text += fmt::format("    - {{schedulerName: {}{}}}\n", prefix, i);
  return text;
}

/// Each profile used to cost a copy of all of them.
TEST_F(ProfilesTest, AConfigurationHasSoManyProfilesAndNoMore) {
  start({node("a")});
  apply(kConfigMaps, configuration_of("many", 20'000, "s"));
  apply(kConfigMaps, configuration_of("some", 256, "t"));
  add_pods("p", "s1", 1);
  add_pods("q", "t255", 1);
  EXPECT_THAT(pods(), ElementsAre(std::pair("Pending on ", 1), std::pair("Running on a", 1)));
  EXPECT_THAT(events("InvalidSchedulerConfiguration"),
              ElementsAre(HasSubstr("profiles: 20000 entries are more than the 256")));
}

TEST_F(ProfilesTest, TheProfilesOfAllConfigMapsAreBounded) {
  start({node("a")});
  for (int i = 0; i < 6; ++i) {
    apply(kConfigMaps, configuration_of(fmt::format("m{}", i), 256, fmt::format("s{}-", i)));
    loop_.advance(Duration::seconds(1));
  }
  add_pods("p", "s3-255", 1);
  add_pods("q", "s4-0", 1);
  EXPECT_THAT(pods(), ElementsAre(std::pair("Pending on ", 1), std::pair("Running on a", 1)));
  EXPECT_THAT(events("InvalidSchedulerConfiguration"),
              ::testing::Each("is left out: the cluster's ConfigMaps have no more than 1024 profiles together"));
  EXPECT_EQ(events("InvalidSchedulerConfiguration").size(), 2U) << "of the fifth and the sixth";
  client_->remove({"", "v1", "configmaps", "kube-system", "m0"}, {}, [](const kube::Answer<Value>&) {});
  loop_.run_until_idle();
  add_pods("r", "s4-0", 1);
  EXPECT_THAT(pods(), ElementsAre(std::pair("Running on a", 3))) << "there is room for the next";
}

TEST_F(ProfilesTest, ExtendersOfAConfigMapAreNeverCalled) {
  start({node("a")});
  apply(kConfigMaps, R"(
apiVersion: v1
kind: ConfigMap
metadata: {name: extended}
data:
  config.yaml: |
    apiVersion: kubescheduler.config.k8s.io/v1
    kind: KubeSchedulerConfiguration
    profiles: [{schedulerName: extended}]
    extenders: [{urlPrefix: "http://127.0.0.1:1/", filterVerb: filter}]
)");
  add_pods("p", "extended", 1);
  EXPECT_THAT(pods(), ElementsAre(std::pair("Running on a", 1)));
  EXPECT_THAT(events("InvalidSchedulerConfiguration"),
              ElementsAre("profile \"extended\" works without its extenders: those of a ConfigMap are never called"));
}

}  // namespace
}  // namespace loadline::embedded
