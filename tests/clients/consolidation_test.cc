// Consolidation, on paper: a node is masked, its pods are fitted elsewhere, and either all of that is carried out, or
// none of it happened.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "brain/cluster/ledgers/transaction.h"
#include "brain/cluster/testing/pod_builder.h"
#include "brain/cluster/testing/seeds.h"
#include "brain/engine/dispatcher.h"
#include "brain/engine/registry.h"
#include "brain/placement/testing/history_books.h"
#include "foundation/base/rng.h"

namespace loadline::engine::consolidation {

using decision::Unit;

namespace {

using cluster::NodeId;
using cluster::PodId;

/// True: the node is gone, and its pods are on others. False: nothing is different.
bool give_back(cluster::Cluster& cluster, decision::Doors& doors, NodeId node) {
  cluster::Transaction trial(cluster, cluster::Visibility::kSeen);
  std::vector<PodId> pods = cluster.pods_on(node);
  for (const PodId pod : pods) cluster.unplace(pod);
  cluster.mask_node(node);
  for (const PodId pod : pods) {
    if (doors.fit(Unit(pod), {&pod, 1}, {}) != decision::Fit::kYes) return false;
  }
  trial.commit();
  return true;
}

class Consolidation : public ::testing::TestWithParam<int> {
 protected:
  Consolidation() : random_(static_cast<std::uint64_t>(GetParam())) {}

  void add_node() {
    cluster::testing::NodeBuilder node("n" + std::to_string(++made_));
    cluster_.add_node(node.zone(random_.below(2) == 0 ? "a" : "b"));
    dispatcher_.capacity_freed();
  }

  void add_pods() {
    for (std::uint64_t pods = 1 + random_.below(4); pods > 0; --pods) {
      cluster::testing::PodBuilder pod("p" + std::to_string(++made_));
      pod.label("app", "a").request("cpu", std::to_string(1 + random_.below(3)));
      if (random_.below(4) == 0) {
        pod.spread(cluster::testing::spread_over("topology.kubernetes.io/zone", 2,
                                                 kube::UnsatisfiableAction::kDoNotSchedule,
                                                 cluster::testing::selecting("app", "a")));
      }
      dispatcher_.add(cluster_.add_pod(pod));
      ++pods_;
    }
    while (const std::optional<Unit> unit = dispatcher_.next()) dispatcher_.take(*unit);
  }

  [[nodiscard]] std::string books() const {
    std::string text;
    for (const NodeId node : cluster_.scan_order()) text += placement::testing::books_of(cluster_, node) + '\n';
    return text;
  }
  [[nodiscard]] std::size_t placed() const {
    std::size_t count = 0;
    for (const NodeId node : cluster_.nodes()) count += cluster_.pods_on(node).size();
    return count;
  }

  void consolidate() {
    const NodeId node = cluster_.nodes()[random_.below(cluster_.node_count())];
    const std::string name(cluster_.node_name(node));
    const std::string before = books();
    const std::size_t placed_before = placed();
    const std::size_t nodes = cluster_.node_count();
    if (give_back(cluster_, dispatcher_, node)) {
      EXPECT_FALSE(cluster_.find_node(name).valid());
      EXPECT_EQ(cluster_.node_count(), nodes - 1);
      ++given_back_;
    } else {
      EXPECT_EQ(books(), before);
      EXPECT_EQ(cluster_.find_node(name), node);
      ++kept_;
    }
    EXPECT_EQ(placed(), placed_before);
    dispatcher_.capacity_freed();
  }

  Rng random_;
  cluster::Cluster cluster_;
  Dispatcher dispatcher_{cluster_, *placement::Scheduler::make(cluster_, registry(), kube::SchedulerConfiguration{})};
  int made_ = 0;
  std::size_t pods_ = 0, given_back_ = 0, kept_ = 0;
};

TEST_P(Consolidation, CarriesOutAllOrNothing) {
  for (int i = 0; i < 4; ++i) add_node();
  for (int i = 0; i < 30 && !HasFailure(); ++i) {
    if (random_.below(3) == 0 || cluster_.node_count() < 2) add_node();
    add_pods();
    consolidate();
  }
  EXPECT_GT(given_back_ + kept_, 0U);
}

const int kFirst = cluster::testing::number_of("LOADLINE_CLIENT_FIRST_SEED", 0);
INSTANTIATE_TEST_SUITE_P(Seeds, Consolidation,
                         ::testing::Range(kFirst, kFirst + cluster::testing::number_of("LOADLINE_CLIENT_SEEDS", 20)));

}  // namespace
}  // namespace loadline::engine::consolidation
