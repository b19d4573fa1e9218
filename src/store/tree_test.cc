#include "store/tree.h"

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "base/rng.h"

namespace loadline::store {
namespace {

using Names = std::map<std::string, Revision>;

ObjectPtr object(const std::string& name_space, const std::string& name, Revision revision) {
  return std::make_shared<const Object>(Key{"pods", name_space, name}, revision, revision, "{}");
}

Names names_of(const Tree& tree) {
  Names names;
  std::string last;
  for (Tree::Position at = tree.begin(); at != tree.end(); at = tree.next(at)) {
    const Object& found = *tree.at(at);
    const std::string path = std::string(found.name_space()) + "/" + std::string(found.name());
    EXPECT_LT(last, path);
    EXPECT_EQ(tree.rank(at), names.size());
    last = path;
    names[path] = found.revision();
  }
  EXPECT_EQ(tree.size(), names.size());
  return names;
}

TEST(Tree, OrdersByTheBytesOfThePath) {
  EXPECT_LT(compare_names("a-b", "x", "a", "x"), 0);
  EXPECT_GT(compare_names("a", "x", "a-b", "x"), 0);
  EXPECT_LT(compare_names("a", "x", "a0", "x"), 0);
  EXPECT_LT(compare_names("", "x", "", "y"), 0);
  EXPECT_EQ(compare_names("a", "x", "a", "x"), 0);
  EXPECT_LT(compare_names("a", "x", "a", "xx"), 0);
}

TEST(Tree, HoldsWhatAMapHoldsAndSnapshotsStay) {
  for (std::uint64_t seed = 1; seed <= 8; ++seed) {
    Rng rng(seed);
    Tree tree;
    Names expected;
    std::vector<std::pair<Tree, Names>> snapshots;
    const std::uint64_t universe = 5 + rng.below(3000);
    for (Revision revision = 1; revision < 4000; ++revision) {
      // Grows, then shrinks.
      const bool erases = rng.below(100) < (revision < 2000 ? 20u : 70u);
      const std::string name_space = std::string(1 + rng.below(2), 'a') + (rng.below(2) == 0 ? "-" : "");
      const std::string name = std::to_string(rng.below(universe));
      const std::string path = name_space + "/" + name;
      const bool was_there = expected.contains(path);
      if (erases) {
        EXPECT_EQ(tree.erase(name_space, name) != nullptr, was_there);
        expected.erase(path);
      } else {
        EXPECT_EQ(tree.set(object(name_space, name, revision)) != nullptr, was_there);
        expected[path] = revision;
      }
      const ObjectPtr* found = tree.find(name_space, name);
      ASSERT_EQ(found != nullptr, !erases);
      if (rng.below(500) == 0) snapshots.emplace_back(tree, expected);
    }
    ASSERT_EQ(names_of(tree), expected);
    for (const auto& [snapshot, then] : snapshots) ASSERT_EQ(names_of(snapshot), then);
  }
}

TEST(Tree, FindsPlacesBetweenObjects) {
  Tree tree;
  EXPECT_EQ(tree.begin(), tree.end());
  EXPECT_EQ(tree.after("a", "x"), tree.end());
  for (int i = 100; i < 500; ++i) tree.set(object(i < 300 ? "a" : "b", std::to_string(i), i));
  EXPECT_EQ(tree.rank(tree.after("a", "150")), 51u);
  EXPECT_EQ(tree.rank(tree.after("a", "1501")), 51u);
  EXPECT_EQ(tree.rank(tree.begin_of("a")), 0u);
  EXPECT_EQ(tree.rank(tree.end_of("a")), 200u);
  EXPECT_EQ(tree.rank(tree.begin_of("b")), 200u);
  EXPECT_EQ(tree.rank(tree.end_of("b")), 400u);
  EXPECT_EQ(tree.begin_of("c"), tree.end_of("c"));
}

}  // namespace
}  // namespace loadline::store
