// The cluster's Policy, and the one that its host was given, in a whole cluster.
#include "brain/engine/policy.h"

#include <gmock/gmock.h>

#include "hosts/embedded/testing/cluster_fixture.h"

namespace loadline::embedded {
namespace {

using document::Value;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::kPods;
using testing::node;
using testing::yaml;

const kube::ResourceReference kPolicies{"loadline.dev", "v1alpha1", "policies"};

constexpr const char* kPickyPod = R"(
apiVersion: v1
kind: Pod
metadata: {{name: {}, namespace: default}}
spec:
  containers: [{{name: app, image: train}}]
  affinity:
    nodeAffinity:
      preferredDuringSchedulingIgnoredDuringExecution:
      - {{weight: 100, preference: {{matchExpressions: [{{key: disk, operator: In, values: [ssd]}}]}}}}
)";

std::string policy(std::string_view spec) {
  return fmt::format("apiVersion: loadline.dev/v1alpha1\nkind: Policy\nmetadata: {{name: default}}\nspec: {{{}}}\n",
                     spec);
}

class PolicyTest : public testing::ClusterTest {
 protected:
  /// So many that kube-scheduler would look at the first hundred only; the last one has what the pods want.
  static std::vector<Value> many_nodes() {
    std::vector<Value> nodes;
    for (int i = 0; i < 120; ++i) nodes.push_back(node(fmt::format("n{:03}", i)));
    nodes.back() = document::with_at(nodes.back(), {"metadata", "labels", "disk"}, Value("ssd"));
    return nodes;
  }

  /// The node that a new pod gets.
  std::string place(const std::string& name) {
    apply(kPods, fmt::format(kPickyPod, name));
    loop_.advance(Duration::seconds(1));
    for (const Value& pod : list(kPods)) {
      if (document::text_at(pod, {"metadata", "name"}) == name) {
        return std::string(document::text_at(pod, {"spec", "nodeName"}));
      }
    }
    return "no pod";
  }

  static kube::ResourceReference the_policy() {
    kube::ResourceReference of = kPolicies;
    of.name = "default";
    return of;
  }

  void change(const std::string& spec) {
    client_->patch(the_policy(), {kube::PatchType::kMerge, yaml(fmt::format("spec: {{{}}}", spec))},
                   [](const kube::Answer<Value>& answer) { EXPECT_TRUE(answer) << answer.error().message; });
    loop_.run_until_idle();
  }

  void remove() {
    client_->remove(the_policy(), {}, [](const kube::Answer<Value>& answer) { EXPECT_TRUE(answer); });
    loop_.run_until_idle();
  }

  std::string refusal_of(const std::string& text) {
    std::string why;
    client_->create(kPolicies, yaml(text), [&](const kube::Answer<Value>& answer) {
      if (!answer) why = answer.error().message;
    });
    loop_.run_until_idle();
    return why;
  }
};

TEST_F(PolicyTest, TakesEffectFromTheNextTurnOnAsItChanges) {
  start(many_nodes());
  EXPECT_EQ(place("a"), "n119");
  apply(kPolicies, policy("base: Parity"));
  EXPECT_EQ(place("b"), "n000") << "the best of the first hundred";
  EXPECT_EQ(place("c"), "n119") << "among the next hundred";
  change("nodesToScore: All");
  EXPECT_EQ(place("d"), "n119");
  change("base: Recommended, nodesToScore: Adaptive");
  bool some_lacks_it = false;
  for (int i = 0; i < 6; ++i) some_lacks_it = place(fmt::format("e{}", i)) != "n119" || some_lacks_it;
  EXPECT_TRUE(some_lacks_it) << "of six hundreds of 120 nodes, each begins where the one before ended";
  remove();
  EXPECT_EQ(place("g"), "n119");
  EXPECT_EQ(place("h"), "n119");
  EXPECT_THAT(events("InvalidPolicy"), IsEmpty());
  EXPECT_EQ(events("PolicyInForce").front(), "Decisions follow this policy from now on");
}

TEST_F(PolicyTest, CountsFromTheStartIfItWasThereBefore) {
  start(many_nodes());
  apply(kPolicies, policy("base: Parity"));
  ASSERT_TRUE(cluster_->restart_control({}));
  loop_.advance(Duration::seconds(1));
  EXPECT_EQ(place("a"), "n000");
}

TEST_F(PolicyTest, OfTheHostGoesBefore) {
  ClusterOptions options;
  options.policy = engine::policy_of(kube::PolicyBase::kParity);
  start(many_nodes(), std::move(options));
  apply(kPolicies, policy("base: Recommended"));
  EXPECT_EQ(place("a"), "n000");
  EXPECT_THAT(events("PolicyLeftOut"), ElementsAre("The cluster was started with --policy, which goes before"));
}

TEST_F(PolicyTest, IsRefusedWithMistakesOrAnotherName) {
  start({node("a")});
  EXPECT_THAT(refusal_of(policy("nodesToScore: Some")),
              HasSubstr("spec.nodesToScore: Unsupported value: \"Some\": supported values: \"All\", \"Adaptive\""));
  EXPECT_THAT(
      refusal_of("apiVersion: loadline.dev/v1alpha1\nkind: Policy\nmetadata: {name: mine}\nspec: {base: Parity}\n"),
      HasSubstr("a cluster has one policy, and its name is \"default\""));
}

}  // namespace
}  // namespace loadline::embedded
