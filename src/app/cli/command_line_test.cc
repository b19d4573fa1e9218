#include "app/cli/command_line.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

#include "app/cli/terminal/text.h"

namespace loadline::cli {
namespace {

struct Ending {
  int status = 0;
  std::string out;
  std::string err;
};

Ending run_with(const std::vector<std::string>& arguments, const std::string& input = "") {
  std::istringstream in(input);
  std::ostringstream out;
  std::ostringstream err;
  Console console{in, out, err, Terminal{}, Terminal{}};
  Ending ending;
  ending.status = run(arguments, console);
  ending.out = out.str();
  ending.err = err.str();
  return ending;
}

constexpr const char* kNode = R"(
apiVersion: v1
kind: Node
metadata: {name: a}
status: {allocatable: {cpu: 4, memory: 8Gi, pods: 10}, capacity: {cpu: 4, memory: 8Gi, pods: 10}}
---
)";
constexpr const char* kPod = R"(
apiVersion: v1
kind: Pod
metadata: {name: p}
spec: {containers: [{name: c, image: x, resources: {requests: {cpu: 3}}}]}
---
)";
constexpr const char* kSecondPod = R"(
apiVersion: v1
kind: Pod
metadata: {name: q}
spec: {containers: [{name: c, image: x, resources: {requests: {cpu: 3}}}]}
---
)";

TEST(CommandLine, GuessesWhatWasMeant) {
  struct Case {
    std::vector<std::string> arguments;
    const char* message;
  };
  for (const Case& test : {Case{{"plna"}, "unknown command \"plna\"; did you mean plan?"},
                           Case{{"plan", "--fielname", "x"}, "unknown option --fielname; did you mean --filename?"},
                           Case{{"plan", "--clustre=x"}, "unknown option --clustre; did you mean --cluster?"},
                           Case{{"plan", "-f", "x", "-o", "yml"}, "yml not in {table,wide,json,yaml,csv}"},
                           Case{{"plan"}, "nothing to plan"},
                           Case{{"up", "--port", "99999"}, "write a number from 0, for a free one, to 65535"},
                           Case{{"up", "--disable-admission-plugins", "Nope"}, "Nope not in {LimitRanger,"},
                           Case{{"plan", "--add-nodes", "two", "a"}, "--add-nodes: \"two\": begin with a number of"},
                           Case{{"plan", "--add-nodes", "2:gpu=a9"}, "--add-nodes: \"a9\" is no GPU known here"},
                           Case{{"plan", "--add-nodes", "2"}, "--add-nodes: 2 does not say what they look like"},
                           Case{{"plan", "--add-nodes", "2", "--diff"}, "2 does not say what they look like"},
                           Case{{"plan", "-f", "-", "--now", "yesterday"}, "--now: \"yesterday\" is not a time"}}) {
    const Ending ending = run_with(test.arguments);
    EXPECT_EQ(ending.status, kBadInput) << test.message;
    EXPECT_NE(ending.err.find(test.message), std::string::npos) << ending.err;
    EXPECT_EQ(ending.out, "");
  }
}

TEST(CommandLine, ShowsHelpAndVersionOnTheStandardOutput) {
  EXPECT_EQ(run_with({"--help"}).status, kDone);
  EXPECT_NE(run_with({"--help"}).out.find("plan"), std::string::npos);
  const Ending help = run_with({"plan", "--help"});
  EXPECT_NE(help.out.find("Examples:"), std::string::npos);
  EXPECT_NE(help.out.find("Exit status:"), std::string::npos);
  EXPECT_EQ(run_with({"version"}).out, run_with({"--version"}).out);
}

TEST(CommandLine, EndsWithAStatusThatSaysWhetherAllWasPlaced) {
  EXPECT_EQ(run_with({"plan", "-f", "-"}, std::string(kNode) + kPod).status, kDone);
  EXPECT_EQ(run_with({"plan", "-f", "-"}, std::string(kNode) + kPod + kSecondPod).status, kNotAllPlaced);
  EXPECT_EQ(run_with({"plan", "-f", "-"}, "kind: Pod\napiVersion: v1\n").status, kBadInput);
  EXPECT_EQ(run_with({"plan", "-f", "-"}, kPod).status, kBadInput);
  EXPECT_EQ(run_with({"plan", "-f", "-"}, kNode).status, kBadInput);
}

TEST(CommandLine, TakesFilesWithoutAnOptionToo) {
  EXPECT_EQ(run_with({"plan", "-"}, std::string(kNode) + kPod).status, kDone);
}

TEST(CommandLine, TakesNodesToAddInEachSpelling) {
  const std::string input = std::string(kNode) + kPod + kSecondPod;
  const auto ending = [&](const std::vector<std::string>& words) {
    std::vector<std::string> arguments = {"plan", "--diff"};
    arguments.insert(arguments.end(), words.begin(), words.end());
    return run_with(arguments, input);
  };
  for (const std::vector<std::string>& words : {std::vector<std::string>{"-", "--add-nodes", "1", "a"},
                                                {"--add-nodes", "1", "a", "-"},
                                                {"--add-nodes=1", "a", "-"},
                                                {"--add-nodes", "1:like=a", "-"},
                                                {"--add-nodes=1:like=a", "-"}}) {
    const Ending added = ending(words);
    EXPECT_EQ(added.status, kDone) << added.err;
    EXPECT_TRUE(added.out.starts_with("✓ 1 more node like a: 1 pod that waited gets a node")) << added.out;
  }
  EXPECT_TRUE(ending({"-", "--add-nodes", "1", "a", "--add-nodes", "2:cpu=2"})
                  .out.starts_with("✓ 1 more node like a; 2 more nodes with cpu=2: "));
  EXPECT_EQ(ending({"-", "--add-nodes", "1", "b"}).err, "error: --add-nodes: there is no node \"b\"; there is \"a\"\n");
  EXPECT_EQ(ending({"-", "--add-nodes", "0", "a"}).err,
            "error: --add-nodes: the count of nodes to add must lie in 1 .. 10000\n");
}

TEST(CommandLine, JudgesOnlyTheNamespaceThatIsShown) {
  const std::string input = std::string(kNode) + kPod + kSecondPod;
  const std::string elsewhere = "---\napiVersion: v1\nkind: Namespace\nmetadata: {name: elsewhere}\n";
  EXPECT_EQ(run_with({"plan", "-f", "-", "-n", "elsewhere"}, input + elsewhere).status, kDone);
  EXPECT_EQ(run_with({"plan", "-f", "-", "-n", "elsewhere"}, input).status, kBadInput);
}

TEST(CommandLine, WritesEveryFormat) {
  const std::string input = std::string(kNode) + kPod;
  EXPECT_TRUE(run_with({"plan", "-", "-o", "json"}, input).out.starts_with("{\n"));
  EXPECT_TRUE(
      run_with({"plan", "-", "-o", "yaml"}, input).out.starts_with("apiVersion: loadline/v1alpha1\nkind: Plan\n"));
  EXPECT_TRUE(run_with({"plan", "-", "-o", "csv"}, input).out.starts_with("namespace,name,"));
  EXPECT_TRUE(run_with({"plan", "-", "-o", "csv", "--nodes"}, input).out.starts_with("name,unschedulable,"));
  EXPECT_NE(run_with({"plan", "-", "-o", "wide"}, input).out.find("REQUESTS"), std::string::npos);
}

TEST(CommandLine, WritesNoLineWiderThanTheTerminal) {
  const std::string input = std::string(kNode) + kPod + kSecondPod;
  for (const bool is_interactive : {true, false}) {
    for (const std::vector<std::string>& arguments : {std::vector<std::string>{"plan", "-"},
                                                      {"plan", "-", "-o", "wide"},
                                                      {"plan", "-", "--nodes"},
                                                      {"plan", "-", "--diff", "--cordon", "a"},
                                                      {"explain", "-f", "-"}}) {
      std::istringstream in(input);
      std::ostringstream out;
      std::ostringstream err;
      const Terminal narrow{.interactive = is_interactive, .width = 40, .is_width_wished = true};
      Console console{in, out, err, narrow, Terminal{}};
      run(arguments, console);
      std::istringstream lines(out.str());
      EXPECT_NE(out.str(), "");
      for (std::string line; std::getline(lines, line);) EXPECT_LE(display_width(line), 40U) << line;
    }
  }
}

TEST(CommandLine, NamesTheFileThatIsMissing) {
  const Ending ending = run_with({"plan", "-f", "no/such/file.yaml"});
  EXPECT_EQ(ending.status, kBadInput);
  EXPECT_NE(ending.err.find("no/such/file.yaml"), std::string::npos);
  EXPECT_NE(ending.err.find("1 error"), std::string::npos);
}

TEST(CommandLine, CompletesItselfForEachShell) {
  for (const char* shell : {"bash", "zsh", "fish"}) {
    const Ending ending = run_with({"completion", shell});
    EXPECT_EQ(ending.status, kDone);
    for (const char* word :
         {"plan", "completion", "version", "keep-going", "table wide json yaml csv", "pause resume step speed"}) {
      EXPECT_NE(ending.out.find(word), std::string::npos) << shell << " lacks " << word;
    }
  }
  EXPECT_EQ(run_with({"completion", "tcsh"}).status, kBadInput);
}

TEST(CommandLine, GeneratesTheSameWorkEveryTime) {
  const Ending csv = run_with({"generate", "--jobs", "50", "--nodes", "2"});
  EXPECT_EQ(csv.status, kDone) << csv.err;
  EXPECT_EQ(csv.out.substr(0, csv.out.find('\n')),
            "time,name,class,tenant,pods,gang,duration,estimate,deleted,gpus,cpu,memory,priority,selector,tolerations");
  EXPECT_EQ(std::ranges::count(csv.out, '\n'), 51);
  EXPECT_EQ(csv.err.substr(0, 22), "generated 50 jobs over");
  EXPECT_EQ(run_with({"generate", "--jobs", "50", "--nodes", "2"}).out, csv.out);
  EXPECT_NE(run_with({"generate", "--jobs", "50", "--nodes", "2", "--seed", "2"}).out, csv.out);

  const Ending lines = run_with({"generate", "--jobs", "3", "--format", "jsonl"});
  EXPECT_EQ(lines.out.substr(0, 9), "{\"time\": ");
  const Ending manifests = run_with({"generate", "--jobs", "3", "--manifests"});
  EXPECT_NE(manifests.out.find("kind: Job"), std::string::npos);
}

TEST(CommandLine, SaysWhyItGeneratesNothing) {
  EXPECT_EQ(run_with({"generate", "--load", "95"}).status, kDone) << "an overload is a load";
  EXPECT_EQ(run_with({"generate", "--nodes", "0"}).err, "error: nodes: 0 is not at least 1\n");
  EXPECT_EQ(run_with({"generate", "--start", "monday"}).err,
            "error: --start: monday is no time; write 2026-01-05T00:00:00Z\n");
  EXPECT_EQ(run_with({"generate", "--format", "csv", "--manifests"}).status, kBadInput);
  const Ending nowhere = run_with({"generate", "-o", "no/such/folder/x.csv"});
  EXPECT_EQ(nowhere.err, "error: no/such/folder/x.csv: No such file or directory\n");
  EXPECT_EQ(nowhere.status, kBadInput);
}

}  // namespace
}  // namespace loadline::cli
