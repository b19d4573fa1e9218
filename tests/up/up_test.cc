// How `loadline up` starts, what it makes of files, and how it ends.
#include "command/up.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>  // NOLINT(modernize-deprecated-headers): kill() is POSIX's
#include <sys/wait.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "command/command.h"
#include "foundation/document/at.h"
#include "up/up_server.h"

namespace loadline::command {
namespace {

namespace fs = std::filesystem;
using document::Value;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

TEST(Up, FilesBecomeAClusterThatCommandsCanAskAbout) {
  const Folder folder;
  Server server(folder, "a", {"-f", folder.with("kind.yaml", kKindCluster), "-f", folder.with("work.yaml", kWork)});
  ASSERT_THAT(server.says("objects"), HasSubstr("5 created"));
  EXPECT_THAT(server.says("objects"),
              HasSubstr("warning: HorizontalPodAutoscaler team/serve: is kept, but no controller"));
  EXPECT_THAT(server.says("objects"), HasSubstr("warning: ValidatingAdmissionPolicy no-latest: is kept, but not enf"));
  const Ending settled = server.run({"status", "--wait", "30", "-o", "json"});
  EXPECT_EQ(settled.status, 1) << settled.text();  // the Job waits
  const Value status = json(settled.out);
  EXPECT_EQ(document::find_at(status, {"nodes", "ready"})->integer(), 2) << settled.text();
  EXPECT_EQ(document::find_at(status, {"pods", "Running"})->integer(), 2);
  EXPECT_EQ(document::text_at(status, {"resources", "nvidia.com/gpu", "allocated"}), "6");
  EXPECT_EQ(document::text_at(status, {"resources", "nvidia.com/gpu", "allocatable"}), "8");

  const Ending text = server.run({"status"});
  EXPECT_THAT(text.out, HasSubstr("2 of 2 ready"));
  EXPECT_THAT(text.out, HasSubstr("team/train-"));
  EXPECT_THAT(text.out, HasSubstr("1 Insufficient nvidia.com/gpu"));
  const Ending why = server.run({"explain", "job/train", "-n", "team"});
  EXPECT_EQ(why.status, 1) << why.text();
  EXPECT_THAT(why.out, HasSubstr("8 nvidia.com/gpu in all, needs 9")) << why.text();
  EXPECT_THAT(why.out, HasSubstr("WHAT WOULD HELP"));
  const Ending plan = server.run({"plan", "--live", "--diff", "--remove-nodes", "ml-worker"});
  EXPECT_EQ(plan.status, 1) << plan.text();
  EXPECT_EQ(server.end(), 0);
  EXPECT_FALSE(fs::exists(server.kubeconfig()));
}

TEST(Up, StartsNothingWithBrokenFiles) {
  const Folder folder;
  struct Case {
    const char* text;
    const char* complaint;
  };
  const Case cases[] = {Case{"apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec: {containrs: []}\n",
                             "broken.yaml:4:8: error: Pod default/p: spec.containrs: unknown field"},
                        Case{"apiVersion: example.com/v1\nkind: Widget\nmetadata: {name: w}\n",
                             "broken.yaml:1:1: error: Widget w: no matches for kind \"Widget\" in version"},
                        Case{"apiVersion: policy/v1beta1\nkind: PodDisruptionBudget\nmetadata: {name: b}\n",
                             "policy/v1beta1 PodDisruptionBudget is unavailable in v1.25+; use policy/v1"},
                        Case{"# nothing\n", "broken.yaml: error: holds no objects: nothing but comments"},
                        Case{"a: [", "broken.yaml:"}};
  for (const Case& test : cases) {
    Server server(folder, "b" + std::to_string(&test - cases), {"-f", folder.with("broken.yaml", test.text)});
    const std::string said = server.says("nothing was started");
    EXPECT_THAT(said, HasSubstr(test.complaint));
    EXPECT_THAT(said, Not(HasSubstr("Kubernetes API")));
    EXPECT_EQ(server.ends_by_itself(), 2);
  }
}

TEST(Up, ABusyPortLeavesNothingBehind) {
  const Folder folder;
  Server server(folder, "a", {"--api-only"});
  const std::string said = server.says("Kubernetes API");
  const std::string_view before = "https://127.0.0.1:";
  const std::size_t at = said.find(before);
  ASSERT_NE(at, std::string::npos) << said;
  const std::string port = said.substr(at + before.size(), said.find(' ', at) - at - before.size());
  const std::string log = folder.file("second.log");
  const pid_t second = launch({LOADLINE_PROGRAM, "up", "--port", port, "--data-dir", folder.file("kept/data"),
                               "--kubeconfig", folder.file("second.kubeconfig")},
                              log);
  int status = 0;
  waitpid(second, &status, 0);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 2);
  EXPECT_THAT(read(log), AllOf(HasSubstr("in use"), HasSubstr("--port 0 takes a free one")));
  EXPECT_FALSE(fs::exists(folder.file("kept")));
}

/// Runs `loadline up` until it is ready, ends it so, and returns what it said.
std::string said_until(const std::vector<int>& signals, const std::string& kubeconfig, const std::string& log) {
  fs::remove(log);  // what the last one said is no answer of this one
  const pid_t process =
      launch({LOADLINE_PROGRAM, "up", "--in-memory", "--api-only", "--port", "0", "--kubeconfig", kubeconfig}, log);
  for (int tries = 0; tries < 600 && waitpid(process, nullptr, WNOHANG) == 0; ++tries) {
    if (fs::exists(log) && read(log).find("kubeconfig") != std::string::npos) break;
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
  for (const int signal : signals) kill(process, signal);
  waitpid(process, nullptr, 0);
  return read(log);
}

TEST(Up, HoweverItEndsTheNextOneMayWriteTheKubeconfig) {
  const Folder folder;
  const std::string kubeconfig = folder.file("kp");
  for (const std::vector<int>& signals : {std::vector{SIGINT, SIGTERM}, std::vector{SIGTERM, SIGINT},
                                          std::vector{SIGINT, SIGINT}, std::vector{SIGKILL}, std::vector{SIGINT}}) {
    EXPECT_THAT(said_until(signals, kubeconfig, folder.file("log")), HasSubstr("Kubernetes API"));
    EXPECT_FALSE(fs::exists(kubeconfig + ".lock"));
    const bool is_cut_off = signals == std::vector{SIGINT, SIGINT} || signals == std::vector{SIGKILL};
    if (!is_cut_off) {
      EXPECT_FALSE(fs::exists(kubeconfig)) << "a server that keeps nothing leaves no way to it behind";
    }
  }
  folder.with("kp.lock", "loadline, process 1\n");  // killed while it wrote
  EXPECT_THAT(said_until({SIGINT}, kubeconfig, folder.file("log")), HasSubstr("Kubernetes API"));
  EXPECT_FALSE(fs::exists(kubeconfig + ".lock"));
}

TEST(Up, PodsOfAnAccountThatIsNotThereAreRefused) {
  constexpr const char* kRobots = R"(apiVersion: v1
kind: Namespace
metadata: {name: team}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: robots, namespace: team}
spec:
  selector: {matchLabels: {app: robots}}
  template:
    metadata: {labels: {app: robots}}
    spec: {serviceAccountName: robot, containers: [{name: main, image: "web:1"}]}
---
apiVersion: v1
kind: Pod
metadata: {name: plain, namespace: team}
spec: {containers: [{name: main, image: "web:1"}]}
)";
  const Folder folder;
  Server server(folder, "a", {"-f", folder.with("robots.yaml", kRobots)});
  ASSERT_THAT(server.says("objects"), HasSubstr("3 created"));
  std::string text;
  for (int tries = 0; tries < 100 && text.find("FailedCreate") == std::string::npos; ++tries) {
    text = server.run({"status"}).out;
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
  EXPECT_THAT(text, HasSubstr("serviceaccount \"robot\" not found"));
  EXPECT_THAT(saved(server, "Pod"), ::testing::SizeIs(1)) << "the one that names no account runs as the default one";
}

constexpr const char* kRoom = R"(apiVersion: loadline.dev/v1alpha1
kind: Reservation
metadata: {name: room}
spec:
  pods: 2
  template:
    metadata: {labels: {app: train}}
    spec: {containers: [{name: c, image: x, resources: {limits: {nvidia.com/gpu: "8"}}}]}
)";

/// A Job of one pod that wants a machine's GPUs. The work goes on until somebody ends it.
std::string job(const std::string& name) {
  return "apiVersion: batch/v1\nkind: Job\nmetadata: {name: " + name + R"(}
spec:
  template:
    metadata: {labels: {app: )" +
         name + R"(}, annotations: {loadline.dev/run-time: forever}}
    spec:
      restartPolicy: Never
      containers: [{name: c, image: x, resources: {limits: {nvidia.com/gpu: "8"}}}]
)";
}

/// What the reservation's status says once it tells of so many pods that have consumed it.
std::string room_in(const Server& server, std::int64_t consumed) {
  std::string text;
  for (int tries = 0; tries < 100; ++tries) {
    const std::vector<Value> rooms = saved(server, "Reservation");
    const Value* count = rooms.empty() ? nullptr : document::find_at(rooms[0], {"status", "consumed"});
    if (count != nullptr && count->integer() == consumed) {
      return std::string(document::text_at(rooms[0], {"status", "phase"})) + ", " +
             std::to_string(document::find_at(rooms[0], {"status", "held"})->integer()) + " held";
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
  return "not in ten seconds";
}

TEST(Up, RoomIsHeldForPodsToComeAcrossRestarts) {
  const Folder folder;
  const auto with_file = [&](const std::string& name, const std::string& text) {
    return std::vector<std::string>{"--data-dir", folder.file("data"),    "--nodes", "2:gpu=a100:8",
                                    "-f",         folder.with(name, text)};
  };
  {
    Server server(folder, "a", with_file("room.yaml", kRoom));
    ASSERT_THAT(server.says("objects"), HasSubstr("1 created"));
    EXPECT_EQ(room_in(server, 0), "Holding, 2 held");
    EXPECT_EQ(server.end(), 0);
  }
  {
    Server server(folder, "b", with_file("train.yaml", job("train")));
    ASSERT_THAT(server.says("objects"), HasSubstr("1 created"));
    EXPECT_EQ(room_in(server, 1), "Holding, 1 held");
    EXPECT_EQ(server.end(), 0);
  }
  Server server(folder, "c", with_file("sweep.yaml", job("sweep")));
  ASSERT_THAT(server.says("objects"), HasSubstr("1 created"));
  EXPECT_EQ(server.run({"status", "--wait", "30"}).status, 1) << "the rest of the room is held";
  EXPECT_EQ(room_in(server, 1), "Holding, 1 held");
  EXPECT_THAT(server.run({"plan", "--live"}).out, HasSubstr("1 held, 1 consumed"));
}

/// Ctrl-C is not waited for, and half a plan is not printed.
TEST(Plan, EndsAtOnceWhenInterrupted) {
  const Folder folder;
  const std::string work = folder.with("work.yaml", R"(apiVersion: v1
kind: Node
metadata: {name: a}
status: {allocatable: {cpu: "1000000", memory: 9Pi, pods: "1000000"}}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  replicas: 1000000
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: main, image: "web:1"}]}
)");
  const std::string log = folder.file("plan.log");
  const pid_t plan = launch({LOADLINE_PROGRAM, "plan", "--max-pods", "1000000", "-f", work}, log);
  std::this_thread::sleep_for(std::chrono::milliseconds(300));
  kill(plan, SIGINT);
  int status = 0;
  waitpid(plan, &status, 0);
  EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGINT) << "a shell calls it 130";
  EXPECT_EQ(read(log), "");
}

TEST(Up, TheClockStandsStillUntilItIsTold) {
  const Folder folder;
  Server server(folder, "g", {"--nodes", "1"});
  server.says("nodes");
  const Ending paused = server.run({"clock", "pause"});
  EXPECT_THAT(paused.out, HasSubstr("stands still"));
  EXPECT_EQ(server.run({"clock"}).out, paused.out);
  const Ending stepped = server.run({"clock", "step", "24h"});
  EXPECT_EQ(stepped.status, 0) << stepped.text();
  EXPECT_NE(stepped.out.substr(0, 10), paused.out.substr(0, 10));    // another day
  EXPECT_EQ(stepped.out.substr(10, 10), paused.out.substr(10, 10));  // at the same time
  EXPECT_EQ(server.run({"status"}).status, 0);                       // its node was not given up meanwhile
  EXPECT_THAT(server.run({"clock", "speed", "60"}).out, HasSubstr("60 times"));
  EXPECT_EQ(server.run({"clock", "speed", "-1"}).status, 2);
  EXPECT_EQ(server.run({"clock", "step", "soon"}).status, 2);
  EXPECT_EQ(server.run({"clock", "step"}).status, 2);
}

/// Moody scores nodes by their label "score", unless a pod's mood is otherwise: see
/// src/hosts/extension/testing/moody.c.
constexpr const char* kMoodyProfiles = R"(apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
profiles:
- schedulerName: default-scheduler
  plugins: {score: {disabled: [{name: "*"}], enabled: [{name: Moody, weight: 1}]}}
- schedulerName: plain
)";

constexpr const char* kMoodyPods = R"(apiVersion: v1
kind: Pod
metadata: {name: first, namespace: default}
spec: {containers: [{name: c, image: x}]}
---
apiVersion: v1
kind: Pod
metadata: {name: odd, namespace: default, annotations: {mood: segv}}
spec: {containers: [{name: c, image: x}]}
---
apiVersion: v1
kind: Pod
metadata: {name: other, namespace: default}
spec: {schedulerName: plain, containers: [{name: c, image: x}]}
)";

TEST(Up, APluginDecidesAndItsCrashIsItsOwn) {
  const Folder folder;
  Server server(folder, "h",
                {"--nodes", "1:name=low,label=score=1", "--nodes", "1:name=high,label=score=90", "--nodes",
                 "1:name=middle,label=score=50", "--plugin", LOADLINE_MOODY_PLUGIN, "--config",
                 folder.with("profiles.yaml", kMoodyProfiles), "-f", folder.with("pods.yaml", kMoodyPods)});
  EXPECT_THAT(server.says("Pod cannot be decided about"),
              AllOf(HasSubstr("default/odd"), HasSubstr("Moody"), HasSubstr("crashed with signal 11")));
  EXPECT_EQ(server.run({"status", "--wait", "20"}).status, 1);
  std::map<std::string, std::string, std::less<>> nodes;
  for (const Value& pod : saved(server, "Pod")) {
    nodes.emplace(document::text_at(pod, {"metadata", "name"}), document::text_at(pod, {"spec", "nodeName"}));
  }
  EXPECT_EQ(nodes["first"], "high-1");
  EXPECT_EQ(nodes["odd"], "");
  EXPECT_NE(nodes["other"], "");
  EXPECT_EQ(server.end(), 0);
}

/// Its author need not be who starts the cluster: no server is called, no file read, no plugin run.
TEST(Up, AConfigurationOfFilesIsNotTrustedUnlessThatIsSaid) {
  const Folder folder;
  const std::string extended = folder.with("extended.yaml", R"(apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
extenders:
- {urlPrefix: "https://127.0.0.1:1/", filterVerb: filter, tlsConfig: {caFile: /dev/zero}}
)");
  Server server(folder, "x", {"-f", extended, "-f", folder.with("pods.yaml", kMoodyPods)});
  EXPECT_THAT(server.says("objects"),
              HasSubstr("extended.yaml:4:1: warning: KubeSchedulerConfiguration: extenders: are not called "
                        "(https://127.0.0.1:1/): the input names them, not you"));
  EXPECT_EQ(server.run({"status", "--wait", "20"}).status, 1) << "there is no profile \"plain\"";
  EXPECT_NE(document::text_at(saved(server, "Pod").at(0), {"spec", "nodeName"}), "");
  EXPECT_EQ(server.end(), 0);

  const Ending trusted = run({"up", "--in-memory", "--port", "0", "--kubeconfig", folder.file("none"), "-f", extended,
                              "--trust-input-configuration"});
  EXPECT_EQ(trusted.status, 2);
  EXPECT_THAT(trusted.err, HasSubstr("open /dev/zero: is no regular file"));
}

constexpr const char* kTwice = R"(
{apiVersion: v1, kind: Node, metadata: {name: node-1, labels: {a: first}}, status: {capacity: {cpu: 1}}}
---
{apiVersion: v1, kind: Node, metadata: {name: node-1, labels: {a: last}}, status: {capacity: {cpu: 2}}}
---
{apiVersion: v1, kind: Secret, metadata: {name: s}, stringData: {a: first}, stringData: {a: last}}
---
{apiVersion: v1, kind: Secret, metadata: {name: s, namespace: default}, stringData: {a: last}}
---
{apiVersion: v1, kind: ConfigMap, metadata: {name: m}, data: {a: first}}
---
{apiVersion: v1, kind: ConfigMap, metadata: {name: m}, data: {a: last}}
---
{apiVersion: extensions/v1beta1, kind: Deployment, metadata: {name: d},
 spec: {replicas: 0, template: {metadata: {labels: {a: b}}, spec: {containers: [{name: c, image: i}]}}}}
)";

TEST(Up, OfWhatComesTwiceTheLastCountsAndRetiredVersionsMayBeAccepted) {
  const Folder folder;
  Server server(folder, "t", {"-f", folder.with("twice.yaml", kTwice), "--accept-retired"});
  EXPECT_THAT(server.says("objects"),
              AllOf(HasSubstr("3 created"), Not(HasSubstr("refused")), HasSubstr("nodes            1 virtual"),
                    HasSubstr("twice.yaml:6:77: warning: stringData: key \"stringData\" already set in map"),
                    HasSubstr("twice.yaml:8:1: advice: Secret default/s: metadata.name: the same object is defined at"),
                    HasSubstr("twice.yaml:12:1: warning: ConfigMap default/m: metadata.name: another object")));
  std::vector<std::string> texts;
  for (const Value& map : saved(server, "ConfigMap")) {
    if (document::text_at(map, {"metadata", "name"}) == "m") texts.emplace_back(document::text_at(map, {"data", "a"}));
  }
  EXPECT_THAT(texts, ElementsAre("last"));
  const std::vector<Value> nodes = saved(server, "Node");
  ASSERT_EQ(nodes.size(), 1U);
  EXPECT_EQ(document::text_at(nodes[0], {"metadata", "labels", "a"}), "last");
  const std::vector<Value> deployments = saved(server, "Deployment");
  ASSERT_EQ(deployments.size(), 1U);
  EXPECT_EQ(document::text_at(deployments[0], {"spec", "selector", "matchLabels", "a"}), "b");
  EXPECT_EQ(server.end(), 0);
}

}  // namespace
}  // namespace loadline::command
