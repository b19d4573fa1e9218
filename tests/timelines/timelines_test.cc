#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "command/command.h"

// `loadline plan --until`, as its users run it.

namespace loadline::timelines {
namespace {

using command::Ending;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

constexpr const char* kNode = R"(apiVersion: v1
kind: Node
metadata: {name: gpu-a}
status:
  capacity: {cpu: "16", memory: 64Gi, pods: "110", nvidia.com/gpu: "1"}
  allocatable: {cpu: "16", memory: 64Gi, pods: "110", nvidia.com/gpu: "1"}
)";

/// A job that wants so many GPUs for ten minutes.
std::string job(const std::string& name, int gpus = 1, const std::string& version = "batch/v1") {
  return "---\napiVersion: " + version + "\nkind: Job\nmetadata: {name: " + name + R"(, namespace: default}
spec:
  template:
    metadata: {annotations: {loadline.dev/run-time: 10m}}
    spec:
      restartPolicy: Never
      containers:
      - name: main
        image: train
        resources: {requests: {cpu: "4"}, limits: {nvidia.com/gpu: ")" +
         std::to_string(gpus) + "\"}}\n";
}

/// A folder of its own for each test.
struct Timelines : ::testing::Test {
  Timelines()
      : folder(std::filesystem::temp_directory_path() /
               (std::string("loadline-timeline-") + ::testing::UnitTest::GetInstance()->current_test_info()->name())) {
    std::filesystem::remove_all(folder);
    std::filesystem::create_directories(folder);
    command::write(folder / "queue.yaml", kNode + job("first") + job("second") + job("third"));
  }
  ~Timelines() override { std::filesystem::remove_all(folder); }
  [[nodiscard]] std::string path(const std::string& name) const { return (folder / name).string(); }

  std::filesystem::path folder;
};

TEST_F(Timelines, WhatAnExtenderManagesIsLeftToItThoughItIsNotCalled) {
  command::write(folder / "bare.yaml", R"(apiVersion: v1
kind: Node
metadata: {name: bare}
status:
  capacity: {cpu: "16", memory: 64Gi, pods: "110"}
  allocatable: {cpu: "16", memory: 64Gi, pods: "110"}
)" + job("first") + job("second"));
  command::write(folder / "config.yaml", R"(apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
extenders:
- urlPrefix: "http://localhost:1"
  filterVerb: filter
  managedResources: [{name: nvidia.com/gpu, ignoredByScheduler: true}]
)");
  const Ending ending = command::run(
      {"plan", "-f", path("bare.yaml"), "--until", "idle", "--config", path("config.yaml"), "--without-extenders"});
  EXPECT_EQ(ending.status, 0) << ending.out << ending.err;
}

TEST_F(Timelines, ShowAQueueThatDrains) {
  const Ending ending = command::run({"plan", "-f", path("queue.yaml"), "--until", "idle"});
  EXPECT_EQ(ending.err, "");
  EXPECT_EQ(ending.status, 0);
  const std::string expected = R"(✓ 3 workloads, all ended by 30m
3 pods on 1 node; median wait 10m; idle: nothing more will happen by itself

WORKLOAD            PODS  WAITED  STARTED  ENDED  OUTCOME    0                                    30m
Job default/first      1      0s       0s    10m  completed  █████████████
Job default/second     1     10m      10m    20m  completed  ·············██████████████
Job default/third      1     20m      20m    30m  completed  ···························█████████████
· waiting  ▒ running in part  █ running  ▓ failed

IN USE          MEAN  MOST  OVER 30m
cpu              25%   25%  ▃▃▃▃▃▃▃▃▃▃▃▃▃▃▃▃▃▃▃▃▃▃▃▃▃▃▃▃▃▃▃▃▃▃▃▃▃▃▃▃
memory            0%    0%  ▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁
nvidia.com/gpu  100%  100%  ████████████████████████████████████████
pending pods     1.0     2  █████████████▆▅▅▅▅▅▅▅▅▅▅▅▅▄▁▁▁▁▁▁▁▁▁▁▁▁▁
)";
  EXPECT_EQ(ending.out, expected) << command::first_difference(expected, ending.out);
}

/// What scenarios plan, run as a cluster does.
std::string run_case(const std::string& name, const std::string& until) {
  return command::run({"plan", "-f", "tests/scenarios/cases/" + name, "--until", until}).out;
}

TEST(TimelinesOfLaterParts, StartTheFirstPartAndThenTheNext) {
  EXPECT_THAT(run_case("later-parts-volcano-depends-on", "idle"), StartsWith("✓ 2 workloads, all ended"));
  EXPECT_THAT(run_case("later-parts-mpi-launcher", "idle"), StartsWith("✓ 2 workloads, all ended"));
}

TEST(TimelinesOfLaterParts, LetOneOfTwoGiveWay) {
  const std::string out = run_case("later-parts-one-gives-way", "1h");
  EXPECT_THAT(out, ContainsRegex("LeaderWorkerSet default/chat +3 .*running"));
  EXPECT_THAT(out, ContainsRegex("LeaderWorkerSet default/code +[0-9]+ .*pending"));
  EXPECT_THAT(run_case("later-parts-kept", "1h"), StartsWith("✗ 2 of 2 workloads still wait"));
}

TEST(TimelinesOfGroups, HeedTheMinimumThatVolcanoReadsOfADeployment) {
  EXPECT_THAT(run_case("volcano-minimum-of-a-deployment", "5m"), ContainsRegex("Deployment default/web +3 .*pending"));
}

TEST_F(Timelines, AreWhatTheManualShows) {
  const std::string manual = command::read("docs/plan.md");
  const std::string prompt = "$ loadline plan -f examples/timeline --until idle\n";
  const std::size_t begin = manual.find(prompt);
  ASSERT_NE(begin, std::string::npos);
  const std::size_t text = begin + prompt.size();
  const std::string shown = manual.substr(text, manual.find("```", text) - text);
  const Ending ending = command::run({"plan", "-f", "examples/timeline", "--until", "idle"});
  EXPECT_EQ(ending.out, shown) << command::first_difference(shown, ending.out);
  EXPECT_EQ(ending.err, "");
  EXPECT_EQ(ending.status, 1);
}

TEST_F(Timelines, AreTheSameBytesEachTime) {
  for (const char* format : {"table", "wide", "json", "yaml", "csv"}) {
    const auto run = [&](const std::string& page) {
      return command::run({"plan", "-f", path("queue.yaml"), "--until", "25m", "-o", format, "--html", path(page)}).out;
    };
    EXPECT_EQ(run("one.html"), run("two.html")) << format;
    EXPECT_EQ(command::read(path("one.html")), command::read(path("two.html")));
  }
}

TEST_F(Timelines, SayWhatWaitsWhenTheTimeIsUp) {
  command::write(folder / "more.yaml", job("fourth") + job("huge", 2));
  const Ending ending =
      command::run({"plan", "--cluster", path("queue.yaml"), "-f", path("more.yaml"), "--until", "30m"});
  EXPECT_EQ(ending.status, 1);
  EXPECT_THAT(ending.out, StartsWith("✗ 1 of 5 workloads still waits after 30m\n"));
  EXPECT_THAT(ending.out, HasSubstr("  Job default/huge  waited 30m\n      0/1 nodes are available: 1 Insufficient "));
}

TEST_F(Timelines, MissNoPodsThatHaveCompleted) {
  command::write(folder / "two.yaml", kNode + job("twice"));
  std::string text = command::read(path("two.yaml"));
  text.replace(text.find("  template:"), 0, "  parallelism: 2\n  completions: 2\n");
  command::write(folder / "two.yaml", text);
  // The second pod gets the GPU when the first one has completed.
  const Ending ending = command::run({"plan", "-f", path("two.yaml"), "--until", "15m"});
  EXPECT_THAT(ending.out, StartsWith("✓ 1 workload, all running after 15m\n"));
  EXPECT_EQ(ending.status, 0);
}

TEST_F(Timelines, ApplyManifestsOverTheCluster) {
  command::write(folder / "changed.yaml", job("second", 9));
  const Ending ending = command::run(
      {"plan", "--cluster", path("queue.yaml"), "-f", path("changed.yaml"), "--until", "idle", "-o", "csv"});
  EXPECT_EQ(ending.status, 1);
  const std::vector<std::string> lines = command::lines_of(ending.out);
  ASSERT_EQ(lines.size(), 4U) << ending.text();
  EXPECT_THAT(ending.out, HasSubstr(",Job,first,gpu-a,completed,0,"));
  EXPECT_THAT(ending.out, HasSubstr(",Job,second,,pending,0,,,,0,"));
}

TEST_F(Timelines, WriteAPageThatNeedsNothingElse) {
  const Ending ending =
      command::run({"plan", "-f", path("queue.yaml"), "--until", "1h", "--html", path("page.html"), "-q"});
  EXPECT_EQ(ending.status, 0) << ending.err;
  const std::string page = command::read(path("page.html"));
  EXPECT_THAT(page, StartsWith("<!DOCTYPE html>"));
  EXPECT_THAT(page, HasSubstr("Job default/second"));
  EXPECT_THAT(page, HasSubstr("gpu-a"));
  for (const char* elsewhere : {"<script", "<link", "src=", "href=\"http", "url(http", "@import"}) {
    EXPECT_THAT(page, Not(HasSubstr(elsewhere)));
  }
  const Ending nowhere =
      command::run({"plan", "-f", path("queue.yaml"), "--until", "1h", "--html", path("none/page.html")});
  EXPECT_EQ(nowhere.status, 2);
  EXPECT_THAT(nowhere.err, HasSubstr("page.html cannot be written"));
}

TEST_F(Timelines, ShowANamespaceOnly) {
  const auto ending = [&](const char* name_space) {
    return command::run({"plan", "-f", path("queue.yaml"), "--until", "15m", "-n", name_space, "-o", "csv"});
  };
  EXPECT_GT(command::lines_of(ending("default").out).size(), 1U) << ending("default").text();
  EXPECT_EQ(ending("other").status, 2);
  EXPECT_THAT(ending("other").err, HasSubstr("there is no namespace \"other\" in the input"));
}

TEST_F(Timelines, RefuseWhatIsForAPlanOfOneMoment) {
  const auto refusal = [&](std::vector<std::string> more) {
    std::vector<std::string> words = {"plan", "-f", path("queue.yaml")};
    words.insert(words.end(), more.begin(), more.end());
    const Ending ending = command::run(words);
    EXPECT_EQ(ending.status, 2) << ending.text();
    EXPECT_EQ(ending.out, "");
    return ending.err;
  };
  EXPECT_EQ(refusal({"--html", path("page.html")}),
            "error: --html shows what happens as time passes; say how long, as in --until 8h\n");
  EXPECT_EQ(refusal({"--until", "tomorrow"}),
            "error: --until: \"tomorrow\" is no span of time; write it like 8h or 90m, or idle: until nothing more "
            "happens\n");
  EXPECT_THAT(refusal({"--until", "0s"}), HasSubstr("is no span of time"));
  EXPECT_THAT(refusal({"--until", "1h", "--diff", "--cordon", "gpu-a"}), HasSubstr("--diff compares plans"));
  EXPECT_THAT(refusal({"--until", "1h", "--nodes"}), HasSubstr("--html FILE shows them as time passes"));
  EXPECT_THAT(refusal({"--until", "1h", "--reserve", "1:gpu=1"}), HasSubstr("write a Reservation into a manifest"));
  EXPECT_THAT(refusal({"--until", "1h", "--guess-workloads"}), HasSubstr("--guess-workloads"));
  EXPECT_THAT(refusal({"--until", "1h", "--assume-default-storage-class"}), HasSubstr("write the StorageClass"));
  command::write(folder / "config.yaml", R"(apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
extenders:
- {urlPrefix: "http://localhost:1", filterVerb: filter}
)");
  EXPECT_THAT(refusal({"--until", "1h", "--config", path("config.yaml")}), HasSubstr("--without-extenders"));
  EXPECT_EQ(command::run({"plan", "-f", path("queue.yaml"), "--until", "1h", "--config", path("config.yaml"),
                          "--without-extenders"})
                .status,
            0);
}

}  // namespace
}  // namespace loadline::timelines
