#include "app/cli/terminal/progress.h"

#include <gtest/gtest.h>

#include <sstream>
#include <thread>

namespace loadline::cli {
namespace {

TEST(Progress, IsNeverDrawnIntoAFile) {
  std::ostringstream out;
  Progress progress(out, Terminal{.interactive = false}, "planning");
  std::this_thread::sleep_for(std::chrono::milliseconds(310));
  progress.update(1, 2);
  progress.finish();
  EXPECT_EQ(out.str(), "");
}

TEST(Progress, IsDrawnOnlyOnceTheWorkIsLongAndWipedAtTheEnd) {
  std::ostringstream out;
  Progress progress(out, Terminal{.interactive = true, .letters = Letters::kAscii}, "planning");
  progress.update(1, 2);
  EXPECT_EQ(out.str(), "");
  std::this_thread::sleep_for(std::chrono::milliseconds(310));
  progress.update(1, 2);
  EXPECT_EQ(out.str(), "\rplanning ###############............... 1/2\x1b[K");
  progress.finish();
  EXPECT_TRUE(out.str().ends_with("\r\x1b[K"));
}

TEST(Progress, FitsANarrowTerminal) {
  const Terminal narrow{.interactive = true, .width = 20, .letters = Letters::kAscii};
  std::ostringstream small;
  std::ostringstream large;
  std::ostringstream huge;
  Progress short_counts(small, narrow, "planning");
  Progress long_counts(large, narrow, "planning");
  Progress longer_counts(huge, narrow, "planning");
  std::this_thread::sleep_for(std::chrono::milliseconds(310));
  short_counts.update(1, 2);
  EXPECT_EQ(small.str(), "\rplanning ###... 1/2\x1b[K");
  long_counts.update(999, 2000);
  EXPECT_EQ(large.str(), "\rplanning 999/2000\x1b[K");
  longer_counts.update(9999, 20000);
  EXPECT_EQ(huge.str(), "\r9999/20000\x1b[K");
}

}  // namespace
}  // namespace loadline::cli
