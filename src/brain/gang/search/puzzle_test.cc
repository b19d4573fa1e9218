// Puzzles of medium size: packings that were made from a solution and fill every dimension, and almost such ones.
// LOADLINE_PUZZLE_CASES runs more of each.
#include <gtest/gtest.h>

#include <algorithm>
#include <iomanip>
#include <iostream>
#include <string>
#include <vector>

#include "brain/cluster/testing/seeds.h"
#include "brain/gang/search/group_search.h"
#include "brain/gang/search/packing.h"
#include "brain/gang/testing/packing_puzzles.h"

namespace loadline::gang {
namespace {

using testing::PackingPuzzles;
using testing::PuzzleForm;

struct PuzzleSet {
  const char* name;
  Packing (PackingPuzzles::*make)(const PuzzleForm&);
  bool is_spoilt;  ///< a unit is moved, so that there may be no solution
  PuzzleForm form;
  std::uint64_t told;  ///< so many of each hundred are to be told within the budget
};

void PrintTo(const PuzzleSet& set, std::ostream* out) { *out << set.name; }

class Puzzles : public ::testing::TestWithParam<PuzzleSet> {};

TEST_P(Puzzles, AreTold) {
  const PuzzleSet& set = GetParam();
  const auto cases = static_cast<std::uint64_t>(cluster::testing::number_of("LOADLINE_PUZZLE_CASES", 20));
  std::uint64_t found = 0, proven = 0;
  std::vector<std::uint64_t> steps;
  for (std::uint64_t seed = 0; seed < cases; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    PackingPuzzles puzzles(seed);
    Packing packing = (puzzles.*set.make)(set.form);
    if (set.is_spoilt) puzzles.move_a_unit(packing);
    const PackingResult result = pack(packing, kSearchBudget);
    found += result.ending == PackingResult::Ending::kFound ? 1 : 0;
    proven += result.ending == PackingResult::Ending::kProven ? 1 : 0;
    steps.push_back(result.steps);
    const bool is_made_from_a_solution = !set.is_spoilt && set.make != &PackingPuzzles::accelerators;
    EXPECT_FALSE(is_made_from_a_solution && result.ending == PackingResult::Ending::kProven);
  }
  std::sort(steps.begin(), steps.end());
  std::cout << std::setw(32) << std::left << set.name << cases << " cases: " << found << " found, " << proven
            << " proven, " << cases - found - proven << " not told; steps: " << steps[steps.size() / 2] << " median, "
            << steps[steps.size() * 9 / 10] << " of nine in ten, " << steps.back() << " most\n";
  EXPECT_GE((found + proven) * 100, set.told * cases);
}

constexpr PuzzleForm kSmall = {.nodes = 8, .kinds = 5, .members = 24, .dimensions = 2};
constexpr PuzzleForm kMedium = {.nodes = 14, .kinds = 6, .members = 44, .dimensions = 2};
constexpr PuzzleForm kLarge = {.nodes = 30, .kinds = 8, .members = 90, .dimensions = 2};
constexpr PuzzleForm kThree = {.nodes = 14, .kinds = 6, .members = 44, .dimensions = 3};

INSTANTIATE_TEST_SUITE_P(
    All, Puzzles,
    ::testing::Values(PuzzleSet{"full nodes, small", &PackingPuzzles::full_nodes, false, kSmall, 100},
                      PuzzleSet{"full nodes, medium", &PackingPuzzles::full_nodes, false, kMedium, 100},
                      PuzzleSet{"full nodes, large", &PackingPuzzles::full_nodes, false, kLarge, 95},
                      PuzzleSet{"full nodes, three dimensions", &PackingPuzzles::full_nodes, false, kThree, 100},
                      PuzzleSet{"full nodes but one, small", &PackingPuzzles::full_nodes, true, kSmall, 100},
                      PuzzleSet{"full nodes but one, medium", &PackingPuzzles::full_nodes, true, kMedium, 100},
                      PuzzleSet{"full nodes but one, large", &PackingPuzzles::full_nodes, true, kLarge, 95},
                      PuzzleSet{"equal nodes, small", &PackingPuzzles::equal_nodes, false, kSmall, 100},
                      PuzzleSet{"equal nodes, medium", &PackingPuzzles::equal_nodes, false, kMedium, 100},
                      PuzzleSet{"equal nodes, large", &PackingPuzzles::equal_nodes, false, kLarge, 100},
                      PuzzleSet{"equal nodes but one, medium", &PackingPuzzles::equal_nodes, true, kMedium, 95},
                      PuzzleSet{"equal nodes but one, large", &PackingPuzzles::equal_nodes, true, kLarge, 95},
                      PuzzleSet{"accelerators, medium", &PackingPuzzles::accelerators, false, kMedium, 100},
                      PuzzleSet{"accelerators, large", &PackingPuzzles::accelerators, false, kLarge, 100},
                      PuzzleSet{"accelerators, three dimensions", &PackingPuzzles::accelerators, false, kThree, 100}));

}  // namespace
}  // namespace loadline::gang
