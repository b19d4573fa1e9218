#include "brain/queue/kueue/quotas.h"

#include <gtest/gtest.h>

#include <limits>
#include <map>
#include <string>
#include <vector>

#include "brain/cluster/testing/seeds.h"
#include "brain/queue/kueue/share.h"
#include "brain/queue/kueue/testing/small_tree.h"
#include "brain/queue/kueue/trial.h"
#include "foundation/base/rng.h"

namespace loadline::queue::kueue {
namespace {

using testing::SmallTree;

constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();

TEST(Amount, SaturatesAndKeepsTheUnlimited) {
  const Amount unlimited = Amount::unlimited();
  EXPECT_EQ(unlimited + Amount(-5), unlimited);
  EXPECT_EQ(unlimited - Amount(5), unlimited);
  EXPECT_EQ(unlimited - unlimited, Amount(0));
  EXPECT_LT(Amount(5) - unlimited, Amount(-kMost));
  EXPECT_EQ(Amount(kMost - 1) + Amount(kMost - 1), unlimited);
  EXPECT_EQ(Amount(3) - Amount(5), Amount(-2));
}

TEST(Amount, CountsThousandthsOfCpusAndWholeUnitsOfOthers) {
  EXPECT_EQ(Amount::of("cpu", *kube::Quantity::parse("1500m")), Amount(1500));
  EXPECT_EQ(Amount::of("memory", *kube::Quantity::parse("1Ki")), Amount(1024));
  EXPECT_EQ(Amount::of("cpu", *kube::Quantity::parse("9P")), Amount(9'000'000'000'000'000'000));
  EXPECT_TRUE(Amount::of("cpu", *kube::Quantity::parse("9223372036854775")).is_unlimited());
  EXPECT_FALSE(Amount::of("memory", *kube::Quantity::parse("9223372036854775")).is_unlimited());
  EXPECT_TRUE(Amount::of("memory", *kube::Quantity::parse("10E")).is_unlimited());
}

TEST(Quotas, OfAQueueAloneAreItsOwn) {
  SmallTree it;
  it.add("a", "", {10, 5}).use("a", 4);
  EXPECT_EQ(it.available("a"), 6);
  EXPECT_EQ(it.potential("a"), 10);  // nobody lends
  it.use("a", 9);
  EXPECT_EQ(it.available("a"), -3);
}

TEST(Quotas, OfACohortAreSharedByItsQueues) {
  SmallTree it;
  it.add("C", "", {}).add("a", "C", {10}).add("b", "C", {20}).use("b", 25);
  EXPECT_EQ(it.quotas.subtree(it.cell("C")), Amount(30));
  EXPECT_EQ(it.used("C"), 25);
  EXPECT_EQ(it.available("a"), 5);
  EXPECT_EQ(it.potential("a"), 30);
}

TEST(Quotas, OfTheCohortItselfAddToThoseOfItsQueues) {
  SmallTree it;
  it.add("C", "", {7}).add("a", "C", {10}).add("b", "C", {0});
  EXPECT_EQ(it.available("b"), 17);
}

TEST(Quotas, ABorrowingLimitBoundsWhatIsAvailable) {
  SmallTree it;
  it.add("C", "", {}).add("a", "C", {10, 3}).add("b", "C", {20});
  EXPECT_EQ(it.potential("a"), 13);
  EXPECT_EQ(it.available("a"), 13);
  it.use("a", 12);
  EXPECT_EQ(it.available("a"), 1);
  it.use("b", 18);  // now nothing is left to borrow
  EXPECT_EQ(it.available("a"), 0);
}

TEST(Quotas, ALendingLimitKeepsTheRestToTheQueue) {
  SmallTree it;
  it.add("C", "", {}).add("a", "C", {10, {}, 4}).add("b", "C", {0});
  EXPECT_EQ(it.quotas.local(it.cell("a")), Amount(6));
  EXPECT_EQ(it.quotas.subtree(it.cell("C")), Amount(4));
  EXPECT_EQ(it.available("a"), 10);
  EXPECT_EQ(it.available("b"), 4);
  it.use("a", 5);  // of what nobody else sees
  EXPECT_EQ(it.used("C"), 0);
  EXPECT_EQ(it.available("b"), 4);
  it.use("a", 3);
  EXPECT_EQ(it.used("C"), 2);
  EXPECT_EQ(it.available("b"), 2);
  it.quotas.remove(it.cell("a"), Amount(3));
  EXPECT_EQ(it.used("C"), 0);
}

TEST(Quotas, BothLimitsAtOnce) {
  SmallTree it;
  it.add("C", "", {}).add("a", "C", {10, 2, 4}).add("b", "C", {20});
  EXPECT_EQ(it.potential("a"), 12);
  EXPECT_EQ(it.available("a"), 12);  // 6 of its own, 4 that it lends, 2 that it borrows
  it.use("a", 9);
  EXPECT_EQ(it.available("a"), 3);
}

TEST(Quotas, LimitsOfCohortsHoldOnTheWayUp) {
  SmallTree it;
  it.add("R", "", {}).add("L", "R", {0, 5}).add("M", "R", {0, {}, 3}).add("a", "L", {4}).add("b", "M", {20});
  EXPECT_EQ(it.quotas.subtree(it.cell("R")), Amount(7));  // 4, and the 3 that M lends
  EXPECT_EQ(it.available("a"), 7);
  EXPECT_EQ(it.potential("b"), 24);
  it.use("b", 19);
  EXPECT_EQ(it.used("M"), 19);
  EXPECT_EQ(it.used("R"), 2);
  EXPECT_EQ(it.available("a"), 5);
}

TEST(Quotas, WhatIsUsedWithoutQuotaCountsAtTheParent) {
  SmallTree it;
  it.add("C", "", {}).add("a", "C", {10}).use("a", 6);
  EXPECT_TRUE(it.quotas.set_limits(it.node("a"), {}));
  it.quotas.refresh(it.node("a"));
  EXPECT_EQ(it.used("C"), 6);
  EXPECT_EQ(it.available("a"), -6);
  EXPECT_TRUE(it.quotas.declared(it.node("a")).empty());
}

TEST(Quotas, AQueueThatMovesTakesItsUsageAlong) {
  SmallTree it;
  it.add("C", "", {}).add("D", "", {}).add("a", "C", {10}).add("b", "C", {10}).use("a", 8).use("b", 1);
  it.tree.set_parent(it.node("a"), it.node("D"));
  it.quotas.refresh(it.node("C"));
  it.quotas.refresh(it.node("D"));
  EXPECT_EQ(it.used("C"), 1);
  EXPECT_EQ(it.used("D"), 8);
  EXPECT_EQ(it.available("b"), 9);
}

TEST(Quotas, SayWhetherLimitsAreOthers) {
  SmallTree it;
  const Quotas::Limits limits = {{it.column(), {Amount(1), {}, {}}}};
  EXPECT_TRUE(it.quotas.set_limits(it.node("a"), limits));
  EXPECT_FALSE(it.quotas.set_limits(it.node("a"), limits));
  EXPECT_TRUE(it.quotas.set_limits(it.node("a"), {{it.column(), {Amount(1), Amount(0), {}}}}));
}

TEST(Quotas, TheLowestSubtreeThatFitsIsTheNearest) {
  SmallTree it;
  it.add("R", "", {}).add("L", "R", {0}).add("a", "L", {4}).add("b", "L", {4}).add("c", "R", {10});
  using Fitting = FittingSubtree;
  const auto lowest = [&](std::int64_t more) { return it.quotas.lowest_subtree(it.cell("a"), Amount(more)); };
  EXPECT_EQ(lowest(4), (Fitting{0, true}));
  EXPECT_EQ(lowest(5), (Fitting{1, true}));
  EXPECT_EQ(lowest(8), (Fitting{1, true}));
  EXPECT_EQ(lowest(9), (Fitting{2, false}));
  EXPECT_EQ(lowest(19), (Fitting{2, false}));  // nowhere
  EXPECT_EQ(it.quotas.lowest_subtree(it.cell("c"), Amount(11)), (Fitting{2, false}));
  it.add("d", "", {3});
  EXPECT_EQ(it.quotas.lowest_subtree(it.cell("d"), Amount(9)), (Fitting{0, false}));
}

TEST(Quotas, HeightsDoNotCountQueuesThatAreStopped) {
  SmallTree it;
  it.add("R", "", {}).add("L", "R", {0}).add("a", "L", {4});
  EXPECT_EQ(it.quotas.height(it.node("R")), 2);
  it.quotas.set_active(it.node("a"), false);
  it.quotas.refresh(it.node("a"));
  EXPECT_EQ(it.quotas.height(it.node("R")), 1);
  EXPECT_EQ(it.quotas.height(it.node("L")), 0);
}

TEST(Trial, UndoesUsageOnTheWholeWayUp) {
  SmallTree it;
  it.add("C", "", {}).add("a", "C", {10, {}, 4}).use("a", 5);
  {
    const Trial trial(it.tree);
    it.use("a", 9);
    EXPECT_EQ(it.used("C"), 8);
  }
  EXPECT_EQ(it.used("a"), 5);
  EXPECT_EQ(it.used("C"), 0);
}

TEST(Share, IsTheLargestOverResources) {
  SmallTree it;
  const auto limits = [&](std::int64_t gpus, std::int64_t cpus) {
    return Quotas::Limits{{it.column("gpu", "f"), {Amount(gpus), {}, {}}},
                          {it.column("cpu", "f"), {Amount(cpus), {}, {}}}};
  };
  it.add("C", "", {}).add("a", "C", {}).add("b", "C", {});
  it.quotas.set_limits(it.node("a"), limits(2, 10));
  it.quotas.set_limits(it.node("b"), limits(6, 90));
  it.quotas.refresh(it.node("C"));
  it.quotas.add(it.cell("a", "cpu"), Amount(30));  // 20 of 100 are borrowed
  EXPECT_EQ(share_of(it.quotas, it.node("a")).ratio, 200);
  it.quotas.add(it.cell("a", "gpu"), Amount(4));  // 2 of 8
  const Share share = share_of(it.quotas, it.node("a"));
  EXPECT_EQ(share.ratio, 250);
  EXPECT_EQ(it.tree.symbols().text(share.dominant), "gpu");
  EXPECT_TRUE(share.borrows);
  it.quotas.add(it.cell("a", "cpu"), Amount(5));  // both 250: the alphabetically first
  EXPECT_EQ(it.tree.symbols().text(share_of(it.quotas, it.node("a")).dominant), "cpu");
  EXPECT_EQ(share_of(it.quotas, it.node("b")).ratio, 0);
  EXPECT_EQ(share_of(it.quotas, it.node("C")).ratio, 0);  // nobody is above it
}

TEST(Share, SumsFlavorsAndCountsOnlyWhatIsAboveQuota) {
  SmallTree it;
  it.add("C", "", {}).add("a", "C", {}).add("b", "C", {});
  it.quotas.set_limits(
      it.node("a"), {{it.column("gpu", "old"), {Amount(10), {}, {}}}, {it.column("gpu", "new"), {Amount(0), {}, {}}}});
  it.quotas.set_limits(it.node("b"), {{it.column("gpu", "new"), {Amount(10), {}, {}}}});
  it.quotas.refresh(it.node("C"));
  it.quotas.add(it.cell("a", "gpu", "old"), Amount(4));  // what is unused of one flavor makes up for nothing
  it.quotas.add(it.cell("a", "gpu", "new"), Amount(5));
  EXPECT_EQ(share_of(it.quotas, it.node("a")).ratio, 250);
}

TEST(Share, ABorrowerOfNothingThatCanBeLentBorrowsStill) {
  SmallTree it;
  it.add("C", "", {}).add("a", "C", {0}).use("a", 3);
  const Share share = share_of(it.quotas, it.node("a"));
  EXPECT_EQ(share.ratio, 0);
  EXPECT_TRUE(share.borrows);
  EXPECT_FALSE(share.dominant.valid());
}

TEST(Share, WeightsDivideAndZeroIsTheLargest) {
  const Share none;
  const Share light{.weight = 1, .ratio = 100};
  const Share heavy{.weight = 4, .ratio = 200};
  const Share zero{.weight = 0, .ratio = 1};
  const Share more{.weight = 0, .ratio = 2};
  const Share idle{.weight = 0, .ratio = 0};
  EXPECT_TRUE(compare(heavy, light) < 0);
  EXPECT_TRUE(compare(zero, light) > 0);
  EXPECT_TRUE(compare(light, zero) < 0);
  EXPECT_TRUE(compare(more, zero) > 0);
  EXPECT_TRUE(compare(idle, none) == 0);
  EXPECT_TRUE(compare(idle, light) < 0);
}

// ---- by definition: everything anew from what queues use ----------------------------------------------------------

struct Plain {
  std::string parent;
  SmallTree::Limits limits;
  std::int64_t used = 0;  // of queues
};

class PlainTree {
 public:
  std::map<std::string, Plain> nodes;

  [[nodiscard]] std::int64_t subtree(const std::string& name) const {
    std::int64_t sum = nodes.at(name).limits.nominal;
    for (const auto& [child, it] : nodes) sum += it.parent == name ? subtree(child) - local(child) : 0;
    return sum;
  }
  [[nodiscard]] std::int64_t local(const std::string& name) const {
    const auto& lending = nodes.at(name).limits.lending;
    return lending ? std::max<std::int64_t>(0, subtree(name) - *lending) : 0;
  }
  [[nodiscard]] std::int64_t used(const std::string& name) const {
    std::int64_t sum = nodes.at(name).used;
    for (const auto& [child, it] : nodes) {
      sum += it.parent == name ? std::max<std::int64_t>(0, used(child) - local(child)) : 0;
    }
    return sum;
  }
  [[nodiscard]] std::int64_t available(const std::string& name) const {
    const Plain& it = nodes.at(name);
    if (it.parent.empty()) return subtree(name) - used(name);
    std::int64_t above = available(it.parent);
    if (it.limits.borrowing) {
      above = std::min(above, subtree(name) - local(name) - std::max<std::int64_t>(0, used(name) - local(name)) +
                                  *it.limits.borrowing);
    }
    return std::max<std::int64_t>(0, local(name) - used(name)) + above;
  }
  [[nodiscard]] std::int64_t potential(const std::string& name) const {
    const Plain& it = nodes.at(name);
    if (it.parent.empty()) return subtree(name);
    const std::int64_t most = local(name) + potential(it.parent);
    return it.limits.borrowing ? std::min(most, subtree(name) + *it.limits.borrowing) : most;
  }
};

class QuotasHistory : public ::testing::TestWithParam<int> {
 protected:
  QuotasHistory() : random_(static_cast<std::uint64_t>(GetParam())) {
    place("R", "");
    for (const char* name : {"A", "B", "C"}) place(name, "R");
    for (const char* name : {"a", "b", "c", "d", "e"}) place(name, any_cohort());
  }
  std::int64_t below(std::uint64_t bound) { return static_cast<std::int64_t>(random_.below(bound)); }
  std::string any_cohort() { return std::vector<std::string>{"R", "A", "B", "C"}[random_.below(4)]; }
  std::string any_queue() { return std::vector<std::string>{"a", "b", "c", "d", "e"}[random_.below(5)]; }
  std::optional<std::int64_t> maybe(std::int64_t value) { return below(2) == 0 ? std::optional(value) : std::nullopt; }

  void place(const std::string& name, const std::string& parent) {
    const QuotaNodeId node = it_.node(name);
    const QuotaNodeId old_parent = it_.tree.parent(node);
    plain_.nodes[name].parent = parent;
    plain_.nodes[name].limits = {below(20), maybe(below(10)), maybe(below(10))};
    it_.add(name, parent, plain_.nodes[name].limits);
    if (old_parent.valid()) it_.quotas.refresh(old_parent);
  }
  void move() {
    if (below(2) == 0) return place(any_queue(), below(6) == 0 ? "" : any_cohort());
    place(below(2) == 0 ? "A" : "B", below(2) == 0 ? "R" : "C");
  }
  void use(const std::string& queue) {
    Plain& it = plain_.nodes[queue];
    const std::int64_t amount = below(12);
    if (below(2) == 0) {
      it.used += amount;
      it_.quotas.add(it_.cell(queue), Amount(amount));
    } else if (it.used >= amount) {
      it.used -= amount;
      it_.quotas.remove(it_.cell(queue), Amount(amount));
    }
  }
  void check() {
    for (const auto& [name, it] : plain_.nodes) {
      const QuotaCellId cell = it_.cell(name);
      EXPECT_EQ(it_.quotas.subtree(cell).value(), plain_.subtree(name)) << name;
      EXPECT_EQ(it_.quotas.local(cell).value(), plain_.local(name)) << name;
      EXPECT_EQ(it_.used(name), plain_.used(name)) << name;
      EXPECT_EQ(it_.available(name), plain_.available(name)) << name;
      EXPECT_EQ(it_.potential(name), plain_.potential(name)) << name;
    }
    for (const char* name : {"R", "A", "B", "C"}) {
      EXPECT_EQ(it_.quotas.lendable(it_.node(name), it_.tree.symbols().intern("gpu")).value(), plain_.potential(name));
    }
  }

  Rng random_;
  SmallTree it_;
  PlainTree plain_;
};

TEST_P(QuotasHistory, EqualTheirDefinition) {
  for (int i = 0; i < 150 && !HasFailure(); ++i) {
    if (below(4) == 0) move();
    for (int uses = 0; uses < 3; ++uses) use(any_queue());
    const PlainTree before = plain_;
    {
      const Trial trial(it_.tree);
      for (int uses = 0; uses < 6; ++uses) use(any_queue());
      check();
    }
    plain_ = before;
    check();
  }
}

const int kFirstOfQuotas = cluster::testing::number_of("LOADLINE_QUOTA_FIRST_SEED", 0);
INSTANTIATE_TEST_SUITE_P(Seeds, QuotasHistory,
                         ::testing::Range(kFirstOfQuotas,
                                          kFirstOfQuotas + cluster::testing::number_of("LOADLINE_QUOTA_SEEDS", 10)));

}  // namespace
}  // namespace loadline::queue::kueue
