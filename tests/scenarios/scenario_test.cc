#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "cli/command_line.h"

namespace loadline {
namespace {

namespace fs = std::filesystem;

/// Relative, so that messages about files read the same on every machine. Tests run in the root of the repository.
constexpr const char* kCases = "tests/scenarios/cases";

std::string read(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

void write(const fs::path& path, const std::string& text) { std::ofstream(path, std::ios::binary) << text; }

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

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

struct Ending {
  std::string text;  ///< what was printed, then what was complained about
  int status = 0;
};

Ending run(const fs::path& folder) {
  std::istringstream in;
  std::ostringstream out;
  std::ostringstream err;
  const cli::Terminal page{.interactive = false, .width = 100};
  cli::Console console{in, out, err, page, page};
  Ending result;
  result.status = cli::run(arguments_of(folder), console);
  result.text = out.str();
  if (!err.str().empty()) result.text += "--- complaints ---\n" + err.str();
  return result;
}

std::string first_difference(const std::string& expected, const std::string& actual) {
  const std::vector<std::string> left = lines_of(expected);
  const std::vector<std::string> right = lines_of(actual);
  for (std::size_t i = 0; i < std::max(left.size(), right.size()); ++i) {
    const std::string wanted = i < left.size() ? left[i] : "(end)";
    const std::string got = i < right.size() ? right[i] : "(end)";
    if (wanted == got) continue;
    return "line " + std::to_string(i + 1) + "\n  expected: " + wanted + "\n  actual:   " + got;
  }
  return "white space at the end";
}

class Scenario : public ::testing::TestWithParam<std::string> {};

TEST_P(Scenario, EndsAsExpected) {
  const fs::path folder = fs::path(kCases) / GetParam();
  const Ending actual = run(folder);
  const std::string status = std::to_string(actual.status) + "\n";
  if (const char* update = std::getenv("UPDATE_SCENARIOS"); update != nullptr && *update == '1') {
    write(folder / "expected.txt", actual.text);
    write(folder / "status", status);
  }
  const std::string expected = read(folder / "expected.txt");
  EXPECT_EQ(status, read(folder / "status"));
  EXPECT_TRUE(actual.text == expected) << folder.string()
                                       << "/expected.txt: " << first_difference(expected, actual.text) << "\n\n"
                                       << actual.text;
}

TEST_P(Scenario, EndsTheSameWhenRunAgain) {
  const fs::path folder = fs::path(kCases) / GetParam();
  EXPECT_EQ(run(folder).text, run(folder).text);
}

std::string test_name(const ::testing::TestParamInfo<std::string>& info) {
  std::string name = info.param;
  std::ranges::replace_if(name, [](unsigned char letter) { return std::isalnum(letter) == 0; }, '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(Cases, Scenario, ::testing::ValuesIn(case_names()), test_name);

}  // namespace
}  // namespace loadline
