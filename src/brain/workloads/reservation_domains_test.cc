// In which domains a reservation holds room.
#include "brain/workloads/reservation_domains.h"

#include <gmock/gmock.h>

#include <memory>
#include <string>

#include "brain/cluster/testing/node_builder.h"

namespace loadline::workloads {
namespace {

using cluster::testing::node;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class ReservationDomains : public ::testing::Test {
 protected:
  ReservationDomains() {
    cluster_.add_node(node("a").label("rack", "r2").label("gpu", "yes"));
    cluster_.add_node(node("b").label("rack", "r1").label("gpu", "yes"));
    cluster_.add_node(node("c").label("rack", "r1"));
    cluster_.add_node(node("d").label("rack", "r3"));
    cluster_.add_node(node("e").label("gpu", "yes"));
    reservation_.per_domain = "rack";
    reservation_.pods = 2;
    placeholder_.spec = std::make_shared<kube::PodSpec>();
  }
  [[nodiscard]] std::vector<std::string> domains() {
    std::vector<std::string> names;
    const auto rooms = rooms_of(reservation_, placeholder_, cluster_);
    if (!rooms) return {rooms.error().message};
    for (const DomainRoom& room : *rooms) {
      EXPECT_EQ(room.pods, 2U);
      EXPECT_EQ(room.placeholder.spec->node_selector.at("rack"), room.domain);
      names.push_back(room.domain);
    }
    return names;
  }

  cluster::Cluster cluster_;
  kube::Reservation reservation_;
  kube::Pod placeholder_;
};

TEST_F(ReservationDomains, AreTheValuesOfTheLabelByName) { EXPECT_THAT(domains(), ElementsAre("r1", "r2", "r3")); }

TEST_F(ReservationDomains, HaveANodeThatPodsOfTheTemplateMayGoTo) {
  auto spec = std::make_shared<kube::PodSpec>();
  spec->node_selector.insert_or_assign("gpu", "yes");
  placeholder_.spec = spec;
  EXPECT_THAT(domains(), ElementsAre("r1", "r2"));
}

TEST_F(ReservationDomains, AreOneWithoutALabel) {
  reservation_.per_domain.clear();
  const auto rooms = rooms_of(reservation_, placeholder_, cluster_);
  ASSERT_TRUE(rooms);
  ASSERT_EQ(rooms->size(), 1U);
  EXPECT_EQ(rooms->front().domain, "");
  EXPECT_TRUE(rooms->front().placeholder.spec->node_selector.empty());
}

TEST_F(ReservationDomains, AreMissingWhereNoNodeHasTheLabel) {
  reservation_.per_domain = "block";
  const auto rooms = rooms_of(reservation_, placeholder_, cluster_);
  ASSERT_FALSE(rooms);
  EXPECT_EQ(rooms.error().message, "no node that pods of the template may go to has the label block");
}

TEST_F(ReservationDomains, HoldNoMoreThanAReservationMay) {
  reservation_.pods = 50'000;
  const auto rooms = rooms_of(reservation_, placeholder_, cluster_);
  ASSERT_FALSE(rooms);
  EXPECT_THAT(rooms.error().message, HasSubstr("50000 pods in each of 3 domains of rack are more than 100000"));
}

}  // namespace
}  // namespace loadline::workloads
