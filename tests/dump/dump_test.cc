// `loadline dump` and `loadline snapshot save`: what they ask a cluster for, what they make of its answers, and what
// becomes of the file.
#include <fcntl.h>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>  // NOLINT(modernize-deprecated-headers): kill() is POSIX's
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "command/command.h"
#include "dump/served_cluster.h"
#include "foundation/document/at.h"
#include "foundation/document/gzip.h"
#include "foundation/document/reader.h"
#include "objects/kube/readable_versions.h"
#include "objects/kube/registry.h"

namespace loadline::dump {
namespace {

using command::Ending;
using document::Value;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
namespace fs = std::filesystem;

net::Response json(int status, std::string text) {
  return {status, net::Headers{{"Content-Type", "application/json"}}, std::move(text)};
}

std::string path_of(const std::string& target) { return target.substr(0, target.find('?')); }

/// "Pod default/web", in the order of a List's text.
std::vector<std::string> names_in(const std::string& text) {
  std::vector<std::string> names;
  for (const Value& document : document::read(text, "dump").documents) {
    for (const Value& object : document::items_at(document, {"items"})) {
      names.push_back(fmt::format("{} {}/{}", document::text_at(object, {"kind"}),
                                  document::text_at(object, {"metadata", "namespace"}),
                                  document::text_at(object, {"metadata", "name"})));
    }
  }
  return names;
}

class Dump : public ::testing::Test {
 protected:
  Dump() {
    std::string pattern = (fs::temp_directory_path() / "loadline-dump-XXXXXX").string();
    folder_ = mkdtemp(pattern.data());
  }
  ~Dump() override { fs::remove_all(folder_); }

  void create(const std::string& yaml, const std::string& name_space = "default") {
    ASSERT_EQ(served_.create(yaml, name_space), "") << yaml;
  }
  /// Requests that arrive are noted, and `intercept` may answer them.
  void serve(std::function<bool(net::Exchange&)> intercept = {}) {
    served_.serve([this, intercept = std::move(intercept)](const std::shared_ptr<net::Exchange>& exchange) {
      {
        const std::lock_guard lock(mutex_);
        asked_.insert(path_of(exchange->request().target));
      }
      return intercept && intercept(*exchange);
    });
    command::write(kubeconfig(), served_.kubeconfig());
  }
  std::set<std::string> asked() {
    const std::lock_guard lock(mutex_);
    return asked_;
  }

  [[nodiscard]] std::string file(const std::string& name) const { return (folder_ / name).string(); }
  [[nodiscard]] std::string kubeconfig() const { return file("kubeconfig"); }
  [[nodiscard]] Ending run(std::vector<std::string> arguments) const {
    arguments.insert(arguments.end(), {"--kubeconfig", kubeconfig()});
    return command::run(arguments);
  }
  [[nodiscard]] std::vector<std::string> files() const {
    std::vector<std::string> names;
    for (const auto& entry : fs::directory_iterator(folder_)) names.push_back(entry.path().filename());
    std::ranges::sort(names);
    return names;
  }

  ServedCluster served_{1};

 private:
  fs::path folder_;
  std::mutex mutex_;
  std::set<std::string> asked_;
};

/// Whoever adds a kind to the registry adds it here.
TEST_F(Dump, AsksForEachKindThatDecisionsRead) {
  serve();
  ASSERT_EQ(run({"dump", "-o", file("dump.yaml")}).status, 0);
  const std::set<std::string> asked = this->asked();
  for (const kube::KindInfo& info : kube::known_kinds()) {
    std::size_t lists = 0;
    for (const std::string_view version : kube::readable_versions(info)) {
      const bool is_core = version.find('/') == std::string_view::npos;
      lists += asked.count(fmt::format("/{}/{}/{}", is_core ? "api" : "apis", version, info.plural));
    }
    EXPECT_EQ(lists, 1U) << info.api_version << ' ' << info.kind << ": in one version, of those that are served";
  }
}

constexpr const char* kPodGroup =
    "{apiVersion: scheduling.k8s.io/v1alpha2, kind: PodGroup, metadata: {name: train}, spec: {schedulingPolicy: {gang: "
    "{minCount: 2}}}}";

/// A group's preferred version need not serve them: that of PodGroups is scheduling.k8s.io/v1.
TEST_F(Dump, KindsThatOnlyOtherVersionsServeAreThere) {
  create(kPodGroup);
  create("{apiVersion: v1, kind: Secret, metadata: {name: s}}");
  serve();
  for (const std::vector<std::string>& command :
       {std::vector<std::string>{"dump", "-o", "-"}, std::vector<std::string>{"snapshot", "save", "-"}}) {
    const Ending ending = run(command);
    ASSERT_EQ(ending.status, 0) << ending.text();
    EXPECT_THAT(names_in(ending.out), Contains("PodGroup default/train")) << command.front();
    const auto has_secret = Contains("Secret default/s");
    if (command.front() == "dump") {
      EXPECT_THAT(names_in(ending.out), Not(has_secret));
      EXPECT_THAT(ending.err, HasSubstr("left out: Secrets"));
    } else {
      EXPECT_THAT(names_in(ending.out), has_secret);
    }
  }
}

/// Kubernetes 1.37 serves PodGroups in versions that 1.36 does not know.
TEST_F(Dump, TakesAKindInTheVersionThatIsServed) {
  constexpr const char* kGroups =
      R"({"kind":"APIGroupList","groups":[{"name":"scheduling.k8s.io","preferredVersion":{"groupVersion":)"
      R"("scheduling.k8s.io/v1"},"versions":[{"groupVersion":"scheduling.k8s.io/v1"},)"
      R"({"groupVersion":"scheduling.k8s.io/v1beta1"}]}]})";
  constexpr const char* kResources =
      R"({"kind":"APIResourceList","resources":[{"name":"podgroups","kind":"PodGroup","verbs":["create","list"]},)"
      R"({"name":"podgroups/status","kind":"PodGroup","verbs":["get"]}]})";
  constexpr const char* kList =
      R"({"kind":"PodGroupList","apiVersion":"scheduling.k8s.io/v1beta1","metadata":{},"items":[{"metadata":{"name":)"
      R"("newer","namespace":"default","uid":"u"},"spec":{"schedulingPolicy":{"gang":{"minCount":2}}}}]})";
  serve([&](net::Exchange& exchange) {
    const std::string path = path_of(exchange.request().target);
    const char* text = path == "/apis"                                       ? kGroups
                       : path == "/apis/scheduling.k8s.io/v1beta1"           ? kResources
                       : path == "/apis/scheduling.k8s.io/v1beta1/podgroups" ? kList
                                                                             : nullptr;
    if (text != nullptr) exchange.respond(json(200, text));
    return text != nullptr;
  });
  const Ending ending = run({"dump", "-o", "-"});
  ASSERT_EQ(ending.status, 0) << ending.text();
  EXPECT_THAT(names_in(ending.out), Contains("PodGroup default/newer"));
  EXPECT_THAT(asked(), Not(Contains("/apis/apps/v1/deployments"))) << "it is not served";
}

/// Both are one resource, which the API server tells in either version.
TEST_F(Dump, AnMpiJobIsOfTheVersionThatItWasWrittenIn) {
  for (const char* version : {"v1", "v2beta1"}) {
    create(fmt::format(
        "{{apiVersion: kubeflow.org/{0}, kind: MPIJob, metadata: {{name: of-{0}}}, spec: {{mpiReplicaSpecs: "
        "{{Launcher: {{template: {{spec: {{containers: [{{name: mpi, image: x}}]}}}}}}, Worker: {{replicas: "
        "2, template: {{spec: {{containers: [{{name: mpi, image: x}}]}}}}}}}}}}}}",
        version));
  }
  serve();
  const Ending ending = run({"dump", "-o", "-"});
  ASSERT_EQ(ending.status, 0) << ending.text();
  const Value list = document::read(ending.out, "dump").documents.front();
  std::vector<std::string> jobs;
  for (const Value& object : document::items_at(list, {"items"})) {
    if (document::text_at(object, {"kind"}) != "MPIJob") continue;
    jobs.push_back(fmt::format("{} {}", document::text_at(object, {"metadata", "name"}),
                               document::text_at(object, {"apiVersion"})));
  }
  EXPECT_THAT(jobs, ElementsAre("of-v1 kubeflow.org/v1", "of-v2beta1 kubeflow.org/v2beta1"));
}

TEST_F(Dump, WhatMayNotBeListedIsToldOnceAKindAndMissing) {
  create(kPodGroup);
  create(
      "{apiVersion: rbac.authorization.k8s.io/v1, kind: ClusterRole, metadata: {name: some}, rules: [{apiGroups: "
      "['', apps, scheduling.k8s.io], resources: ['*'], verbs: [list]}]}");
  create(
      "{apiVersion: rbac.authorization.k8s.io/v1, kind: ClusterRoleBinding, metadata: {name: some}, roleRef: "
      "{apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: some}, subjects: [{apiGroup: "
      "rbac.authorization.k8s.io, kind: User, name: viewer}]}");
  serve();
  command::write(kubeconfig(), served_.kubeconfig("viewer"));
  const Ending ending = run({"dump", "-o", file("dump.yaml")});
  EXPECT_EQ(ending.status, 1) << ending.text();
  EXPECT_THAT(ending.err, AllOf(HasSubstr("warning: storageclasses.storage.k8s.io is forbidden"),
                                HasSubstr("warning: mpijobs.kubeflow.org is forbidden"), HasSubstr("not in it")));
  std::size_t warnings = 0;
  for (const std::string& line : command::lines_of(ending.err)) warnings += line.find("mpijobs") != std::string::npos;
  EXPECT_EQ(warnings, 1U) << "in one of its two versions";
  const std::string text = command::read(file("dump.yaml"));
  EXPECT_THAT(names_in(text), Contains("PodGroup default/train"));
  EXPECT_THAT(text, Not(HasSubstr("whole-cluster"))) << "what is not in it may be there all the same";
  const Ending saved = run({"snapshot", "save", file("snapshot.yaml")});
  EXPECT_EQ(saved.status, 2) << "half a cluster cannot be put back";
  EXPECT_FALSE(fs::exists(file("snapshot.yaml")));
}

TEST_F(Dump, WithoutNodesNothingCanBeSaid) {
  serve([](net::Exchange& exchange) {
    const bool is_nodes = path_of(exchange.request().target) == "/api/v1/nodes";
    if (is_nodes) exchange.respond(json(403, R"({"kind":"Status","message":"nodes is forbidden"})"));
    return is_nodes;
  });
  const Ending ending = run({"dump", "-o", file("dump.yaml")});
  EXPECT_EQ(ending.status, 2);
  EXPECT_EQ(ending.err, "error: nodes is forbidden\n");
  EXPECT_THAT(files(), ElementsAre("kubeconfig"));
}

class DumpPages : public Dump {
 protected:
  void SetUp() override {
    for (int i = 0; i < 1200; ++i) {
      create(fmt::format("{{apiVersion: v1, kind: ConfigMap, metadata: {{name: c-{:04}}}}}", i));
    }
  }

  /// How many of them a dump holds, and how many times a page of them was asked for.
  void expect_all_of_them(std::size_t pages) {
    const Ending ending = run({"dump", "-o", "-"});
    ASSERT_EQ(ending.status, 0) << ending.text();
    std::multiset<std::string> names;
    for (const std::string& name : names_in(ending.out)) {
      if (name.starts_with("ConfigMap default/c-")) names.insert(name);
    }
    EXPECT_EQ(names.size(), 1200U);
    EXPECT_EQ(std::set<std::string>(names.begin(), names.end()).size(), 1200U) << "one comes twice";
    EXPECT_EQ(pages_, pages);
  }

  std::size_t pages_ = 0;
};

TEST_F(DumpPages, ListsAreReadInPages) {
  serve([&](net::Exchange& exchange) {
    const std::string& target = exchange.request().target;
    if (path_of(target) == "/api/v1/configmaps") {
      ++pages_;
      EXPECT_THAT(target, HasSubstr("limit="));
    }
    return false;
  });
  expect_all_of_them(3);
}

/// The server's history is gone before the second page: its answer says how to go on with what is there now.
TEST_F(DumpPages, AListThatExpiresGoesOn) {
  std::string next;
  serve([&](net::Exchange& exchange) {
    const std::string& target = exchange.request().target;
    if (path_of(target) != "/api/v1/configmaps" || ++pages_ != 2) return false;
    const std::string token = target.substr(target.find("continue=") + 9);
    std::string decoded;
    for (std::size_t i = 0; i + 2 < token.size(); i += 3) {
      decoded += static_cast<char>(std::stoi(token.substr(i + 1, 2), nullptr, 16));
    }
    exchange.respond(json(410, fmt::format(R"({{"kind":"Status","code":410,"reason":"Expired","message":"too old",)"
                                           R"("metadata":{{"continue":"{}"}}}})",
                                           decoded)));
    return true;
  });
  expect_all_of_them(4);
}

/// And where it does not say so, the list begins anew, and no object comes twice.
TEST_F(DumpPages, AListThatExpiresWithoutAWordBeginsAnew) {
  serve([&](net::Exchange& exchange) {
    if (path_of(exchange.request().target) != "/api/v1/configmaps" || ++pages_ != 2) return false;
    exchange.respond(json(410, R"({"kind":"Status","code":410,"reason":"Expired","message":"too old"})"));
    return true;
  });
  expect_all_of_them(5);
}

TEST_F(Dump, EachFormatHoldsTheSame) {
  create(kPodGroup);
  serve();
  std::vector<std::string> first;
  for (const char* name : {"a.yaml", "a.json", "a.yaml.gz", "a.json.gz", "a"}) {
    ASSERT_EQ(run({"dump", "-o", file(name)}).status, 0);
    std::string text = command::read(file(name));
    EXPECT_EQ(document::is_gzip(text), std::string_view(name).ends_with(".gz"));
    if (document::is_gzip(text)) text = document::decompress_gzip(text, 1U << 30).value();
    EXPECT_EQ(text.starts_with('{'), std::string_view(name).find(".json") != std::string_view::npos) << name;
    if (first.empty()) first = names_in(text);
    EXPECT_EQ(names_in(text), first);
    EXPECT_THAT(text, HasSubstr("whole-cluster"));
    struct stat found{};
    ASSERT_EQ(::stat(file(name).c_str(), &found), 0);
    EXPECT_EQ(found.st_mode & 0777U, 0600U) << "for its owner only";
  }
  EXPECT_EQ(run({"dump"}).out, command::read(file("a.yaml"))) << "what is no terminal gets it without being named";
}

TEST_F(Dump, AFileThatCannotBeWrittenStaysAsItWas) {
  serve([](net::Exchange& exchange) {
    const bool is_late = path_of(exchange.request().target) == "/apis/storage.k8s.io/v1/volumeattachments";
    if (is_late) exchange.respond(json(500, R"({"kind":"Status","message":"the disk is full"})"));
    return is_late;
  });
  command::write(file("old.yaml"), "old");
  const Ending ending = run({"dump", "-o", file("old.yaml")});
  EXPECT_EQ(ending.status, 2);
  EXPECT_EQ(ending.err, "error: the disk is full\n");
  EXPECT_EQ(command::read(file("old.yaml")), "old");
  EXPECT_THAT(files(), ElementsAre("kubeconfig", "old.yaml"));
  EXPECT_THAT(run({"dump", "-o", file("no/such/folder.yaml")}).err, HasSubstr("cannot write"));
}

TEST_F(Dump, ALinkIsFollowedAndADeviceIsWrittenTo) {
  serve();
  command::write(file("real.yaml"), "old");
  fs::create_symlink(file("real.yaml"), file("link.yaml"));
  ASSERT_EQ(run({"dump", "-o", file("link.yaml")}).status, 0);
  EXPECT_TRUE(fs::is_symlink(file("link.yaml")));
  EXPECT_THAT(command::read(file("real.yaml")), HasSubstr("kind: List"));
  ASSERT_EQ(run({"dump", "-o", "/dev/null"}).status, 0);
  EXPECT_TRUE(fs::is_character_file("/dev/null"));
}

/// Ctrl-C in the middle leaves nothing, whether the file was there before or not.
TEST_F(Dump, AnInterruptionLeavesNothing) {
  std::vector<std::shared_ptr<net::Exchange>> held;  // by the server's thread
  served_.serve([&held](const std::shared_ptr<net::Exchange>& exchange) {
    if (path_of(exchange->request().target) != "/apis/apps/v1/deployments") return false;
    held.push_back(exchange);  // and never answered
    return true;
  });
  command::write(kubeconfig(), served_.kubeconfig());
  const std::string config = kubeconfig();
  const std::string output = file("dump.json");
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    const pid_t process = fork();
    if (process == 0) {
      const int nothing = open("/dev/null", O_WRONLY);
      dup2(nothing, STDOUT_FILENO);
      dup2(nothing, STDERR_FILENO);
      execl(LOADLINE_PROGRAM, "loadline", "dump", "--kubeconfig", config.c_str(), "-o", output.c_str(), nullptr);
      _exit(127);
    }
    for (int tries = 0; tries < 400 && files().size() < 2; ++tries) {
      std::this_thread::sleep_for(std::chrono::milliseconds(25));
    }
    ASSERT_EQ(files().size(), 2U) << "it has begun, beside its place";
    EXPECT_FALSE(fs::exists(output));
    kill(process, signal);
    kill(process, signal);  // as `timeout` does, and an impatient user
    int status = 0;
    waitpid(process, &status, 0);
    EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == signal);
    EXPECT_THAT(files(), ElementsAre("kubeconfig"));
  }
  served_.stop_serving();
}

}  // namespace
}  // namespace loadline::dump
