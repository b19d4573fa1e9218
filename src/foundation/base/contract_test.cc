#include "foundation/base/contract.h"

#include <gtest/gtest.h>

#include <array>

#include "foundation/base/suspect_input.h"

namespace loadline {
namespace {

int half(int even) {
  REQUIRES(even % 2 == 0);
  return even / 2;
}

TEST(Contract, LetsPassWhatHolds) { EXPECT_EQ(half(4), 2); }

TEST(Contract, AsksOnce) {
  int asked = 0;
  REQUIRES(++asked == 1);
  EXPECT_EQ(asked, 1);
}

TEST(Contract, TakesConditionsWithCommas) {
  REQUIRES(std::array<int, 2>{1, 2}.size() == 2);
  REQUIRES_SLOW(std::array<int, 2>{1, 2}.size() == 2);
}

TEST(ContractDeathTest, EndsTheProgramInEveryBuild) { EXPECT_DEATH(half(3), "contract violated"); }

/// A report that holds these lines is enough to find the place.
TEST(ContractDeathTest, SaysWhereAndWhich) {
  EXPECT_DEATH(half(3),
               "(^|\n)src/foundation/base/contract_test\\.cc:[0-9]+: half: contract violated: even % 2 == 0\n");
}

TEST(ContractDeathTest, AsksForAReport) { EXPECT_DEATH(half(3), "This is a bug of Loadline"); }

#if __has_include(<execinfo.h>)
TEST(ContractDeathTest, ShowsWhoCalled) { EXPECT_DEATH(half(3), "\\[0x[0-9a-f]+\\]"); }
#endif

TEST(ContractDeathTest, BlamesTheInputThatIsSuspect) {
  const auto work_off = [] {
    contract::SuspectInput suspect("monday.jsonl", "the recording contradicts itself");
    suspect.set_line(12);
    half(3);
  };
  EXPECT_EXIT(work_off(), testing::ExitedWithCode(2),
              "^monday\\.jsonl:12:1: error: the recording contradicts itself here or before: even % 2 == 0 "
              "\\(src/foundation/base/contract_test\\.cc:[0-9]+\\)\n");
}

TEST(ContractDeathTest, AndNoOtherWhenThatIsOver) {
  {
    const contract::SuspectInput suspect("monday.jsonl", "the recording contradicts itself");
    EXPECT_EQ(contract::SuspectInput::current(), &suspect);
  }
  EXPECT_EQ(contract::SuspectInput::current(), nullptr);
  EXPECT_DEATH(half(3), "contract violated");
}

#ifdef NDEBUG
TEST(Contract, SlowChecksAreLeftOutOfARelease) {
  int asked = 0;
  REQUIRES_SLOW(++asked == 2);
  EXPECT_EQ(asked, 0);
}
#else
TEST(ContractDeathTest, SlowChecksAreMade) {
  EXPECT_DEATH(REQUIRES_SLOW(half(2) == 2), "contract violated: half\\(2\\) == 2");
}
#endif

}  // namespace
}  // namespace loadline
