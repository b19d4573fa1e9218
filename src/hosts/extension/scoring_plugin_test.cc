#include "hosts/extension/scoring_plugin.h"

#include <gmock/gmock.h>

#include <chrono>
#include <map>
#include <string>
#include <vector>

#include "brain/cluster/ledgers/transaction.h"
#include "brain/engine/registry.h"
#include "brain/placement/testing/placement_fixture.h"
#include "foundation/base/rng.h"
#include "hosts/extension/plugin_library.h"

namespace loadline::extension {
namespace {

using cluster::NodeId;
using cluster::PodId;
using cluster::testing::node;
using cluster::testing::pod;
using cluster::testing::PodBuilder;
using placement::Decision;
using placement::Detail;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

constexpr std::chrono::milliseconds kShort(300);

struct KnownPods final : placement::PodObjects {
  [[nodiscard]] const kube::Pod& at(PodId id) const override { return pods.at(id.value); }
  std::map<std::uint32_t, kube::Pod> pods;
};

/// A scheduler whose only scoring plugin is Moody, see testing/moody.c.
struct ScoringPluginTest : placement::testing::PlacementFixture {
  ScoringPluginTest() {
    extensions_.pods = pods_;
    kube::PluginSet& score = configuration_.profiles[0].plugins.score;
    score.disabled = {{"*", 0}};
    score.enabled = {{"Moody", 1}};
    load({});
  }
  void load(PluginPatience patience) {
    auto loaded = PluginLibrary::load(LOADLINE_TEST_PLUGINS "/moody.so", patience);
    ASSERT_TRUE(loaded) << loaded.error().message;
    library_ = *loaded;
    extensions_.plugins = {library_};
  }
  void configure(const char* key, const char* value) {
    configuration_.profiles[0].out_of_tree_args["Moody"] =
        document::Value(document::Object{{key, document::Value(value), {}}});
  }

  PodId add_pod(const PodBuilder& builder, NodeId on = {}) {
    const PodId id = on.valid() ? add(builder, on) : add(builder);
    pods_->pods.emplace(id.value, builder.build());
    return id;
  }
  static PodBuilder moody(const std::string& name, const std::string& mood) {
    PodBuilder builder = pod(name);
    builder.pod().metadata.annotations["mood"] = mood;
    return builder;
  }
  /// The message of a pod that nothing could be decided about.
  std::string failure_of(const PodBuilder& builder) {
    const Decision decision = decide(add_pod(builder));
    EXPECT_FALSE(decision.attempt.scheduled());
    EXPECT_EQ(placement::text(decision), decision.attempt.error);
    return placement::text(decision);
  }
  std::string chosen(const PodBuilder& builder) {
    const Decision decision = decide(add_pod(builder));
    EXPECT_EQ(placement::text(decision), "");
    return std::string(cluster_.node_name(decision.attempt.node));
  }
  void add_two_nodes() {
    add(node("a").label("score", "1"));
    add(node("b").label("score", "2"));
  }

  std::shared_ptr<PluginLibrary> library_;
  std::shared_ptr<KnownPods> pods_ = std::make_shared<KnownPods>();
};

TEST_F(ScoringPluginTest, Chooses) {
  add(node("a").label("score", "30"));
  add(node("b").label("score", "70"));
  add(node("c").label("score", "50"));
  EXPECT_EQ(chosen(pod("p")), "b");
  const Decision whole = decide(add_pod(pod("q")), Detail::kFull);
  ASSERT_EQ(whole.attempt.columns.size(), 1U);
  EXPECT_EQ(whole.attempt.columns[0].plugin, "Moody");
  EXPECT_THAT(whole.attempt.columns[0].scores, ElementsAre(30, 70, 50));
}

TEST_F(ScoringPluginTest, IsWeighedAgainstTheOthers) {
  configuration_.profiles[0].plugins.score = {{{"Moody", 3}}, {}};
  add_two_nodes();
  const Decision decision = decide(add_pod(pod("p")), Detail::kFull);
  const placement::ScoreColumn& column = decision.attempt.columns.back();
  EXPECT_EQ(column.plugin, "Moody");
  EXPECT_THAT(column.scores, ElementsAre(3, 6));
}

TEST_F(ScoringPluginTest, TakesPartThroughMultiPointToo) {
  configuration_.profiles[0].plugins = {};
  configuration_.profiles[0].plugins.multi_point.enabled = {{"Moody", 100}};
  add_two_nodes();
  EXPECT_EQ(chosen(pod("p")), "b");
}

TEST_F(ScoringPluginTest, IsGivenItsArguments) {
  configure("offset", "40");
  add_two_nodes();
  const Decision decision = decide(add_pod(pod("p")), Detail::kFull);
  EXPECT_THAT(decision.attempt.columns[0].scores, ElementsAre(41, 42));
}

TEST_F(ScoringPluginTest, IsNotAskedAboutAnOnlyNode) {
  add(node("only"));
  EXPECT_EQ(chosen(moody("p", "abort")), "only");
  EXPECT_THAT(library_->losses(), IsEmpty());
}

TEST_F(ScoringPluginTest, SeesEverythingAsItIsWritten) {
  configure("show", "yes");
  kube::Node big = node("big").allocatable("nvidia.com/gpu", "8").label("gpu", "a100");
  big.metadata.annotations["cache"] = "imagenet,coco";
  cluster_.add_node(big);
  cluster_.add_node(node("small").label("score", "1"));
  PodBuilder runs = pod("runs");
  runs.request("nvidia.com/gpu", "2").request("cpu", "500m").label("app", "train").priority(7);
  runs.pod().metadata.annotations["dataset"] = "coco";
  add_pod(runs, NodeId{0});
  PodBuilder asks = pod("asks");
  asks.request("memory", "1Gi").overhead("cpu", "1").selects_nodes("kubernetes.io/os", "linux").image("img:1");
  asks.pod().metadata.annotations["mood"] = "good";
  asks.spec().node_selector.clear();
  kube::Volume volume;
  volume.name = "data";
  volume.persistent_volume_claim = kube::PersistentVolumeClaimVolumeSource{"images", false};
  const PodId asker = add_pod(asks);
  ::testing::internal::CaptureStderr();
  decide(asker);
  const std::string seen = ::testing::internal::GetCapturedStderr();
  EXPECT_THAT(seen, HasSubstr("pod default/asks priority=0 labels{ } annotations{ mood=good } selector{ } "
                              "requests{ cpu=1000 memory=1073741824 } claims{ } images{ img:1 }\n"));
  EXPECT_THAT(seen, HasSubstr("node big index=0 version=1 labels{ gpu=a100 kubernetes.io/hostname=big } annotations{ "
                              "cache=imagenet,coco } allocatable{ cpu=4000 memory=17179869184 nvidia.com/gpu=8 "
                              "pods=110 } requested{ cpu=500 nvidia.com/gpu=2 pods=1 }\n"
                              "  pod default/runs priority=7 labels{ app=train } annotations{ dataset=coco } selector{ "
                              "} requests{ cpu=500 nvidia.com/gpu=2 } claims{ } images{ main }\n"));
  EXPECT_THAT(seen, HasSubstr("moody was made\n"));  // standard output goes the same way
}

TEST_F(ScoringPluginTest, SeesClaims) {
  configure("show", "yes");
  add_two_nodes();
  PodBuilder asks = pod("asks");
  kube::Volume mounted, temporary;
  mounted.name = "data";
  mounted.persistent_volume_claim = kube::PersistentVolumeClaimVolumeSource{"images", false};
  temporary.name = "scratch";
  temporary.ephemeral_claim = kube::PersistentVolumeClaimTemplate{};
  asks.spec().volumes = {mounted, temporary};
  configuration_.profiles[0].plugins.multi_point.disabled = {{"*", 0}};
  const PodId asker = add_pod(asks);
  ::testing::internal::CaptureStderr();
  decide(asker);
  EXPECT_THAT(::testing::internal::GetCapturedStderr(), HasSubstr("claims{ images asks-scratch }"));
}

// ---- what goes wrong ------------------------------------------------------------------------------------------------

TEST_F(ScoringPluginTest, ACrashIsReportedAndEndsNoOtherProcess) {
  add_two_nodes();
  EXPECT_EQ(chosen(pod("first")), "b");
  EXPECT_EQ(failure_of(moody("bad", "abort")),
            "running Score plugins: plugin \"Moody\" failed with: it crashed with signal 6 (Aborted) while it scored "
            "this pod");
  EXPECT_EQ(failure_of(pod("good")),
            "running Score plugins: plugin \"Moody\" failed with: not asked any more, since it crashed with signal 6 "
            "(Aborted) while it scored pod default/bad");
  ASSERT_EQ(library_->losses().size(), 1U);
  EXPECT_EQ(library_->losses()[0].how, "crashed with signal 6 (Aborted)");
  EXPECT_EQ(library_->losses()[0].pod, "default/bad");
}

TEST_F(ScoringPluginTest, AfterALossItIsNotStartedAnew) {
  add_two_nodes();
  failure_of(moody("bad", "exit"));
  auto later = placement::Scheduler::make(cluster_, engine::registry(), configuration_, extensions_);
  ASSERT_TRUE(later);
  EXPECT_EQ(placement::text(later->decide(add_pod(pod("good")))),
            "running Score plugins: plugin \"Moody\" failed with: not asked any more, since it exited with status 3 "
            "while it scored pod default/bad");
  EXPECT_EQ(library_->losses().size(), 1U);
}

TEST_F(ScoringPluginTest, OneThatMayIsStartedAgainOnceItHasRested) {
  load({kShort, std::chrono::milliseconds(0)});
  add_two_nodes();
  const std::string first = chosen(pod("first"));
  failure_of(moody("bad", "abort"));
  EXPECT_EQ(chosen(pod("second")), first);  // it has been told of the nodes anew
  failure_of(moody("worse", "hang"));
  EXPECT_EQ(chosen(pod("third")), first);
  EXPECT_EQ(library_->losses().size(), 2U);
}

TEST_F(ScoringPluginTest, OneThatRestsIsNotAsked) {
  load({kShort, std::chrono::minutes(1)});
  add_two_nodes();
  failure_of(moody("bad", "abort"));
  EXPECT_EQ(failure_of(pod("good")),
            "running Score plugins: plugin \"Moody\" failed with: not asked for now, since it crashed with signal 6 "
            "(Aborted) while it scored pod default/bad");
}

TEST_F(ScoringPluginTest, ASegmentationFaultIsNamed) {
  add_two_nodes();
  EXPECT_THAT(failure_of(moody("bad", "segv")), HasSubstr("it crashed with signal 11 (Segmentation fault)"));
}

TEST_F(ScoringPluginTest, AnEarlyExitIsNamed) {
  add_two_nodes();
  EXPECT_THAT(failure_of(moody("bad", "exit")), HasSubstr("it exited with status 3 while it scored this pod"));
}

TEST_F(ScoringPluginTest, AHangIsEndedInTime) {
  load({kShort});
  add_two_nodes();
  const auto before = std::chrono::steady_clock::now();
  EXPECT_THAT(failure_of(moody("bad", "hang")), HasSubstr("it did not answer within 300ms while it scored this pod"));
  EXPECT_THAT(failure_of(pod("good")), HasSubstr("not asked any more"));
  EXPECT_GE(std::chrono::steady_clock::now() - before, kShort);
  EXPECT_LT(std::chrono::steady_clock::now() - before, 20 * kShort);
  EXPECT_EQ(library_->losses().size(), 1U);
}

TEST_F(ScoringPluginTest, AClosedSocketIsACrash) {
  add_two_nodes();
  EXPECT_THAT(failure_of(moody("bad", "mute")), HasSubstr("it hung up and was killed while it scored this pod"));
}

TEST_F(ScoringPluginTest, NonsenseIsNotBelieved) {
  add_two_nodes();
  EXPECT_THAT(failure_of(moody("bad", "babble")), HasSubstr("it sent what makes no sense while it scored this pod"));
}

TEST_F(ScoringPluginTest, ScoresOutOfRangeFailThePodAlone) {
  add_two_nodes();
  EXPECT_EQ(failure_of(moody("high", "score 101")),
            "applying score defaultWeights on Score plugins: plugin \"Moody\" returns an invalid score 101, it should "
            "in the range of [0, 100] after normalizing");
  EXPECT_THAT(failure_of(moody("low", "score -1")), HasSubstr("returns an invalid score -1,"));
  EXPECT_THAT(failure_of(moody("absurd", "score 9223372036854775807")),
              HasSubstr("returns an invalid score 9223372036854775807,"));
  EXPECT_EQ(chosen(moody("fine", "score 100")), "b");
  EXPECT_THAT(library_->losses(), IsEmpty());
}

TEST_F(ScoringPluginTest, AnErrorFailsThePodAlone) {
  add_two_nodes();
  EXPECT_EQ(failure_of(moody("bad", "refuse")),
            "running Score plugins: plugin \"Moody\" failed with: bad has a bad mood");
  EXPECT_EQ(chosen(pod("good")), "b");
  EXPECT_THAT(library_->losses(), IsEmpty());
}

TEST_F(ScoringPluginTest, APluginThatCannotBeMadeIsAnErrorOfTheConfiguration) {
  const auto error_with = [&](const char* mood) {
    configure("mood", mood);
    const auto made = placement::Scheduler::make(cluster_, engine::registry(), configuration_, extensions_);
    return made ? "none" : made.error().message;
  };
  EXPECT_EQ(error_with("refuse"), "plugin \"Moody\": cannot work with {\"mood\":\"refuse\"}");
  EXPECT_EQ(error_with("sulk"), "plugin \"Moody\": it did not say why");
  EXPECT_EQ(error_with("crash"), "plugin \"Moody\": it crashed with signal 6 (Aborted) while it was created");
}

TEST_F(ScoringPluginTest, EveryProfileHasAProcessOfItsOwn) {
  configuration_.profiles.push_back(configuration_.profiles[0]);
  configuration_.profiles[1].scheduler_name = "other";
  add_two_nodes();
  EXPECT_THAT(failure_of(moody("bad", "exit")), HasSubstr("exited with status 3"));
  EXPECT_EQ(chosen(pod("good").scheduler("other")), "b");
}

// ---- what it sees stays true ----------------------------------------------------------------------------------------

/// Moody's own formula, from the cluster.
std::vector<std::int64_t> expected_scores(const cluster::Cluster& cluster, const std::vector<NodeId>& nodes) {
  const cluster::ResourceId gpu = cluster.resources().find("nvidia.com/gpu");
  std::vector<std::int64_t> scores;
  for (const NodeId id : nodes) {
    const auto& labels = cluster.node_object(id).metadata.labels;
    const auto label = labels.find("score");
    scores.push_back((label == labels.end() ? 0 : std::stoll(label->second)) +
                     10 * static_cast<std::int64_t>(cluster.pods_on(id).size()) +
                     10 * (cluster.allocatable(id, gpu) - cluster.requested(id, gpu)));
  }
  return scores;
}

struct ScoredHistory : ScoringPluginTest, ::testing::WithParamInterface<int> {};

TEST_P(ScoredHistory, IsScoredAsItIs) {
  Rng rng(static_cast<std::uint64_t>(GetParam()) + 1);
  const auto random_node = [&](const std::string& name) {
    return node(name).label("score", std::to_string(rng.below(10))).allocatable("nvidia.com/gpu", "2");
  };
  for (int i = 0; i < 5; ++i) add(random_node("n" + std::to_string(i)));
  std::vector<PodId> placed;
  const auto check = [&](PodId asker) {
    const placement::Attempt attempt = decide(asker, Detail::kFull).attempt;
    ASSERT_EQ(attempt.error, "");
    if (attempt.feasible.size() < 2) return;
    EXPECT_EQ(attempt.columns[0].scores, expected_scores(cluster_, attempt.feasible));
  };
  for (int i = 0; i < 80 && !HasFailure(); ++i) {
    const auto n = NodeId{static_cast<std::size_t>(rng.below(cluster_.node_count()))};
    const std::uint64_t what = rng.below(10);
    if (what == 0) cluster_.update_node(n, random_node(std::string(cluster_.node_name(n))));
    if (what == 1 && cluster_.node_count() < 9) add(random_node("late" + std::to_string(i)));
    if (what <= 3 && !placed.empty()) {
      const std::size_t at = rng.below(placed.size());
      cluster_.remove_pod(placed[at]);
      placed.erase(placed.begin() + static_cast<std::ptrdiff_t>(at));
    }
    PodBuilder builder = pod("p" + std::to_string(i));
    if (rng.below(2) == 0) builder.request("nvidia.com/gpu", "1");
    const PodId id = add_pod(builder);
    check(id);
    {
      // Tentative changes, as preemption and what-if make, leave no trace in the change log.
      const cluster::Transaction transaction(cluster_);
      if (!placed.empty()) cluster_.unplace(placed[rng.below(placed.size())]);
      check(id);
    }
    check(id);
    if (cluster_.pods_on(n).size() < 2) {
      cluster_.place(id, n);
      placed.push_back(id);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, ScoredHistory, ::testing::Range(0, 20));

}  // namespace
}  // namespace loadline::extension
