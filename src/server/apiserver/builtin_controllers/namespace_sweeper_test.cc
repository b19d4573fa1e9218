#include "server/apiserver/builtin_controllers/namespace_sweeper.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "server/apiserver/testing/test_server.h"

namespace loadline::apiserver {
namespace {

using ::testing::HasSubstr;

constexpr std::string_view kSpace = "/api/v1/namespaces/n";

class NamespaceSweeperTest : public testing::Test {
 protected:
  NamespaceSweeperTest() {
    EXPECT_EQ(server.post("/api/v1/namespaces", R"({"metadata":{"name":"n"}})").verdict(), "201");
  }

  void make(std::string_view resource, std::string_view object) {
    EXPECT_EQ(server
                  .post(fmt::format("/{}/namespaces/n/{}", resource.starts_with("jobs") ? "apis/batch/v1" : "api/v1",
                                    resource),
                        object)
                  .verdict(),
              "201");
  }

  TestServer server;
};

TEST_F(NamespaceSweeperTest, EmptiesAndRemovesNamespaces) {
  for (int i = 0; i < 500; ++i) make("configmaps", fmt::format(R"({{"metadata":{{"name":"c{}"}}}})", i));
  make("secrets", R"({"metadata":{"name":"s"}})");
  const Reply deleted = server.remove(kSpace);
  EXPECT_EQ(deleted.at({"status", "phase"}), "Terminating");
  EXPECT_EQ(server.get(kSpace).status, 404);
  EXPECT_EQ(server.get("/api/v1/secrets").at({"items"}), "[]");
  for (const std::string_view resource : {"configmaps", "serviceaccounts"}) {
    EXPECT_EQ(server.get(fmt::format("{}/{}", kSpace, resource)).at({"items"}), "[]") << "nothing comes back";
  }
}

TEST_F(NamespaceSweeperTest, SaysWhatKeepsANamespace) {
  make("configmaps", R"({"metadata":{"name":"a","finalizers":["example.com/hold"]}})");
  make("configmaps", R"({"metadata":{"name":"b","finalizers":["example.com/hold"]}})");
  EXPECT_EQ(server.remove(kSpace).status, 200);
  const Reply kept = server.get(kSpace);
  ASSERT_EQ(kept.status, 200);
  EXPECT_THAT(kept.body, HasSubstr(R"("reason":"SomeResourcesRemain","message":"Some resources are remaining: )"
                                   R"(configmaps. has 2 resource instances")"));
  EXPECT_THAT(kept.body,
              HasSubstr(R"("reason":"SomeFinalizersRemain","message":"Some content in the namespace has finalizers )"
                        R"(remaining: example.com/hold in 2 resource instances")"));
  EXPECT_THAT(kept.body, HasSubstr(R"("message":"All resources successfully discovered")"));
  for (const std::string_view name : {"a", "b"}) {
    const std::string path = fmt::format("{}/configmaps/{}", kSpace, name);
    EXPECT_EQ(server.patch("merge", path, R"({"metadata":{"finalizers":null}})").verdict(), "200");
    if (name == "a") {
      EXPECT_THAT(server.get(kSpace).body, HasSubstr("configmaps. has 1 resource instances"));
    }
  }
  EXPECT_EQ(server.get(kSpace).status, 404);
}

TEST_F(NamespaceSweeperTest, LooksThroughCrowdsOnceASecond) {
  constexpr int kMany = 1200;
  for (int i = 0; i < kMany; ++i) {
    make("configmaps", fmt::format(R"({{"metadata":{{"name":"c{}","finalizers":["example.com/hold"]}}}})", i));
  }
  EXPECT_EQ(server.remove(kSpace).status, 200);
  EXPECT_THAT(server.get(kSpace).body, HasSubstr("configmaps. has 1200 resource instances"));
  const auto release = [&](int i) {
    const std::string path = fmt::format("{}/configmaps/c{}", kSpace, i);
    EXPECT_EQ(server.patch("merge", path, R"({"metadata":{"finalizers":null}})").status, 200);
  };
  release(0);
  EXPECT_THAT(server.get(kSpace).body, HasSubstr("has 1200 resource instances"));
  server.loop().advance(Duration::seconds(1));
  EXPECT_THAT(server.get(kSpace).body, HasSubstr("has 1199 resource instances"));
  for (int i = 1; i < kMany; ++i) release(i);
  server.loop().advance(Duration::seconds(1));
  EXPECT_EQ(server.get(kSpace).status, 404);
}

TEST_F(NamespaceSweeperTest, LeavesOtherFinalizersToOthers) {
  const std::string finalize = std::string(kSpace) + "/finalize";
  EXPECT_EQ(server
                .put(finalize, R"({"apiVersion":"v1","kind":"Namespace","metadata":{"name":"n"},
      "spec":{"finalizers":["kubernetes","example.com/mine"]}})")
                .verdict(),
            "200");
  EXPECT_EQ(server.remove(kSpace).status, 200);
  EXPECT_EQ(server.get(kSpace).at({"spec", "finalizers"}), R"(["example.com/mine"])");
  EXPECT_EQ(server.put(finalize, R"({"apiVersion":"v1","kind":"Namespace","metadata":{"name":"n"},"spec":{}})").status,
            200);
  EXPECT_EQ(server.get(kSpace).status, 404);
}

TEST_F(NamespaceSweeperTest, PodsGoFirst) {
  make("configmaps", R"({"metadata":{"name":"needed"}})");
  make("pods", R"({"metadata":{"name":"p","finalizers":["example.com/hold"]},
      "spec":{"containers":[{"name":"c","image":"i"}]}})");
  EXPECT_EQ(server.remove(kSpace).status, 200);
  EXPECT_EQ(server.get(std::string(kSpace) + "/configmaps/needed").status, 200);
  EXPECT_EQ(server.patch("merge", std::string(kSpace) + "/pods/p", R"({"metadata":{"finalizers":null}})").status, 200);
  EXPECT_EQ(server.get(kSpace).status, 404);
}

TEST_F(NamespaceSweeperTest, NamespacesAreFurnished) {
  EXPECT_EQ(server.get(std::string(kSpace) + "/serviceaccounts/default").status, 200);
  const std::string path = std::string(kSpace) + "/configmaps/kube-root-ca.crt";
  const std::string authority = server.get(path).at({"data", "ca.crt"});
  EXPECT_EQ(authority, server.plane().secrets().authority.certificate_pem);

  EXPECT_EQ(server.patch("merge", path, R"({"data":{"ca.crt":"mine","more":"x"}})").status, 200);
  EXPECT_EQ(server.get(path).at({"data", "ca.crt"}), authority);
  EXPECT_EQ(server.get(path).at({"data", "more"}), "");
  EXPECT_EQ(server.remove(path).status, 200);
  EXPECT_EQ(server.get(path).status, 200);
  EXPECT_EQ(server.remove(std::string(kSpace) + "/serviceaccounts/default").status, 200);
  EXPECT_EQ(server.get(std::string(kSpace) + "/serviceaccounts/default").status, 200);
}

}  // namespace
}  // namespace loadline::apiserver
