#include "recorded_decisions/replay.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "recorded_decisions/recorded_case.h"

namespace loadline::recorded_decisions {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> cases_in(const fs::path& folder) {
  std::vector<std::string> cases;
  std::error_code ignored;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, ignored)) {
    if (fs::exists(entry.path() / "input.json")) cases.push_back(entry.path().string());
  }
  std::sort(cases.begin(), cases.end());
  return cases;
}

void expect_no_divergence(const std::vector<std::string>& folders) {
  for (const std::string& folder : folders) {
    const Result<RecordedCase> recorded = load_case(folder);
    ASSERT_TRUE(recorded) << recorded.error().message;
    const Result<Replay> replayed = replay(*recorded);
    ASSERT_TRUE(replayed) << replayed.error().message;
    EXPECT_GT(replayed->attempts, 0u) << folder;
    for (const Divergence& divergence : replayed->divergences) ADD_FAILURE() << divergence.to_string();
  }
}

TEST(Replay, TheRealSchedulersDecisionsOfThisRepositoryAreOurs) {
  const std::vector<std::string> folders = cases_in(LOADLINE_SOURCE_DIR "/conformance/cases");
  ASSERT_FALSE(folders.empty());
  expect_no_divergence(folders);
}

TEST(Replay, MoreRecordingsBesideTheRepositoryAreOursToo) {
  const char* named = std::getenv("LOADLINE_RECORDINGS");
  const fs::path folder =
      named != nullptr ? fs::path(named) : fs::path(LOADLINE_SOURCE_DIR).parent_path() / "shared/data/oracle";
  const std::vector<std::string> folders = cases_in(folder);
  if (folders.empty()) GTEST_SKIP() << "no recordings in " << folder << "; set LOADLINE_RECORDINGS";
  expect_no_divergence(folders);
}

TEST(Replay, ADecisionThatDiffersIsReported) {
  Result<RecordedCase> recorded = load_case(LOADLINE_SOURCE_DIR "/conformance/cases/case-0001");
  ASSERT_TRUE(recorded);
  const auto scored = std::find_if(recorded->attempts.begin(), recorded->attempts.end(),
                                   [](const RecordedAttempt& attempt) { return !attempt.scores.empty(); });
  ASSERT_NE(scored, recorded->attempts.end());
  ++scored->scores.front().by_plugin.front();
  const Result<Replay> replayed = replay(*recorded);
  ASSERT_TRUE(replayed);
  ASSERT_EQ(replayed->divergences.size(), 1u);
  EXPECT_EQ(replayed->divergences.front().pod, scored->pod);
  EXPECT_NE(replayed->divergences.front().to_string().find("score of TaintToleration"), std::string::npos);
}

}  // namespace
}  // namespace loadline::recorded_decisions
