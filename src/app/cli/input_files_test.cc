#include "app/cli/input_files.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>

#include "app/cli/command_line.h"
#include "app/cli/console.h"
#include "objects/kube/core/node.h"
#include "objects/kube/core/pod.h"

namespace loadline::cli {
namespace {

namespace fs = std::filesystem;

constexpr const char* kInputNode =
    "{apiVersion: v1, kind: Node, metadata: {name: node-1}, status: {allocatable: {cpu: 4, memory: 8Gi, pods: 110}}}\n";
constexpr const char* kInputPod =
    "{apiVersion: v1, kind: Pod, metadata: {name: p}, spec: {containers: [{name: c, image: i}]}}\n";
constexpr const char* kRetiredBudgetText =
    "apiVersion: policy/v1beta1\nkind: PodDisruptionBudget\nmetadata: {name: b}\n"
    "spec: {minAvailable: 1, selector: {matchLabels: {a: b}}}\n";

constexpr const char* kJsonPod =
    R"({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "q"}, "spec": {"containers": []}})";

std::vector<std::string> texts_of(const Diagnostics& diagnostics) {
  std::vector<std::string> texts;
  for (const Diagnostic& each : diagnostics) texts.push_back(each.to_string());
  return texts;
}

struct CommandEnding {
  int status = 0;
  std::string out;
  std::string err;
};

class InputFilesTest : public testing::Test {
 protected:
  InputFilesTest() {
    root_ = fs::temp_directory_path() / ("loadline_input_" + std::to_string(std::random_device{}()));
    fs::create_directories(root_);
    write("nodes.yaml", kInputNode);
    write("pod.yaml", kInputPod);
  }
  ~InputFilesTest() override { fs::remove_all(root_); }

  std::string path(const std::string& name) const { return (root_ / name).string(); }
  std::string write(const std::string& name, const std::string& text) const {
    fs::create_directories((root_ / name).parent_path());
    std::ofstream(path(name), std::ios::binary) << text;
    return path(name);
  }

  /// What is printed names files as below the test's folder.
  CommandEnding run_command(const std::vector<std::string>& arguments, const std::string& input = "") const {
    std::istringstream in(input);
    std::ostringstream out;
    std::ostringstream err;
    const Terminal page{.interactive = false, .width = 100};
    Console console{in, out, err, page, page};
    const int status = run(arguments, console);
    return {status, without_root(out.str()), without_root(err.str())};
  }

 private:
  [[nodiscard]] std::string without_root(std::string text) const {
    const std::string prefix = root_.string() + "/";
    for (std::size_t at = text.find(prefix); at != std::string::npos; at = text.find(prefix))
      text.erase(at, prefix.size());
    return text;
  }

  fs::path root_;
};

TEST_F(InputFilesTest, OfEqualKeysTheLastCountsInPlanLintAndExplain) {
  write("pod.yaml",
        "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec:\n  nodeSelector: {a: b}\n  nodeSelector: {}\n"
        "  containers: [{name: c, image: i}]\n");
  const std::string warning =
      "pod.yaml:6:3: warning: spec.nodeSelector: key \"nodeSelector\" already set in map (set at pod.yaml:5:3 before; "
      "the "
      "last value counts, so remove the other)\n";
  const std::vector<std::string> files = {"-f", path("nodes.yaml"), "-f", path("pod.yaml")};
  for (const char* command : {"plan", "explain"}) {
    std::vector<std::string> arguments = {command};
    arguments.insert(arguments.end(), files.begin(), files.end());
    const CommandEnding ending = run_command(arguments);
    EXPECT_EQ(ending.err, warning) << command;
    EXPECT_EQ(ending.status, kDone) << "with the first value it would fit nowhere";
  }
  const CommandEnding lint =
      run_command({"lint", "--rule", "selector-matches-no-node", "-f", path("nodes.yaml"), "-f", path("pod.yaml")});
  EXPECT_EQ(lint.out, warning);
  EXPECT_EQ(lint.status, kNotAllPlaced);
}

TEST_F(InputFilesTest, EqualKeysAreRefusedWhereTheirOwnProgramsRefuseThem) {
  write(
      "config.yaml",
      "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\nparallelism: 1\nparallelism: 2\n");
  const CommandEnding ending = run_command({"plan", "-f", path("nodes.yaml"), path("pod.yaml"), path("config.yaml")});
  EXPECT_EQ(ending.status, kBadInput);
  EXPECT_NE(ending.err.find("config.yaml:4:1: error: parallelism: key \"parallelism\" already set in map (set at "
                            "config.yaml:3:1 before; remove one of the two)"),
            std::string::npos)
      << ending.err;
}

TEST_F(InputFilesTest, TheSameObjectTwiceIsTakenOnce) {
  write("all/a.yaml", kInputPod);
  write("all/b.yaml", kInputPod);
  const CommandEnding same = run_command({"plan", "-f", path("nodes.yaml"), "-f", path("all")});
  EXPECT_EQ(same.status, kDone);
  EXPECT_EQ(
      same.err,
      "all/b.yaml:1:1: advice: Pod default/p: metadata.name: the same object is defined at all/a.yaml:1:1 already "
      "(remove one of the two)\n");
  EXPECT_EQ(run_command({"plan", "-q", "-f", path("nodes.yaml"), "-f", path("all")}).err, "");
  EXPECT_EQ(run_command({"lint", "--rule", "selector-matches-no-node", "-f", path("all")}).status, kNotAllPlaced);
}

TEST_F(InputFilesTest, OfDifferentObjectsOfOneNameTheLaterCounts) {
  write("all/a.yaml", kInputPod);
  write("all/b.yaml",
        "{apiVersion: v1, kind: Pod, metadata: {name: p}, spec: {nodeSelector: {x: z}, containers: [{name: c, image: "
        "i}]}}\n");
  const CommandEnding ending = run_command({"plan", "-f", path("nodes.yaml"), "-f", path("all")});
  EXPECT_EQ(ending.status, kNotAllPlaced) << "the later fits nowhere";
  EXPECT_EQ(
      ending.err,
      "all/b.yaml:1:1: warning: Pod default/p: metadata.name: another object of this name is defined at "
      "all/a.yaml:1:1; this one takes its place (they differ in spec.nodeSelector; remove one of the two, or give it "
      "another name)\n");
}

TEST_F(InputFilesTest, RetiredVersionsAreErrorsUnlessAccepted) {
  write("budget.yaml", kRetiredBudgetText);
  const std::string words =
      " PodDisruptionBudget default/b: apiVersion: policy/v1beta1 PodDisruptionBudget is unavailable in v1.25+; use "
      "policy/v1 PodDisruptionBudget ";
  for (const char* command : {"plan", "explain", "lint"}) {
    std::vector<std::string> arguments = {command,          "-f", path("nodes.yaml"), "-f",
                                          path("pod.yaml"), "-f", path("budget.yaml")};
    const CommandEnding refused = run_command(arguments);
    EXPECT_EQ(refused.status, kBadInput) << command;
    EXPECT_NE((refused.out + refused.err).find("budget.yaml:1:13: error:" + words), std::string::npos) << refused.err;
    arguments.emplace_back("--accept-retired");
    const CommandEnding accepted = run_command(arguments);
    EXPECT_NE(accepted.status, kBadInput) << command;
    EXPECT_NE((accepted.out + accepted.err).find("budget.yaml:1:13: warning:" + words), std::string::npos)
        << accepted.err;
  }
  const std::vector<std::string> change = {"plan",           "-f",     path("nodes.yaml"), "-f",
                                           path("pod.yaml"), "--diff", "--with",           path("budget.yaml")};
  EXPECT_EQ(run_command(change).status, kBadInput);
}

TEST_F(InputFilesTest, StandardInputWithoutObjectsIsAnError) {
  const std::string hint = "(see whether the command that was to write them has failed)\n";
  for (const char* command : {"plan", "lint", "explain"}) {
    const CommandEnding blank =
        run_command({command, "-f", path("nodes.yaml"), "-f", path("pod.yaml"), "-f", "-"}, " \n");
    EXPECT_EQ(blank.status, kBadInput) << command;
    EXPECT_NE((blank.out + blank.err).find("standard input: error: holds no objects: it is empty " + hint),
              std::string::npos)
        << blank.err;
  }
  const CommandEnding comments =
      run_command({"plan", "--cluster", "-", "-f", path("pod.yaml")}, "---\n# nothing\n---\n");
  EXPECT_EQ(comments.status, kBadInput);
  EXPECT_NE(comments.err.find("standard input: error: holds no objects: nothing but comments " + hint),
            std::string::npos);
}

TEST_F(InputFilesTest, StandardInputIsNamedByOneOption) {
  const CommandEnding ending = run_command({"plan", "--cluster", "-", "-f", "-"}, kInputNode);
  EXPECT_EQ(ending.status, kBadInput);
  EXPECT_NE(ending.err.find("standard input: error: can be read only once\n"), std::string::npos) << ending.err;
}

TEST_F(InputFilesTest, FilesWithoutObjectsAreAnErrorIfThereIsNothingElse) {
  write("empty.yaml", "");
  write("notes/a.yaml", "# nothing\n");
  write("notes/b.yaml", "---\n");
  const CommandEnding alone = run_command({"lint", path("empty.yaml"), path("notes")});
  EXPECT_EQ(alone.status, kBadInput);
  EXPECT_EQ(alone.out,
            "empty.yaml: error: holds no objects: it is empty\nnotes: error: its files hold no objects: nothing but "
            "comments\n");
  const CommandEnding beside = run_command({"plan", path("nodes.yaml"), path("pod.yaml"), path("empty.yaml")});
  EXPECT_EQ(beside.status, kDone);
  EXPECT_EQ(beside.err, "empty.yaml: warning: holds no objects: it is empty\n");
  write("notes/c.yaml", kInputPod);
  EXPECT_EQ(run_command({"plan", path("nodes.yaml"), path("notes")}).err, "") << "a folder may hold such files";
}

TEST_F(InputFilesTest, ATemplateIsToldInOneLine) {
  write("web/Chart.yaml", "name: web\n");
  const std::string file =
      write("web/templates/web.yaml",
            "apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: {{ .Release.Name }}\n  labels:\n"
            "    {{- include \"x\" . | nindent 4 }}\nspec: {}\n---\nkind: Pod\n");
  const CommandEnding ending = run_command({"lint", file});
  EXPECT_EQ(ending.status, kBadInput);
  EXPECT_EQ(ending.out.substr(0, ending.out.find(" (helm")),
            "web/templates/web.yaml:4:9: error: is a template, not a manifest: {{ .Release.Name }}");
  EXPECT_NE(ending.out.find("(helm template web web | loadline lint -f -)\n"), std::string::npos) << ending.out;
}

TEST_F(InputFilesTest, ATextOfATemplateInAConfigMapIsNoTemplate) {
  write("rules.yaml",
        "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: m, annotations: {a: '{{ .x }}'}}\ndata:\n  rule: |\n"
        "    {{ $labels.instance }}\n");
  EXPECT_EQ(run_command({"plan", path("nodes.yaml"), path("pod.yaml"), path("rules.yaml")}).err, "");
}

TEST_F(InputFilesTest, PlaceholdersAreToldInOneLineAFile) {
  write("job.yaml",
        "apiVersion: v1\nkind: Pod\nmetadata: {name: \"${NAME}\"}\nspec:\n  priority: ${PRIORITY}\n"
        "  containers: [{name: c, image: i, resources: {requests: {cpu: \"${CPU}\"}}}]\n");
  const CommandEnding ending = run_command({"plan", path("nodes.yaml"), path("job.yaml")});
  EXPECT_EQ(ending.status, kBadInput);
  EXPECT_EQ(
      ending.err.substr(0, ending.err.find('\n') + 1),
      "job.yaml:3:18: error: placeholders are still to be filled in: ${NAME}, ${PRIORITY}, ${CPU} (with their values "
      "in the environment: envsubst < job.yaml | loadline plan -f -)\n");
  EXPECT_NE(ending.err.find("\n1 error;"), std::string::npos) << ending.err;
}

TEST_F(InputFilesTest, LabelsOfAKindClusterMayBeNumbersAndAreTheTextsThatWereWritten) {
  write(
      "kind.yaml",
      "kind: Cluster\napiVersion: kind.x-k8s.io/v1alpha4\nruntimeConfig: {api/alpha: false}\nnodes:\n"
      "- role: control-plane\n  labels: {version: 1.30, tier: 2, spot: yes, none: , loadline.dev/capacity.cpu: 16}\n");
  write("pod.yaml",
        "{apiVersion: v1, kind: Pod, metadata: {name: p}, spec: {nodeSelector: {version: \"1.30\", tier: \"2\", spot: "
        "\"yes\", none: \"\"}, containers: [{name: c, image: i, resources: {requests: {cpu: 12}}}]}}\n");
  const CommandEnding ending = run_command({"plan", path("kind.yaml"), path("pod.yaml")});
  EXPECT_EQ(ending.err, "");
  EXPECT_EQ(ending.status, kDone) << ending.out;
}

TEST_F(InputFilesTest, LongListsAreReadItemByItemWithTheSameResult) {
  const std::string node =
      R"({"apiVersion": "v1", "kind": "Node", "metadata": {"name": "n"}, "status": {"alocatable": {}}})";
  const std::string begin = R"({"apiVersion": "v1", "items": [)" + node + ",\n";
  const std::string end = R"(], "kind": "List"})";
  const std::string texts[] = {
      begin + kJsonPod + end,
      begin + node + end,                               // the same object twice
      begin + kJsonPod + "} " + end,                    // not well-formed
      begin + kJsonPod,                                 // cut off
      begin + R"({"kind": "Pod", "kind": "x"})" + end,  // a key twice
      begin + "[]" + end,
      begin + "{{ .Values.name }}" + end,
  };
  InputReading as_items;
  as_items.long_list = 1;
  std::istringstream none;
  for (const std::string& text : texts) {
    SCOPED_TRACE(text);
    const std::vector<std::string> files = {write("list.json", text), path("pod.yaml")};
    const InputFiles whole = read_input_files(files, none, {});
    const kube::Decoding decoded = decode_input(whole.documents, {});
    const InputObjects read = read_input_objects(files, none, as_items);
    EXPECT_EQ(texts_of(read.problems), texts_of(whole.problems));
    EXPECT_EQ(texts_of(read.decoding.diagnostics), texts_of(decoded.diagnostics));
    EXPECT_EQ(read.decoding.objects.of<kube::Node>().size(), decoded.objects.of<kube::Node>().size());
    EXPECT_EQ(read.decoding.objects.of<kube::Pod>().size(), decoded.objects.of<kube::Pod>().size());
  }
}

}  // namespace
}  // namespace loadline::cli
