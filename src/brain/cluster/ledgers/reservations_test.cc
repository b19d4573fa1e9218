#include "brain/cluster/ledgers/reservations.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "brain/cluster/cluster.h"
#include "brain/cluster/ledgers/transaction.h"
#include "brain/cluster/testing/node_builder.h"
#include "brain/cluster/testing/pod_builder.h"

namespace loadline::cluster {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using testing::node;
using testing::pod;
using testing::PodBuilder;
using testing::selecting;

class ReservationsTest : public ::testing::Test {
 protected:
  ReservationId reserve(const std::string& name, const std::string& app) {
    ReservationRule rule;
    rule.name_space = cluster_.symbols().intern("default");
    rule.selector = PodSelector::of(selecting("app", app), cluster_.symbols());
    return cluster_.add_reservation({"default", name, rule, {}, 0});
  }
  const std::vector<ReservationId>& matching(const PodBuilder& builder) {
    return cluster_.matching_reservations(cluster_.pod(cluster_.add_pod(builder)).shape);
  }
  [[nodiscard]] const Reservation& at(ReservationId id) const { return cluster_.reservations().at(id); }

  Cluster cluster_;
};

TEST_F(ReservationsTest, AreMatchedByNamespaceAndLabelsOldestFirst) {
  const ReservationId first = reserve("first", "web");
  EXPECT_THAT(matching(pod("a").label("app", "web")), ElementsAre(first));
  const ReservationId second = reserve("second", "web");
  const ReservationId other = reserve("other", "train");
  EXPECT_THAT(matching(pod("a").label("app", "web")), ElementsAre(first, second)) << "what is new is noticed";
  EXPECT_THAT(matching(pod("a").label("app", "train")), ElementsAre(other));
  EXPECT_THAT(matching(pod("a")), IsEmpty());
  EXPECT_THAT(matching(pod("a").in("else").label("app", "web")), IsEmpty());
  cluster_.remove_reservation(first);
  EXPECT_THAT(matching(pod("a").label("app", "web")), ElementsAre(second));
  const ReservationId third = reserve("third", "web");
  EXPECT_EQ(third, first) << "ids are used again";
  EXPECT_THAT(matching(pod("a").label("app", "web")), ElementsAre(second, third));
}

TEST_F(ReservationsTest, AreMatchedByTheController) {
  const auto owned_by = [&](const std::string& kind, const std::string& name, const PodBuilder& builder) {
    ReservationRule rule;
    rule.owner_kind = kind;
    rule.owner_name = name;
    const ReservationId id = cluster_.add_reservation({"", "room", rule, {}, 0});
    const bool matches = !matching(builder).empty();
    cluster_.remove_reservation(id);
    return matches;
  };
  const PodBuilder train = pod("a").owned_by("Job", "train-29012345", "batch/v1");
  EXPECT_TRUE(owned_by("Job", "train-29012345", train));
  EXPECT_TRUE(owned_by("CronJob", "train", train));
  EXPECT_FALSE(owned_by("CronJob", "tra", train));
  EXPECT_FALSE(owned_by("CronJob", "other", train));
  EXPECT_FALSE(owned_by("Deployment", "train", train));
  const PodBuilder web = pod("a").owned_by("ReplicaSet", "web-5d4f7c").label("pod-template-hash", "5d4f7c");
  EXPECT_TRUE(owned_by("Deployment", "web", web));
  EXPECT_TRUE(owned_by("ReplicaSet", "web-5d4f7c", web));
  EXPECT_FALSE(owned_by("Deployment", "web-5d4f7c", web));
  EXPECT_FALSE(owned_by("ReplicaSet", "web", web));
  EXPECT_FALSE(owned_by("ReplicaSet", "web", pod("a")));
}

TEST_F(ReservationsTest, NoPodMatchesOneThatIsClosed) {
  const ReservationId id = reserve("room", "web");
  EXPECT_THAT(matching(pod("a").label("app", "web")), ElementsAre(id));
  ReservationRule rule = at(id).rule;
  rule.is_closed = true;
  cluster_.set_rule(id, rule);
  EXPECT_THAT(matching(pod("a").label("app", "web")), IsEmpty());
}

TEST_F(ReservationsTest, PlaceholdersCountAsPodsDo) {
  const NodeId n = cluster_.add_node(node("n"));
  const ReservationId id = reserve("room", "web");
  const PodId placeholder = cluster_.add_placeholder(id, pod("room-0").request("cpu", "2").host_port(80));
  EXPECT_EQ(cluster_.requested(n, kCpu), 0);
  cluster_.place(placeholder, n);
  EXPECT_EQ(cluster_.requested(n, kCpu), 2000);
  EXPECT_TRUE(cluster_.has_host_ports(n));
  cluster_.consume(placeholder);
  EXPECT_EQ(cluster_.requested(n, kCpu), 0);
  EXPECT_THAT(at(id).placeholders, IsEmpty());
  EXPECT_EQ(at(id).consumed, 1);
  cluster_.remove_pod(placeholder);
  EXPECT_EQ(at(id).consumed, 1);
}

TEST_F(ReservationsTest, ArePutBackAsTheyWere) {
  const NodeId n = cluster_.add_node(node("n"));
  const ReservationId id = reserve("room", "web");
  std::vector<PodId> placeholders;
  for (const char* name : {"room-0", "room-1", "room-2"}) {
    placeholders.push_back(cluster_.add_placeholder(id, pod(name).request("cpu", "1")));
  }
  cluster_.place(placeholders[0], n);
  cluster_.place(placeholders[1], n);
  const Reservation before = at(id);
  const std::vector<PodId> on_node = cluster_.pods_on(n);
  for (const Visibility visibility : {Visibility::kSeen, Visibility::kUnseen}) {
    Transaction transaction(cluster_, visibility);
    cluster_.consume(placeholders[1]);
    {
      Transaction inner(cluster_, visibility);
      cluster_.consume(placeholders[2]);
      cluster_.consume(placeholders[0]);
      EXPECT_THAT(at(id).placeholders, IsEmpty());
      EXPECT_EQ(at(id).consumed, 3);
      inner.commit();
    }
    EXPECT_EQ(cluster_.requested(n, kCpu), 0);
    transaction.rollback();
    EXPECT_EQ(at(id), before);
    EXPECT_EQ(cluster_.pods_on(n), on_node);
    EXPECT_EQ(cluster_.requested(n, kCpu), 2000);
  }
  {
    Transaction transaction(cluster_);
    cluster_.consume(placeholders[0]);
    transaction.commit();
  }
  EXPECT_THAT(at(id).placeholders, ElementsAre(placeholders[1], placeholders[2]));
  EXPECT_EQ(at(id).consumed, 1);
}

TEST_F(ReservationsTest, AreGivenBackInOrderOfCreation) {
  const ReservationId id = reserve("room", "web");
  std::vector<PodId> placeholders;
  for (const char* name : {"room-0", "room-1", "room-2"}) {
    placeholders.push_back(cluster_.add_placeholder(id, pod(name).request("cpu", "1")));
  }
  const Reservation before = at(id);
  for (const PodId each : placeholders) cluster_.consume(each);
  for (const std::size_t each : {1, 2, 0}) cluster_.give_back(placeholders[each]);
  EXPECT_EQ(at(id), before);
}

TEST_F(ReservationsTest, LeaveNothingBehind) {
  const NodeId n = cluster_.add_node(node("n"));
  const ReservationId id = reserve("room", "web");
  const PodId held = cluster_.add_placeholder(id, pod("room-0").request("cpu", "1"));
  cluster_.add_placeholder(id, pod("room-1").request("cpu", "1"));
  cluster_.place(held, n);
  cluster_.remove_reservation(id);
  EXPECT_EQ(cluster_.pod_count(), 0U);
  EXPECT_EQ(cluster_.requested(n, kCpu), 0);
  EXPECT_TRUE(cluster_.reservations().empty());
  cluster_.reclaim();
  const PodId next = cluster_.add_pod(pod("a"));
  EXPECT_FALSE(cluster_.pod(next).reservation.valid()) << "an id that was a placeholder's";
}

TEST_F(ReservationsTest, APlaceholderThatIsRemovedIsMissedByItsReservation) {
  const ReservationId id = reserve("room", "web");
  const PodId first = cluster_.add_placeholder(id, pod("room-0"));
  const PodId second = cluster_.add_placeholder(id, pod("room-1"));
  cluster_.remove_pod(first);
  EXPECT_THAT(at(id).placeholders, ElementsAre(second));
  EXPECT_EQ(at(id).consumed, 0);
}

}  // namespace
}  // namespace loadline::cluster
