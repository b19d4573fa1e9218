#include "brain/cluster/ledgers/quota_tree.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "brain/cluster/testing/seeds.h"
#include "foundation/base/rng.h"

namespace loadline::cluster {
namespace {

constexpr QuotaNodeKind kGroup = QuotaNodeKind::kGroup;
constexpr QuotaNodeKind kQueue = QuotaNodeKind::kQueue;

TEST(QuotaTree, TellsQueuesAndGroupsOfOneNameApart) {
  QuotaTree tree;
  const QuotaNodeId queue = tree.add(kQueue, "research");
  const QuotaNodeId group = tree.add(kGroup, "research");
  EXPECT_EQ(tree.find(kQueue, "research"), queue);
  EXPECT_EQ(tree.find(kGroup, "research"), group);
  EXPECT_FALSE(tree.find(kQueue, "training").valid());
}

TEST(QuotaTree, ListsGroupsBeforeQueuesAndEachByName) {
  QuotaTree tree;
  const QuotaNodeId root = tree.add(kGroup, "root");
  for (const char* name : {"b", "a", "c"}) tree.set_parent(tree.add(kQueue, name), root);
  for (const char* name : {"y", "x"}) tree.set_parent(tree.add(kGroup, name), root);
  std::string names;
  for (const QuotaNodeId child : tree.children(root)) names += tree.name(child);
  EXPECT_EQ(names, "xyabc");
}

TEST(QuotaTree, TellsACircleFromALongWayUp) {
  QuotaTree tree;
  std::vector<QuotaNodeId> nodes;
  for (const char* name : {"a", "b", "c", "d"}) {
    nodes.push_back(tree.add(kGroup, name));
    if (nodes.size() > 1) tree.set_parent(nodes[nodes.size() - 2], nodes.back());
  }
  const QuotaNodeId queue = tree.add(kQueue, "q");
  tree.set_parent(queue, nodes[0]);
  EXPECT_FALSE(tree.is_in_cycle(queue));
  EXPECT_EQ(tree.root(queue), nodes[3]);
  tree.set_parent(nodes[3], nodes[2]);  // c and d are each other's parents
  EXPECT_TRUE(tree.is_in_cycle(queue));
  EXPECT_TRUE(tree.is_in_cycle(nodes[3]));
  tree.set_parent(nodes[2], nodes[2]);  // its own
  EXPECT_TRUE(tree.is_in_cycle(queue));
  tree.set_parent(nodes[2], {});
  EXPECT_FALSE(tree.is_in_cycle(queue));
}

TEST(QuotaTree, GivesTheIdsOfWhatIsGoneToOthersWhichUseNothing) {
  QuotaTree tree;
  const QuotaColumnId gpus = tree.column({tree.symbols().intern("a100"), tree.symbols().intern("nvidia.com/gpu")});
  const QuotaNodeId queue = tree.add(kQueue, "old");
  const QuotaCellId cell = tree.cell(queue, gpus);
  tree.set_used(cell, 8);
  tree.remove(queue);
  const QuotaNodeId other = tree.add(kQueue, "new");
  EXPECT_EQ(other, queue);
  EXPECT_FALSE(tree.find_cell(other, gpus).valid());
  EXPECT_EQ(tree.used(tree.cell(other, gpus)), 0);
  EXPECT_EQ(tree.cell_bound(), 1);
}

/// Books that are kept by name, and copied whole when a transaction begins.
struct Copy {
  std::map<std::pair<std::string, std::string>, std::int64_t> used;  // by queue and column
  std::map<std::string, std::string> parents;                        // "": a root
};

class QuotaTreeHistory : public ::testing::TestWithParam<int> {
 protected:
  QuotaTreeHistory() : random_(static_cast<std::uint64_t>(GetParam())) {}

  std::size_t below(std::size_t bound) { return random_.below(bound); }
  std::string any_node() {
    auto at = copy_.parents.begin();
    std::advance(at, static_cast<std::ptrdiff_t>(below(copy_.parents.size())));
    return at->first;
  }
  static QuotaNodeKind kind_of(const std::string& name) { return name[0] == 'g' ? kGroup : kQueue; }
  QuotaNodeId node(const std::string& name) { return tree_.find(kind_of(name), name); }
  QuotaColumnId column(const std::string& name) {
    return tree_.column({tree_.symbols().intern("flavor"), tree_.symbols().intern(name)});
  }

  void use() {
    if (copy_.parents.empty()) return;
    const std::string name = any_node();
    const std::string resource(1, static_cast<char>('r' + below(3)));
    const auto amount = static_cast<std::int64_t>(below(1000)) - 200;
    tree_.set_used(tree_.cell(node(name), column(resource)), amount);
    copy_.used[{name, resource}] = amount;
  }
  void change_nodes() {
    const std::string name = (below(2) == 0 ? "g" : "q") + std::to_string(below(6));
    if (!copy_.parents.contains(name)) {
      tree_.add(kind_of(name), name);
      copy_.parents[name] = "";
      return;
    }
    const bool is_parent = std::ranges::any_of(copy_.parents, [&](const auto& it) { return it.second == name; });
    if (below(3) == 0 && !is_parent) {
      tree_.remove(node(name));
      copy_.parents.erase(name);
      std::erase_if(copy_.used, [&](const auto& it) { return it.first.first == name; });
      return;
    }
    const std::string parent = "g" + std::to_string(below(6));
    const bool is_there = copy_.parents.contains(parent);
    tree_.set_parent(node(name), is_there ? node(parent) : QuotaNodeId{});
    copy_.parents[name] = is_there ? parent : "";
  }
  /// A transaction, with others in it.
  void try_something(int depth) {
    const Copy before = copy_;
    tree_.begin();
    Copy kept = before;
    for (std::size_t steps = below(5); steps > 0; --steps) {
      use();
      if (depth < 3 && below(3) == 0) try_something(depth + 1);
      if (below(4) > 0) continue;
      if (below(2) == 0) {
        tree_.keep();
        kept = copy_;
      } else {
        tree_.roll_back();
        copy_ = kept;
      }
    }
    if (below(2) == 0) {
      tree_.keep();
    } else {
      tree_.roll_back();
      copy_ = kept;
    }
    tree_.end();
  }

  void check() {
    std::map<std::string, std::size_t> children;
    std::size_t groups = 0;
    for (const auto& [name, parent] : copy_.parents) {
      const QuotaNodeId id = node(name);
      ASSERT_TRUE(id.valid()) << name;
      EXPECT_EQ(tree_.name(id), name);
      EXPECT_EQ(tree_.parent(id), parent.empty() ? QuotaNodeId{} : node(parent));
      if (!parent.empty()) ++children[parent];
      groups += kind_of(name) == kGroup ? 1 : 0;
      EXPECT_EQ(tree_.is_in_cycle(id), never_ends(name));
      std::map<std::string, std::int64_t> used;
      for (const QuotaCellId cell : tree_.cells(id)) {
        EXPECT_EQ(tree_.node_of(cell), id);
        used[std::string(tree_.symbols().text(tree_.column(tree_.column_of(cell)).resource))] = tree_.used(cell);
      }
      for (const std::string resource : {"r", "s", "t"}) {
        const auto expected = copy_.used.find({name, resource});
        EXPECT_EQ(used[resource], expected == copy_.used.end() ? 0 : expected->second) << name << resource;
      }
    }
    for (const auto& [name, count] : children) EXPECT_EQ(tree_.children(node(name)).size(), count);
    EXPECT_EQ(tree_.nodes().size(), copy_.parents.size());
  }
  bool never_ends(std::string name) const {
    for (std::size_t steps = 0; steps <= copy_.parents.size(); ++steps) {
      name = copy_.parents.at(name);
      if (name.empty()) return false;
    }
    return true;
  }

  Rng random_;
  QuotaTree tree_;
  Copy copy_;
};

TEST_P(QuotaTreeHistory, EqualsBooksThatAreCopied) {
  for (int i = 0; i < 200 && !HasFailure(); ++i) {
    change_nodes();
    use();
    try_something(0);
    check();
  }
}

const int kFirst = testing::number_of("LOADLINE_QUOTA_FIRST_SEED", 0);
INSTANTIATE_TEST_SUITE_P(Seeds, QuotaTreeHistory,
                         ::testing::Range(kFirst, kFirst + testing::number_of("LOADLINE_QUOTA_SEEDS", 10)));

}  // namespace
}  // namespace loadline::cluster
