#include "server/apiserver/auth/authenticator.h"

#include <gtest/gtest.h>

#include <array>

#include "foundation/base/base64.h"
#include "foundation/base/text.h"
#include "foundation/document/reader.h"
#include "foundation/document/writer.h"
#include "server/apiserver/auth/impersonation.h"
#include "server/apiserver/auth/policy_rule.h"
#include "server/apiserver/auth/reviews.h"

namespace loadline::apiserver {
namespace {

using document::Value;

constexpr Instant kNow = {1'795'000'000'000'000'000};

Value json(std::string_view text) { return document::read_json(text, "test").documents.at(0); }

/// Some objects, and what finds them.
struct Objects {
  std::map<std::string, Value> by_key = {
      {"serviceaccounts/ns/robot", json(R"({"metadata":{"name":"robot","uid":"sa-1"}})")},
      {"pods/ns/p", json(R"({"metadata":{"name":"p","uid":"pod-1"},"spec":{"serviceAccountName":"robot",)"
                         R"("nodeName":"n1"}})")},
      {"pods/ns/other", json(R"({"metadata":{"name":"other","uid":"pod-2"},"spec":{"serviceAccountName":"x"}})")},
      {"secrets/ns/s", json(R"({"metadata":{"name":"s","uid":"secret-1"}})")},
      {"nodes//n1", json(R"({"metadata":{"name":"n1","uid":"node-1"}})")},
  };
  FindObject find = [this](std::string_view resource, std::string_view name_space,
                           std::string_view name) -> std::optional<Value> {
    const auto found = by_key.find(joined(std::array{resource, name_space, name}, "/"));
    if (found == by_key.end()) return std::nullopt;
    return found->second;
  };
};

class Tokens : public testing::Test {
 protected:
  std::string request(std::string_view spec) {
    const auto answer = request_token(tokens, objects.find, "ns", "robot",
                                      json(R"({"kind":"TokenRequest","spec":)" + std::string(spec) + "}"), kNow);
    if (!answer.has_value()) return answer.error().message;
    return std::string(text_of(*answer->find("status"), "token"));
  }
  std::string verdict(std::string_view token, Instant now = kNow, const std::vector<std::string>& audiences = {}) {
    const auto identity = authenticator.verify_token(token, audiences, now);
    return identity.has_value() ? identity->user.name : identity.error().message;
  }
  Answer<User> authenticate(std::string_view authorization, std::string_view path = "/api",
                            const net::Peer* peer = nullptr) {
    return authenticator.authenticate({peer, authorization, path}, kNow);
  }
  Value claims(std::string_view token) { return json(decode_base64url(split(token, ".").at(1)).value_or("null")); }

  Objects objects;
  ServiceAccountTokens tokens{net::SigningKey::generate()};
  User owner{"kubernetes-admin", "", {"system:masters"}, {}};
  Authenticator authenticator{"secret", owner, tokens, objects.find};
};

TEST_F(Tokens, BindToAPodAsUpstreamDoes) {
  const std::string token =
      request(R"({"expirationSeconds":3607,"boundObjectRef":{"kind":"Pod","apiVersion":"v1","name":"p"}})");
  Value said = claims(token);
  EXPECT_EQ(text_of(said, "jti").size(), 36U);
  EXPECT_EQ(document::write_json(said.without("jti")),
            R"({"aud":["https://kubernetes.default.svc.cluster.local"],"exp":1826536000,"iat":1795000000,)"
            R"("iss":"https://kubernetes.default.svc.cluster.local","kubernetes.io":{"namespace":"ns","node":)"
            R"({"name":"n1","uid":"node-1"},"pod":{"name":"p","uid":"pod-1"},"serviceaccount":{"name":"robot",)"
            R"("uid":"sa-1"},"warnafter":1795003607},"nbf":1795000000,"sub":"system:serviceaccount:ns:robot"})");
  const auto identity = authenticator.verify_token(token, {}, kNow);
  ASSERT_TRUE(identity.has_value()) << identity.error().message;
  EXPECT_EQ(identity->user.uid, "sa-1");
  EXPECT_EQ(identity->user.groups,
            (std::vector<std::string>{"system:serviceaccounts", "system:serviceaccounts:ns", "system:authenticated"}));
  EXPECT_EQ(identity->user.extra.at("authentication.kubernetes.io/pod-name"), std::vector<std::string>{"p"});
  EXPECT_EQ(identity->user.extra.at("authentication.kubernetes.io/node-uid"), std::vector<std::string>{"node-1"});
  EXPECT_EQ(identity->user.extra.at("authentication.kubernetes.io/credential-id").at(0),
            "JTI=" + std::string(text_of(said, "jti")));
}

TEST_F(Tokens, RequestsAreCheckedInUpstreamsWords) {
  EXPECT_EQ(request(R"({"expirationSeconds":10})"),
            "TokenRequest.authentication.k8s.io \"\" is invalid: spec.expirationSeconds: Invalid value: 10: may not "
            "specify a duration less than 10 minutes");
  EXPECT_EQ(
      request(R"({"expirationSeconds":99999999999})"),
      "TokenRequest.authentication.k8s.io \"\" is invalid: spec.expirationSeconds: Invalid value: 99999999999: may "
      "not specify a duration larger than 2^32 seconds");
  EXPECT_EQ(request(R"({"boundObjectRef":{"kind":"Foo","apiVersion":"v1","name":"x"}})"),
            "cannot bind token to object of type /v1, Kind=Foo");
  EXPECT_EQ(request(R"({"boundObjectRef":{"kind":"Pod","apiVersion":"apps/v1","name":"x"}})"),
            "cannot bind token to object of type apps/v1, Kind=Pod");
  EXPECT_EQ(request(R"({"boundObjectRef":{"kind":"Pod","apiVersion":"v1","name":"x"}})"), "pods \"x\" not found");
  EXPECT_EQ(request(R"({"boundObjectRef":{"kind":"Pod","apiVersion":"v1","name":"other"}})"),
            "cannot bind token for serviceaccount \"robot\" to pod running with different serviceaccount name.");
  EXPECT_EQ(
      request(R"({"boundObjectRef":{"kind":"Secret","apiVersion":"v1","name":"s","uid":"zz"}})"),
      "Operation cannot be fulfilled on Secret \"s\": the UID in the bound object reference (zz) does not match the "
      "UID in record. The object might have been deleted and then recreated");
  const auto missing = request_token(tokens, objects.find, "ns", "nosa", json(R"({"spec":{}})"), kNow);
  EXPECT_EQ(missing.error().message, "serviceaccounts \"nosa\" not found");
}

TEST_F(Tokens, EndWithTheirTime) {
  const std::string token = request("{}");
  const Instant end = kNow + Duration::seconds(3600);
  EXPECT_EQ(verdict(token, end + Duration::seconds(60)), "system:serviceaccount:ns:robot");
  EXPECT_EQ(verdict(token, end + Duration::seconds(61)), "[invalid bearer token, service account token has expired]");
  EXPECT_EQ(verdict(token, kNow + Duration::seconds(-61)),
            "[invalid bearer token, service account token is not valid yet]");
}

TEST_F(Tokens, EndWithWhatTheyAreBoundTo) {
  const std::string plain = request("{}");
  const std::string to_pod = request(R"({"boundObjectRef":{"kind":"Pod","apiVersion":"v1","name":"p"}})");
  const std::string to_node = request(R"({"boundObjectRef":{"kind":"Node","apiVersion":"v1","name":"n1"}})");
  const std::string to_secret = request(R"({"boundObjectRef":{"kind":"Secret","apiVersion":"v1","name":"s"}})");
  objects.by_key.erase("pods/ns/p");
  EXPECT_EQ(verdict(to_pod), "[invalid bearer token, service account token has been invalidated]");
  objects.by_key["nodes//n1"] = json(R"({"metadata":{"name":"n1","uid":"node-2"}})");
  EXPECT_EQ(verdict(to_node),
            "[invalid bearer token, node UID (node-2) does not match service account node ref claim (node-1)]");
  objects.by_key["secrets/ns/s"] =
      json(R"({"metadata":{"name":"s","uid":"secret-1","deletionTimestamp":"2001-01-01T00:00:00Z"}})");
  EXPECT_EQ(verdict(to_secret), "[invalid bearer token, service account token has been invalidated]");
  EXPECT_EQ(verdict(plain), "system:serviceaccount:ns:robot");
  objects.by_key["serviceaccounts/ns/robot"] = json(R"({"metadata":{"name":"robot","uid":"sa-2"}})");
  EXPECT_EQ(verdict(plain), "[invalid bearer token, service account UID (sa-2) does not match claim (sa-1)]");
}

TEST_F(Tokens, ForgeriesAreRefused) {
  const std::string token = request("{}");
  EXPECT_EQ(verdict(token), "system:serviceaccount:ns:robot");
  const auto parts = split(token, ".");
  const std::string none = encode_base64url(R"({"alg":"none"})");
  const std::string signature(parts[2]);
  const std::string forged_claims = encode_base64url(
      R"({"iss":"https://kubernetes.default.svc.cluster.local","sub":"system:serviceaccount:kube-system:root"})");
  const std::string bad_signature = "[invalid bearer token, go-jose/go-jose: error in cryptographic primitive]";
  EXPECT_EQ(verdict(none + "." + std::string(parts[1]) + "."), bad_signature);
  EXPECT_EQ(verdict(std::string(parts[0]) + "." + forged_claims + "." + signature), bad_signature);
  EXPECT_EQ(verdict(std::string(parts[0]) + "." + std::string(parts[1]) + "." + std::string(86, 'A')), bad_signature);
  const ServiceAccountTokens others(net::SigningKey::generate());
  TokenClaims robot;
  robot.name_space = "ns";
  robot.service_account = {"robot", "sa-1"};
  const std::string foreign = others.issue(robot, kNow);
  EXPECT_EQ(verdict(foreign), "[invalid bearer token, invalid signature, no keys found]");
  for (const char* garbage : {"", ".", "..", "...", "a.b.c", "e30.e30.e30", "secre", "secret1"}) {
    EXPECT_EQ(verdict(garbage), "invalid bearer token") << garbage;
  }
  EXPECT_EQ(verdict(std::string(100'000, '.')), "invalid bearer token");
}

TEST_F(Tokens, RememberedOnesVouchForNoOthers) {
  const std::string token = request("{}");
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(verdict(token), "system:serviceaccount:ns:robot");
    EXPECT_EQ(verdict(token.substr(0, token.size() - 4) + "AAAA"),
              "[invalid bearer token, go-jose/go-jose: error in cryptographic primitive]");
  }
  for (int i = 0; i < 1100; ++i) EXPECT_EQ(verdict(request("{}")), "system:serviceaccount:ns:robot");
  EXPECT_EQ(verdict(token), "system:serviceaccount:ns:robot");
}

TEST_F(Tokens, AreForTheirAudiences) {
  const std::string token = request(R"({"audiences":["a","b"]})");
  EXPECT_EQ(verdict(token, kNow, {"b", "c"}), "system:serviceaccount:ns:robot");
  EXPECT_EQ(verdict(token),
            "[invalid bearer token, token audiences [\"a\" \"b\"] is invalid for the target audiences "
            "[\"https://kubernetes.default.svc.cluster.local\"]]");
  EXPECT_EQ(verdict("secret", kNow, {"zz"}), "invalid bearer token");
}

TEST_F(Tokens, KeysSurviveTheirPem) {
  auto again = net::SigningKey::from_pem(net::SigningKey::generate().pem());
  ASSERT_TRUE(again.has_value());
  EXPECT_TRUE(again->verify("text", again->sign("text")));
  EXPECT_FALSE(again->verify("text!", again->sign("text")));
  EXPECT_FALSE(net::SigningKey::from_pem("no key").has_value());
}

TEST_F(Tokens, TheKeySetLetsOthersVerify) {
  const Value key = tokens.key_set().find("keys")->array().at(0);
  EXPECT_EQ(text_of(key, "alg"), "ES256");
  EXPECT_EQ(decode_base64url(text_of(key, "x"))->size(), 32U);
  const auto header = json(*decode_base64url(split(request("{}"), ".").at(0)));
  EXPECT_EQ(text_of(header, "kid"), text_of(key, "kid"));
  EXPECT_EQ(text_of(tokens.discovery("127.0.0.1:6443"), "jwks_uri"), "https://127.0.0.1:6443/openid/v1/jwks");
}

TEST_F(Tokens, RequestsAreAuthenticated) {
  EXPECT_EQ(authenticate("Bearer secret")->groups,
            (std::vector<std::string>{"system:masters", "system:authenticated"}));
  EXPECT_EQ(authenticate("bearer secret")->name, "kubernetes-admin");
  EXPECT_EQ(authenticate("Bearer " + request("{}"))->name, "system:serviceaccount:ns:robot");
  for (const char* header : {"", "Bearer", "Bearer ", "Basic secret", "secret"}) {
    EXPECT_EQ(authenticate(header).error().code, 401) << header;
    EXPECT_EQ(authenticate(header, "/healthz")->name, "system:anonymous") << header;
  }
  EXPECT_EQ(authenticate("Bearer wrong", "/healthz").error().message, "Unauthorized");
  for (const char* path : {"/version", "/livez/ping", "/readyz"}) EXPECT_TRUE(authenticate("", path).has_value());
  for (const char* path : {"/versions", "/", "/api", "/metrics", "/healthzz"}) {
    EXPECT_FALSE(authenticate("", path).has_value()) << path;
  }
  net::Peer peer;
  peer.certificate = net::CertificateSubject{"alice", {"dev"}};
  const auto alice = authenticate("Bearer wrong", "/api", &peer);
  EXPECT_EQ(alice->name, "alice");
  EXPECT_EQ(alice->groups, (std::vector<std::string>{"dev", "system:authenticated"}));
}

TEST_F(Tokens, AreReviewed) {
  const auto review = [&](std::string_view spec) {
    const auto answer = review_token(authenticator, json(R"({"spec":)" + std::string(spec) + "}"), kNow);
    return answer.has_value() ? document::write_json(*answer->find("status")) : answer.error().message;
  };
  EXPECT_EQ(review("{}"), "token is required for TokenReview in authentication");
  EXPECT_EQ(review(R"({"token":"nope"})"), R"({"user":{},"error":"invalid bearer token"})");
  EXPECT_EQ(review(R"({"token":"secret"})"),
            R"({"authenticated":true,"user":{"username":"kubernetes-admin","groups":["system:masters",)"
            R"("system:authenticated"]},"audiences":["https://kubernetes.default.svc.cluster.local"]})");
}

// ---- impersonation -------------------------------------------------------------------------------------------------

TEST(Impersonation, ReadsHeaders) {
  const std::vector<Header> headers = {{"Impersonate-User", "alice"},
                                       {"Impersonate-Group", "g"},
                                       {"impersonate-group", "h"},
                                       {"Impersonate-Extra-Acme.io%2fProject", "p"},
                                       {"Impersonate-Extra-Broken%2", "q"},
                                       {"Impersonate-Uid", "7"},
                                       {"Accept", "*/*"}};
  const auto wanted = read_impersonation(headers);
  ASSERT_TRUE(wanted.has_value() && wanted->has_value());
  EXPECT_EQ(**wanted, (User{"alice", "7", {"g", "h"}, {{"acme.io/project", {"p"}}, {"broken%2", {"q"}}}}));
  EXPECT_FALSE(read_impersonation({})->has_value());
  const std::vector<Header> no_user = {{"Impersonate-Group", "g"},
                                       {"Impersonate-Extra-Scopes", "a"},
                                       {"Impersonate-Extra-Scopes", "b"},
                                       {"Impersonate-Uid", "7"}};
  EXPECT_EQ(read_impersonation(no_user).error().message,
            "requested &user.DefaultInfo{Name:\"\", UID:\"7\", Groups:[]string{\"g\"}, "
            "Extra:map[string][]string{\"scopes\":[]string{\"a\", \"b\"}}} without impersonating a user name");
}

class Acting : public testing::Test {
 protected:
  void allow(std::string_view rules) {
    const Value role = json(R"({"rules":)" + std::string(rules) + "}");
    rbac.update("clusterroles", {}, "r", &role);
    const Value binding =
        json(R"({"roleRef":{"kind":"ClusterRole","name":"r"},"subjects":[{"kind":"User","name":"bob"}]})");
    rbac.update("clusterrolebindings", {}, "b", &binding);
  }
  std::string act(const User& wanted) {
    Attributes asked;
    asked.user = &bob;
    asked.verb = "list";
    asked.is_resource = true;
    asked.resource = "pods";
    const auto user = impersonate(wanted, asked, rbac);
    if (!user.has_value()) return user.error().message;
    return user->name + " " + joined(user->groups, ",");
  }
  Rbac rbac;
  User bob{"bob", "", {}, {}};
};

TEST_F(Acting, IsRefusedInTheWordsOfTheFirstMode) {
  const std::string pods = " resource \"pods\" in API group \"\" at the cluster scope";
  EXPECT_EQ(act({"alice", "", {}, {}}), "pods is forbidden: User \"bob\" cannot impersonate-on:user-info:list" + pods);
  EXPECT_EQ(act({"system:serviceaccount:ns:x", "", {}, {}}),
            "pods is forbidden: User \"bob\" cannot impersonate-on:serviceaccount:list" + pods);
  EXPECT_EQ(act({"system:node:n1", "", {}, {}}),
            "pods is forbidden: User \"bob\" cannot impersonate-on:arbitrary-node:list" + pods);
  EXPECT_EQ(
      act({"system:node:n1", "", {"g"}, {}}),
      "users \"system:node:n1\" is forbidden: User \"bob\" cannot impersonate resource \"users\" in API group \"\" "
      "at the cluster scope");
}

TEST_F(Acting, TheOldVerbStillWorks) {
  allow(R"([{"verbs":["impersonate"],"apiGroups":[""],"resources":["users","groups","serviceaccounts"]}])");
  EXPECT_EQ(act({"alice", "", {}, {}}), "alice system:authenticated");
  EXPECT_EQ(act({"alice", "", {"g"}, {}}), "alice g,system:authenticated");
  EXPECT_EQ(act({"alice", "", {"system:unauthenticated"}, {}}), "alice system:unauthenticated");
  EXPECT_EQ(act({"system:anonymous", "", {}, {}}), "system:anonymous system:unauthenticated");
  EXPECT_EQ(act({"system:serviceaccount:ns:x", "", {}, {}}),
            "system:serviceaccount:ns:x system:serviceaccounts,system:serviceaccounts:ns,system:authenticated");
  EXPECT_EQ(act({"system:node:n1", "", {}, {}}), "system:node:n1 system:authenticated");
}

TEST_F(Acting, ModesAllowOneKindOfRequest) {
  allow(R"([{"verbs":["impersonate:user-info"],"apiGroups":["authentication.k8s.io"],"resources":["users","groups"]},
            {"verbs":["impersonate:arbitrary-node"],"apiGroups":["authentication.k8s.io"],"resources":["nodes"]},
            {"verbs":["impersonate-on:user-info:list","impersonate-on:arbitrary-node:list"],"apiGroups":[""],
             "resources":["pods"]}])");
  EXPECT_EQ(act({"alice", "", {"g"}, {}}), "alice g,system:authenticated");
  EXPECT_EQ(act({"system:node:n1", "", {}, {}}), "system:node:n1 system:nodes,system:authenticated");
  EXPECT_EQ(act({"alice", "", {"system:masters"}, {}}),
            "groups.authentication.k8s.io \"system:masters\" is forbidden: User \"bob\" cannot impersonate:user-info "
            "resource \"groups\" in API group \"authentication.k8s.io\" at the cluster scope: impersonating the "
            "system:masters group is not allowed");
  EXPECT_EQ(
      act({"alice", "7", {}, {}}),
      "uids.authentication.k8s.io \"7\" is forbidden: User \"bob\" cannot impersonate:user-info resource \"uids\" "
      "in API group \"authentication.k8s.io\" at the cluster scope");
}

}  // namespace
}  // namespace loadline::apiserver
