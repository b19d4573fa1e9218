#include "app/cli/up/demo.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "brain/capacity/node_template_text.h"
#include "hosts/embedded/testing/cluster_fixture.h"
#include "hosts/kubelet/virtual_nodes.h"
#include "objects/kube/batch/batch.h"

namespace loadline::cli {
namespace {

using ::testing::AllOf;
using ::testing::Ge;
using ::testing::Le;

struct Busy {
  double gpus = 0;        // share of them that is taken, on average
  double workers = 0;     // share of places for pods
  std::size_t waits = 0;  // pods without a node, at most
  int without_queue = 0;  // looks at the cluster at which no pod waited
  std::size_t jobs = 0;   // at the last look
  int looks = 0;
};

class DemoTest : public embedded::testing::ClusterTest {
 protected:
  void add(const std::vector<std::string>& shapes) {
    kubelet::NodeGeneration generation;
    for (const std::string& shape : shapes) generation.templates.push_back(*capacity::parse_node_template(shape));
    generation.now = loop_.now();
    start(kubelet::generate_nodes(generation).value());
    room_ = demo_room(*cluster_->caches());
  }

  void begin(const std::vector<std::string>& shapes, std::uint64_t seed = 1) {
    add(shapes);
    demo_ = std::make_unique<Demo>(*cluster_, loop_, seed);
    demo_->start();
    advance(60);
  }

  void advance(std::int64_t seconds) { loop_.advance(Duration::seconds(seconds)); }

  Busy watch(int minutes) {
    Busy busy;
    for (; busy.looks < 2 * minutes; ++busy.looks) {
      advance(30);
      look(busy);
    }
    busy.gpus /= busy.looks;
    busy.workers /= busy.looks;
    busy.jobs = cluster_->caches()->of<kube::Job>().size();
    return busy;
  }

  void look(Busy& busy) const {
    std::size_t waits = 0;
    std::int64_t gpus = 0;
    std::int64_t workers = 0;
    for (const auto& [name_space, pods] : cluster_->caches()->of<kube::Pod>().namespaces()) {
      for (const auto& [name, pod] : pods) {
        if (pod->view.finished()) continue;
        if (pod->view.spec->node_name.empty()) {
          ++waits;
          continue;
        }
        ++workers;
        const kube::ResourceList& limits = pod->view.spec->containers.front().resources.limits;
        if (const auto found = limits.find("nvidia.com/gpu"); found != limits.end()) gpus += found->second.value();
      }
    }
    busy.waits = std::max(busy.waits, waits);
    if (waits == 0) ++busy.without_queue;
    if (room_.gpus > 0) busy.gpus += static_cast<double>(gpus) / static_cast<double>(room_.gpus);
    busy.workers += static_cast<double>(workers) / static_cast<double>(room_.workers);
  }

  DemoRoom room_;
  std::unique_ptr<Demo> demo_;
};

TEST_F(DemoTest, KeepsItsOwnNodesBusyAndTheQueueComesAndGoes) {
  begin(demo_nodes());
  const Busy busy = watch(30);
  EXPECT_THAT(busy.gpus, AllOf(Ge(0.55), Le(0.92)));
  EXPECT_LE(busy.waits, 60U);
  // Over seeds, 4 to 19 of 60 looks find no queue.
  EXPECT_THAT(busy.without_queue, AllOf(Ge(busy.looks / 20), Le(busy.looks * 9 / 10)));
}

TEST_F(DemoTest, UsesCpusWhereThereAreNoGpus) {
  begin({"10"});
  const Busy busy = watch(15);
  EXPECT_THAT(busy.workers, AllOf(Ge(0.55), Le(0.98)));
  EXPECT_LE(busy.waits, 60U);
}

TEST_F(DemoTest, ATinyClusterIsFullButNotSwamped) {
  begin({"1:gpu=l4:1"});
  const Busy busy = watch(30);
  EXPECT_EQ(room_.gpus, 1);
  EXPECT_GE(busy.gpus, 0.5);
  EXPECT_LE(busy.waits, 30U);
  EXPECT_LE(busy.jobs, 10U);
}

TEST_F(DemoTest, LeavesThePodsOfOthersTheirRoom) {
  add({"1:cpu=8,memory=32Gi"});
  EXPECT_EQ(room_.workers, 4);
  apply({"", "v1", "pods", "default"}, R"(
apiVersion: v1
kind: Pod
metadata: {name: stranger, namespace: default}
spec: {nodeName: node-1, containers: [{name: c, image: x, resources: {requests: {memory: 16Gi}}}]}
)");
  EXPECT_EQ(demo_room(*cluster_->caches()).workers, 2);
}

TEST_F(DemoTest, WaitsWhileASnapshotIsLoaded) {
  add(demo_nodes());
  cluster_->stop_control();
  Demo demo(*cluster_, loop_, 1);
  demo.start();
  advance(120);
  ASSERT_TRUE(cluster_->restart_control([] {}));
  advance(120);
  EXPECT_GT(cluster_->caches()->of<kube::Job>().size(), 0U);
}

TEST_F(DemoTest, AnotherSeedDrawsOtherWork) {
  const auto names = [this](std::uint64_t seed) {
    begin(demo_nodes(), seed);
    std::vector<std::string> result;
    for (const auto& [name_space, jobs] : cluster_->caches()->of<kube::Job>().namespaces()) {
      for (const auto& [name, job] : jobs) result.push_back(name);
    }
    demo_.reset();
    cluster_.reset();
    return result;
  };
  const std::vector<std::string> first = names(1);
  EXPECT_FALSE(first.empty());
  EXPECT_EQ(names(1), first);
  EXPECT_NE(names(2), first);
}

TEST(DemoPace, FollowsFromTheSizeOfTheCluster) {
  const DemoPace usual = demo_pace({300, 36, 8});
  const DemoPace twice = demo_pace({600, 72, 8});
  EXPECT_EQ(usual.width, 1U);
  EXPECT_NEAR(static_cast<double>(usual.between_jobs.nanoseconds) / static_cast<double>(twice.between_jobs.nanoseconds),
              2, 0.01);
  // In a large one Jobs are larger, and no more of them.
  const DemoPace large = demo_pace({20'000, 8000, 8});
  EXPECT_GE(large.between_jobs, Duration::seconds(1));
  EXPECT_LT(large.between_jobs, Duration::seconds(2));
  EXPECT_GT(large.width, 20U);
  EXPECT_LT(large.most_jobs, 400U);
  // In one without anything little is asked for, and not for ever.
  const DemoPace empty = demo_pace({});
  EXPECT_EQ(empty.between_jobs, Duration::seconds(30));
  EXPECT_LT(empty.most_jobs, 20U);
}

TEST(DemoJobs, FitOnTheNodesThatThereAre) {
  Rng rng(7);
  for (const std::int64_t most : {0, 1, 3, 4, 8, 16}) {
    std::uint64_t largest = 0;
    for (int i = 0; i < 500; ++i) largest = std::max(largest, draw_job(rng, {100, most * 10, most}).gpus);
    const std::uint64_t expected[] = {0, 1, 2, 2, 4, 4, 4, 4, 8};
    EXPECT_EQ(largest, expected[std::min<std::int64_t>(most, 8)]) << most;
  }
}

}  // namespace
}  // namespace loadline::cli
