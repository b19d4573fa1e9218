#include "app/cli/dump_command.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

namespace loadline::cli {
namespace {

/// What a shell makes of it.
std::string joined_lines(std::string text) {
  constexpr std::string_view kBreak = "\\\n";
  for (std::size_t at = text.find(kBreak); at != std::string::npos; at = text.find(kBreak, at)) {
    text.erase(at, kBreak.size());
  }
  return text;
}

TEST(DumpCommand, NamesTheKindsThatDecisionsRead) {
  const std::string command = dump_command();
  EXPECT_TRUE(command.starts_with("kubectl get pods,nodes,")) << command;
  EXPECT_TRUE(command.ends_with(" -A -o yaml > cluster.yaml")) << command;
  for (const char* kind : {",cronjobs,", ",replicationcontrollers,", ",runtimeclasses,", ",csinodes,"}) {
    EXPECT_NE(command.find(kind), std::string::npos) << kind;
  }
}

TEST(DumpCommand, IsBrokenSoThatAShellReadsItAsOne) {
  const std::string text = with_dump_command("Examples:\n    @dump@\n    loadline plan\n");
  EXPECT_EQ(joined_lines(text), "Examples:\n    " + dump_command() + "\n    loadline plan\n");
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 100U) << line;
}

TEST(DumpCommand, IsTheSameInTheDocumentation) {
  std::ifstream file(std::filesystem::path(LOADLINE_SOURCE_DIR) / "docs" / "first-steps.md");
  std::ostringstream page;
  page << file.rdbuf();
  EXPECT_NE(joined_lines(page.str()).find("\n" + dump_command() + "\n"), std::string::npos) << dump_command();
}

}  // namespace
}  // namespace loadline::cli
