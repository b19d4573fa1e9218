#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "app/cli/console.h"
#include "command/command.h"
#include "hosts/advice/lint/rules.h"

namespace loadline {
namespace {

namespace fs = std::filesystem;
using namespace command;  // NOLINT: reading, running, comparing

/// Relative, so that what is printed reads the same on every machine. Tests run in the root of the repository.
constexpr const char* kCases = "tests/lint/cases";
constexpr const char* kClusters = "tests/lint/clusters";

std::vector<std::string> case_names() {
  std::vector<std::string> names;
  for (const fs::directory_entry& entry : fs::directory_iterator(fs::path(LOADLINE_SOURCE_DIR) / kCases)) {
    if (entry.path().extension() == ".yaml") names.push_back(entry.path().stem().string());
  }
  std::ranges::sort(names);
  return names;
}

/// What follows `marker` on the line, split at commas and blanks.
std::vector<std::string> words_after(const std::string& line, std::string_view marker) {
  const std::size_t at = line.find(marker);
  if (at == std::string::npos) return {};
  std::string rest = line.substr(at + marker.size());
  std::ranges::replace(rest, ',', ' ');
  std::istringstream stream(rest);
  std::vector<std::string> words;
  for (std::string word; stream >> word;) words.push_back(word);
  return words;
}

/// A finding by its line and its rule, or "error" and "warning" for the checks of the input.
using Mark = std::pair<std::size_t, std::string>;
using Marks = std::multiset<Mark>;

struct Case {
  std::vector<std::string> arguments;
  Marks expected;
};

Case read_case(const fs::path& path) {
  Case result;
  result.arguments = {"lint", "-f", path.string()};
  const std::vector<std::string> lines = lines_of(read(path));
  for (std::size_t i = 0; i < lines.size(); ++i) {
    for (const std::string& rule : words_after(lines[i], "# expect:")) result.expected.emplace(i + 1, rule);
    for (const std::string& name : words_after(lines[i], "# cluster:")) {
      result.arguments.insert(result.arguments.end(), {"--cluster", (fs::path(kClusters) / (name + ".yaml")).string()});
    }
    for (const std::string& word : words_after(lines[i], "# args:")) result.arguments.push_back(word);
  }
  return result;
}

/// The findings of `file` among the lines that lint printed: "file:line:column: severity: … [rule]".
Marks marks_of(const std::string& text, const std::string& file) {
  Marks marks;
  for (const std::string& line : lines_of(text)) {
    if (!line.starts_with(file + ":")) continue;
    const std::size_t at = file.size() + 1;
    const std::size_t number = std::strtoul(line.c_str() + at, nullptr, 10);
    const std::size_t bracket = line.rfind('[');
    const bool has_rule = line.ends_with("]") && bracket != std::string::npos && line[bracket - 1] == ' ';
    const std::string severity = line.find(": error: ") != std::string::npos ? "error" : "warning";
    const std::string last = has_rule ? line.substr(bracket + 1, line.size() - bracket - 2) : "";
    const auto rules = advice::lint::all_rules();
    const bool is_rule = std::ranges::any_of(rules, [&](const auto& rule) { return rule.name == last; });
    marks.emplace(number, is_rule ? last : severity);
  }
  return marks;
}

std::string text_of(const Marks& marks) {
  std::string text;
  for (const auto& [line, rule] : marks) text += "  line " + std::to_string(line) + ": " + rule + "\n";
  return text.empty() ? "  nothing\n" : text;
}

class LintCorpus : public ::testing::TestWithParam<std::string> {};

TEST_P(LintCorpus, FindsThePlantedMistakeAndNothingElse) {
  const fs::path path = fs::path(kCases) / (GetParam() + ".yaml");
  const Case planted = read_case(path);
  const Ending ending = run(planted.arguments);
  const Marks found = marks_of(ending.out, path.string());
  EXPECT_FALSE(planted.expected.empty()) << path << " says nowhere what to expect";
  EXPECT_TRUE(found == planted.expected) << path << "\nexpected:\n"
                                         << text_of(planted.expected) << "found:\n"
                                         << text_of(found) << ending.out << ending.err;
  const bool error = std::ranges::any_of(planted.expected, [](const Mark& mark) { return mark.second == "error"; });
  EXPECT_EQ(ending.status, error ? cli::kBadInput : cli::kNotAllPlaced);
}

TEST_P(LintCorpus, SaysSoInTheWordsExpected) {
  const fs::path path = fs::path(kCases) / (GetParam() + ".yaml");
  const Ending ending = run(read_case(path).arguments);
  const std::string said = ending.out + ending.err;
  const fs::path expected = fs::path(kCases) / (GetParam() + ".txt");
  if (const char* update = std::getenv("UPDATE_LINT"); update != nullptr && *update == '1') {
    std::ofstream(expected, std::ios::binary) << said;
  }
  EXPECT_EQ(said, read(expected));
}

std::string test_name(const ::testing::TestParamInfo<std::string>& info) {
  std::string name = info.param;
  std::ranges::replace_if(name, [](unsigned char letter) { return std::isalnum(letter) == 0; }, '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(Cases, LintCorpus, ::testing::ValuesIn(case_names()), test_name);

TEST(LintCorpusAsAWhole, HasAtLeastSixtyManifests) { EXPECT_GE(case_names().size(), 60U); }

TEST(LintCorpusAsAWhole, ShowsEveryRule) {
  std::set<std::string> shown;
  for (const std::string& name : case_names()) {
    for (const auto& [line, rule] : read_case(fs::path(kCases) / (name + ".yaml")).expected) shown.insert(rule);
  }
  for (const advice::lint::Rule& rule : advice::lint::all_rules()) {
    EXPECT_TRUE(shown.contains(std::string(rule.name))) << "no case shows " << rule.name;
  }
}

TEST(LintDocumentation, DescribesEveryRuleAndNoOther) {
  std::set<std::string> documented;
  for (const std::string& line : lines_of(read("docs/lint.md"))) {
    if (line.starts_with("### ")) documented.insert(line.substr(4));
  }
  std::set<std::string> known;
  for (const advice::lint::Rule& rule : advice::lint::all_rules()) known.insert(std::string(rule.name));
  EXPECT_EQ(documented, known);
}

/// What looks like a mistake and is none, as far as the input can tell.
TEST(LintSilence, IsKeptWhereTheInputProvesNothing) {
  std::size_t files = 0;
  for (const fs::directory_entry& entry : fs::directory_iterator("tests/lint/silent")) {
    const Ending ending = run(read_case(entry.path()).arguments);
    EXPECT_EQ(ending.status, cli::kDone) << entry.path() << "\n" << ending.out << ending.err;
    ++files;
  }
  EXPECT_GT(files, 0U);
}

/// Its Job `scale-up` is there to be seen waiting for ever.
constexpr std::string_view kExampleOfWaiting = "examples/timeline";

TEST(LintExamples, HaveNothingToBeFound) {
  std::vector<std::string> all = {"lint"};
  for (const fs::directory_entry& entry : fs::directory_iterator("examples")) {
    if (!entry.is_directory() || entry.path().string() == kExampleOfWaiting) continue;
    all.insert(all.end(), {"-f", entry.path().string()});
    const Ending alone = run({"lint", "-f", entry.path().string()});
    EXPECT_EQ(alone.status, cli::kDone) << entry.path() << "\n" << alone.out << alone.err;
  }
  const Ending together = run(all);
  EXPECT_EQ(together.status, cli::kDone) << together.out << together.err;
}

TEST(LintExamples, ThatOfWaitingIsFoundToWait) {
  const std::string found = run({"lint", "-f", std::string(kExampleOfWaiting)}).text();
  EXPECT_NE(found.find("Job language/scale-up: "), std::string::npos) << found;
  EXPECT_NE(found.find("[request-exceeds-every-node]"), std::string::npos) << found;
  EXPECT_NE(found.find("1 warning in 1 file"), std::string::npos) << found;
}

}  // namespace
}  // namespace loadline
