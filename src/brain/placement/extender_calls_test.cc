#include "brain/placement/extender_calls.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <functional>
#include <map>
#include <string>

#include "brain/cluster/testing/node_builder.h"
#include "brain/engine/registry.h"
#include "brain/placement/testing/placement_fixture.h"

namespace loadline::placement {
namespace {

using cluster::NodeId;
using cluster::PodId;
using cluster::testing::node;
using cluster::testing::pod;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

using Names = std::vector<std::string>;

/// Answers as a test says. Unset: as an extender that minds nothing.
struct Script {
  std::function<Result<ExtenderFilterAnswer>(const kube::Pod&, const Names&)> filter;
  std::function<Result<std::vector<ExtenderScore>>(const Names&)> prioritize;
  std::function<Result<std::map<std::string, ExtenderVictims>>(std::span<const ShownCandidate>)> preempt;
  std::vector<std::string>* calls = nullptr;
};

class ScriptedExtender final : public Extender {
 public:
  ScriptedExtender(kube::Extender settings, Script script)
      : settings_(std::move(settings)), script_(std::move(script)) {}
  [[nodiscard]] const kube::Extender& settings() const override { return settings_; }
  [[nodiscard]] Result<ExtenderFilterAnswer> filter(const kube::Pod& asked,
                                                    std::span<const kube::Node* const> nodes) const override {
    note("filter", names_of(nodes));
    if (script_.filter) return script_.filter(asked, names_of(nodes));
    return ExtenderFilterAnswer{names_of(nodes), {}, {}, false};
  }
  [[nodiscard]] Result<std::vector<ExtenderScore>> prioritize(const kube::Pod&,
                                                              std::span<const kube::Node* const> nodes) const override {
    note("prioritize", names_of(nodes));
    return script_.prioritize ? script_.prioritize(names_of(nodes)) : std::vector<ExtenderScore>();
  }
  [[nodiscard]] Result<std::map<std::string, ExtenderVictims>> process_preemption(
      const kube::Pod&, std::span<const ShownCandidate> candidates) const override {
    Names names;
    for (const ShownCandidate& candidate : candidates) names.push_back(candidate.node->metadata.name);
    note("preempt", names);
    return script_.preempt(candidates);
  }

 private:
  static Names names_of(std::span<const kube::Node* const> nodes) {
    Names names;
    for (const kube::Node* each : nodes) names.push_back(each->metadata.name);
    return names;
  }
  void note(const std::string& verb, const Names& names) const {
    if (script_.calls == nullptr) return;
    std::string call = settings_.url_prefix + " " + verb;
    for (const std::string& name : names) call += " " + name;
    script_.calls->push_back(call);
  }

  kube::Extender settings_;
  Script script_;
};

struct ExtenderCallsTest : testing::PlacementFixture {
  struct Source final : ExtenderSource {
    std::map<std::string, Script> scripts;
    [[nodiscard]] Result<std::unique_ptr<Extender>> make(const kube::Extender& settings) const override {
      return std::make_unique<ScriptedExtender>(settings, scripts.at(settings.url_prefix));
    }
  };
  struct Pods final : PodObjects {
    std::map<PodId, kube::Pod> pods;
    [[nodiscard]] const kube::Pod& at(PodId id) const override { return pods.at(id); }
  };
  struct Nodes final : NodeObjects {
    std::deque<kube::Node> nodes;
    [[nodiscard]] const kube::Node& at(NodeId id) const override { return nodes.at(id.index()); }
  };
  std::shared_ptr<Source> source_ = std::make_shared<Source>();
  std::shared_ptr<Pods> pods_ = std::make_shared<Pods>();
  std::shared_ptr<Nodes> nodes_ = std::make_shared<Nodes>();
  std::vector<std::string> calls_;

  ExtenderCallsTest() {
    extensions_.extenders = source_;
    extensions_.pods = pods_;
    extensions_.nodes = nodes_;
  }

  NodeId add(const cluster::testing::NodeBuilder& builder) {
    nodes_->nodes.push_back(builder);
    return PlacementFixture::add(builder);
  }
  PodId add(const cluster::testing::PodBuilder& builder) {
    const PodId id = PlacementFixture::add(builder);
    pods_->pods[id] = builder;
    return id;
  }
  PodId add(const cluster::testing::PodBuilder& builder, NodeId where) {
    const PodId id = add(builder);
    cluster_.place(id, where);
    return id;
  }
  Decision decide(const cluster::testing::PodBuilder& builder, Detail detail = Detail::kDecision) {
    return PlacementFixture::decide(add(builder), detail);
  }

  /// One that filters, prioritises and preempts, and is asked about every pod.
  kube::Extender& extender(const std::string& url, Script script = {}) {
    script.calls = &calls_;
    source_->scripts[url] = std::move(script);
    kube::Extender settings;
    settings.url_prefix = url;
    settings.filter_verb = settings.prioritize_verb = settings.preempt_verb = "verb";
    settings.weight = 1;
    return configuration_.profiles[0].extenders.emplace_back(settings);
  }
  [[nodiscard]] std::string chosen(const Decision& decision) const {
    return decision.attempt.scheduled() ? std::string(cluster_.node_name(decision.attempt.node)) : "none";
  }
};

Script keeping(Names kept, ExtenderFilterAnswer::Rejections failed = {},
               ExtenderFilterAnswer::Rejections unresolvable = {}) {
  Script script;
  script.filter = [=](const kube::Pod&, const Names&) {
    return ExtenderFilterAnswer{kept, failed, unresolvable, false};
  };
  return script;
}
Script failing(const std::string& message) {
  Script script;
  script.filter = [=](const kube::Pod&, const Names&) { return failure(message); };
  script.prioritize = [=](const Names&) { return failure(message); };
  script.preempt = [=](std::span<const ShownCandidate>) { return failure(message); };
  return script;
}
Script scoring(std::vector<ExtenderScore> scores) {
  Script script;
  script.prioritize = [=](const Names&) { return scores; };
  return script;
}

// ---- filter --------------------------------------------------------------------------------------------------------

TEST_F(ExtenderCallsTest, EachIsShownWhatTheOneBeforeLeft) {
  for (const char* name : {"a", "b", "c", "small"}) {
    add(node(name).allocatable("cpu", std::string_view(name) == "small" ? "100m" : "4"));
  }
  extender("first", keeping({"c", "b"}));
  extender("second", keeping({"b"}));
  EXPECT_EQ(chosen(decide(pod("p").request("cpu", "1"))), "b");
  EXPECT_THAT(calls_, ElementsAre("first filter a b c", "second filter b c"));
}

TEST_F(ExtenderCallsTest, ThoseThatMayFailAreAskedLast) {
  add(node("a"));
  extender("ignorable").ignorable = true;
  extender("strict");
  decide(pod("p"));
  EXPECT_THAT(calls_, ElementsAre("strict filter a", "ignorable filter a"));
}

TEST_F(ExtenderCallsTest, RejectionsCarryTheirWords) {
  for (const char* name : {"a", "b", "c", "d"}) add(node(name));
  extender("e", keeping({}, {{"a", "busy"}, {"b", "busy"}, {"c", "hot"}}, {{"c", "broken"}}));
  const Decision decision = decide(pod("p").never_preempts());
  EXPECT_EQ(placement::text(decision),
            "0/4 nodes are available: 1 broken, 2 busy. no new claims to deallocate, preemption: not eligible due to "
            "preemptionPolicy=Never.");
  EXPECT_THAT(decision.attempt.rejecting_plugins, ElementsAre("Extender"));
  EXPECT_EQ(decision.attempt.wake_ups, (WakeUps{.by_placements = true}));
  const auto& rejections = scheduler().rejections();
  EXPECT_EQ(rejections.at(decision.attempt.rejection_by_node[0]).code, Code::kUnschedulable);
  EXPECT_EQ(rejections.at(decision.attempt.rejection_by_node[2]).code, Code::kUnresolvable);
  EXPECT_FALSE(decision.attempt.rejection_by_node[3].valid());  // refused without a word
}

TEST_F(ExtenderCallsTest, AFailureFailsTheAttempt) {
  add(node("a"));
  extender("e", failing("Post \"e/filter\": Connection refused"));
  const Decision decision = decide(pod("p"));
  EXPECT_EQ(chosen(decision), "none");
  EXPECT_EQ(placement::text(decision), "Post \"e/filter\": Connection refused");
  EXPECT_FALSE(decision.preemption.attempted);
  ASSERT_EQ(decision.extender_troubles.size(), 1U);
  EXPECT_EQ(decision.extender_troubles[0].extender, "e");
  EXPECT_EQ(decision.extender_troubles[0].kind, ExtenderTrouble::Kind::kFailedAttempt);
}

TEST_F(ExtenderCallsTest, AnIgnorableFailureIsNotedAndPassedOver) {
  add(node("a"));
  add(node("b"));
  extender("e", failing("down")).ignorable = true;
  const Decision decision = decide(pod("p"));
  EXPECT_EQ(chosen(decision), "a");
  ASSERT_EQ(decision.extender_troubles.size(), 2U);  // filter and prioritize
  EXPECT_EQ(decision.extender_troubles[0].kind, ExtenderTrouble::Kind::kLeftOut);
  EXPECT_EQ(decision.extender_troubles[0].message, "down");
}

TEST_F(ExtenderCallsTest, OnlyPodsThatUseAManagedResourceAreShown) {
  add(node("a").allocatable("example.com/gpu", "4"));
  add(node("b").allocatable("example.com/gpu", "4"));
  extender("e", keeping({"b"})).managed_resources = {{"example.com/gpu", false}};
  EXPECT_EQ(chosen(decide(pod("plain").request("cpu", "1"))), "a");
  EXPECT_THAT(calls_, IsEmpty());
  EXPECT_EQ(chosen(decide(pod("gpu").request("example.com/gpu", "1"))), "b");
}

TEST_F(ExtenderCallsTest, WhatTheyAccountForTheSchedulerLeavesAlone) {
  add(node("a"));
  extender("e").managed_resources = {{"example.com/gpu", true}};
  configuration_.profiles[0].args.fit.ignored_resources = {"example.com/other"};  // replaced
  EXPECT_EQ(chosen(decide(pod("p").request("example.com/gpu", "1"))), "a");
  EXPECT_EQ(chosen(decide(pod("q").request("example.com/other", "1"))), "none");
}

TEST_F(ExtenderCallsTest, AnswersAreNotKeptFromPodToPod) {
  add(node("a"));
  add(node("b"));
  int calls = 0;
  Script moody;
  moody.filter = [&](const kube::Pod&, const Names& names) {
    return ExtenderFilterAnswer{{names[static_cast<std::size_t>(calls++ % 2)]}, {}, {}, false};
  };
  extender("e", moody);
  EXPECT_EQ(chosen(decide(pod("p"))), "a");
  EXPECT_EQ(chosen(decide(pod("p"))), "b");
  EXPECT_EQ(chosen(decide(pod("p"))), "a");
}

TEST_F(ExtenderCallsTest, WithoutASourceNoneIsAsked) {
  add(node("a"));
  extender("e", failing("down"));
  extensions_.extenders = nullptr;
  EXPECT_EQ(chosen(decide(pod("p"))), "a");
  EXPECT_THAT(calls_, IsEmpty());
}

TEST_F(ExtenderCallsTest, AHostThatCannotShowObjectsIsToldSo) {
  extender("e");
  extensions_.nodes = nullptr;
  const Result<Scheduler> made = Scheduler::make(cluster_, engine::registry(), configuration_, extensions_);
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().message, "extenders ask to see pods and nodes, and there are none to show");
}

TEST_F(ExtenderCallsTest, NodesHandedBackWholeAreScoredAsIfTheyWereEmpty) {
  const NodeId busy = add(node("busy").image("i:1", 900 << 20));
  add(node("idle"));
  add(pod("there").label("app", "a").request("cpu", "2").request("memory", "2Gi"), busy);
  Script script;
  bool whole = false;
  script.filter = [&](const kube::Pod&, const Names& names) { return ExtenderFilterAnswer{names, {}, {}, whole}; };
  extender("e", script);
  const auto scores = [&](std::string_view plugin) {
    const auto spread =
        cluster::testing::spread_over("kubernetes.io/hostname", 1, kube::UnsatisfiableAction::kScheduleAnyway,
                                      cluster::testing::selecting("app", "a"));
    const Decision decision =
        decide(pod("p").label("app", "a").spread(spread).request("cpu", "1").request("memory", "1Gi").image("i:1"),
               Detail::kFull);
    const auto& columns = decision.attempt.columns;
    const auto column = std::find_if(columns.begin(), columns.end(), [&](const auto& c) { return c.plugin == plugin; });
    return column->scores;
  };
  EXPECT_LT(scores("NodeResourcesFit")[0], scores("NodeResourcesFit")[1]);
  EXPECT_GT(scores("ImageLocality")[0], 0);
  EXPECT_LT(scores("PodTopologySpread")[0], scores("PodTopologySpread")[1]);
  whole = true;
  EXPECT_EQ(scores("PodTopologySpread")[0], scores("PodTopologySpread")[1]);
  EXPECT_EQ(scores("NodeResourcesFit")[0], scores("NodeResourcesFit")[1]);
  EXPECT_EQ(scores("ImageLocality")[0], 0);
}

// ---- prioritize ----------------------------------------------------------------------------------------------------

TEST_F(ExtenderCallsTest, ScoresAreWeightedAndScaled) {
  add(node("a"));
  add(node("b"));
  extender("e", scoring({{"a", 2}, {"b", 10}, {"ghost", 10}})).weight = 3;
  extender("f", scoring({{"a", 1}}));
  const Decision decision = decide(pod("p"), Detail::kFull);
  EXPECT_EQ(chosen(decision), "b");
  const auto& columns = decision.attempt.columns;
  ASSERT_GT(columns.size(), 2U);
  EXPECT_EQ(columns[columns.size() - 2].plugin, "e");
  EXPECT_THAT(columns[columns.size() - 2].scores, ElementsAre(60, 300));
  EXPECT_EQ(columns.back().plugin, "f");
  EXPECT_THAT(columns.back().scores, ElementsAre(10, 0));
  std::int64_t sum = 0;
  for (const ScoreColumn& column : columns) sum += column.scores[1];
  EXPECT_EQ(decision.attempt.best_score, sum);
}

TEST_F(ExtenderCallsTest, AFailureOfScoringOnlyCostsItsScores) {
  add(node("a"));
  add(node("b"));
  Script script = failing("down");
  script.filter = nullptr;
  extender("e", script);
  const Decision decision = decide(pod("p"), Detail::kFull);
  EXPECT_EQ(chosen(decision), "a");
  EXPECT_TRUE(decision.attempt.columns.back().skipped);
  ASSERT_EQ(decision.extender_troubles.size(), 1U);
  EXPECT_EQ(decision.extender_troubles[0].kind, ExtenderTrouble::Kind::kLeftOut);
}

TEST_F(ExtenderCallsTest, ScoresOutOfRangeCountAndAreNoted) {
  add(node("a"));
  add(node("b"));
  extender("e", scoring({{"b", 5000}, {"a", 3}}));
  const Decision decision = decide(pod("p"));
  EXPECT_EQ(chosen(decision), "b");
  ASSERT_EQ(decision.extender_troubles.size(), 1U);
  EXPECT_EQ(decision.extender_troubles[0].message,
            "scored node \"b\" 5000, which is not in 0..10; it counts all the same");
}

TEST_F(ExtenderCallsTest, AnOnlyNodeIsNotScored) {
  add(node("a"));
  extender("e");
  decide(pod("p"));
  EXPECT_THAT(calls_, ElementsAre("e filter a"));
}

TEST_F(ExtenderCallsTest, WithoutScorePluginsTheExtendersAloneDecide) {
  for (const char* name : {"a", "b", "c"}) add(node(name));
  configuration_.profiles[0].plugins.score.disabled = {{"*"}};
  extender("e", scoring({{"c", 1}}));
  EXPECT_EQ(chosen(decide(pod("p"))), "c");
}

// ---- nominated nodes and preemption --------------------------------------------------------------------------------

TEST_F(ExtenderCallsTest, ANominatedNodeMustPassThemToo) {
  add(node("a"));
  const NodeId b = add(node("b"));
  bool keeps_b = true;
  Script script;
  script.filter = [&](const kube::Pod&, const Names& names) {
    ExtenderFilterAnswer answer{names, {}, {}, false};
    if (!keeps_b) std::erase(answer.nodes, "b");
    return answer;
  };
  extender("e", script);
  const PodId nominated = add(pod("p"));
  cluster_.nominate(nominated, b);
  EXPECT_EQ(chosen(PlacementFixture::decide(nominated)), "b");
  EXPECT_THAT(calls_, ElementsAre("e filter b"));
  keeps_b = false;
  EXPECT_EQ(chosen(PlacementFixture::decide(nominated)), "a");
}

/// An extender that refuses the nominated node is not among the plugins that left the others out.
TEST_F(ExtenderCallsTest, NoneIsSaidToNarrowTheSearch) {
  add(node("a"));
  const NodeId b = add(node("b"));
  extender("e", keeping({}, {{"b", "busy"}}));
  const PodId nominated = add(pod("p").requires_nodes(cluster::testing::named("b")).never_preempts());
  cluster_.nominate(nominated, b);
  EXPECT_THAT(
      placement::text(PlacementFixture::decide(nominated)),
      ::testing::StartsWith("0/2 nodes are available: 1 busy, 1 node(s) didn't satisfy plugin(s) [NodeAffinity]."));
}

struct ExtenderPreemptionTest : ExtenderCallsTest {
  PodId on_a_, on_b_;

  ExtenderPreemptionTest() {
    const NodeId a = add(node("a").allocatable("cpu", "1"));
    const NodeId b = add(node("b").allocatable("cpu", "1"));
    on_a_ = add(named("va", "ua").request("cpu", "1").priority(1), a);
    on_b_ = add(named("vb", "ub").request("cpu", "1").priority(2), b);
  }
  static cluster::testing::PodBuilder named(const std::string& name, const std::string& uid) {
    cluster::testing::PodBuilder builder = pod(name);
    builder.pod().metadata.uid = uid;
    return builder;
  }
  Decision preempt() { return decide(pod("p").request("cpu", "1").priority(10)); }
  static Script answering(std::map<std::string, ExtenderVictims> victims) {
    Script script;
    script.preempt = [=](std::span<const ShownCandidate>) { return victims; };
    return script;
  }
};

TEST_F(ExtenderPreemptionTest, TheirCandidatesReplaceOurs) {
  extender("e", answering({{"b", {{"ub"}, 0}}}));
  const Decision decision = preempt();
  ASSERT_TRUE(decision.preemption.node.valid());
  EXPECT_EQ(cluster_.node_name(decision.preemption.node), "b");
  EXPECT_THAT(decision.preemption.chosen()->victims, ElementsAre(on_b_));
  EXPECT_THAT(calls_, ElementsAre("e preempt a b"));
}

TEST_F(ExtenderPreemptionTest, TheyMayLeaveNone) {
  extender("e", answering({}));
  EXPECT_EQ(placement::text(preempt()),
            "0/2 nodes are available: 2 Insufficient cpu. no new claims to deallocate, preemption: no candidate node "
            "for preemption");
}

TEST_F(ExtenderPreemptionTest, WhatCannotBeIsAnError) {
  struct Case {
    std::map<std::string, ExtenderVictims> answer;
    std::string message;
  };
  const Case cases[] = {
      {{{"ghost", {{"ua"}, 0}}}, "nodeinfo not found for node name \"ghost\""},
      {{{"a", {{"ub"}, 0}}},
       "extender: e claims to preempt pod (UID: &{ub}) on node: a, but the pod is not found on that node"},
      {{{"a", {{}, 0}}}, "expected at least one victim pod on node \"a\""},
  };
  Script script;
  std::size_t at = 0;
  script.preempt = [&](std::span<const ShownCandidate>) { return cases[at].answer; };
  extender("e", script);
  for (; at < std::size(cases); ++at) {
    const Decision decision = preempt();
    EXPECT_FALSE(decision.preemption.node.valid());
    EXPECT_EQ(placement::text(decision),
              "0/2 nodes are available: 2 Insufficient cpu. preemption: " + cases[at].message);
  }
}

TEST_F(ExtenderPreemptionTest, AnIgnorableOneIsPassedOver) {
  extender("e", failing("down")).ignorable = true;
  EXPECT_EQ(cluster_.node_name(preempt().preemption.node), "a");
}

TEST_F(ExtenderPreemptionTest, NodesWithoutVictimsOfAnIgnorableOneAreLeftOut) {
  extender("e", answering({{"a", {{}, 0}}, {"b", {{"ub"}, 0}}})).ignorable = true;
  EXPECT_EQ(cluster_.node_name(preempt().preemption.node), "b");
}

TEST_F(ExtenderPreemptionTest, OthersAreNotAskedAboutIt) {
  extender("e").preempt_verb.clear();
  EXPECT_EQ(cluster_.node_name(preempt().preemption.node), "a");
}

}  // namespace
}  // namespace loadline::placement
