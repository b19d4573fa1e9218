// The model's topologies follow the objects that describe them.
#include "hosts/scheduler/live_topologies.h"

#include <gtest/gtest.h>

#include <string>

#include "brain/cluster/facts/topology_objects.h"
#include "foundation/document/at.h"
#include "foundation/document/reader.h"
#include "hosts/watching/caches.h"

namespace loadline::scheduler {
namespace {

class Listening final : public watching::Subscriptions {
 public:
  [[nodiscard]] watching::Caches& caches() override { return caches_; }

 protected:
  std::function<void(const watching::ObjectKey&)> adder() override {
    return [](const watching::ObjectKey&) {};
  }
  void needs(watching::AnyCache&) override {}

 private:
  watching::Caches caches_;
};

class LiveTopologies : public ::testing::Test {
 protected:
  LiveTopologies() {
    follow_topologies(subscriptions_, cluster_, [this] { ++told_; });
  }
  template <class Kind>
  void put(const std::string& name, const std::string& spec) {
    const std::string text = "{metadata: {name: " + name + "}, spec: " + spec + "}";
    document::Value object = document::read_yaml(text, "test").documents.front();
    object = document::with_at(std::move(object), {"metadata", "resourceVersion"},
                               document::Value(std::to_string(++revision_)));
    subscriptions_.caches().of<Kind>().put(object);
  }
  /// The label of the broadest level; empty: there is no such topology.
  std::string top_of(const std::string& name) {
    const cluster::TopologySpec* spec = cluster_.topologies().find(name);
    return spec == nullptr || spec->levels.empty() ? std::string() : spec->levels.front().label;
  }

  Listening subscriptions_;
  cluster::Cluster cluster_;
  int revision_ = 0;
  int told_ = 0;
};

TEST_F(LiveTopologies, ComeChangeAndGo) {
  put<kube::KueueTopology>("t", "{levels: [{nodeLabel: block}, {nodeLabel: rack}]}");
  EXPECT_EQ(top_of("t"), "block");
  put<kube::KueueTopology>("t", "{levels: [{nodeLabel: rack}]}");
  EXPECT_EQ(top_of("t"), "rack");
  EXPECT_EQ(told_, 2);
  put<kube::KueueTopology>("t", "{levels: [{nodeLabel: rack}]}");
  EXPECT_EQ(told_, 2) << "nothing is different";
  subscriptions_.caches().of<kube::KueueTopology>().erase({"", "t"});
  EXPECT_EQ(top_of("t"), "");
  EXPECT_EQ(told_, 3);
}

TEST_F(LiveTopologies, OfOneNameTheLaterKindCounts) {
  put<kube::KaiTopology>("t", "{levels: [{nodeLabel: rack, alias: shelf}]}");
  put<kube::KueueTopology>("t", "{levels: [{nodeLabel: block}]}");
  EXPECT_EQ(top_of("t"), "rack");
  subscriptions_.caches().of<kube::KaiTopology>().erase({"", "t"});
  EXPECT_EQ(top_of("t"), "block");
}

TEST_F(LiveTopologies, HyperNodesAreOne) {
  put<kube::HyperNode>("a", "{tier: 1, members: [{type: Node, selector: {exactMatch: {name: n1}}}]}");
  put<kube::HyperNode>("b",
                       "{tier: 1, tierName: leaf, members: [{type: Node, selector: {regexMatch: {pattern: n2}}}]}");
  const cluster::TopologySpec* spec = cluster_.topologies().find(cluster::kHyperNodeTopology);
  ASSERT_NE(spec, nullptr);
  ASSERT_EQ(spec->hyper_nodes.size(), 2U);
  EXPECT_EQ(spec->hyper_nodes[0].members.at(0).name, "n1");
  EXPECT_EQ(spec->hyper_nodes[1].members.at(0).pattern, "n2");
  EXPECT_EQ(spec->hyper_nodes[1].tier_name, "leaf");
  subscriptions_.caches().of<kube::HyperNode>().erase({"", "a"});
  subscriptions_.caches().of<kube::HyperNode>().erase({"", "b"});
  EXPECT_EQ(cluster_.topologies().find(cluster::kHyperNodeTopology), nullptr);
}

}  // namespace
}  // namespace loadline::scheduler
