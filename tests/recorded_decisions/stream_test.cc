#include "recorded_decisions/stream.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>
#include <string>

#include "foundation/document/reader.h"
#include "recorded_decisions/testing/tiny_case.h"

namespace loadline::recorded_decisions {
namespace {

using testing::case_text;
using testing::configuration;
using testing::node;
using testing::pod;
using testing::profile;

/// One node and a pod that fits, on one line.
std::string line(const std::string& feasible) {
  const std::string input = R"({"nodes":[)" + node("n1", "2") + R"(],"pendingPods":[)" + pod("p") +
                            R"(],"configuration":)" +
                            configuration(profile("default-scheduler", {"NodeResourcesFit"})) + "}";
  return case_text(input, R"({"nodeNames":["n1"],"attempts":[{"seq":4,"pod":"a/p","feasible":[)" + feasible +
                              R"(],"maxScore":73,"maxNodes":[0],"result":"scheduled","node":0}]})");
}

TEST(Stream, EveryLineGetsOneAnswer) {
  std::istringstream cases(line("0") + "\n\nnonsense\n" + line("") + "\n[1]");
  std::ostringstream answers;
  EXPECT_TRUE(serve(cases, answers));
  const std::string expected[] = {
      R"-({"name":"tiny","attempts":1,"divergences":[]})-",
      R"-({"name":"","attempts":0,"divergences":[],"error":"case:1:2: error: invalid character 'o' in literal null )-"
      R"-((expecting 'u')"})-",
      R"-({"name":"tiny","attempts":1,"divergences":[{"attempt":4,"pod":"a/p","what":"feasible nodes",)-"
      R"-("expected":"","actual":"n1"}]})-",
      R"-({"name":"","attempts":0,"divergences":[],"error":"case: input: expected an object"})-",
  };
  std::string lines;
  for (const std::string& each : expected) lines += each + "\n";
  EXPECT_EQ(answers.str(), lines);
}

TEST(Stream, AnErrorNamesTheCase) {
  EXPECT_EQ(answer(R"({"name":"odd","input":{},"expected":{"attempts":[{"pod":"a/b","result":"perhaps"}]}})"),
            R"({"name":"odd","attempts":0,"divergences":[],"error":"case: expected: attempts[0].result: )"
            R"(expected \"scheduled\", \"unschedulable\" or \"error\""})");
}

TEST(Stream, NoPartOfACaseThatIsMissingOrMistypedEndsTheStream) {
  const std::string whole = line("0");
  // Each field in turn becomes another, or a value another type; a bad case must never crash.
  for (std::size_t at = 0; at < whole.size(); ++at) {
    std::string broken = whole;
    if (whole[at] == '"') {
      broken.insert(at + 1, "x");
    } else if (whole[at] >= '0' && whole[at] <= '9') {
      broken.replace(at, 1, "99");
    } else if (whole[at] == '[' || whole[at] == '{') {
      broken.insert(at, "7,");
    } else {
      continue;
    }
    const std::string answered = answer(broken);
    EXPECT_EQ(document::read_json(answered, "answer").documents.size(), 1u) << broken << "\n" << answered;
    EXPECT_EQ(std::count(answered.begin(), answered.end(), '\n'), 0) << answered;
  }
}

TEST(Stream, ABrokenOutputEndsIt) {
  std::istringstream cases(line("0") + "\n" + line("0") + "\n");
  std::ostringstream answers;
  answers.setstate(std::ios::badbit);
  EXPECT_FALSE(serve(cases, answers));
}

}  // namespace
}  // namespace loadline::recorded_decisions
