#include <gtest/gtest.h>

#include <fstream>
#include <string>

#include "foundation/document/reader.h"
#include "server/apiserver/auth/escalation.h"
#include "server/apiserver/auth/rbac.h"

namespace loadline::apiserver {
namespace {

using document::Value;

/// Roles, bindings, and what upstream's authorizer says of them; conformance/policy makes and checks the file.
std::vector<Value> read_cases() {
  std::ifstream stream(std::string(LOADLINE_SOURCE_DIR) + "/conformance/policy/testdata/rbac.jsonl");
  std::vector<Value> cases;
  for (std::string line; std::getline(stream, line);) {
    cases.push_back(document::read_json(line, "rbac.jsonl").documents.at(0));
  }
  return cases;
}

void load(const Value& objects, Rbac& rbac) {
  for (const char* resource : {"roles", "clusterroles", "rolebindings", "clusterrolebindings"}) {
    for (const Value& object : objects.find(resource)->array()) {
      const Value& metadata = *object.find("metadata");
      rbac.update(resource, text_of(metadata, "namespace"), text_of(metadata, "name"), &object);
    }
  }
}

User read_user(const Value& asked) {
  return {std::string(text_of(asked, "user")), {}, strings_of(asked.find("groups")), {}};
}

TEST(RbacCases, EveryQuestionIsAnsweredAsUpstreamAnswersIt) {
  std::size_t allowed = 0;
  std::size_t questions = 0;
  for (const Value& objects : read_cases()) {
    Rbac rbac;
    load(objects, rbac);
    for (const Value& question : objects.find("questions")->array()) {
      const User user = read_user(question);
      Attributes asked;
      asked.user = &user;
      asked.verb = text_of(question, "verb");
      asked.path = text_of(question, "path");
      asked.is_resource = asked.path.empty();
      asked.group = text_of(question, "group");
      asked.resource = text_of(question, "resource");
      asked.subresource = text_of(question, "subresource");
      asked.name = text_of(question, "name");
      asked.name_space = text_of(question, "namespace");
      const Decision decision = rbac.authorize(asked);
      const std::string shown = not_allowed(asked, {}).message;
      EXPECT_EQ(decision.is_allowed, question.find("allowed") != nullptr) << shown;
      EXPECT_EQ(decision.reason, text_of(question, "reason")) << shown;
      ++questions;
      allowed += decision.is_allowed ? 1U : 0U;
    }
  }
  EXPECT_GT(questions, 150U);
  EXPECT_GT(allowed, 40U);
}

TEST(RbacCases, AUserGrantsNoMoreThanUpstreamAllows) {
  std::size_t refused = 0;
  std::size_t grants = 0;
  for (const Value& objects : read_cases()) {
    Rbac rbac;
    load(objects, rbac);
    for (const Value& grant : objects.find("grants")->array()) {
      const User user = read_user(grant);
      Attributes asked;
      asked.user = &user;
      asked.verb = "create";
      asked.is_resource = true;
      asked.group = "rbac.authorization.k8s.io";
      asked.resource = "roles";
      asked.name_space = text_of(grant, "namespace");
      const Value role = Value().with("rules", *grant.find("rules"));
      const auto failed = check_escalation(rbac, asked, role, nullptr);
      std::string why(text_of(grant, "why"));
      if (!why.empty()) why = "roles.rbac.authorization.k8s.io is forbidden: " + why;
      EXPECT_EQ(failed.has_value() ? failed->message : std::string(), why);
      ++grants;
      refused += failed.has_value() ? 1U : 0U;
    }
  }
  EXPECT_GT(refused, 10U);
  EXPECT_LT(refused, grants);
}

}  // namespace
}  // namespace loadline::apiserver
