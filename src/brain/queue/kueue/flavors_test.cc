#include "brain/queue/kueue/flavors.h"

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <string>

#include "brain/queue/kueue/pod_shapes.h"

namespace loadline::queue::kueue {
namespace {

using MatchCode = FlavorMatch::Code;
using kube::NodeSelectorOperator;
using kube::TaintEffect;

kube::NodeSelectorTerm term(const std::string& key, NodeSelectorOperator op, std::vector<std::string> values) {
  return {{{key, op, std::move(values)}}, {}};
}

void require(kube::PodSpec& spec, std::vector<kube::NodeSelectorTerm> terms) {
  spec.affinity.emplace().node.emplace().required.emplace().terms = std::move(terms);
}

class FlavorsTest : public ::testing::Test {
 protected:
  FlavorMatch match(const std::function<void(kube::PodSpec&)>& change) {
    auto spec = std::make_shared<kube::PodSpec>();
    change(*spec);
    flavors_.set(flavor_);
    return flavors_.match(flavors_.intern("a100"), shapes_.intern(spec));
  }
  MatchCode code(const std::function<void(kube::PodSpec&)>& change) { return match(change).code; }

  SymbolTable symbols_;
  PodShapes shapes_{symbols_, {}};
  Flavors flavors_{symbols_, shapes_};
  kube::ResourceFlavor flavor_ = [] {
    kube::ResourceFlavor it;
    it.metadata.name = "a100";
    it.node_labels = {{"gpu", "a100"}, {"gen", "8"}};
    return it;
  }();
};

TEST_F(FlavorsTest, ASelectorIsAskedAboutKeysOfTheFlavorAlone) {
  EXPECT_EQ(code([](kube::PodSpec& it) { it.node_selector = {{"gpu", "a100"}}; }), MatchCode::kMatches);
  EXPECT_EQ(code([](kube::PodSpec& it) { it.node_selector = {{"gpu", "h100"}}; }), MatchCode::kNodeAffinity);
  EXPECT_EQ(code([](kube::PodSpec& it) { it.node_selector = {{"zone", "a"}}; }), MatchCode::kMatches);
  EXPECT_EQ(code([](kube::PodSpec& it) { it.node_selector = {{"gpu", "h100"}, {"zone", "a"}}; }),
            MatchCode::kNodeAffinity);
}

TEST_F(FlavorsTest, OneOfTheAffinitysTermsHasToMatch) {
  const auto in = NodeSelectorOperator::kIn;
  EXPECT_EQ(code([&](auto& it) { require(it, {term("gpu", in, {"h100"})}); }), MatchCode::kNodeAffinity);
  EXPECT_EQ(code([&](auto& it) { require(it, {term("gpu", in, {"h100"}), term("gpu", in, {"a100"})}); }),
            MatchCode::kMatches);
  EXPECT_EQ(code([&](auto& it) { require(it, {term("gen", NodeSelectorOperator::kGt, {"7"})}); }), MatchCode::kMatches);
  EXPECT_EQ(code([&](auto& it) { require(it, {term("gen", NodeSelectorOperator::kGt, {"8"})}); }),
            MatchCode::kNodeAffinity);
}

TEST_F(FlavorsTest, ATermAboutOtherKeysMakesTheAffinityIrrelevant) {
  const auto in = NodeSelectorOperator::kIn;
  EXPECT_EQ(code([&](auto& it) { require(it, {term("gpu", in, {"h100"}), term("zone", in, {"a"})}); }),
            MatchCode::kMatches);
  // Where a term speaks of both, the flavor's keys count.
  kube::NodeSelectorTerm both = term("zone", in, {"a"});
  both.match_expressions.push_back({"gpu", in, {"h100"}});
  EXPECT_EQ(code([&](auto& it) { require(it, {both}); }), MatchCode::kNodeAffinity);
  // The selector counts still.
  EXPECT_EQ(code([&](auto& it) {
              require(it, {term("zone", in, {"a"})});
              it.node_selector = {{"gpu", "h100"}};
            }),
            MatchCode::kNodeAffinity);
}

TEST_F(FlavorsTest, PodOrFlavorHasToTolerateItsTaints) {
  flavor_.node_taints = {{"soft", "", TaintEffect::kPreferNoSchedule, {}},
                         {"spot", "yes", TaintEffect::kNoSchedule, {}}};
  const FlavorMatch match_ = match([](kube::PodSpec&) {});
  EXPECT_EQ(match_.code, MatchCode::kUntoleratedTaint);
  EXPECT_EQ(match_.taint, 1);
  EXPECT_EQ(code([](kube::PodSpec& it) {
              it.tolerations.push_back({"spot", kube::TolerationOperator::kExists, "", TaintEffect::kNone, {}});
            }),
            MatchCode::kMatches);
  flavor_.tolerations = {{"spot", kube::TolerationOperator::kEqual, "yes", TaintEffect::kNoSchedule, {}}};
  EXPECT_EQ(code([](kube::PodSpec&) {}), MatchCode::kMatches);
}

TEST_F(FlavorsTest, ThatAreNotThereTakeNobody) {
  EXPECT_EQ(flavors_.match(flavors_.intern("h100"), shapes_.intern(std::make_shared<kube::PodSpec>())).code,
            MatchCode::kNoFlavor);
  EXPECT_EQ(code([](kube::PodSpec&) {}), MatchCode::kMatches);
  flavors_.remove("a100");
  EXPECT_EQ(flavors_.match(flavors_.intern("a100"), shapes_.intern(std::make_shared<kube::PodSpec>())).code,
            MatchCode::kNoFlavor);
}

TEST(PodShapes, TellApartWhatUpstreamDoes) {
  const std::pair<const char*, std::function<void(kube::PodSpec&)>> changes[] = {
      {"requests", [](auto& it) { it.containers[0].resources.requests["gpu"] = *kube::Quantity::parse("2"); }},
      {"ports", [](auto& it) { it.containers[0].ports.emplace_back(); }},
      {"another container", [](auto& it) { it.containers.emplace_back(); }},
      {"init container", [](auto& it) { it.init_containers.emplace_back(); }},
      {"node selector", [](auto& it) { it.node_selector = {{"a", "b"}}; }},
      {"affinity", [](auto& it) { require(it, {}); }},
      {"toleration", [](auto& it) { it.tolerations.emplace_back(); }},
      {"runtime class", [](auto& it) { it.runtime_class_name = "kata"; }},
      {"priority", [](auto& it) { it.priority = 7; }},
      {"spread", [](auto& it) { it.topology_spread_constraints.emplace_back(); }},
      {"overhead", [](auto& it) { it.overhead["cpu"] = *kube::Quantity::parse("1"); }},
      {"claims", [](auto& it) { it.resource_claims.emplace_back(); }},
      {"pod-level requests", [](auto& it) { it.resources.emplace(); }},
  };
  kube::PodSpec plain;
  plain.containers.emplace_back();
  for (const auto& [what, change] : changes) {
    kube::PodSpec other = plain;
    change(other);
    EXPECT_NE(shape_key(other), shape_key(plain)) << what;
  }
  kube::PodSpec alike = plain;
  alike.containers[0].image = "other";
  alike.containers[0].name = "other";
  alike.containers[0].resources.limits["cpu"] = *kube::Quantity::parse("1");
  alike.scheduler_name = "other";
  EXPECT_EQ(shape_key(alike), shape_key(plain));
}

class TransformationsTest : public ::testing::Test {
 protected:
  std::string requests() {
    SymbolTable symbols;
    PodShapes shapes(symbols, resources_);
    auto spec = std::make_shared<kube::PodSpec>();
    spec->containers.emplace_back();
    for (const auto& [name, amount] : asked_)
      spec->containers[0].resources.requests[name] = *kube::Quantity::parse(amount);
    std::string text;
    for (const ResourceAmount& it : shapes.at(shapes.intern(spec)).requests) {
      text += std::string(symbols.text(it.resource)) + "=" + std::to_string(it.amount) + " ";
    }
    return text;
  }
  void rule(const std::string& input, kube::TransformationStrategy strategy, const std::string& multiply_by,
            const std::map<std::string, std::string>& outputs) {
    kube::ResourceTransformation& it = resources_.transformations.emplace_back();
    it.input = input;
    it.strategy = strategy;
    it.multiply_by = multiply_by;
    for (const auto& [name, factor] : outputs) it.outputs[name] = *kube::Quantity::parse(factor);
  }
  kube::KueueResources resources_;
  std::map<std::string, std::string> asked_;
};

TEST_F(TransformationsTest, ReplaceOrRetainTheirInput) {
  asked_ = {{"mig-1g", "3"}, {"cpu", "500m"}};
  rule("mig-1g", kube::TransformationStrategy::kReplace, "", {{"gpu-memory", "5Gi"}, {"units", "1"}});
  EXPECT_EQ(requests(), "cpu=500 gpu-memory=16106127360 units=3 ");
  resources_.transformations[0].strategy = kube::TransformationStrategy::kRetain;
  EXPECT_EQ(requests(), "cpu=500 gpu-memory=16106127360 mig-1g=3 units=3 ");
}

TEST_F(TransformationsTest, MultiplyByAnotherResource) {
  asked_ = {{"gpu", "2"}, {"share", "30"}};
  rule("share", kube::TransformationStrategy::kReplace, "gpu", {{"total", "1"}});
  EXPECT_EQ(requests(), "gpu=2 total=60 ");
}

TEST_F(TransformationsTest, NegativeOutputsTakeNothingFromWhatWasAskedFor) {
  asked_ = {{"a", "4"}, {"b", "1"}, {"c", "10"}};
  rule("a", kube::TransformationStrategy::kReplace, "", {{"c", "-1"}, {"d", "2"}});
  rule("b", kube::TransformationStrategy::kReplace, "", {{"d", "-3"}});
  EXPECT_EQ(requests(), "c=10 d=5 ");
}

TEST_F(TransformationsTest, PrefixesLeaveResourcesOut) {
  asked_ = {{"example.com/a", "4"}, {"cpu", "1"}};
  resources_.exclude_resource_prefixes = {"example.com/"};
  EXPECT_EQ(requests(), "cpu=1000 ");
}

}  // namespace
}  // namespace loadline::queue::kueue
