#include "brain/placement/plugins/inter_pod_affinity.h"

#include "brain/placement/testing/placement_fixture.h"
#include "brain/placement/testing/random_objects.h"

namespace loadline::placement {
namespace {

using cluster::testing::node;
using cluster::testing::pod;
using cluster::testing::pods_with;
using cluster::testing::selecting;

struct InterPodAffinityTest : testing::PlacementFixture {
  InterPodAffinity plugin{{}};
  cluster::NodeId a1 = add(node("a1").zone("a"));
  cluster::NodeId a2 = add(node("a2").zone("a"));
  cluster::NodeId b1 = add(node("b1").zone("b"));
  cluster::NodeId nowhere = add(node("nowhere"));

  static constexpr const char* kAlone = "node(s) didn't match pod affinity rules (unresolvable)";
  static constexpr const char* kTooClose = "node(s) didn't match pod anti-affinity rules";
  static constexpr const char* kUnwelcome = "node(s) didn't satisfy existing pods anti-affinity rules";
};

// ---- the filter -----------------------------------------------------------------------------------------------------

TEST_F(InterPodAffinityTest, APodGoesWhereItsCompanyIs) {
  add(pod("db").label("app", "db"), a1);
  const auto wants_db = pod("p").near(pods_with("app", "db", testing::kZone));
  EXPECT_EQ(judge(plugin, pod("p"), a1), "skipped");
  EXPECT_EQ(judge(plugin, wants_db, a2), "passes");
  EXPECT_EQ(judge(plugin, wants_db, b1), kAlone);
  EXPECT_EQ(judge(plugin, wants_db, nowhere), kAlone);
  EXPECT_EQ(judge(plugin, pod("p").in("other").near(pods_with("app", "db", testing::kZone)), a2), kAlone);
}

TEST_F(InterPodAffinityTest, OnePodMustMatchAllTermsAtOnce) {
  add(pod("one").label("app", "db"), a1);
  add(pod("two").label("tier", "back"), a1);
  const auto wants_both =
      pod("p").near(pods_with("app", "db", testing::kZone)).near(pods_with("tier", "back", testing::kZone));
  EXPECT_EQ(judge(plugin, wants_both, a1), kAlone);
  add(pod("both").label("app", "db").label("tier", "back"), b1);
  EXPECT_EQ(judge(plugin, wants_both, a1), kAlone);
  EXPECT_EQ(judge(plugin, wants_both, b1), "passes");
}

TEST_F(InterPodAffinityTest, TheFirstPodOfAGroupStartsItAnywhereThatHasTheKey) {
  const auto own_kind = pod("p").label("app", "web").near(pods_with("app", "web", testing::kZone));
  EXPECT_EQ(judge(plugin, own_kind, b1), "passes");
  EXPECT_EQ(judge(plugin, own_kind, nowhere), kAlone);
  add(pod("first").label("app", "web"), a1);
  EXPECT_EQ(judge(plugin, own_kind, b1), kAlone);
  EXPECT_EQ(judge(plugin, pod("p").near(pods_with("app", "none", testing::kZone)), a1),
            kAlone);  // does not match itself
}

TEST_F(InterPodAffinityTest, APodKeepsAwayFromWhomItShuns) {
  add(pod("noisy").label("app", "noisy"), a1);
  const auto shy = pod("p").away_from(pods_with("app", "noisy", testing::kZone));
  EXPECT_EQ(judge(plugin, shy, a2), kTooClose);
  EXPECT_EQ(judge(plugin, shy, b1), "passes");
  EXPECT_EQ(judge(plugin, shy, nowhere), "passes");
  EXPECT_EQ(judge(plugin, pod("p").away_from(pods_with("app", "noisy", testing::kHostname)), a2), "passes");
}

TEST_F(InterPodAffinityTest, APlacedPodKeepsOthersAwayToo) {
  const auto shy = add(pod("shy").away_from(pods_with("app", "noisy", testing::kZone)), a1);
  const auto noisy = pod("p").label("app", "noisy");
  EXPECT_EQ(judge(plugin, noisy, a2), kUnwelcome);
  EXPECT_EQ(judge(plugin, noisy, b1), "passes");
  EXPECT_EQ(judge(plugin, pod("p").label("app", "quiet"), a2), "skipped");
  cluster_.unplace(shy);
  EXPECT_EQ(judge(plugin, noisy, a2), "skipped");
}

TEST_F(InterPodAffinityTest, AffinityIsNamedBeforeAntiAffinityAndThatBeforeOthersAntiAffinity) {
  add(pod("db").label("app", "db").away_from(pods_with("app", "web", testing::kZone)), a1);
  auto web = pod("p").label("app", "web").away_from(pods_with("app", "db", testing::kZone));
  EXPECT_EQ(judge(plugin, web, a1), kTooClose);
  web.near(pods_with("app", "cache", testing::kZone));
  EXPECT_EQ(judge(plugin, web, a1), kAlone);
}

TEST_F(InterPodAffinityTest, NamespacesAreChosenByName_OrByLabel) {
  cluster_.set_namespace("ml", {{"team", "ml"}});
  add(pod("db").in("ml").label("app", "db"), a1);
  auto term = pods_with("app", "db", testing::kZone);
  term.namespaces = {"ml"};
  EXPECT_EQ(judge(plugin, pod("p").near(term), a2), "passes");
  term.namespaces.clear();
  term.namespace_selector = selecting("team", "ml");
  EXPECT_EQ(judge(plugin, pod("p").near(term), a2), "passes");
  term.namespace_selector = selecting("team", "web");
  EXPECT_EQ(judge(plugin, pod("p").near(term), a2), kAlone);
  term.namespace_selector = kube::LabelSelector{};
  EXPECT_EQ(judge(plugin, pod("p").near(term), a2), "passes");
}

// ---- the score ------------------------------------------------------------------------------------------------------

TEST_F(InterPodAffinityTest, PreferencesOfThePodAndOfThosePlacedAddUp) {
  EXPECT_EQ(scores(plugin, pod("p").prefers_near(5, pods_with("app", "db", testing::kZone))),
            std::nullopt);  // no pod is there
  add(pod("db").label("app", "db"), a1);
  add(pod("db").label("app", "db"), a2);
  add(pod("noisy").label("app", "noisy"), b1);
  add(pod("fan").prefers_near(7, pods_with("app", "web", testing::kHostname)), a2);
  add(pod("foe").prefers_away_from(3, pods_with("app", "web", testing::kHostname)), nowhere);
  add(pod("needs").label("app", "web").near(pods_with("app", "web", testing::kHostname)),
      b1);  // counts hardPodAffinityWeight
  const auto web = pod("p")
                       .label("app", "web")
                       .prefers_near(10, pods_with("app", "db", testing::kZone))
                       .prefers_away_from(4, pods_with("app", "noisy", testing::kZone));
  // a1: 10·2; a2: 10·2 + 7; b1: −4 + 1; nowhere: −3.
  EXPECT_EQ(scores(plugin, web), (Scores{76, 100, 0, 0}));
  EXPECT_EQ(raw(), (Scores{20, 27, -3, -3}));
}

TEST_F(InterPodAffinityTest, ConfigurationWeighsHardAffinityAndMayIgnoreOthersPreferences) {
  add(pod("needs").label("app", "web").near(pods_with("app", "web", testing::kHostname)), b1);
  add(pod("fan").prefers_near(7, pods_with("app", "web", testing::kHostname)), a2);
  scores(InterPodAffinity({.hard_pod_affinity_weight = 50}), pod("p").label("app", "web"));
  EXPECT_EQ(raw(), (Scores{0, 7, 50, 0}));
  scores(InterPodAffinity({.hard_pod_affinity_weight = 0}), pod("p").label("app", "web"));
  EXPECT_EQ(raw(), (Scores{0, 7, 0, 0}));
  const InterPodAffinity deaf({.ignore_preferred_terms_of_existing_pods = true});
  EXPECT_EQ(scores(deaf, pod("p").label("app", "web")), std::nullopt);
}

TEST_F(InterPodAffinityTest, NormalisingDividesBeforeItMultiplies) {
  // 29 of 100: 100 · (29 / 100) is 28.999999999999996 in binary floating point.
  add(pod("most").prefers_near(100, pods_with("app", "web", testing::kHostname)), a1);
  add(pod("some").prefers_near(29, pods_with("app", "web", testing::kHostname)), a2);
  add(pod("few").prefers_near(57, pods_with("app", "web", testing::kHostname)), b1);
  EXPECT_EQ(scores(plugin, pod("p").label("app", "web")), (Scores{100, 28, 56, 0}));
}

TEST_F(InterPodAffinityTest, EqualScoresBecomeZero) {
  add(pod("fan").prefers_near(7, pods_with("app", "web", testing::kZone)), a1);
  EXPECT_EQ(scores(plugin, pod("p").label("app", "web"), {a1, a2}), (Scores{0, 0}));
  EXPECT_EQ(raw(), (Scores{7, 7}));
}

}  // namespace
}  // namespace loadline::placement
