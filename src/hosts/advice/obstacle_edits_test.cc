#include "hosts/advice/obstacle_edits.h"

#include <gtest/gtest.h>

#include "brain/cluster/testing/pod_builder.h"

namespace loadline::advice {
namespace {

using namespace cluster::testing;  // NOLINT: the fixtures' words
using placement::Obstacle;
using placement::ReasonKind;

Obstacle obstacle(ReasonKind kind, std::string subject) {
  Obstacle result;
  result.reason.kind = kind;
  result.subject = std::move(subject);
  return result;
}

template <class E>
E edit_as(const std::optional<Edit>& edit) {
  EXPECT_TRUE(edit && std::holds_alternative<E>(*edit));
  return edit && std::holds_alternative<E>(*edit) ? std::get<E>(*edit) : E{};
}

TEST(ObstacleEdits, ToleratesATaintExactly) {
  const Tolerate with_value =
      edit_as<Tolerate>(edit_on_pod(obstacle(ReasonKind::kUntoleratedTaint, "dedicated=ml:NoSchedule"), {}));
  EXPECT_EQ(with_value.toleration.key, "dedicated");
  EXPECT_EQ(with_value.toleration.op, kube::TolerationOperator::kEqual);
  EXPECT_EQ(with_value.toleration.value, "ml");
  EXPECT_EQ(with_value.toleration.effect, kube::TaintEffect::kNoSchedule);
  const Tolerate without =
      edit_as<Tolerate>(edit_on_pod(obstacle(ReasonKind::kUntoleratedTaint, "spot:NoExecute"), {}));
  EXPECT_EQ(without.toleration.op, kube::TolerationOperator::kExists);
  EXPECT_EQ(without.toleration.effect, kube::TaintEffect::kNoExecute);
}

TEST(ObstacleEdits, LeavesGpuNodesToPodsThatWantGpus) {
  const Obstacle taint = obstacle(ReasonKind::kUntoleratedTaint, "nvidia.com/gpu=present:NoSchedule");
  EXPECT_FALSE(edit_on_pod(taint, cluster::testing::spec_of(pod("web").request("cpu", "1"))));
  EXPECT_TRUE(edit_on_pod(taint, cluster::testing::spec_of(pod("train").request("nvidia.com/gpu", "1"))));
}

TEST(ObstacleEdits, DoesNotTolerateTrouble) {
  const Obstacle trouble = obstacle(ReasonKind::kUntoleratedTaint, "node.kubernetes.io/not-ready:NoExecute");
  EXPECT_FALSE(edit_on_pod(trouble, {}));
  const kube::Node sick = node("sick");
  EXPECT_EQ(edit_as<RemoveTaint>(edit_on_node(trouble, sick)).taint.key, "node.kubernetes.io/not-ready");
}

TEST(ObstacleEdits, AsksForWhatIsFreeInRoundAmounts) {
  struct Case {
    const char* resource;
    const char* asked;
    std::int64_t free;
    const char* offered;  // null: nothing
  };
  const Case cases[] = {
      {"cpu", "4", 3'470, "3450m"},
      {"cpu", "4", 40, nullptr},
      {"memory", "64Gi", 66'571'993'088, "62Gi"},
      {"memory", "1Gi", 1'000'000, nullptr},
      {"nvidia.com/gpu", "4", 3, "3"},
      {"nvidia.com/gpu", "4", 0, nullptr},
  };
  for (const Case& each : cases) {
    Obstacle lacking = obstacle(ReasonKind::kInsufficientResource, each.resource);
    lacking.has = each.free;
    const std::optional<Edit> edit =
        edit_on_pod(lacking, cluster::testing::spec_of(pod("p").request(each.resource, each.asked)));
    if (each.offered == nullptr) {
      EXPECT_FALSE(edit) << each.resource << ' ' << each.free;
    } else {
      EXPECT_EQ(edit_as<RequestLess>(edit).to.to_string(), each.offered);
    }
  }
}

TEST(ObstacleEdits, AsksForTheNodesValueOfALabel) {
  Obstacle mismatch = obstacle(ReasonKind::kNodeAffinityMismatch, "gpu-type");
  mismatch.found = "v100";
  const SelectLabel other = edit_as<SelectLabel>(
      edit_on_pod(mismatch, cluster::testing::spec_of(pod("p").selects_nodes("gpu-type", "a100"))));
  EXPECT_EQ(other.from, "a100");
  EXPECT_EQ(other.to, "v100");
  mismatch.found = "";
  EXPECT_FALSE(
      edit_as<SelectLabel>(edit_on_pod(mismatch, cluster::testing::spec_of(pod("p").selects_nodes("gpu-type", "a100"))))
          .to);
}

TEST(ObstacleEdits, LabelsNodesOnlyWhereALabelMaySayIt) {
  Obstacle mismatch = obstacle(ReasonKind::kNodeAffinityMismatch, "disk");
  mismatch.wanted = "ssd";
  const kube::Node machine = node("n");
  EXPECT_EQ(edit_as<LabelNode>(edit_on_node(mismatch, machine)).value, "ssd");
  mismatch.found = "hdd";  // it says what it is
  EXPECT_FALSE(edit_on_node(mismatch, machine));
  mismatch.found = "";
  mismatch.wanted = "not in (spot)";
  EXPECT_FALSE(edit_on_node(mismatch, machine));
  mismatch.wanted = "a";
  for (const char* fact :
       {"topology.kubernetes.io/zone", "node.kubernetes.io/instance-type", "nvidia.com/gpu.product"}) {
    mismatch.subject = fact;
    EXPECT_FALSE(edit_on_node(mismatch, machine)) << fact;
  }
}

TEST(ObstacleEdits, AllowsJustTheSkewThatIsNeededUnlessThatIsMuch) {
  Obstacle skewed = obstacle(ReasonKind::kSpreadSkew, "zone");
  skewed.has = 2;
  skewed.needs = 1;
  skewed.of = 1;
  EXPECT_EQ(edit_as<RelaxSpread>(edit_on_pod(skewed, {})).max_skew, 2);
  skewed.has = 9;
  EXPECT_FALSE(edit_as<RelaxSpread>(edit_on_pod(skewed, {})).max_skew);
}

TEST(ObstacleEdits, ALittleLessCostsLessThanHalf) {
  const auto less = [](std::int64_t to) {
    return cost_of(RequestLess{"cpu", kube::Quantity::of(10), kube::Quantity::of(to)});
  };
  EXPECT_LT(less(9), less(5));
  EXPECT_LT(cost_of(Uncordon{"n"}), less(9));
  EXPECT_LT(less(9), cost_of(AddNodes{capacity::nodes_like("n")}));
}

}  // namespace
}  // namespace loadline::advice
