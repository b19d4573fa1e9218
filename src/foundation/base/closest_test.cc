#include "foundation/base/closest.h"

#include <gtest/gtest.h>

#include <array>
#include <string_view>
#include <vector>

namespace loadline {
namespace {

constexpr std::array<std::string_view, 6> kFields = {"nodeName",   "nodeSelector",   "tolerations",
                                                     "containers", "initContainers", "cpu"};

struct Misspelling {
  std::string_view word;
  std::string_view expected;
};

TEST(Closest, FindsTheFieldThatWasMeant) {
  const std::vector<Misspelling> cases = {
      {"nodeSelctor", "nodeSelector"},   // a letter is missing
      {"tolerationss", "tolerations"},   // a letter too many
      {"contaimers", "containers"},      // a wrong letter
      {"cotnainers", "containers"},      // neighbours swapped
      {"nodename", "nodeName"},          // one letter in the wrong case
      {"cup", "cpu"},                    // one edit in three letters is just near enough
      {"cqq", ""},                       // two edits in three letters are not
      {"schedulerName", ""},             // nothing like it
      {"", ""},                          // nothing to go by
      {"nodeSelector", "nodeSelector"},  // already right
  };
  for (const Misspelling& c : cases) {
    EXPECT_EQ(closest(c.word, kFields), c.expected) << c.word;
  }
}

TEST(Closest, CountsLetterCaseAsHalfAnEdit) {
  constexpr std::array<std::string_view, 2> kCandidates = {"bbaa", "AAaa"};
  EXPECT_EQ(closest("aaaa", kCandidates), "AAaa");
  constexpr std::array<std::string_view, 1> kThreeCases = {"AAAa"};
  EXPECT_EQ(closest("aaaa", kThreeCases), "") << "one and a half edits are more than a third of four letters";
}

TEST(Closest, GivesTiesToTheEarlierCandidate) {
  constexpr std::array<std::string_view, 2> kCandidates = {"operatoz", "operatox"};
  EXPECT_EQ(closest("operator", kCandidates), "operatoz");
}

TEST(ClosestQualified, WantsBothPartsToBeNear) {
  constexpr std::array<std::string_view, 3> kNames = {"nvidia.com/gpu", "cloud.google.com/gke-accelerator", "gpu-type"};
  const std::vector<Misspelling> cases = {
      {"nvidia.com/gpus", "nvidia.com/gpu"},
      {"nvdia.com/gpu", "nvidia.com/gpu"},
      {"gpu_type", "gpu-type"},
      {"nvidia.com/gpucores", ""},                // the prefix does not make them alike
      {"cloud.google.com/gke-tpu-topology", ""},  // nor here
      {"amd.com/gpu", ""},                        // another vendor
      {"gpu", ""},
  };
  for (const Misspelling& c : cases) {
    EXPECT_EQ(closest_qualified(c.word, kNames), c.expected) << c.word;
  }
}

TEST(Closest, IsEmptyWithoutCandidates) { EXPECT_EQ(closest("word", {}), ""); }

}  // namespace
}  // namespace loadline
