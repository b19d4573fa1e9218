// Machines on order, on paper: each order is the set of offerings that it may still become, narrowed by the pods that
// it is for. It becomes a node of the cheapest one, or never comes.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "brain/cluster/ledgers/transaction.h"
#include "brain/cluster/testing/pod_builder.h"
#include "brain/cluster/testing/seeds.h"
#include "brain/engine/dispatcher.h"
#include "brain/engine/registry.h"
#include "foundation/base/rng.h"

namespace loadline::engine::ordered_machines {

using decision::Unit;

namespace {

using cluster::NodeId;
using cluster::PodId;

struct Offering {
  int cpus;
  std::string zone;
  int price;
};

struct Order {
  std::vector<Offering> offerings;  // that it may still become
  std::vector<PodId> pods;
};

class Orders {
 public:
  Orders(cluster::Cluster& cluster, decision::Doors& doors, std::vector<Offering> all)
      : cluster_(cluster), doors_(doors), all_(std::move(all)) {}

  [[nodiscard]] std::vector<Order>& orders() { return orders_; }

  /// The first order that the pod leaves something to become, or a new one. False: no machine would do.
  bool take(PodId pod) {
    for (Order& order : orders_) {
      if (narrow(order, pod)) return true;
    }
    Order fresh{all_, {}};
    if (!narrow(fresh, pod)) return false;
    orders_.push_back(std::move(fresh));
    return true;
  }

  static cluster::testing::NodeBuilder machine(const Offering& offering, const std::string& name) {
    return cluster::testing::node(name).zone(offering.zone).allocatable("cpu", std::to_string(offering.cpus));
  }
  static const Offering& cheapest(const Order& order) {
    return *std::ranges::min_element(order.offerings, {}, &Offering::price);
  }

 private:
  bool narrow(Order& order, PodId pod) const {
    std::vector<PodId> pods = order.pods;
    pods.push_back(pod);
    std::vector<Offering> left;
    std::ranges::copy_if(order.offerings, std::back_inserter(left),
                         [&](const Offering& each) { return holds(each, pods); });
    if (left.empty()) return false;
    order = {std::move(left), std::move(pods)};
    return true;
  }

  /// Whether the pods fit on such a machine together.
  [[nodiscard]] bool holds(const Offering& offering, const std::vector<PodId>& pods) const {
    const cluster::Transaction trial(cluster_, cluster::Visibility::kSeen);
    const NodeId node = cluster_.add_node(machine(offering, "on-order"));
    return std::ranges::all_of(pods, [&](const PodId& pod) {
      return doors_.fit(Unit(pod), {&pod, 1}, {.within = {&node, 1}}) == decision::Fit::kYes;
    });
  }

  cluster::Cluster& cluster_;
  decision::Doors& doors_;
  std::vector<Offering> all_;
  std::vector<Order> orders_;
};

class OrderedMachines : public ::testing::TestWithParam<int> {
 protected:
  OrderedMachines() : random_(static_cast<std::uint64_t>(GetParam())) {}

  PodId create() {
    cluster::testing::PodBuilder pod("p" + std::to_string(++made_));
    pod.request("cpu", std::to_string(1 + random_.below(9)));
    if (random_.below(3) == 0) pod.selects_nodes("topology.kubernetes.io/zone", random_.below(2) == 0 ? "a" : "b");
    const PodId id = cluster_.add_pod(pod);
    dispatcher_.add(id);
    return id;
  }
  void take_turns() {
    while (const std::optional<Unit> unit = dispatcher_.next()) dispatcher_.take(*unit);
  }
  [[nodiscard]] bool is_placed(PodId pod) const { return cluster_.pod(pod).node.valid(); }

  /// The machine is there, and the pods that it was ordered for go first.
  void arrive(const Order& order) {
    const NodeId node = cluster_.add_node(Orders::machine(Orders::cheapest(order), "m" + std::to_string(++made_)));
    for (const PodId pod : order.pods) dispatcher_.nominate(pod, node);
    dispatcher_.capacity_freed();
    take_turns();
    for (const PodId pod : order.pods) EXPECT_EQ(cluster_.pod(pod).node, node) << "it was ordered for this pod";
  }

  Rng random_;
  cluster::Cluster cluster_;
  Dispatcher dispatcher_{cluster_, *placement::Scheduler::make(cluster_, registry(), kube::SchedulerConfiguration{})};
  int made_ = 0;
};

TEST_P(OrderedMachines, HoldWhatTheyWereOrderedFor) {
  const std::vector<Offering> offerings = {{2, "a", 2}, {4, "a", 4}, {8, "a", 9}, {4, "b", 3}, {8, "b", 7}};
  cluster_.add_node(cluster::testing::node("first").zone("a"));
  std::vector<PodId> left;
  for (int round = 0; round < 6; ++round) {
    for (std::uint64_t pods = 1 + random_.below(6); pods > 0; --pods) left.push_back(create());
    take_turns();
    std::erase_if(left, [&](PodId pod) { return is_placed(pod); });
    Orders orders(cluster_, dispatcher_, offerings);
    const std::size_t nodes = cluster_.node_count();
    for (const PodId pod : left) {
      if (!orders.take(pod)) {
        EXPECT_GT(dispatcher_.scheduler().demand_of(pod).amount_of(cluster::kCpu), 8000) << cluster_.pod_text(pod);
      }
      EXPECT_EQ(cluster_.node_count(), nodes) << "an order is no node";
      EXPECT_FALSE(is_placed(pod));
    }
    for (const Order& order : orders.orders()) {
      if (random_.below(100) < 70) arrive(order);  // others never come: their pods wait, and are ordered for again
    }
    std::erase_if(left, [&](PodId pod) { return is_placed(pod); });
  }
}

const int kFirst = cluster::testing::number_of("LOADLINE_CLIENT_FIRST_SEED", 0);
INSTANTIATE_TEST_SUITE_P(Seeds, OrderedMachines,
                         ::testing::Range(kFirst, kFirst + cluster::testing::number_of("LOADLINE_CLIENT_SEEDS", 20)));

}  // namespace
}  // namespace loadline::engine::ordered_machines
