#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "command/command.h"

namespace loadline {
namespace {

namespace fs = std::filesystem;
using namespace command;  // NOLINT: reading, running, comparing

/// Relative, so that messages about files read the same on every machine. Tests run in the root of the repository.
constexpr const char* kCases = "tests/scenarios/cases";

std::vector<std::string> case_names() {
  std::vector<std::string> names;
  for (const fs::directory_entry& entry : fs::directory_iterator(fs::path(LOADLINE_SOURCE_DIR) / kCases)) {
    if (entry.is_directory()) names.push_back(entry.path().filename().string());
  }
  std::ranges::sort(names);
  return names;
}

std::vector<std::string> arguments_of(const fs::path& folder) {
  std::vector<std::string> arguments = {"plan", "--filename", (folder / "input*.yaml").string()};
  if (fs::exists(folder / "cluster.yaml")) {
    arguments.insert(arguments.end(), {"--cluster", (folder / "cluster.yaml").string()});
  }
  if (fs::exists(folder / "config.yaml")) {
    arguments.insert(arguments.end(), {"--config", (folder / "config.yaml").string()});
  }
  for (const std::string& line : lines_of(read(folder / "args"))) {
    if (!line.empty()) arguments.push_back(line);
  }
  return arguments;
}

Ending run(const fs::path& folder) { return command::run(arguments_of(folder)); }

class Scenario : public ::testing::TestWithParam<std::string> {};

TEST_P(Scenario, EndsAsExpected) {
  const fs::path folder = fs::path(kCases) / GetParam();
  const Ending actual = run(folder);
  const std::string status = std::to_string(actual.status) + "\n";
  if (const char* update = std::getenv("UPDATE_SCENARIOS"); update != nullptr && *update == '1') {
    write(folder / "expected.txt", actual.text());
    write(folder / "status", status);
  }
  const std::string expected = read(folder / "expected.txt");
  EXPECT_EQ(status, read(folder / "status"));
  EXPECT_TRUE(actual.text() == expected) << folder.string()
                                         << "/expected.txt: " << first_difference(expected, actual.text()) << "\n\n"
                                         << actual.text();
}

TEST_P(Scenario, EndsTheSameWhenRunAgain) {
  const fs::path folder = fs::path(kCases) / GetParam();
  EXPECT_EQ(run(folder).text(), run(folder).text());
}

std::string test_name(const ::testing::TestParamInfo<std::string>& info) {
  std::string name = info.param;
  std::ranges::replace_if(name, [](unsigned char letter) { return std::isalnum(letter) == 0; }, '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(Cases, Scenario, ::testing::ValuesIn(case_names()), test_name);

}  // namespace
}  // namespace loadline
