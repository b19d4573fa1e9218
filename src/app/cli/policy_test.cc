#include "app/cli/policy.h"

#include <gmock/gmock.h>

#include <sstream>
#include <string>
#include <vector>

#include "app/cli/command_line.h"
#include "foundation/document/at.h"
#include "foundation/document/reader.h"

namespace loadline::cli {
namespace {

using ::testing::HasSubstr;

struct Answer {
  int status = 0;
  std::string out;
  std::string err;
};

Answer ask(const std::vector<std::string>& arguments, const std::string& input = "") {
  std::istringstream in(input);
  std::ostringstream out;
  std::ostringstream err;
  Console console{in, out, err, Terminal{.width = 100}, Terminal{}};
  Answer answer;
  answer.status = run(arguments, console);
  answer.out = out.str();
  answer.err = err.str();
  return answer;
}

constexpr const char* kMixed = R"(
apiVersion: loadline.dev/v1alpha1
kind: Policy
metadata: {name: default}
spec:
  base: Parity
  nodesToScore: All
)";

TEST(PolicyCommand, ListsEverySwitchWithItsValueAndWhereThatIsFrom) {
  EXPECT_THAT(ask({"policy"}).out, HasSubstr("POLICY  Recommended (base: default)\n"));
  EXPECT_THAT(ask({"policy", "--policy", "Parity"}).out, HasSubstr("POLICY  Parity (base: --policy)\n"));
  const Answer mixed = ask({"policy", "-f", "-"}, kMixed);
  EXPECT_EQ(mixed.status, kDone) << mixed.err;
  EXPECT_THAT(mixed.out, HasSubstr("POLICY  Parity (base: standard input:6)\n"));
  EXPECT_THAT(mixed.out, HasSubstr("nodesToScore          All            standard input:7  Adaptive       All\n"));
  EXPECT_THAT(mixed.out,
              HasSubstr("preemptionCandidates  AsConfigured   base              AsConfigured   AllRemembered\n"));
  EXPECT_THAT(mixed.out, HasSubstr("\nnodesToScore\n  How many feasible nodes are scored"));
  EXPECT_THAT(mixed.out, HasSubstr("\n    1 to 1000: so many have one with Conservative"));
  EXPECT_THAT(mixed.out, HasSubstr("\n  Source: kube-scheduler v1.36, numFeasibleNodesToFind"));
}

TEST(PolicyCommand, WritesDocuments) {
  const Answer json = ask({"policy", "--policy", "-", "-o", "json"}, kMixed);
  EXPECT_EQ(json.status, kDone) << json.err;
  const document::Value report = document::read_json(json.out, "out").documents.at(0);
  EXPECT_EQ(document::text_at(report, {"base"}), "Parity");
  EXPECT_EQ(document::text_at(report, {"from"}), "standard input:6");
  const document::Value& first = report.find("switches")->array().front();
  EXPECT_EQ(document::text_at(first, {"name"}), "nodesToScore");
  EXPECT_EQ(document::text_at(first, {"value"}), "All");
  EXPECT_EQ(document::text_at(first, {"from"}), "standard input:7");
  EXPECT_EQ(document::text_at(first, {"parity"}), "Adaptive");
  EXPECT_EQ(document::text_at(first, {"recommended"}), "All");
  for (const document::Value& each : report.find("switches")->array()) {
    if (document::text_at(each, {"name"}) != "backfillDepth") continue;
    EXPECT_EQ(*each.find("value"), document::Value(std::int64_t{32}));
    EXPECT_EQ(*document::find_at(each, {"numbers", "most"}), document::Value(std::int64_t{1000}));
    EXPECT_EQ(each.find("words"), nullptr);
  }
  EXPECT_THAT(ask({"policy", "-o", "yaml"}).out,
              ::testing::StartsWith("apiVersion: loadline/v1alpha1\nkind: PolicyReport\n"));
}

TEST(PolicyOption, SaysWhatIsWrongWithIt) {
  const Answer misspelt = ask({"policy", "--policy", "party"});
  EXPECT_EQ(misspelt.status, kBadInput);
  EXPECT_EQ(misspelt.err,
            "error: --policy: \"party\" is neither parity nor recommended, nor a file (did you mean parity?)\n");
  EXPECT_THAT(ask({"policy", "--policy", "no/such.yaml"}).err, HasSubstr("no/such.yaml"));
  const Answer other = ask({"policy", "--policy", "-"}, "apiVersion: v1\nkind: Namespace\nmetadata: {name: team}\n");
  EXPECT_EQ(other.status, kBadInput);
  EXPECT_THAT(other.err, HasSubstr("a file with one Policy (loadline.dev/v1alpha1); this holds none"));
  const Answer twice = ask({"policy", "--policy", "-", "-f", "-"}, kMixed);
  EXPECT_EQ(twice.status, kBadInput);
  EXPECT_THAT(twice.err, HasSubstr("can be read only once"));
}

TEST(PolicyOption, GoesBeforeThePolicyOfTheInputAndSaysSo) {
  const Answer named = ask({"policy", "--policy", "recommended", "-f", "-"}, kMixed);
  EXPECT_EQ(named.status, kDone);
  EXPECT_THAT(named.out, HasSubstr("POLICY  Recommended (base: --policy)\n"));
  EXPECT_EQ(named.err, "standard input:2:1: warning: Policy default: left out: --policy says what counts\n");
}

TEST(PolicyOption, CannotBePartOfAChange) {
  const Answer diff = ask({"plan", "--diff", "--with", "-", "--cluster", "examples/gpu-cluster"}, kMixed);
  EXPECT_EQ(diff.status, kBadInput);
  EXPECT_THAT(diff.err, HasSubstr("--with holds a Policy, which cannot be part of a change (plan twice, with another"));
}

TEST(PolicyOption, IsCompletedWithItsWordsAndFiles) {
  EXPECT_THAT(
      ask({"completion", "bash"}).out,
      HasSubstr("--policy) mapfile -t COMPREPLY < <(compgen -f -W 'parity recommended' -- \"$word\"); return ;;"));
  EXPECT_THAT(ask({"completion", "zsh"}).out,
              HasSubstr(":value:{_alternative \"words:word:(parity recommended)\" \"files:file:_files\"}'"));
  EXPECT_THAT(ask({"completion", "fish"}).out, HasSubstr("-l policy -r -F -a 'parity recommended'"));
}

}  // namespace
}  // namespace loadline::cli
