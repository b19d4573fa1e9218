#include "hosts/advice/spread_remedies.h"

#include <gtest/gtest.h>

#include "brain/cluster/testing/pod_builder.h"

namespace loadline::advice {
namespace {

using namespace cluster::testing;  // NOLINT: the fixtures' words
using placement::Obstacle;
using placement::ReasonKind;

Obstacle skewed() {
  Obstacle obstacle;
  obstacle.reason.kind = ReasonKind::kSpreadSkew;
  return obstacle;
}

Obstacle without_gpu() {
  Obstacle obstacle;
  obstacle.reason.kind = ReasonKind::kInsufficientResource;
  obstacle.subject = "nvidia.com/gpu";
  obstacle.needs = 1;
  return obstacle;
}

TEST(SpreadRemedies, SelectALabelThatOnlyTheUsefulNodesHave) {
  const std::vector<kube::Node> nodes = {
      node("gpu-a").label("node.kubernetes.io/instance-type", "g5").label("pool", "gpu").label("os", "linux"),
      node("gpu-b").label("node.kubernetes.io/instance-type", "g5").label("pool", "gpu").label("os", "linux"),
      node("cpu").label("node.kubernetes.io/instance-type", "m6i").label("pool", "web").label("os", "linux")};
  const std::vector<UntriedRemedy> found = spread_candidates(nodes, {}, {{skewed()}, {skewed()}, {without_gpu()}});
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].remedy, (Remedy{SelectLabel{"pool", "", "gpu"}})) << "chosen for a purpose, before what it is";
}

TEST(SpreadRemedies, NoneWhereNoLabelTellsThemApartOrNothingIsUseless) {
  const std::vector<kube::Node> alike = {node("gpu").label("os", "linux"), node("cpu").label("os", "linux")};
  EXPECT_TRUE(spread_candidates(alike, {}, {{skewed()}, {without_gpu()}}).empty());
  const std::vector<kube::Node> useful = {node("gpu-a").label("pool", "gpu"), node("gpu-b").label("pool", "gpu")};
  EXPECT_TRUE(spread_candidates(useful, {}, {{skewed()}, {skewed()}}).empty());
}

}  // namespace
}  // namespace loadline::advice
