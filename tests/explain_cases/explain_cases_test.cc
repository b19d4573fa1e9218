#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "command/command.h"
#include "foundation/document/reader.h"

namespace loadline {
namespace {

namespace fs = std::filesystem;
using namespace command;  // NOLINT: reading, running, comparing
using document::Value;

/// Relative, so that messages about files read the same on every machine. Tests run in the root of the repository.
constexpr const char* kCases = "tests/explain_cases/cases";

std::vector<std::string> case_names() {
  std::vector<std::string> names;
  for (const fs::directory_entry& entry : fs::directory_iterator(fs::path(LOADLINE_SOURCE_DIR) / kCases)) {
    if (entry.is_directory()) names.push_back(entry.path().filename().string());
  }
  std::ranges::sort(names);
  return names;
}

/// What runs already, and what is to run besides.
std::vector<std::string> inputs_of(const fs::path& folder) {
  std::vector<std::string> inputs;
  for (const char* name : {"cluster.yaml", "input.yaml"}) {
    if (fs::exists(folder / name)) inputs.push_back((folder / name).string());
  }
  return inputs;
}

Ending explain(const fs::path& folder, const std::vector<std::string>& options = {}) {
  std::vector<std::string> arguments = {"explain"};
  for (const std::string& line : lines_of(read(folder / "question"))) {
    if (!line.empty()) arguments.push_back(line);
  }
  for (const std::string& input : inputs_of(folder)) {
    arguments.insert(arguments.end(), {input.ends_with("cluster.yaml") ? "--cluster" : "--filename", input});
  }
  arguments.insert(arguments.end(), options.begin(), options.end());
  return run(arguments);
}

/// One explanation as a document; the test fails if there is another number of them.
Value explanation_of(const fs::path& folder) {
  const document::Reading reading = document::read(explain(folder, {"-o", "json"}).text(), "explanation");
  if (reading.documents.size() != 1) return {};
  const Value* explanations = reading.documents.front().find("explanations");
  if (explanations == nullptr || explanations->array().size() != 1) return {};
  return explanations->array().front();
}

std::vector<Value> suggestions_of(const Value& explanation) {
  const Value* suggestions = explanation.find("suggestions");
  return suggestions == nullptr ? std::vector<Value>() : suggestions->array();
}

std::string text_at(const Value& value, std::string_view key) {
  const Value* found = value.find(key);
  return found != nullptr && found->is_string() ? found->string() : "";
}

std::int64_t number_at(const Value& value, std::string_view key) {
  const Value* found = value.find(key);
  return found != nullptr && found->is_integer() ? found->integer() : 0;
}

std::set<std::string> texts_at(const Value& value, std::string_view key) {
  std::set<std::string> texts;
  const Value* found = value.find(key);
  if (found == nullptr) return texts;
  for (const Value& text : found->array()) texts.insert(text.string());
  return texts;
}

/// A workload as one word, from an object with a member `workload`.
std::string workload_of(const Value& value) {
  const Value* workload = value.find("workload");
  if (workload == nullptr) return "";
  return text_at(*workload, "kind") + '/' + text_at(*workload, "namespace") + '/' + text_at(*workload, "name");
}

/// What a plan says of the pods of one workload, and of all that are preempted.
struct Planned {
  bool read = false;
  std::int64_t waiting = 0;
  std::int64_t placed = 0;
  std::set<std::string> nodes;  ///< where its pods are
  std::set<std::string> preempted;
};

/// Plans the case with a fix applied over it, or, with an empty path, as it is.
Planned plan_of(const fs::path& folder, const fs::path& fix, const std::string& workload) {
  std::vector<std::string> arguments = {"plan", "-o", "json"};
  for (const std::string& input : inputs_of(folder)) arguments.insert(arguments.end(), {"--cluster", input});
  if (!fix.empty()) arguments.insert(arguments.end(), {"--filename", fix.string()});
  const Ending ending = run(arguments);
  const document::Reading reading = document::read(ending.text(), "plan");
  Planned planned;
  if (reading.documents.size() != 1 || ending.status > 1) {
    ADD_FAILURE() << fix << ": " << ending.text();
    return planned;
  }
  const Value* pods = reading.documents.front().find("pods");
  planned.read = pods != nullptr;
  for (const Value& pod : planned.read ? pods->array() : document::Array()) {
    const std::string outcome = text_at(pod, "outcome");
    const bool on_a_node = outcome == "Running" || outcome == "Placed";
    if (outcome == "Preempted") planned.preempted.insert(text_at(pod, "namespace") + '/' + text_at(pod, "name"));
    if (workload_of(pod) != workload || outcome == "Preempted" || outcome == "Evicted") continue;
    ++(on_a_node ? planned.placed : planned.waiting);
    if (on_a_node) planned.nodes.insert(text_at(pod, "node"));
  }
  return planned;
}

/// The fix files in order of the suggestions that they belong to.
std::vector<fs::path> fixes_of(const fs::path& folder) {
  std::vector<fs::path> fixes;
  if (!fs::exists(folder / "fixes")) return fixes;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder / "fixes")) fixes.push_back(entry.path());
  std::ranges::sort(fixes);
  return fixes;
}

class ExplainCase : public ::testing::TestWithParam<std::string> {};

TEST_P(ExplainCase, IsExplainedAsExpected) {
  const fs::path folder = fs::path(kCases) / GetParam();
  const Ending actual = explain(folder);
  const std::string status = std::to_string(actual.status) + "\n";
  if (const char* update = std::getenv("UPDATE_EXPLAIN_CASES"); update != nullptr && *update == '1') {
    write(folder / "expected.txt", actual.text());
    write(folder / "status", status);
  }
  const std::string expected = read(folder / "expected.txt");
  EXPECT_EQ(status, read(folder / "status"));
  EXPECT_TRUE(actual.text() == expected) << folder.string()
                                         << "/expected.txt: " << first_difference(expected, actual.text()) << "\n\n"
                                         << actual.text();
}

TEST_P(ExplainCase, HasAFixForEverySuggestion) {
  const fs::path folder = fs::path(kCases) / GetParam();
  const Value explanation = explanation_of(folder);
  ASSERT_TRUE(explanation.is_object());
  const std::vector<fs::path> fixes = fixes_of(folder);
  ASSERT_EQ(fixes.size(), suggestions_of(explanation).size());
  for (std::size_t i = 0; i < fixes.size(); ++i) {
    EXPECT_TRUE(fixes[i].filename().string().starts_with(std::to_string(i + 1) + "-")) << fixes[i];
  }
}

/// What a suggestion promises, done by hand: as many pods have a node then, and no pod is preempted that the suggestion
/// does not name.
TEST_P(ExplainCase, IsSolvedByEachFix) {
  const fs::path folder = fs::path(kCases) / GetParam();
  const Value explanation = explanation_of(folder);
  ASSERT_TRUE(explanation.is_object());
  const std::vector<Value> suggestions = suggestions_of(explanation);
  const std::vector<fs::path> fixes = fixes_of(folder);
  ASSERT_EQ(fixes.size(), suggestions.size());
  const std::string workload = workload_of(*explanation.find("pod"));
  const Planned before = plan_of(folder, {}, workload);
  const bool was_tried = explanation.find("notTried") == nullptr;
  ASSERT_EQ(before.waiting > 0 && was_tried, !suggestions.empty());
  for (std::size_t i = 0; i < fixes.size(); ++i) {
    SCOPED_TRACE(fixes[i].string());
    const Planned after = plan_of(folder, fixes[i], workload);
    ASSERT_TRUE(after.read);
    EXPECT_LT(after.waiting, before.waiting);
    EXPECT_EQ(after.placed, number_at(suggestions[i], "placed"));
    EXPECT_EQ(after.placed + after.waiting, number_at(suggestions[i], "pods"));
    EXPECT_EQ(after.preempted.size(), before.preempted.size() + texts_at(suggestions[i], "victims").size());
    const std::string node = text_at(suggestions[i], "node");
    EXPECT_TRUE(node.empty() || after.nodes.contains(node)) << "none of its pods is on " << node;
  }
}

std::string test_name(const ::testing::TestParamInfo<std::string>& info) {
  std::string name = info.param;
  std::ranges::replace_if(name, [](unsigned char letter) { return std::isalnum(letter) == 0; }, '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(Cases, ExplainCase, ::testing::ValuesIn(case_names()), test_name);

}  // namespace
}  // namespace loadline
