#include "server/apiserver/auth/reviews.h"

#include <gtest/gtest.h>

#include "foundation/document/reader.h"
#include "foundation/document/writer.h"
#include "server/apiserver/auth/bootstrap_policy.h"
#include "server/apiserver/auth/selector_attributes.h"

namespace loadline::apiserver {
namespace {

using document::Value;

Value parsed(std::string_view text) { return document::read_json(text, "test").documents.at(0); }

/// The status of an answer, or the message of a refusal.
std::string outcome(const Answer<Value>& answer) {
  return answer.has_value() ? document::write_json(*answer->find("status")) : answer.error().message;
}

class Reviews : public testing::Test {
 protected:
  Reviews() {
    for (const BootstrapObject& object : bootstrap_policy()) {
      rbac.update(object.resource, object.name_space, object.name, &object.document);
    }
  }
  std::string self(std::string_view document) {
    return outcome(review_self_subject_access(rbac, bob, parsed(document)));
  }
  std::string subject(std::string_view spec) {
    return outcome(review_subject_access(rbac, parsed(R"({"spec":)" + std::string(spec) + "}")));
  }
  std::string local(std::string_view document) {
    return outcome(review_local_subject_access(rbac, "default", parsed(document)));
  }

  Rbac rbac;
  User bob{"bob", "bob-uid", {"dev", "system:authenticated"}, {}};
};

// The expectations below are what a kube-apiserver of 1.36 answers to the same documents.

TEST_F(Reviews, SelfSubjectAccess) {
  EXPECT_EQ(self(R"({"spec":{"resourceAttributes":{"verb":"get","resource":"pods"}}})"), R"({"allowed":false})");
  const User admin{"admin", "", {"system:masters"}, {}};
  EXPECT_EQ(
      document::write_json(*review_self_subject_access(
          rbac, admin,
          parsed(R"({"kind":"SelfSubjectAccessReview","apiVersion":"authorization.k8s.io/v1","metadata":{},"spec":)"
                 R"({"resourceAttributes":{"verb":"get","resource":"pods"}}})"))),
      R"({"kind":"SelfSubjectAccessReview","apiVersion":"authorization.k8s.io/v1","metadata":{},"spec":)"
      R"({"resourceAttributes":{"verb":"get","resource":"pods"}},"status":{"allowed":true}})");
  EXPECT_EQ(self(R"({"spec":{}})"),
            ".authorization.k8s.io \"\" is invalid: spec.resourceAttributes: Invalid value: null: exactly one of "
            "nonResourceAttributes or resourceAttributes must be specified");
  EXPECT_EQ(
      self(R"({"spec":{"resourceAttributes":{"verb":"get"},"nonResourceAttributes":{"path":"/x","verb":"get"}}})"),
      ".authorization.k8s.io \"\" is invalid: spec.nonResourceAttributes: Invalid value: "
      "{\"Path\":\"/x\",\"Verb\":\"get\"}: cannot be specified in combination with resourceAttributes");
  EXPECT_EQ(
      self(R"({"metadata":{"name":"x","managedFields":[]},"spec":{"resourceAttributes":{"verb":"get"}}})"),
      ".authorization.k8s.io \"\" is invalid: metadata: Invalid value: {\"name\":\"x\",\"managedFields\":[]}: must "
      "be empty");
  EXPECT_EQ(self(R"({"metadata":{"managedFields":[{}]},"spec":{"resourceAttributes":{"verb":"get"}}})"),
            R"({"allowed":false})");
}

TEST_F(Reviews, SubjectAccess) {
  EXPECT_EQ(
      subject("{}"),
      ".authorization.k8s.io \"\" is invalid: [spec.resourceAttributes: Invalid value: null: exactly one of "
      "nonResourceAttributes or resourceAttributes must be specified, spec.user: Invalid value: \"\": at least one "
      "of user or group must be specified]");
  EXPECT_EQ(
      subject(R"({"user":"bob","groups":["system:authenticated"],"nonResourceAttributes":)"
              R"({"verb":"get","path":"/version"}})"),
      "{\"allowed\":true,\"reason\":\"RBAC: allowed by ClusterRoleBinding \\\"system:discovery\\\" of ClusterRole "
      "\\\"system:discovery\\\" to Group \\\"system:authenticated\\\"\"}");
  EXPECT_EQ(subject(R"({"user":"bob","resourceAttributes":{"verb":"get","resource":"pods","labelSelector":{},)"
                    R"("fieldSelector":{"rawSelector":"a=b","requirements":[{"key":"","operator":"In"}]}}})"),
            ".authorization.k8s.io \"\" is invalid: [spec.resourceAttributes.fieldSelector.rawSelector: Invalid value: "
            "\"a=b\": may not specified at the same time as requirements, "
            "spec.resourceAttributes.fieldSelector.requirements[0].key: Required value: must be specified, "
            "spec.resourceAttributes.fieldSelector.requirements[0].values: Required value: must be specified when "
            "`operator` is 'In' or 'NotIn', spec.resourceAttributes.labelSelector.requirements: Required value: when "
            "spec.resourceAttributes.labelSelector is specified, requirements or rawSelector is required]");
  EXPECT_EQ(subject(R"({"user":"bob","resourceAttributes":{"verb":"get","labelSelector":{"rawSelector":"a in"},)"
                    R"("fieldSelector":{"rawSelector":"a"}}})"),
            R"({"allowed":false,"evaluationError":"spec.resourceAttributes.fieldSelector ignored due to parse error; )"
            R"(spec.resourceAttributes.labelSelector ignored due to parse error"})");
}

TEST_F(Reviews, FieldSelectorsAreReadAsUpstreamReadsThem) {
  struct Case {
    const char* text;
    bool is_good;
  };
  for (const auto& [text, is_good] :
       {Case{"a=b", true}, Case{"a=b,c!=d", true}, Case{"a==b,", true}, Case{",", true}, Case{"a=", true},
        Case{"a", false}, Case{"a=b,c", false}, Case{"a,c=d", false}, Case{"a=b=c", false}, Case{"a=\\,", true},
        Case{"a=\\x", false}, Case{"a=\\", false}}) {
    const Value attributes(
        document::Object{{"fieldSelector", Value(document::Object{{"rawSelector", Value(text), {}}}), {}}});
    EXPECT_EQ(selector_evaluation_error(attributes).empty(), is_good) << text;
  }
}

TEST_F(Reviews, LocalSubjectAccess) {
  EXPECT_EQ(local(R"({"spec":{"user":"bob","resourceAttributes":{"verb":"get","namespace":"default"}}})"),
            R"({"allowed":false})");
  EXPECT_EQ(
      local(R"({"spec":{"user":"bob","resourceAttributes":{"verb":"get","namespace":"x"}}})"),
      ".authorization.k8s.io \"\" is invalid: spec.resourceAttributes.namespace: Invalid value: \"x\": must match "
      "metadata.namespace");
  EXPECT_EQ(local(R"({"metadata":{"namespace":"default"},"spec":{"user":"bob","nonResourceAttributes":)"
                  R"({"verb":"get","path":"/x"}}})"),
            ".authorization.k8s.io \"\" is invalid: spec.nonResourceAttributes: Invalid value: "
            "{\"Path\":\"/x\",\"Verb\":\"get\"}: disallowed on this kind of request");
  EXPECT_EQ(local(R"({"metadata":{"namespace":"other"},"spec":{}})"),
            "the namespace of the provided object does not match the namespace sent on the request");
}

TEST_F(Reviews, SelfSubjectRules) {
  EXPECT_EQ(outcome(review_self_subject_rules(rbac, bob, parsed(R"({"spec":{}})"))), "no namespace on request");
  EXPECT_EQ(
      document::write_json(*review_self_subject_rules(rbac, bob, parsed(R"({"spec":{"namespace":"default"}})"))),
      R"({"kind":"SelfSubjectRulesReview","apiVersion":"authorization.k8s.io/v1","metadata":{},"spec":{},"status":)"
      R"({"resourceRules":[{"verbs":["create"],"apiGroups":["authorization.k8s.io"],"resources":)"
      R"(["selfsubjectaccessreviews","selfsubjectrulesreviews"]},{"verbs":["create"],"apiGroups":)"
      R"(["authentication.k8s.io"],"resources":["selfsubjectreviews"]}],"nonResourceRules":[{"verbs":["get"],)"
      R"("nonResourceURLs":["/api","/api/*","/apis","/apis/*","/healthz","/livez","/openapi","/openapi/*","/readyz",)"
      R"("/version","/version/"]},{"verbs":["get"],"nonResourceURLs":["/healthz","/livez","/readyz","/version",)"
      R"("/version/"]}],"incomplete":false}})");
}

TEST_F(Reviews, SelfSubject) {
  constexpr Instant kReviewedAt = {1'795'000'000'000'000'000};
  bob.extra["scopes"] = {"a"};
  EXPECT_EQ(document::write_json(
                review_self_subject(bob, parsed(R"({"apiVersion":"authentication.k8s.io/v1"})"), kReviewedAt)),
            R"({"kind":"SelfSubjectReview","apiVersion":"authentication.k8s.io/v1","metadata":{"creationTimestamp":)"
            R"("2026-11-18T11:06:40Z"},"status":{"userInfo":{"username":"bob","uid":"bob-uid","groups":["dev",)"
            R"("system:authenticated"],"extra":{"scopes":["a"]}}}})");
}

}  // namespace
}  // namespace loadline::apiserver
