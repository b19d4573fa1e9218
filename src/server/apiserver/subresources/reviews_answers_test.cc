#include <fmt/format.h>
#include <gtest/gtest.h>

#include "server/apiserver/testing/test_server.h"

namespace loadline::apiserver {
namespace {

// Recorded of a kube-apiserver 1.36.2, but for names and times.
TEST(ReviewAnswers, AnswersSelfSubjectAccess) {
  TestServer server;
  const std::string_view path = "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews";
  const std::string_view question = R"({"apiVersion":"authorization.k8s.io/v1","kind":"SelfSubjectAccessReview",)"
                                    R"("spec":{"resourceAttributes":{"verb":"get","resource":"pods"}}})";
  const std::string expected =
      R"({"kind":"SelfSubjectAccessReview","apiVersion":"authorization.k8s.io/v1","metadata":{"managedFields":[)"
      R"({"manager":"unknown","operation":"Update","apiVersion":"authorization.k8s.io/v1",)"
      R"("time":"2026-11-21T12:00:00Z","fieldsType":"FieldsV1","fieldsV1":{"f:spec":{"f:resourceAttributes":{".":{},)"
      R"("f:resource":{},"f:verb":{}}}}}]},"spec":{"resourceAttributes":{"verb":"get","resource":"pods"}},)"
      R"("status":{"allowed":%s}})";
  const auto with = [&](std::string_view verdict) {
    std::string text = expected;
    return text.replace(text.find("%s"), 2, verdict) + "\n";
  };
  const Reply yes = server.send("POST", path, question, "application/json", {{"User-Agent", "unknown"}});
  EXPECT_EQ(yes.status, 201);
  EXPECT_EQ(yes.body, with("true"));
  server.act_as("bob");
  EXPECT_EQ(server.send("POST", path, question, "application/json", {{"User-Agent", "unknown"}}).body, with("false"));
}

TEST(ReviewAnswers, AnswersWhoIAm) {
  TestServer server;
  server.act_as("bob", {"dev"});
  const Reply reply = server.post("/apis/authentication.k8s.io/v1/selfsubjectreviews", "{}");
  EXPECT_EQ(reply.status, 201);
  EXPECT_EQ(reply.body,
            R"({"kind":"SelfSubjectReview","apiVersion":"authentication.k8s.io/v1","metadata":{"creationTimestamp":)"
            R"("2026-11-21T12:00:00Z"},"status":{"userInfo":{"username":"bob","groups":["dev",)"
            R"("system:authenticated"]}}})"
            "\n");
}

TEST(ReviewAnswers, AnswersRulesAndOthers) {
  TestServer server;
  const Reply rules =
      server.post("/apis/authorization.k8s.io/v1/selfsubjectrulesreviews", R"({"spec":{"namespace":"default"}})");
  EXPECT_EQ(rules.status, 201);
  EXPECT_NE(rules.body.find(R"({"verbs":["*"],"apiGroups":["*"],"resources":["*"]})"), std::string::npos) << rules.body;

  const Reply about = server.post("/apis/authorization.k8s.io/v1/subjectaccessreviews",
                                  R"({"spec":{"user":"bob","resourceAttributes":{"verb":"get","resource":"pods"}}})");
  EXPECT_EQ(about.verdict(), "201");
  EXPECT_EQ(about.at({"status", "allowed"}), "false");

  const std::string_view local = "/apis/authorization.k8s.io/v1/namespaces/default/localsubjectaccessreviews";
  const Reply here =
      server.post(local, R"({"spec":{"user":"bob","resourceAttributes":{"namespace":"default","verb":"get",)"
                         R"("resource":"pods"}}})");
  EXPECT_EQ(here.verdict(), "201");
  EXPECT_EQ(here.at({"metadata", "namespace"}), "default");
  EXPECT_EQ(server.post(local, R"({"metadata":{"namespace":"other"},"spec":{"user":"bob"}})").status, 400);
}

/// A token that was asked for is good until it ends, and says whose it is.
TEST(ReviewAnswers, TokensGoRound) {
  TestServer server;
  ASSERT_EQ(server.post("/api/v1/namespaces/default/serviceaccounts", R"({"metadata":{"name":"robot"}})").verdict(),
            "201");
  const std::string_view path = "/api/v1/namespaces/default/serviceaccounts/robot/token";
  const Reply made = server.post(path, R"({"spec":{"expirationSeconds":1200}})");
  ASSERT_EQ(made.verdict(), "201");
  EXPECT_EQ(made.at({"kind"}), "TokenRequest");
  EXPECT_EQ(made.at({"spec", "expirationSeconds"}), "1200");
  EXPECT_EQ(made.at({"status", "expirationTimestamp"}), "2026-11-21T12:20:00Z");
  EXPECT_NE(made.body.find(R"("subresource":"token")"), std::string::npos) << made.body;

  const auto review = [&] {
    return server.post("/apis/authentication.k8s.io/v1/tokenreviews",
                       fmt::format(R"({{"spec":{{"token":"{}"}}}})", made.at({"status", "token"})));
  };
  const Reply good = review();
  EXPECT_EQ(good.verdict(), "201");
  EXPECT_EQ(good.at({"status", "authenticated"}), "true");
  EXPECT_EQ(good.at({"status", "user", "username"}), "system:serviceaccount:default:robot");
  server.loop().advance(Duration::seconds(1300));
  EXPECT_EQ(review().at({"status", "authenticated"}), "");

  EXPECT_EQ(server.post("/api/v1/namespaces/default/serviceaccounts/missing/token", "{}").verdict(),
            R"(404 NotFound: serviceaccounts "missing" not found)");
  EXPECT_EQ(server.post(path, R"({"spec":{"expirationSeconds":60}})").status, 422);
}

TEST(ReviewAnswers, CannotBeReadBack) {
  TestServer server;
  EXPECT_EQ(server.get("/apis/authorization.k8s.io/v1/selfsubjectaccessreviews").status, 405);
  EXPECT_EQ(server.post("/apis/authorization.k8s.io/v1/selfsubjectaccessreviews", "{").status, 400);
}

}  // namespace
}  // namespace loadline::apiserver
