#include "objects/kube/defaults.h"

#include <gtest/gtest.h>

#include "objects/kube/batch/batch.h"
#include "objects/kube/core/namespace.h"
#include "objects/kube/core/node.h"
#include "objects/kube/core/pod.h"
#include "objects/kube/core/quota.h"
#include "objects/kube/core/service.h"
#include "objects/kube/meta.h"
#include "objects/kube/node/runtime_class.h"

namespace loadline::kube {
namespace {

Quantity amount_of(std::string_view text) { return Quantity::parse(text).value(); }

Pod pod_of(PodSpec spec) {
  Pod pod;
  pod.spec = std::make_shared<const PodSpec>(std::move(spec));
  return pod;
}

Container container_of(ResourceList requests, ResourceList limits) {
  Container container;
  container.resources.requests = std::move(requests);
  container.resources.limits = std::move(limits);
  return container;
}

TEST(DefaultsTest, PodsRequestWhatTheyLimit) {
  PodSpec spec;
  spec.containers = {container_of({{"cpu", amount_of("1")}}, {{"cpu", amount_of("2")}, {"memory", amount_of("1Gi")}})};
  spec.init_containers = {container_of({}, {{"cpu", amount_of("3")}})};
  Pod pod = pod_of(spec);
  set_defaults(pod);
  EXPECT_EQ(pod.spec->containers[0].resources.requests.at("cpu"), amount_of("1"));
  EXPECT_EQ(pod.spec->containers[0].resources.requests.at("memory"), amount_of("1Gi"));
  EXPECT_EQ(pod.spec->init_containers[0].resources.requests.at("cpu"), amount_of("3"));
}

TEST(DefaultsTest, TemplatesDoNotRequestWhatTheyLimit) {
  PodSpec spec;
  spec.containers = {container_of({}, {{"cpu", amount_of("2")}})};
  PodTemplateSpec pod_template;
  pod_template.spec = std::make_shared<const PodSpec>(spec);
  set_defaults(pod_template);
  EXPECT_TRUE(pod_template.spec->containers[0].resources.requests.empty());
}

TEST(DefaultsTest, ASpecWithNothingToDefaultStaysShared) {
  PodSpec spec;
  spec.termination_grace_period_seconds = 5;
  Pod pod = pod_of(spec);
  const PodSpec* before = pod.spec.get();
  set_defaults(pod);
  prepare_for_create(pod);
  EXPECT_EQ(pod.spec.get(), before);
}

TEST(DefaultsTest, PodLevelRequestsComeFromContainersThenLimits) {
  PodSpec spec;
  spec.containers = {container_of({{"cpu", amount_of("1")}}, {}),
                     container_of({{"cpu", amount_of("500m")}, {"hugepages-2Mi", amount_of("4Mi")}},
                                  {{"hugepages-2Mi", amount_of("4Mi")}})};
  spec.resources = ResourceRequirements{{}, {{"cpu", amount_of("4")}, {"memory", amount_of("1Gi")}}, {}};
  Pod pod = pod_of(spec);
  set_defaults(pod);
  EXPECT_EQ(pod.spec->resources->requests.at("cpu"), amount_of("1500m"));
  EXPECT_EQ(pod.spec->resources->requests.at("memory"), amount_of("1Gi"));
  EXPECT_EQ(pod.spec->resources->limits.at("hugepages-2Mi"), amount_of("4Mi"));
  EXPECT_EQ(pod.spec->resources->requests.at("hugepages-2Mi"), amount_of("4Mi"));
}

TEST(DefaultsTest, PodsOnTheHostNetworkTakeTheirPortsThere) {
  PodSpec spec;
  spec.host_network = true;
  Container container;
  ContainerPort port;
  port.container_port = 8080;
  container.ports = {port};
  spec.containers = {container};
  Pod pod = pod_of(spec);
  set_defaults(pod);
  EXPECT_EQ(pod.spec->containers[0].ports[0].host_port, 8080);
}

TEST(DefaultsTest, AmountsAreRoundedUpToMilliUnits) {
  PodSpec spec;
  spec.containers = {container_of({{"cpu", amount_of("100u")}}, {})};
  Pod pod = pod_of(spec);
  set_defaults(pod);
  EXPECT_EQ(pod.spec->containers[0].resources.requests.at("cpu"), amount_of("1m"));
}

TEST(DefaultsTest, OverheadOfARuntimeClassIsRoundedToo) {
  RuntimeClass runtime_class;
  runtime_class.overhead = {{{"cpu", amount_of("1500u")}}};
  set_defaults(runtime_class);
  EXPECT_EQ(runtime_class.overhead->pod_fixed.at("cpu"), amount_of("2m"));
  runtime_class.overhead.reset();
  set_defaults(runtime_class);
  EXPECT_FALSE(runtime_class.overhead);
}

TEST(DefaultsTest, NamespacesCarryTheirNameAsALabel) {
  Namespace name_space;
  name_space.metadata.name = "team";
  set_defaults(name_space);
  EXPECT_EQ(name_space.metadata.labels.at("kubernetes.io/metadata.name"), "team");
}

TEST(DefaultsTest, CreationMergesLabelKeysIntoSelectors) {
  PodAffinityTerm term;
  term.label_selector = LabelSelector{{{"app", "x"}}, {}};
  term.match_label_keys = {"hash", "absent"};
  term.mismatch_label_keys = {"tenant"};
  PodAffinityTerm without_selector = term;
  without_selector.label_selector.reset();
  PodSpec spec;
  spec.affinity.emplace().pod_anti = PodAffinity{{term, without_selector}, {}};
  TopologySpreadConstraint constraint;
  constraint.label_selector.emplace();
  constraint.match_label_keys = {"hash"};
  spec.topology_spread_constraints = {constraint};
  Pod pod = pod_of(spec);
  pod.metadata.labels = {{"hash", "1"}, {"tenant", "t"}};
  prepare_for_create(pod);
  const std::vector<LabelSelectorRequirement> merged = {{"hash", LabelSelectorOperator::kIn, {"1"}},
                                                        {"tenant", LabelSelectorOperator::kNotIn, {"t"}}};
  EXPECT_EQ(pod.spec->affinity->pod_anti->required[0].label_selector->match_expressions, merged);
  EXPECT_FALSE(pod.spec->affinity->pod_anti->required[1].label_selector.has_value());
  EXPECT_EQ(pod.spec->topology_spread_constraints[0].label_selector->match_expressions.size(), 1u);
}

}  // namespace
}  // namespace loadline::kube
