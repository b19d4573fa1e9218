#include "server/apiserver/builtin_controllers/garbage_collector.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <utility>

#include "server/apiserver/testing/test_server.h"
#include "server/store/testing/crash_disk.h"

namespace loadline::apiserver {
namespace {

constexpr std::string_view kMaps = "/api/v1/namespaces/default/configmaps";
constexpr std::string_view kHold = R"(,"finalizers":["example.com/hold"])";

/// ConfigMaps own ConfigMaps: what they are does not matter.
class GarbageCollectorTest : public testing::Test {
 protected:
  /// Returns its uid.
  std::string make(std::string_view name, std::string_view owners = "", std::string_view more = "") {
    const Reply made = server.post(
        kMaps, fmt::format(R"({{"metadata":{{"name":"{}","ownerReferences":[{}]{}}}}})", name, owners, more));
    EXPECT_EQ(made.verdict(), "201");
    return made.at({"metadata", "uid"});
  }

  static std::string by(std::string_view name, std::string_view uid, bool blocks = false) {
    return fmt::format(R"({{"apiVersion":"v1","kind":"ConfigMap","name":"{}","uid":"{}","blockOwnerDeletion":{}}})",
                       name, uid, blocks);
  }

  void remove(std::string_view name, std::string_view policy = "Background") {
    EXPECT_EQ(server.remove(path(name), fmt::format(R"({{"propagationPolicy":"{}"}})", policy)).status, 200);
  }

  void release(std::string_view name) {
    EXPECT_EQ(server.patch("merge", path(name), R"({"metadata":{"finalizers":null}})").verdict(), "200");
  }

  static std::string path(std::string_view name) { return fmt::format("{}/{}", kMaps, name); }

  /// "gone", "going" or "there".
  std::string state_of(std::string_view name) {
    const Reply reply = server.get(path(name));
    if (reply.status == 404) return "gone";
    return reply.at({"metadata", "deletionTimestamp"}).empty() ? "there" : "going";
  }

  std::string owners_of(std::string_view name) { return server.get(path(name)).at({"metadata", "ownerReferences"}); }

  TestServer server;
};

TEST_F(GarbageCollectorTest, DeletesDependentsOfWhatIsGone) {
  const std::string owner = make("owner");
  const std::string child = make("child", by("owner", owner));
  make("grandchild", by("child", child));
  make("stranger");
  remove("owner");
  EXPECT_EQ(state_of("child"), "gone");
  EXPECT_EQ(state_of("grandchild"), "gone");
  EXPECT_EQ(state_of("stranger"), "there");
}

/// Simulation seeds 1042, 1189, 1207: the collector took for done what a failing disk undid.
TEST(GarbageCollector, CollectsWhatADiskThatFailsBroughtBack) {
  store::CrashDisk disk(7);
  ControlPlaneOptions options = TestServer::default_options();
  options.log.file_system = disk.name();
  TestServer server(options);
  const auto path = [](std::string_view name) { return fmt::format("{}/{}", kMaps, name); };
  for (int pair = 0; pair < 30; ++pair) {
    const Reply owner = server.post(kMaps, fmt::format(R"({{"metadata":{{"name":"owner-{}"}}}})", pair));
    server.post(
        kMaps,
        fmt::format(
            R"({{"metadata":{{"name":"child-{0}","ownerReferences":[{{"apiVersion":"v1","kind":"ConfigMap","name":"owner-{0}","uid":"{1}"}}]}}}})",
            pair, owner.at({"metadata", "uid"})));
  }
  disk.fail_one_in(6);
  for (int pair = 0; pair < 30; ++pair) {
    const char* policy = pair % 2 == 0 ? "Background" : "Orphan";
    server.remove(path(fmt::format("owner-{}", pair)), fmt::format(R"({{"propagationPolicy":"{}"}})", policy));
  }
  disk.fail_one_in(0);
  server.loop().advance(Duration::seconds(10));
  ASSERT_GT(disk.faults(), 20U);
  int collected = 0;
  for (int pair = 0; pair < 30; ++pair) {
    if (server.get(path(fmt::format("owner-{}", pair))).status != 404) continue;
    ++collected;
    const Reply child = server.get(path(fmt::format("child-{}", pair)));
    if (pair % 2 == 0) {
      EXPECT_EQ(child.status, 404) << pair;
    } else {
      EXPECT_EQ(child.at({"metadata", "ownerReferences"}), "") << pair;
    }
  }
  EXPECT_GT(collected, 5);
}

TEST_F(GarbageCollectorTest, KeepsWhatHasAnotherOwner) {
  const std::string a = make("a");
  const std::string b = make("b");
  make("child", by("a", a) + "," + by("b", b));
  remove("a");
  EXPECT_EQ(state_of("child"), "there");
  EXPECT_EQ(owners_of("child").find(a), std::string::npos) << "the dangling reference goes";
  EXPECT_NE(owners_of("child").find(b), std::string::npos);
  remove("b");
  EXPECT_EQ(state_of("child"), "gone");
}

TEST_F(GarbageCollectorTest, DeletesWhatNamesAnotherOwnerOfThatName) {
  make("owner");
  make("child", by("owner", "00000000-0000-0000-0000-000000000000"));
  EXPECT_EQ(state_of("child"), "gone");
  make("orphan", by("missing", "1"));
  EXPECT_EQ(state_of("orphan"), "gone");
}

TEST_F(GarbageCollectorTest, LeavesAloneWhatItCannotJudge) {
  make("child", R"({"apiVersion":"unknown.example.com/v1","kind":"Thing","name":"t","uid":"1"})");
  EXPECT_EQ(state_of("child"), "there");
  const Reply node = server.post(
      "/api/v1/nodes", R"({"metadata":{"name":"n","ownerReferences":[{"apiVersion":"v1","kind":"ConfigMap","name":"x",
      "uid":"1"}]}})");
  EXPECT_EQ(node.verdict(), "201");
  EXPECT_EQ(server.get("/api/v1/nodes/n").status, 200) << "a namespaced owner is no owner of a node";
}

TEST_F(GarbageCollectorTest, JudgesOnceTheKindIsKnown) {
  make("child", R"({"apiVersion":"example.com/v1","kind":"Thing","name":"t","uid":"1"})");
  const Reply made = server.post(
      "/apis/apiextensions.k8s.io/v1/customresourcedefinitions",
      R"({"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","metadata":{"name":"things.example.com"},
      "spec":{"group":"example.com","scope":"Namespaced","names":{"plural":"things","kind":"Thing"},
      "versions":[{"name":"v1","served":true,"storage":true,"schema":{"openAPIV3Schema":{"type":"object"}}}]}})");
  EXPECT_EQ(made.verdict(), "201");
  EXPECT_EQ(state_of("child"), "gone");

  // Custom resources own, too.
  const Reply thing = server.post("/apis/example.com/v1/namespaces/default/things",
                                  R"({"apiVersion":"example.com/v1","kind":"Thing","metadata":{"name":"t"}})");
  make("other", fmt::format(R"({{"apiVersion":"example.com/v1","kind":"Thing","name":"t","uid":"{}"}})",
                            thing.at({"metadata", "uid"})));
  EXPECT_EQ(state_of("other"), "there");
  EXPECT_EQ(server.remove("/apis/example.com/v1/namespaces/default/things/t").status, 200);
  EXPECT_EQ(state_of("other"), "gone");
}

TEST_F(GarbageCollectorTest, LetsOwnersWaitInTheForeground) {
  const std::string owner = make("owner");
  make("blocking", by("owner", owner, true), kHold);
  make("other", by("owner", owner), kHold);
  remove("owner", "Foreground");
  EXPECT_EQ(state_of("owner"), "going");
  EXPECT_EQ(state_of("blocking"), "going");
  EXPECT_EQ(state_of("other"), "going");
  release("blocking");
  EXPECT_EQ(state_of("blocking"), "gone");
  EXPECT_EQ(state_of("owner"), "gone") << "it does not wait for those that do not block it";
  EXPECT_EQ(state_of("other"), "going");
}

TEST_F(GarbageCollectorTest, PassesTheForegroundOn) {
  const std::string owner = make("owner");
  const std::string child = make("child", by("owner", owner, true));
  make("grandchild", by("child", child, true), kHold);
  remove("owner", "Foreground");
  EXPECT_EQ(state_of("owner"), "going");
  EXPECT_EQ(state_of("child"), "going");
  EXPECT_EQ(state_of("grandchild"), "going");
  release("grandchild");
  EXPECT_EQ(state_of("child"), "gone");
  EXPECT_EQ(state_of("owner"), "gone");
}

TEST_F(GarbageCollectorTest, StopsWaitingForWhatHasAnotherOwner) {
  const std::string owner = make("owner");
  const std::string other = make("other");
  make("child", by("owner", owner, true) + "," + by("other", other));
  remove("owner", "Foreground");
  EXPECT_EQ(state_of("owner"), "gone");
  EXPECT_EQ(state_of("child"), "there");
  EXPECT_EQ(owners_of("child").find(owner), std::string::npos);
}

TEST_F(GarbageCollectorTest, UntiesObjectsThatOwnEachOther) {
  const std::string a = make("a");
  const std::string b = make("b", by("a", a, true));
  EXPECT_EQ(
      server.patch("merge", path("a"), fmt::format(R"({{"metadata":{{"ownerReferences":[{}]}}}})", by("b", b, true)))
          .verdict(),
      "200");
  remove("a", "Foreground");
  EXPECT_EQ(state_of("a"), "gone");
  EXPECT_EQ(state_of("b"), "gone");
}

TEST_F(GarbageCollectorTest, CutsOrphansLoose) {
  const std::string owner = make("owner");
  for (int child = 0; child < 250; ++child) make(fmt::format("child-{}", child), by("owner", owner, true));
  remove("owner", "Orphan");
  EXPECT_EQ(state_of("owner"), "gone");
  for (int child = 0; child < 250; ++child) {
    const std::string name = fmt::format("child-{}", child);
    EXPECT_EQ(state_of(name), "there") << name;
    EXPECT_EQ(owners_of(name), "") << name;
  }
}

TEST_F(GarbageCollectorTest, IsNotThereWithoutBuiltinControllers) {
  ControlPlaneOptions options = TestServer::default_options();
  options.runs_builtin_controllers = false;
  TestServer other(options);
  EXPECT_EQ(
      other.post(kMaps, fmt::format(R"({{"metadata":{{"name":"a","ownerReferences":[{}]}}}})", by("b", "1"))).verdict(),
      "201");
  EXPECT_EQ(other.get(path("a")).status, 200);
  EXPECT_EQ(other.get("/api/v1/namespaces/default/serviceaccounts/default").status, 404);
}

}  // namespace
}  // namespace loadline::apiserver
