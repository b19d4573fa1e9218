#include "recorded_decisions/drift.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "brain/cluster/testing/node_builder.h"
#include "brain/cluster/testing/pod_builder.h"

namespace loadline::recorded_decisions {
namespace {

using cluster::testing::PodBuilder;
using ::testing::ElementsAre;
using ::testing::Field;
using ::testing::IsEmpty;

/// Two nodes of one zone; a pod of label app=a that avoids its like, on the first.
class DriftTest : public ::testing::Test {
 protected:
  DriftTest() {
    for (const char* name : {"n1", "n2"}) cluster_.add_node(cluster::testing::node(name).zone("z"));
    const kube::PodAffinityTerm like = cluster::testing::pods_with("app", "a", "topology.kubernetes.io/zone");
    pod_ = cluster_.add_pod(
        PodBuilder("p").label("app", "a").request("cpu", "1").host_port(80).prefers_near(7, like).near(like));
    const cluster::AffinityTerm& term = cluster_.shape_of(pod_).required_affinity.front();
    counter_ = cluster_.intern(cluster::CounterSpec{{term.term}, term.key, {}, false});
    cluster_.place(pod_, cluster::NodeId{0});
  }

  cluster::Cluster cluster_;
  cluster::PodId pod_;
  cluster::CounterId counter_;
};

TEST_F(DriftTest, WhatPlacementsBookEqualsItsRecount) {
  EXPECT_THAT(find_drift(cluster_), IsEmpty());
  cluster_.update_node(cluster::NodeId{1}, cluster::testing::node("n2").zone("other"));
  cluster_.unplace(pod_);
  cluster_.place(pod_, cluster::NodeId{1});
  EXPECT_THAT(find_drift(cluster_), IsEmpty());
}

// A sound cluster has no drift, so these break one from outside.
TEST_F(DriftTest, AWrongCounterIsFound) {
  ++const_cast<cluster::Counter&>(cluster_.counter(counter_)).pods.front();  // NOLINT
  const std::vector<Drift> found = find_drift(cluster_);
  ASSERT_THAT(found, ElementsAre(Field(&Drift::what, "incremental counter 0")));
  EXPECT_EQ(found.front().recomputed, "pods [1] nodes [2] total 1 domains 1");
  EXPECT_EQ(found.front().kept, "pods [2] nodes [2] total 1 domains 1");
}

TEST_F(DriftTest, AWrongHolderIsFound) {
  const_cast<cluster::AffinityTermCount&>(cluster_.affinity_term_count(cluster::AffinityTermCountId{1})).total =
      5;  // NOLINT
  const std::vector<Drift> found = find_drift(cluster_);
  ASSERT_THAT(found, ElementsAre(Field(&Drift::what, "incremental affinity_term_count 1")));
  EXPECT_EQ(found.front().kept, "pods [1] total 5");
}

TEST_F(DriftTest, APodThatItsNodeForgotIsFound) {
  const_cast<std::vector<cluster::PodId>&>(cluster_.pods_on(cluster::NodeId{0})).clear();  // NOLINT
  std::vector<std::string> what;
  for (const Drift& drift : find_drift(cluster_)) what.push_back(drift.what);
  EXPECT_THAT(what, ::testing::IsSupersetOf({"incremental counter 0", "incremental affinity_term_count 0",
                                             "incremental requested cpu of n1", "incremental nonzero cpu of n1",
                                             "incremental nonzero memory of n1", "incremental host ports of n1",
                                             "incremental pods by node"}));
}

}  // namespace
}  // namespace loadline::recorded_decisions
