// How near the packing comes to the optimum on medium cases: beside the exact solver cbc (COIN-OR), which is run as a
// program on an integer program of its own. LOADLINE_OPTIMUM_CASES runs more cases, LOADLINE_OPTIMUM_FIRST_CASE other
// ones; LOADLINE_OPTIMUM_SECONDS lets the solver think for longer about each.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <optional>
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

// ---- what the solver says -------------------------------------------------------------------------------------------

/// Of the largest number of members that can be placed.
struct Optimum {
  std::int64_t placed = 0;  ///< so many can be: checked here
  bool is_largest = false;  ///< the solver says that there are no more
};

/// A folder that goes with it.
class SolverFolder {
 public:
  SolverFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "loadline-optimum-XXXXXX").string();
    if (mkdtemp(name.data()) != nullptr) path_ = name;
  }
  SolverFolder(const SolverFolder&) = delete;
  SolverFolder& operator=(const SolverFolder&) = delete;
  ~SolverFolder() { std::filesystem::remove_all(path_); }
  [[nodiscard]] std::string file(const std::string& name) const { return path_ / name; }

 private:
  std::filesystem::path path_;
};

std::string variable(std::size_t kind, std::size_t node) {
  return "x" + std::to_string(kind) + "_" + std::to_string(node);
}

/// As many members as can be placed, as an integer program: how many members of each kind go to each node. In the
/// format that CPLEX made: one term a line, since lines must be short.
void write_program(const Packing& packing, const std::string& path) {
  std::ofstream out(path);
  const auto every = [&](auto&& write) {
    for (std::size_t k = 0; k < packing.kinds.size(); ++k) {
      for (std::size_t n = 0; n < packing.nodes.size(); ++n) write(k, n);
    }
  };
  out << "Maximize\n placed:\n";
  every([&](std::size_t k, std::size_t n) { out << " + " << variable(k, n) << '\n'; });
  out << "Subject To\n";
  for (std::size_t k = 0; k < packing.kinds.size(); ++k) {
    out << " count" << k << ":\n";
    for (std::size_t n = 0; n < packing.nodes.size(); ++n) out << " + " << variable(k, n) << '\n';
    out << " <= " << packing.kinds[k].count << '\n';
  }
  for (std::size_t n = 0; n < packing.nodes.size(); ++n) {
    for (std::size_t d = 0; d < packing.nodes[n].free.size(); ++d) {
      out << " room" << n << '_' << d << ":\n";
      for (std::size_t k = 0; k < packing.kinds.size(); ++k) {
        out << " + " << packing.kinds[k].request[d] << ' ' << variable(k, n) << '\n';
      }
      out << " <= " << packing.nodes[n].free[d] << '\n';
    }
  }
  out << "Bounds\n";
  every([&](std::size_t k, std::size_t n) {
    out << " 0 <= " << variable(k, n) << " <= " << (packing.nodes[n].admits[k] ? packing.kinds[k].count : 0) << '\n';
  });
  out << "Generals\n";
  every([&](std::size_t k, std::size_t n) { out << ' ' << variable(k, n) << '\n'; });
  out << "End\n";
}

/// The members of the solver's answer, if they really fit; nullopt: they do not, or nothing was said.
std::optional<std::int64_t> placed_by(const Packing& packing, std::ifstream& solution) {
  std::vector<std::vector<std::int64_t>> on(packing.kinds.size(), std::vector<std::int64_t>(packing.nodes.size()));
  std::string index, name, value, cost;
  while (solution >> index >> name >> value >> cost) {
    const std::size_t middle = name.find('_');
    if (middle == std::string::npos) return std::nullopt;
    on[std::stoul(name.substr(1, middle - 1))][std::stoul(name.substr(middle + 1))] = std::lround(std::stod(value));
  }
  std::int64_t placed = 0;
  for (std::size_t k = 0; k < packing.kinds.size(); ++k) {
    std::int64_t of_kind = 0;
    for (std::size_t n = 0; n < packing.nodes.size(); ++n) {
      of_kind += on[k][n];
      if (on[k][n] < 0 || (on[k][n] > 0 && !packing.nodes[n].admits[k])) return std::nullopt;
    }
    if (of_kind > packing.kinds[k].count) return std::nullopt;
    placed += of_kind;
  }
  for (std::size_t n = 0; n < packing.nodes.size(); ++n) {
    for (std::size_t d = 0; d < packing.nodes[n].free.size(); ++d) {
      std::int64_t used = 0;
      for (std::size_t k = 0; k < packing.kinds.size(); ++k) used += on[k][n] * packing.kinds[k].request[d];
      if (used > packing.nodes[n].free[d]) return std::nullopt;
    }
  }
  return placed;
}

bool has_solver() { return std::system("cbc -quit >/dev/null 2>&1") == 0; }

/// Solves it as far as the solver comes in its seconds. What it does not tell then is counted, and fails nothing.
std::optional<Optimum> solve(const Packing& packing) {
  const SolverFolder folder;
  write_program(packing, folder.file("program.lp"));
  const std::string command = "cbc " + folder.file("program.lp") + " ratioGap 0 sec " +
                              std::to_string(cluster::testing::number_of("LOADLINE_OPTIMUM_SECONDS", 1)) +
                              " solve solution " + folder.file("solution") + " >" + folder.file("log") + " 2>&1";
  if (std::system(command.c_str()) != 0) return std::nullopt;
  std::ifstream solution(folder.file("solution"));
  std::string first;
  if (!std::getline(solution, first)) return std::nullopt;
  const std::optional<std::int64_t> placed = placed_by(packing, solution);
  if (!placed) return Optimum{};
  return Optimum{*placed, first.starts_with("Optimal")};
}

// ---- what the packing says ------------------------------------------------------------------------------------------

void expect_fits(const Packing& packing, const PackingResult& result) {
  std::vector<PackingNode> nodes = packing.nodes;
  std::vector<std::int64_t> placed(packing.kinds.size());
  for (const PackedMember& member : result.members) {
    PackingNode& node = nodes[member.node];
    EXPECT_TRUE(node.admits[member.kind]);
    for (std::size_t d = 0; d < node.free.size(); ++d) {
      node.free[d] -= packing.kinds[member.kind].request[d];
      EXPECT_GE(node.free[d], 0);
    }
    EXPECT_LE(++placed[member.kind], packing.kinds[member.kind].count);
  }
  EXPECT_GE(std::ssize(result.members), packing.demand.total);
}

struct Tally {
  std::uint64_t cases = 0;
  std::uint64_t all_fit = 0, do_not_fit = 0;  ///< as far as the packing tells
  std::uint64_t not_told = 0;                 ///< the packing's budget ended, and the solver tells
  std::uint64_t told_by_none = 0;
  std::uint64_t solver_unsure = 0;  ///< the packing tells, and the solver's nodes ended
  std::int64_t members_short = 0;   ///< of the solver's numbers of members that can be placed
  std::uint64_t optima = 0;         ///< cases in which not all fit
  std::uint64_t most_steps = 0;
};

/// The largest number that it places, from all of them downwards to one below `least`.
std::int64_t most_placed(Packing packing, std::int64_t least) {
  for (; packing.demand.total > least; --packing.demand.total) {
    const PackingResult result = pack(packing, kSearchBudget);
    if (result.ending == PackingResult::Ending::kFound) return packing.demand.total;
  }
  return pack(packing, kSearchBudget).ending == PackingResult::Ending::kFound ? least : least - 1;
}

void compare(const Packing& packing, Tally& tally) {
  const PackingResult result = pack(packing, kSearchBudget);
  const std::optional<Optimum> optimum = solve(packing);
  ASSERT_TRUE(optimum) << "the solver said nothing";
  ++tally.cases;
  tally.most_steps = std::max(tally.most_steps, result.steps);
  const bool all_fit = optimum->placed >= packing.demand.total;
  switch (result.ending) {
    case PackingResult::Ending::kFound:
      ++tally.all_fit;
      expect_fits(packing, result);
      EXPECT_FALSE(optimum->is_largest && !all_fit) << "the solver says that they do not fit";
      if (!all_fit) ++tally.solver_unsure;
      return;
    case PackingResult::Ending::kProven:
      ++tally.do_not_fit;
      EXPECT_FALSE(all_fit) << "said to be proven, and the solver has a placement";
      if (!optimum->is_largest) ++tally.solver_unsure;
      break;
    case PackingResult::Ending::kBudget:
      ++(all_fit || optimum->is_largest ? tally.not_told : tally.told_by_none);
      break;
  }
  if (all_fit || optimum->placed == 0) return;
  // Not all fit: how many do?
  const std::int64_t placed = most_placed(packing, optimum->placed);
  ++tally.optima;
  EXPECT_FALSE(optimum->is_largest && placed > optimum->placed) << "more than the solver's optimum";
  tally.members_short += optimum->placed - std::min(placed, optimum->placed);
}

Packing random_case(std::uint64_t seed) {
  PackingPuzzles puzzles(seed);
  Rng& rng = puzzles.rng();
  PuzzleForm form;
  form.nodes = 8 + rng.below(23);
  form.kinds = 3 + rng.below(6);
  form.members = std::max(form.nodes + rng.below(form.nodes * 2), std::size_t{20});
  form.members = std::min(form.members, std::size_t{60});
  form.dimensions = 2 + rng.below(2);
  const std::uint64_t what = rng.below(4);
  if (what == 0) form.nodes = std::min(form.nodes, std::size_t{12});  // of three to five members each
  Packing packing = what == 0   ? puzzles.equal_nodes(form)
                    : what == 1 ? puzzles.full_nodes(form)
                                : puzzles.accelerators(form);
  if (what < 2 && rng.below(2) == 0) puzzles.move_a_unit(packing);
  if (rng.below(3) == 0) puzzles.close_some_nodes(packing);
  return packing;
}

TEST(PackingOptimum, IsWhatAnExactSolverFinds) {
  if (!has_solver()) GTEST_SKIP() << "no cbc here (Debian: coinor-cbc): nothing was compared with an exact solver";
  using cluster::testing::number_of;
  const auto first = static_cast<std::uint64_t>(number_of("LOADLINE_OPTIMUM_FIRST_CASE", 0));
  const auto cases = static_cast<std::uint64_t>(number_of("LOADLINE_OPTIMUM_CASES", 24));
  Tally tally;
  for (std::uint64_t seed = first; seed < first + cases && !HasFailure(); ++seed) {
    SCOPED_TRACE("LOADLINE_OPTIMUM_CASES=1 LOADLINE_OPTIMUM_FIRST_CASE=" + std::to_string(seed));
    compare(random_case(seed), tally);
  }
  std::cout << "optimum: " << tally.cases << " cases, " << tally.all_fit << " found, " << tally.do_not_fit
            << " proven; " << tally.not_told << " not told that the solver tells, " << tally.solver_unsure
            << " told that the solver does not, " << tally.told_by_none << " told by neither; " << tally.members_short
            << " members short of the optimum in " << tally.optima << " cases; at most " << tally.most_steps
            << " steps\n";
  // What is known of these cases, with some room for others.
  EXPECT_LE(tally.not_told * 20, tally.cases);
  EXPECT_LE(tally.members_short * 10, static_cast<std::int64_t>(tally.cases));
}

}  // namespace
}  // namespace loadline::gang
