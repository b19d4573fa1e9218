// A count of room that follows pods as they leave and come back says what a fresh count says of a cluster without them.
#include "brain/gang/room_count.h"

#include <random>
#include <string>

#include "brain/cluster/ledgers/transaction.h"
#include "brain/engine/testing/dispatcher_fixture.h"

namespace loadline::gang {
namespace {

using cluster::NodeId;
using cluster::PodId;
using engine::testing::node;
using engine::testing::pod;
using engine::testing::PodBuilder;

class RoomCountTest : public engine::testing::DispatcherFixture {
 protected:
  NodeId add_node(int gpus, int cpus) {
    const std::string name = "n" + std::to_string(nodes_.size());
    nodes_.push_back(add(node(name)
                             .allocatable("pods", "6")
                             .allocatable("nvidia.com/gpu", std::to_string(gpus))
                             .allocatable("cpu", std::to_string(cpus))));
    return nodes_.back();
  }
  static PodBuilder asks(int gpus, int cpus) {
    return pod("p").request("nvidia.com/gpu", std::to_string(gpus)).request("cpu", std::to_string(cpus));
  }
  RoomNeed need(int gpus, int cpus, std::int64_t members) {
    const PodId example = add(asks(gpus, cpus));
    return {cluster_.pod(example).shape, scheduler().demand_of(example), 0, members, nodes_};
  }

  std::vector<NodeId> nodes_;
};

TEST_F(RoomCountTest, PodsOfANodeLeaveTogether) {
  const NodeId one = add_node(8, 64);
  std::vector<PodId> running;
  for (int i = 0; i < 4; ++i) running.push_back(add(asks(2, 1), one));
  RoomCount room(cluster_, {need(4, 1, 3)});
  EXPECT_EQ(room.missing(), 3);
  room.remove(std::span(running).first(2));
  EXPECT_EQ(room.missing(), 2);
  room.remove(std::span(running).last(2));
  EXPECT_EQ(room.missing(), 1);
  room.restore(running);
  EXPECT_EQ(room.missing(), 3);
}

TEST_F(RoomCountTest, CountsWhatAFreshCountWouldCount) {
  std::mt19937 random(7);
  const auto upto = [&](unsigned most) { return static_cast<int>(random() % most) + 1; };
  std::vector<PodId> running;
  for (int n = 0; n < 12; ++n) {
    const NodeId on = add_node(8, 4 * upto(4));
    for (int p = upto(4); p > 0; --p) running.push_back(add(asks(upto(3), upto(3)), on));
  }
  const std::vector<RoomNeed> needs = {need(4, 2, 9), need(2, 4, 11), need(1, 1, 40)};
  RoomCount followed(cluster_, needs);
  std::vector<bool> is_gone(running.size());
  for (int step = 0; step < 300; ++step) {
    std::vector<PodId> leaving, coming;
    for (std::size_t i = 0; i < running.size(); ++i) {
      if (random() % 4 != 0) continue;
      (is_gone[i] ? coming : leaving).push_back(running[i]);
      is_gone[i] = !is_gone[i];
    }
    followed.remove(leaving);
    followed.restore(coming);
    const cluster::Transaction tentatively(cluster_, cluster::Visibility::kSeen);
    for (std::size_t i = 0; i < running.size(); ++i) {
      if (is_gone[i]) cluster_.unplace(running[i]);
    }
    const RoomCount fresh(cluster_, needs);
    for (const std::int64_t slack : {0, 1, 5}) ASSERT_EQ(followed.missing(slack), fresh.missing(slack)) << step;
  }
}

}  // namespace
}  // namespace loadline::gang
