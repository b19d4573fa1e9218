#include "brain/cluster/shapes/shape_compiler.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "brain/cluster/testing/pod_builder.h"

namespace loadline::cluster {
namespace {

using namespace testing;  // NOLINT: the fixtures' words

constexpr std::int64_t kMebibyte = 1024 * 1024;

struct ShapeCompilerTest : ::testing::Test {
  Cluster cluster;

  const PodShape& shape(const PodBuilder& builder) { return cluster.shape_of(cluster.add_pod(builder)); }

  std::int64_t amount(const std::vector<ResourceAmount>& amounts, const char* name) {
    for (const ResourceAmount& entry : amounts) {
      if (entry.resource == cluster.resources().find(name)) return entry.amount;
    }
    return 0;
  }
  std::int64_t requested(const PodBuilder& builder, const char* name) { return amount(shape(builder).requests, name); }

  std::optional<std::vector<std::string>> candidates(const PodBuilder& builder) {
    const auto& names = shape(builder).candidate_node_names;
    if (!names) return std::nullopt;
    std::vector<std::string> texts;
    for (const Symbol name : *names) texts.emplace_back(cluster.symbols().text(name));
    std::sort(texts.begin(), texts.end());
    return texts;
  }
};

// ---- requests -------------------------------------------------------------------------------------------------------

TEST_F(ShapeCompilerTest, ContainersAddUp) {
  const auto two =
      pod("p").request("cpu", "250m").another_container().request("cpu", "1").request("nvidia.com/gpu", "2");
  EXPECT_EQ(requested(two, "cpu"), 1250);
  EXPECT_EQ(requested(two, "nvidia.com/gpu"), 2);
  EXPECT_EQ(requested(two, "memory"), 0);
}

TEST_F(ShapeCompilerTest, TheLargestInitContainerIsTheFloor) {
  EXPECT_EQ(requested(pod("p").request("cpu", "1").init_container("cpu", "3").init_container("cpu", "2"), "cpu"), 3000);
  EXPECT_EQ(requested(pod("p").request("cpu", "4").init_container("cpu", "3"), "cpu"), 4000);
}

TEST_F(ShapeCompilerTest, SidecarsRunBesideContainersAndBesideLaterInitContainers) {
  EXPECT_EQ(requested(pod("p").request("cpu", "1").sidecar("cpu", "2"), "cpu"), 3000);
  // The sidecar is up while the init container after it runs (2 + 4), not while the one before it does (5).
  EXPECT_EQ(requested(pod("p").request("cpu", "1").sidecar("cpu", "2").init_container("cpu", "4"), "cpu"), 6000);
  EXPECT_EQ(requested(pod("p").request("cpu", "1").init_container("cpu", "5").sidecar("cpu", "2"), "cpu"), 5000);
}

TEST_F(ShapeCompilerTest, OverheadComesOnTop) {
  EXPECT_EQ(requested(pod("p").request("cpu", "1").init_container("cpu", "2").overhead("cpu", "250m"), "cpu"), 2250);
}

TEST_F(ShapeCompilerTest, PodLevelRequestsStandForAllContainers) {
  const auto builder = pod("p").request("cpu", "1").request("memory", "1Gi").pod_level_request("cpu", "3");
  EXPECT_EQ(requested(builder, "cpu"), 3000);
  EXPECT_EQ(requested(builder, "memory"), 1024 * kMebibyte);
}

TEST_F(ShapeCompilerTest, ResizedContainersTakeWhatTheyHold) {
  PodBuilder builder = pod("p").request("cpu", "1");
  kube::ContainerStatus& status = builder.pod().status.container_statuses.emplace_back();
  status.name = "main";
  status.resources = kube::ResourceRequirements{{{"cpu", quantity("2")}}, {}, {}};
  const PodShape& resized = shape(builder);
  EXPECT_EQ(amount(resized.requests, "cpu"), 1000);
  EXPECT_EQ(amount(resized.usage, "cpu"), 2000);
}

// ---- non-zero requests ----------------------------------------------------------------------------------------------

TEST_F(ShapeCompilerTest, ContainersWithoutRequestsCountAHundredthOfACpuEachAndTwoHundredMebibytes) {
  const PodShape& none = shape(pod("p").another_container());
  EXPECT_EQ(none.nonzero_cpu, 200);
  EXPECT_EQ(none.nonzero_memory, 400 * kMebibyte);
  EXPECT_TRUE(none.requests.empty());
  EXPECT_EQ(none.container_nonzero_list.at("cpu").milli_value(), 200);
  EXPECT_TRUE(none.requests_list.empty());
}

TEST_F(ShapeCompilerTest, OnlyWhatIsMissingIsFilledInAndAnExplicitZeroStays) {
  const PodShape& some = shape(pod("p").request("cpu", "2").another_container().request("memory", "1Gi"));
  EXPECT_EQ(some.nonzero_cpu, 2100);
  EXPECT_EQ(some.nonzero_memory, 1224 * kMebibyte);
  const PodShape& zero = shape(pod("q").request("cpu", "0").request("memory", "0"));
  EXPECT_EQ(zero.nonzero_cpu, 0);
  EXPECT_EQ(zero.nonzero_memory, 0);
}

TEST_F(ShapeCompilerTest, PodLevelRequestsLeaveNothingToFillIn) {
  const PodShape& both = shape(pod("p").pod_level_request("cpu", "1").pod_level_request("memory", "1Gi"));
  EXPECT_EQ(both.nonzero_cpu, 1000);
  EXPECT_EQ(both.nonzero_memory, 1024 * kMebibyte);
  const PodShape& cpu_only = shape(pod("q").pod_level_request("cpu", "1"));
  EXPECT_EQ(cpu_only.nonzero_cpu, 1000);
  EXPECT_EQ(cpu_only.nonzero_memory, 200 * kMebibyte);
}

// ---- nodes ----------------------------------------------------------------------------------------------------------

TEST_F(ShapeCompilerTest, NodeNamesNarrowTheSearchOnlyIfEveryTermHasThem) {
  using Names = std::vector<std::string>;
  EXPECT_EQ(candidates(pod("p")), std::nullopt);
  EXPECT_EQ(candidates(pod("p").requires_nodes(named("a"))), Names{"a"});
  EXPECT_EQ(candidates(pod("p").requires_nodes(named("a")).requires_nodes(named("b"))), (Names{"a", "b"}));
  EXPECT_EQ(candidates(pod("p").requires_nodes(named("a")).requires_nodes(label_in("x", {"1"}))), std::nullopt);

  kube::NodeSelectorTerm contradictory = named("a");
  contradictory.match_fields.push_back(named("b").match_fields.front());
  EXPECT_EQ(candidates(pod("p").requires_nodes(contradictory)), Names{});
  EXPECT_EQ(candidates(pod("p").requires_nodes(contradictory).requires_nodes(named("c"))), Names{"c"});
  const kube::NodeSelectorTerm but_not{{}, {requirement("metadata.name", kube::NodeSelectorOperator::kNotIn, {"a"})}};
  EXPECT_EQ(candidates(pod("p").requires_nodes(but_not)), std::nullopt);
}

TEST_F(ShapeCompilerTest, AnAffinityWithoutTermsIsARuleThatNothingSatisfies) {
  PodBuilder builder = pod("p");
  builder.spec().affinity.emplace().node.emplace().required.emplace();
  const PodShape& compiled = shape(builder);
  EXPECT_TRUE(compiled.node_affinity.has_terms);
  EXPECT_FALSE(matches(compiled.node_affinity, {}, Symbol{}, cluster.symbols()));
}

// ---- affinity -------------------------------------------------------------------------------------------------------

TEST_F(ShapeCompilerTest, AnAffinityTermMeansThePodsOwnNamespaceUnlessItNamesOthers) {
  const auto namespaces_of = [&](kube::PodAffinityTerm term) {
    const PodShape& compiled = shape(pod("p").in("mine").near(std::move(term)));
    std::vector<std::string> names;
    for (const Symbol name : cluster.term(compiled.required_affinity.at(0).term).namespaces) {
      names.emplace_back(cluster.symbols().text(name));
    }
    return names;
  };
  kube::PodAffinityTerm term = pods_with("app", "web", "zone");
  EXPECT_EQ(namespaces_of(term), std::vector<std::string>{"mine"});
  term.namespaces = {"yours"};
  EXPECT_EQ(namespaces_of(term), std::vector<std::string>{"yours"});
  term.namespaces.clear();
  term.namespace_selector = kube::LabelSelector{};
  EXPECT_TRUE(namespaces_of(term).empty());
}

TEST_F(ShapeCompilerTest, ATermMatchesByNamespaceNameOrByNamespaceLabels) {
  cluster.set_namespace("labelled", {{"team", "ml"}});
  kube::PodAffinityTerm term = pods_with("app", "web", "zone");
  term.namespace_selector = selecting("team", "ml");
  const TermId by_label = shape(pod("p").near(term)).required_affinity.at(0).term;
  EXPECT_TRUE(cluster.matches(by_label, shape(pod("a").in("labelled").label("app", "web"))));
  EXPECT_FALSE(cluster.matches(by_label, shape(pod("b").in("default").label("app", "web"))));
  EXPECT_FALSE(cluster.matches(by_label, shape(pod("c").in("labelled").label("app", "db"))));

  term.namespace_selector = selecting("kubernetes.io/metadata.name", "unheard-of");
  const TermId by_name = shape(pod("q").near(term)).required_affinity.at(0).term;
  EXPECT_TRUE(cluster.matches(by_name, shape(pod("d").in("unheard-of").label("app", "web"))));
}

TEST_F(ShapeCompilerTest, MatchLabelKeysOfASpreadConstraintTakeThePodsValues) {
  auto constraint = spread_over("zone", 1, kube::UnsatisfiableAction::kDoNotSchedule, selecting("app", "web"));
  constraint.match_label_keys = {"version", "missing"};
  SymbolTable& symbols = cluster.symbols();
  const PodSelector selector =
      spread_selector(constraint, LabelSet({{"app", "web"}, {"version", "2"}}, symbols), symbols);
  EXPECT_TRUE(selector.matches(LabelSet({{"app", "web"}, {"version", "2"}}, symbols), symbols));
  EXPECT_FALSE(selector.matches(LabelSet({{"app", "web"}, {"version", "1"}}, symbols), symbols));
  EXPECT_FALSE(selector.matches(LabelSet({{"version", "2"}}, symbols), symbols));
}

// ---- ports, images, taints ------------------------------------------------------------------------------------------

TEST_F(ShapeCompilerTest, HostPortsAreThoseOfContainersAndSidecars) {
  PodBuilder builder = pod("p").host_port(80).sidecar("cpu", "1").init_container("cpu", "1");
  builder.spec().init_containers[0].ports.push_back({"", 81, 81, "10.0.0.1", kube::Protocol::kUdp});
  builder.spec().init_containers[1].ports.push_back({"", 82, 82, "", kube::Protocol::kTcp});
  builder.spec().containers[0].ports.push_back({"", 83, 0, "", kube::Protocol::kTcp});
  const PodShape& compiled = shape(builder);
  ASSERT_EQ(compiled.host_ports.size(), 2U);
  EXPECT_EQ(compiled.host_ports[0].port, 80);
  EXPECT_EQ(cluster.symbols().text(compiled.host_ports[0].ip), "0.0.0.0");
  EXPECT_EQ(compiled.host_ports[1].port, 81);
}

TEST_F(ShapeCompilerTest, PortsConflictByNumberProtocolAndAddress) {
  struct Case {
    HostPort a, b;
    bool conflict;
  };
  SymbolTable& symbols = cluster.symbols();
  const Symbol any = symbols.intern("0.0.0.0");
  const Symbol one = symbols.intern("10.0.0.1");
  const Symbol two = symbols.intern("10.0.0.2");
  using kube::Protocol;
  const Case cases[] = {
      {{any, Protocol::kTcp, 80}, {any, Protocol::kTcp, 80}, true},
      {{any, Protocol::kTcp, 80}, {one, Protocol::kTcp, 80}, true},
      {{one, Protocol::kTcp, 80}, {any, Protocol::kTcp, 80}, true},
      {{one, Protocol::kTcp, 80}, {one, Protocol::kTcp, 80}, true},
      {{one, Protocol::kTcp, 80}, {two, Protocol::kTcp, 80}, false},
      {{any, Protocol::kTcp, 80}, {any, Protocol::kUdp, 80}, false},
      {{any, Protocol::kTcp, 80}, {any, Protocol::kTcp, 81}, false},
      {{any, Protocol::kTcp, 0}, {any, Protocol::kTcp, 0}, false},
  };
  for (const Case& each : cases) EXPECT_EQ(conflict(each.a, each.b, any), each.conflict);
}

TEST(NormalizedImageTest, AddsTheTagLatestWhereNoneIsGiven) {
  EXPECT_EQ(normalized_image("nginx"), "nginx:latest");
  EXPECT_EQ(normalized_image("nginx:1.27"), "nginx:1.27");
  EXPECT_EQ(normalized_image("registry:5000/nginx"), "registry:5000/nginx:latest");
  EXPECT_EQ(normalized_image("registry:5000/nginx:1"), "registry:5000/nginx:1");
  EXPECT_EQ(normalized_image("nginx@sha256:abc"), "nginx@sha256:abc");
  EXPECT_EQ(normalized_image(""), ":latest");
}

TEST_F(ShapeCompilerTest, ATolerationToleratesByKeyValueEffectAndOperator) {
  using kube::TaintEffect;
  using kube::TolerationOperator;
  struct Case {
    kube::Toleration toleration;
    bool tolerates;
  };
  const Case cases[] = {
      {{"key", TolerationOperator::kEqual, "value", TaintEffect::kNoSchedule, {}}, true},
      {{"key", TolerationOperator::kEqual, "value", TaintEffect::kNone, {}}, true},
      {{"key", TolerationOperator::kEqual, "other", TaintEffect::kNone, {}}, false},
      {{"key", TolerationOperator::kEqual, "", TaintEffect::kNone, {}}, false},
      {{"key", TolerationOperator::kExists, "", TaintEffect::kNone, {}}, true},
      {{"key", TolerationOperator::kExists, "", TaintEffect::kNoExecute, {}}, false},
      {{"other", TolerationOperator::kExists, "", TaintEffect::kNone, {}}, false},
      {{"", TolerationOperator::kExists, "", TaintEffect::kNone, {}}, true},
      {{"", TolerationOperator::kExists, "", TaintEffect::kPreferNoSchedule, {}}, false},
      {{"key", TolerationOperator::kGt, "value", TaintEffect::kNone, {}}, false},  // gated off in 1.36
  };
  const auto taints = compile_taints({{"key", "value", TaintEffect::kNoSchedule, {}}}, cluster.symbols());
  int number = 0;
  for (const Case& each : cases) {
    SCOPED_TRACE(number++);
    EXPECT_EQ(tolerated(compile_tolerations({each.toleration}, cluster.symbols()), taints[0]), each.tolerates);
  }
  EXPECT_FALSE(tolerated({}, taints[0]));
}

}  // namespace
}  // namespace loadline::cluster
