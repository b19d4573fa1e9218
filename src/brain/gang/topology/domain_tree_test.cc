// Trees of labels and of HyperNodes, and how they are kept.
#include "brain/gang/topology/domain_tree.h"

#include <gmock/gmock.h>

#include "brain/cluster/testing/node_builder.h"
#include "brain/gang/topology/domain_trees.h"
#include "brain/gang/topology/hyper_nodes.h"
#include "brain/gang/topology/label_levels.h"

namespace loadline::gang {
namespace {

using cluster::HyperNode;
using cluster::NodeId;
using cluster::testing::node;
using cluster::testing::NodeBuilder;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

class DomainTreeTest : public ::testing::Test {
 protected:
  NodeId add(const NodeBuilder& builder) { return cluster_.add_node(builder); }
  NodeId add(const std::string& name, const std::string& block, const std::string& rack) {
    NodeBuilder builder = node(name);
    if (!block.empty()) builder.label("block", block);
    if (!rack.empty()) builder.label("rack", rack);
    return add(builder);
  }
  /// "path: nodes" of each domain, in order.
  std::vector<std::string> outline(const DomainTree& tree) {
    std::vector<std::string> lines;
    for (DomainIndex domain = 0; domain < tree.domains().size(); ++domain) {
      std::string line = tree.path(domain) + ":";
      for (const NodeId each : tree.own_nodes_of(domain)) line += " " + std::string(cluster_.node_name(each));
      lines.push_back(line);
    }
    return lines;
  }
  std::vector<std::string> paths(const DomainTree& tree, std::size_t level) {
    std::vector<std::string> found;
    for (const DomainIndex domain : tree.domains_of(level)) found.push_back(tree.path(domain));
    return found;
  }
  static HyperNode hyper_node(const std::string& name, std::int32_t tier) {
    HyperNode made;
    made.name = name;
    made.tier = tier;
    return made;
  }
  static HyperNode with_node(HyperNode made, const std::string& name) {
    made.members.emplace_back().name = name;
    return made;
  }
  static HyperNode with_nodes_like(HyperNode made, const std::string& pattern) {
    made.members.emplace_back().pattern = pattern;
    return made;
  }
  static HyperNode with_child(HyperNode made, const std::string& name) {
    made.members.emplace_back().name = name;
    made.members.back().is_node = false;
    return made;
  }

  cluster::Cluster cluster_;
};

TEST_F(DomainTreeTest, OfLabelsNamesADomainByAllValuesFromTheTop) {
  add("d", "b2", "r1");
  add("a", "b1", "r2");
  add("b", "b1", "r1");
  add("c", "b1", "r2");
  const DomainTree tree = tree_of_labels(cluster_, {{"block", {}}, {"rack", "shelf"}});
  EXPECT_THAT(outline(tree), ElementsAre("the cluster:", "b1:", "b1/r1: b", "b1/r2: a c", "b2:", "b2/r1: d"));
  EXPECT_EQ(tree.find_level("rack"), 2U);
  EXPECT_EQ(tree.find_level("shelf"), 2U);
  EXPECT_EQ(tree.find_level("zone"), std::nullopt);
  EXPECT_THAT(paths(tree, 2), ElementsAre("b1/r1", "b1/r2", "b2/r1"));
  const DomainIndex a = tree.domain_of(cluster_.find_node("a"));
  EXPECT_EQ(tree.path(tree.common(a, tree.domain_of(cluster_.find_node("b")))), "b1");
  EXPECT_EQ(tree.common(a, tree.domain_of(cluster_.find_node("d"))), DomainTree::kWholeCluster);
}

TEST_F(DomainTreeTest, ANodeThatLacksALabelIsOutsideThatLevelAndAllNarrowerOnes) {
  add("no-rack", "b1", "");
  add("no-block", "", "r1");
  add("whole", "b1", "r1");
  const DomainTree tree = tree_of_labels(cluster_, {{"block", {}}, {"rack", {}}});
  EXPECT_THAT(outline(tree), ElementsAre("the cluster: no-block", "b1: no-rack", "b1/r1: whole"));
}

TEST_F(DomainTreeTest, OfHyperNodesMaySkipTiers) {
  for (const char* name : {"n1", "n2", "n3", "n4"}) add(name, "", "");
  const DomainTree tree = tree_of_hyper_nodes(
      cluster_, {with_child(with_child(hyper_node("spine", 3), "leaf-a"), "pod"),
                 with_nodes_like(hyper_node("leaf-a", 1), "^n[12]$"), with_child(hyper_node("pod", 2), "leaf-b"),
                 with_node(hyper_node("leaf-b", 1), "n3")});
  EXPECT_THAT(outline(tree),
              ElementsAre("the cluster: n4", "spine:", "spine/leaf-a: n1 n2", "spine/pod:", "spine/pod/leaf-b: n3"));
  EXPECT_THAT(tree.faults(), IsEmpty());
  EXPECT_EQ(tree.find_level("1"), 3U);
  EXPECT_THAT(paths(tree, *tree.find_level("2")), ElementsAre("spine/leaf-a", "spine/pod"))
      << "leaf-a is narrower than tier 2, and in none of it";
}

TEST_F(DomainTreeTest, OfHyperNodesTellsWhatContradicts) {
  for (const char* name : {"n1", "n2"}) add(name, "", "");
  const DomainTree tree =
      tree_of_hyper_nodes(cluster_, {with_node(with_node(hyper_node("a", 1), "n1"), "n2"),
                                     with_node(with_child(hyper_node("b", 1), "gone"), "n2"),
                                     with_child(hyper_node("c", 1), "a"), with_nodes_like(hyper_node("d", 2), "(")});
  std::vector<std::string> faults;
  for (const DomainTree::Fault& fault : tree.faults()) faults.push_back(fault.hyper_node + " " + fault.sentence);
  EXPECT_THAT(faults,
              ElementsAre("b has the member gone, and there is no such HyperNode",
                          "c has the tier 1 and the member a, whose tier 1 is not lower",
                          "d has the member pattern \"(\", which is no regular expression",
                          "b has the member n2, which is also one of HyperNode a, and neither lies in the other: "
                          "the latter counts"));
}

TEST_F(DomainTreeTest, OfHyperNodesTakesABroaderMemberAsNested) {
  for (const char* name : {"n1", "n2"}) add(name, "", "");
  const DomainTree tree = tree_of_hyper_nodes(cluster_, {with_nodes_like(with_child(hyper_node("all", 2), "leaf"), "n"),
                                                         with_node(hyper_node("leaf", 1), "n1")});
  EXPECT_THAT(outline(tree), ElementsAre("the cluster:", "all: n2", "all/leaf: n1"));
  EXPECT_THAT(tree.faults(), IsEmpty());
}

TEST_F(DomainTreeTest, HyperNodesFindNodesByLabels) {
  add("n1", "b1", "");
  add("n2", "b2", "");
  HyperNode leaf = hyper_node("leaf", 1);
  leaf.members.emplace_back().labels = cluster::PodSelector::of_labels({{"block", "b2"}}, cluster_.symbols());
  EXPECT_THAT(outline(tree_of_hyper_nodes(cluster_, {leaf})), ElementsAre("the cluster: n1", "leaf: n2"));
}

TEST_F(DomainTreeTest, IsKeptUntilANodesLabelsChange) {
  add("a", "b1", "r1");
  DomainTrees trees(cluster_);
  const DomainTree& tree = trees.of_labels({"block", "rack"});
  const Domain* kept = tree.domains().data();
  NodeBuilder moved = node("a");
  moved.label("block", "b1").label("rack", "r1");
  cluster_.update_node(cluster_.find_node("a"), NodeBuilder(moved).allocatable("cpu", "8"));
  EXPECT_EQ(trees.of_labels({"block", "rack"}).domains().data(), kept) << "only its capacity is another";
  cluster_.update_node(cluster_.find_node("a"), NodeBuilder(moved).label("rack", "r9"));
  EXPECT_THAT(outline(trees.of_labels({"block", "rack"})), ElementsAre("the cluster:", "b1:", "b1/r9: a"));
  cluster_.update_node(cluster_.find_node("a"), NodeBuilder(moved).without_label("rack"));
  EXPECT_THAT(outline(trees.of_labels({"block", "rack"})), ElementsAre("the cluster:", "b1: a"));
  cluster_.update_node(cluster_.find_node("a"), moved);
  EXPECT_THAT(outline(trees.of_labels({"block", "rack"})), ElementsAre("the cluster:", "b1:", "b1/r1: a"));
  add("b", "b1", "r1");
  EXPECT_THAT(outline(trees.of_labels({"block", "rack"})), ElementsAre("the cluster:", "b1:", "b1/r1: a b"));
}

TEST_F(DomainTreeTest, OfATopologyFollowsIt) {
  add("a", "b1", "r1");
  DomainTrees trees(cluster_);
  EXPECT_EQ(trees.find("t"), nullptr);
  cluster::TopologySpec spec;
  spec.levels = {{"block", {}}};
  cluster_.set_topology("t", spec);
  EXPECT_THAT(outline(*trees.find("t")), ElementsAre("the cluster:", "b1: a"));
  spec.levels = {{"rack", {}}};
  cluster_.set_topology("t", spec);
  EXPECT_THAT(outline(*trees.find("t")), ElementsAre("the cluster:", "r1: a"));
}

}  // namespace
}  // namespace loadline::gang
