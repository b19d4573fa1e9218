#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <string>

#include "command/command.h"

// The openb trace by its own times, from beginning to end.

namespace loadline::replays {
namespace {

using ::testing::HasSubstr;

/// The folder named by LOADLINE_OPENB, else the one beside the repository.
std::filesystem::path openb_folder() {
  if (const char* named = std::getenv("LOADLINE_OPENB")) return named;
  return std::filesystem::path(LOADLINE_SOURCE_DIR).parent_path() / "shared/data/openb";
}

TEST(OpenbReplay, AllPodsRunFromTheirCreationToTheirDeletion) {
  const std::filesystem::path folder = openb_folder();
  const std::filesystem::path pods = folder / "openb_pod_list_default.csv";
  if (!std::filesystem::exists(pods)) GTEST_SKIP() << "no trace in " << folder << "; set LOADLINE_OPENB";
  const command::Ending ending =
      command::run({"replay", pods.string(), "--nodes", (folder / "openb_node_list_all_node.csv").string()});
  EXPECT_EQ(ending.err, "");
  EXPECT_EQ(ending.status, 0);
  EXPECT_THAT(ending.out, HasSubstr("8,152 works in 1,523 nodes: 8,152 deleted while they ran\n"
                                    "149d8h from the first arrival to the last end; 8,152 pods;"));
  EXPECT_THAT(ending.out, HasSubstr("0.27 %"));
  EXPECT_THAT(ending.out, HasSubstr("0 pods preempted; 4 works at most waited at a time"));
}

}  // namespace
}  // namespace loadline::replays
