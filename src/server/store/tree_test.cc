#include "server/store/tree.h"

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "foundation/base/rng.h"

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

std::string path_of(const Object& object) {
  return std::string(object.name_space()) + "/" + std::string(object.name());
}

TEST(Tree, ComparesOnlyWhatIsNotShared) {
  Tree tree;
  for (int i = 0; i < 10'000; ++i) tree.set(object("a", std::to_string(i), 1));
  const Tree before = tree;
  tree.set(object("a", "5000", 2));
  tree.erase("a", "77");
  tree.set(object("a", "new", 3));
  std::string told;
  Tree::compare(
      before, tree, [&](const ObjectPtr& gone) { told += "-" + path_of(*gone) + " "; },
      [&](const ObjectPtr& come) { told += "+" + path_of(*come) + " "; });
  EXPECT_EQ(told, "-a/5000 +a/5000 -a/77 +a/new ");
  told.clear();
  const auto add = [&](const ObjectPtr&) { told += "x"; };
  Tree::compare(tree, tree, add, add);
  EXPECT_EQ(told, "");
  Tree::compare(Tree(), before, add, add);
  EXPECT_EQ(told.size(), 10'000u);
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
    // Comparing tells what leads from each to the last.
    for (auto& [snapshot, then] : snapshots) {
      std::size_t told = 0;
      Tree::compare(
          snapshot, tree,
          [&](const ObjectPtr& gone) {
            ++told;
            EXPECT_EQ(then.erase(path_of(*gone)), 1u);
          },
          [&](const ObjectPtr& come) {
            ++told;
            EXPECT_TRUE(then.emplace(path_of(*come), come->revision()).second);
          });
      EXPECT_EQ(then, expected);
      EXPECT_GT(told, 0u);
    }
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
