#include "server/apiserver/admission/cluster_bounds.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "server/apiserver/testing/test_server.h"

namespace loadline::apiserver {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

std::string name_space(const std::string& name) {
  return fmt::format(R"({{"apiVersion":"v1","kind":"Namespace","metadata":{{"name":"{}"}}}})", name);
}
std::string plain_pod(const std::string& name) {
  return fmt::format(R"({{"apiVersion":"v1","kind":"Pod","metadata":{{"name":"{}"}},)"
                     R"("spec":{{"containers":[{{"name":"c","image":"x"}}]}}}})",
                     name);
}
std::string config_map(const std::string& name, std::size_t bytes) {
  return fmt::format(R"({{"apiVersion":"v1","kind":"ConfigMap","metadata":{{"name":"{}"}},"data":{{"a":"{}"}}}})", name,
                     std::string(bytes, 'x'));
}
std::string in(const std::string& space, const std::string& plural) {
  return "/api/v1/namespaces/" + space + '/' + plural;
}

ControlPlaneOptions bounded(Bounds bounds) {
  ControlPlaneOptions options = TestServer::default_options();
  options.bounds = std::move(bounds);
  return options;
}

/// How many of a hundred pods are taken.
int fill(TestServer& server, const std::string& space) {
  int taken = 0;
  for (int i = 0; i < 100; ++i) taken += server.post(in(space, "pods"), plain_pod(fmt::format("p{}", i))).status == 201;
  return taken;
}

TEST(ClusterBounds, RefusesPodsBeyondTheBoundAsAQuotaDoes) {
  TestServer server(bounded({.pods = 2}));
  EXPECT_EQ(server.post(in("default", "pods"), plain_pod("a")).status, 201);
  EXPECT_EQ(server.post(in("kube-system", "pods"), plain_pod("a")).status, 201);
  EXPECT_EQ(server.post(in("default", "pods"), plain_pod("b")).verdict(),
            "403 Forbidden: pods \"b\" is forbidden: this cluster keeps at most 2 pods, and there are 2 (loadline up "
            "--max-pods)");
  EXPECT_EQ(server.post(in("default", "configmaps"), config_map("c", 1)).status, 201) << "it is no pod";
  ASSERT_EQ(server.remove(in("default", "pods/a"), R"({"gracePeriodSeconds":0})").status, 200);
  EXPECT_EQ(server.post(in("default", "pods"), plain_pod("b")).status, 201);
}

TEST(ClusterBounds, LeavesOthersRoomHoweverManyPodsANamespaceAsksFor) {
  TestServer server(bounded({.pods = 50}));
  for (const std::string space : {"a", "b", "c"}) server.post("/api/v1/namespaces", name_space(space));
  EXPECT_EQ(fill(server, "a"), 45) << "nine tenths";
  EXPECT_THAT(server.post(in("a", "pods"), plain_pod("more")).verdict(),
              StartsWith("403 Forbidden: pods \"more\" is forbidden: this cluster keeps at most 50 pods (loadline up "
                         "--max-pods), and there are 45, 45 of them in the namespace a"));
  EXPECT_EQ(fill(server, "b"), 5);
  EXPECT_EQ(fill(server, "c"), 0);
}

TEST(ClusterBounds, TwoThatAskWithoutEndLeaveRoomForAThird) {
  TestServer server(bounded({.pods = 1900}));
  for (const std::string space : {"a", "b", "c"}) server.post("/api/v1/namespaces", name_space(space));
  int taken = 0;
  for (int i = 0; i < 2000; ++i) {
    for (const std::string space : {"a", "b"}) {
      taken += server.post(in(space, "pods"), plain_pod(fmt::format("p{}", i))).status == 201;
    }
  }
  EXPECT_EQ(taken, 1800) << "nine times as many each as there is room for";
  EXPECT_EQ(server.post(in("c", "pods"), plain_pod("p")).status, 201);
}

TEST(ClusterBounds, WhereMemoryRunsShortNamespacesWithMuchOfItGetNoMoreAndOthersDo) {
  std::size_t now = 0;
  TestServer server(bounded({.memory = 100, .memory_now = [&now] { return now; }}));
  for (const std::string space : {"a", "b"}) server.post("/api/v1/namespaces", name_space(space));
  EXPECT_EQ(server.post(in("a", "configmaps"), config_map("large", 900'000)).status, 201);
  now = 85;
  EXPECT_THAT(server.post(in("a", "configmaps"), config_map("more", 1)).verdict(),
              HasSubstr("are in the namespace a: what is left is for others"));
  EXPECT_EQ(server.post(in("b", "configmaps"), config_map("small", 1)).status, 201);
  now = 100;
  EXPECT_THAT(server.post(in("b", "configmaps"), config_map("more", 1)).verdict(),
              HasSubstr("this server may take 0 MiB of memory, and has taken 0 (loadline up --max-memory)"));
}

/// What was taken in a moment ago still costs: of little memory, more is left for that.
TEST(ClusterBounds, MemoryIsNearlyFullAtFourFifthsOfMuchAndAtHalfOfLittle) {
  struct Case {
    std::size_t memory = 0;
    std::size_t enough = 0;
    std::size_t too_much = 0;  // all in MiB
  };
  for (const Case& each : {Case{10'000, 7'990, 8'010}, Case{2'000, 1'480, 1'490}, Case{500, 245, 255}}) {
    std::size_t now = 0;
    TestServer server(bounded({.memory = each.memory << 20, .memory_now = [&now] { return now; }}));
    now = each.enough << 20;
    EXPECT_EQ(server.post(in("default", "configmaps"), config_map("first", 900'000)).status, 201) << each.memory;
    now = each.too_much << 20;
    EXPECT_EQ(server.post(in("default", "configmaps"), config_map("second", 1)).status, 403) << each.memory;
  }
}

TEST(ClusterBounds, WhatIsThereChangesALittleAndGoesWhateverRoomThereIs) {
  std::size_t now = 0;
  TestServer server(bounded({.memory = 100, .memory_now = [&now] { return now; }}));
  ASSERT_EQ(server.post(in("default", "configmaps"), config_map("there", 10)).status, 201);
  ASSERT_EQ(server.post(in("default", "pods"), plain_pod("there")).status, 201);
  now = 100;
  EXPECT_EQ(server.put(in("default", "configmaps/there"), config_map("there", 5'000)).status, 200);
  EXPECT_EQ(server.put(in("default", "configmaps/there"), config_map("there", 500'000)).status, 403);
  EXPECT_EQ(server.patch("merge", in("default", "pods/there/status"), R"({"status":{"phase":"Running"}})").status, 200);
  EXPECT_EQ(server.remove(in("default", "configmaps/there")).status, 200);
}

/// The kubelet writes into a pod how each of its containers ended, however many there are, before the pod is gone.
TEST(ClusterBounds, WhatIsBeingDeletedChangesAsItHasTo) {
  std::size_t now = 0;
  TestServer server(bounded({.memory = 100, .memory_now = [&now] { return now; }}));
  const std::string kept = R"({"metadata":{"name":"kept","finalizers":["example.com/a"]}})";
  ASSERT_EQ(server.post(in("default", "configmaps"), kept).status, 201);
  ASSERT_EQ(server.remove(in("default", "configmaps/kept")).status, 200);
  now = 100;
  const std::string grown = fmt::format(R"({{"data":{{"a":"{}"}}}})", std::string(50'000, 'x'));
  EXPECT_EQ(server.patch("merge", in("default", "configmaps/kept"), grown).status, 200);
}

/// What is counted as objects come, change and go is what there is.
TEST(ClusterBounds, CountsWhatThereIs) {
  TestServer server;
  server.post("/api/v1/namespaces", name_space("a"));
  fill(server, "a");
  for (int i = 0; i < 100; i += 3) {
    server.remove(in("a", fmt::format("pods/p{}", i)), R"({"gracePeriodSeconds":0})");
    server.patch("merge", in("a", fmt::format("pods/p{}", i + 1)), R"({"metadata":{"labels":{"a":"b"}}})");
  }
  server.loop().advance(Duration::seconds(5));
  store::UseLedger recount;
  const store::Store& store = server.plane().store();
  for (const std::string& resource : store.resources()) {
    store::StoreResult<store::Listing> listing = store.list(resource, {});
    ASSERT_TRUE(listing);
    while (const store::ObjectPtr* object = listing->next()) recount.come(**object);
  }
  EXPECT_EQ(store.use().all(), recount.all());
  EXPECT_EQ(store.use().of("a"), recount.of("a"));
  EXPECT_EQ(recount.of("a").pods, 66U);
}

}  // namespace
}  // namespace loadline::apiserver
