#include "server/apiserver/auth/rbac.h"

#include <gtest/gtest.h>

#include "foundation/document/reader.h"
#include "foundation/document/writer.h"
#include "server/apiserver/auth/bootstrap_policy.h"
#include "server/apiserver/auth/escalation.h"

namespace loadline::apiserver {
namespace {

using document::Value;

Value yaml(std::string_view text) {
  document::Reading reading = document::read_yaml(text, "test");
  EXPECT_FALSE(has_errors(reading.problems)) << reading.problems.front().to_string();
  return reading.documents.empty() ? Value() : reading.documents.front();
}

User user(std::string name, std::vector<std::string> groups = {}) {
  User made;
  made.name = std::move(name);
  made.groups = std::move(groups);
  return made;
}

Attributes on(const User& who, std::string verb, std::string resource, std::string name_space = {}) {
  Attributes asked;
  asked.user = &who;
  asked.verb = std::move(verb);
  asked.is_resource = true;
  asked.resource = std::move(resource);
  asked.name_space = std::move(name_space);
  return asked;
}

void bind_cluster(Rbac& rbac, const std::string& name, const std::string& role, const std::string& subject) {
  const Value binding = yaml("roleRef: {kind: ClusterRole, name: " + role + ", apiGroup: rbac.authorization.k8s.io}\n" +
                             "subjects: [" + subject + "]");
  rbac.update("clusterrolebindings", {}, name, &binding);
}

void add_role(Rbac& rbac, const std::string& name, std::string_view text) {
  const Value role = yaml(text);
  rbac.update("clusterroles", {}, name, &role);
}

void load_defaults(Rbac& rbac) {
  for (const BootstrapObject& object : bootstrap_policy()) {
    rbac.update(object.resource, object.name_space, object.name, &object.document);
  }
  for (auto stale = rbac.stale_aggregations(); !stale.empty(); stale = rbac.stale_aggregations()) {
    for (const auto& [name, rules] : stale) {
      for (const BootstrapObject& object : bootstrap_policy()) {
        if (object.resource != "clusterroles" || object.name != name) continue;
        const Value role = object.document.with("rules", rules);
        rbac.update("clusterroles", {}, name, &role);
      }
    }
  }
}

TEST(Rbac, MatchesRulesAsUpstreamDoes) {
  struct Case {
    const char* rule;
    const char* group;
    const char* resource;
    const char* subresource;
    const char* name;
    bool is_allowed;
  };
  const Case cases[] = {
      {"{verbs: [get], apiGroups: [''], resources: [pods]}", "", "pods", "", "a", true},
      {"{verbs: [get], apiGroups: [''], resources: [pods]}", "", "pods", "log", "a", false},
      {"{verbs: [get], apiGroups: [''], resources: [pods]}", "apps", "pods", "", "a", false},
      {"{verbs: [list], apiGroups: [''], resources: [pods]}", "", "pods", "", "a", false},
      {"{verbs: ['*'], apiGroups: ['*'], resources: ['*']}", "x.io", "things", "status", "a", true},
      {"{verbs: [get], apiGroups: [''], resources: [pods/log]}", "", "pods", "log", "a", true},
      {"{verbs: [get], apiGroups: [''], resources: ['*/log']}", "", "pods", "log", "a", true},
      {"{verbs: [get], apiGroups: [''], resources: ['*/log']}", "", "pods", "", "a", false},
      {"{verbs: [get], apiGroups: [''], resources: ['*/log']}", "", "pods", "xlog", "a", false},
      {"{verbs: [get], apiGroups: [''], resources: ['pods/*']}", "", "pods", "log", "a", false},
      {"{verbs: [get], apiGroups: [''], resources: [pods], resourceNames: [a, b]}", "", "pods", "", "b", true},
      {"{verbs: [get], apiGroups: [''], resources: [pods], resourceNames: [a, b]}", "", "pods", "", "c", false},
      {"{verbs: [get], apiGroups: [''], resources: [pods], resourceNames: [a]}", "", "pods", "", "", false},
      {"{verbs: [get], nonResourceURLs: ['*']}", "", "pods", "", "a", false},
      {"{verbs: 7, apiGroups: [''], resources: [pods]}", "", "pods", "", "a", false},
  };
  const User bob = user("bob");
  for (const Case& each : cases) {
    const PolicyRules rules = read_policy_rules(yaml(std::string("rules: [") + each.rule + "]").find("rules"));
    ASSERT_EQ(rules.size(), 1U);
    Attributes asked = on(bob, "get", each.resource);
    asked.group = each.group;
    asked.subresource = each.subresource;
    asked.name = each.name;
    EXPECT_EQ(allows(rules.front(), asked), each.is_allowed) << each.rule << " " << each.resource << " " << each.name;
  }
}

TEST(Rbac, MatchesPaths) {
  const PolicyRule rule = {{"get"}, {}, {}, {}, {"/healthz", "/apis/*"}};
  const User bob = user("bob");
  Attributes asked;
  asked.user = &bob;
  asked.verb = "get";
  for (const auto& [path, is_allowed] : {std::pair("/healthz", true), std::pair("/healthz/ping", false),
                                         std::pair("/apis/apps", true), std::pair("/apis", false)}) {
    asked.path = path;
    EXPECT_EQ(allows(rule, asked), is_allowed) << path;
  }
}

TEST(Rbac, SaysWhoseBindingAllowed) {
  Rbac rbac;
  add_role(rbac, "reader", "rules: [{verbs: [get], apiGroups: [''], resources: [pods]}]");
  bind_cluster(rbac, "b-users", "reader", "{kind: User, name: bob}");
  bind_cluster(rbac, "c-accounts", "reader", "{kind: ServiceAccount, name: robot, namespace: ns}");
  const Value local = yaml(
      "roleRef: {kind: ClusterRole, name: reader, apiGroup: rbac.authorization.k8s.io}\n"
      "subjects: [{kind: ServiceAccount, name: here}, {kind: Group, name: team}]");
  rbac.update("rolebindings", "ns", "local", &local);

  const User bob = user("bob");
  const User robot = user("system:serviceaccount:ns:robot");
  const User here = user("system:serviceaccount:ns:here");
  const User member = user("eve", {"team"});
  const User admin = user("root", {"system:masters"});
  EXPECT_EQ(rbac.authorize(on(bob, "get", "pods")).reason,
            R"(RBAC: allowed by ClusterRoleBinding "b-users" of ClusterRole "reader" to User "bob")");
  EXPECT_EQ(rbac.authorize(on(robot, "get", "pods")).reason,
            R"(RBAC: allowed by ClusterRoleBinding "c-accounts" of ClusterRole "reader" to ServiceAccount "robot/ns")");
  EXPECT_EQ(rbac.authorize(on(here, "get", "pods", "ns")).reason,
            R"(RBAC: allowed by RoleBinding "local/ns" of ClusterRole "reader" to ServiceAccount "here/ns")");
  EXPECT_EQ(rbac.authorize(on(member, "get", "pods", "ns")).reason,
            R"(RBAC: allowed by RoleBinding "local/ns" of ClusterRole "reader" to Group "team")");
  EXPECT_FALSE(rbac.authorize(on(member, "get", "pods", "other")).is_allowed);
  EXPECT_FALSE(rbac.authorize(on(member, "get", "pods")).is_allowed);
  EXPECT_TRUE(rbac.authorize(on(admin, "delete", "anything")).is_allowed);
  EXPECT_EQ(rbac.authorize(on(admin, "delete", "anything")).reason, "");
}

TEST(Rbac, FollowsEveryUpdate) {
  Rbac rbac;
  const User bob = user("bob");
  bind_cluster(rbac, "b", "reader", "{kind: User, name: bob}");
  EXPECT_EQ(rbac.authorize(on(bob, "get", "pods")).reason,
            R"(RBAC: clusterrole.rbac.authorization.k8s.io "reader" not found)");
  add_role(rbac, "reader", "rules: [{verbs: [get], apiGroups: [''], resources: [pods]}]");
  EXPECT_TRUE(rbac.authorize(on(bob, "get", "pods")).is_allowed);
  add_role(rbac, "reader", "rules: [{verbs: [list], apiGroups: [''], resources: [pods]}]");
  EXPECT_FALSE(rbac.authorize(on(bob, "get", "pods")).is_allowed);
  EXPECT_TRUE(rbac.authorize(on(bob, "list", "pods")).is_allowed);
  bind_cluster(rbac, "b", "reader", "{kind: User, name: alice}");
  EXPECT_FALSE(rbac.authorize(on(bob, "list", "pods")).is_allowed);
  bind_cluster(rbac, "b", "reader", "{kind: User, name: bob}, {kind: User, name: bob}");
  EXPECT_TRUE(rbac.authorize(on(bob, "list", "pods")).is_allowed);
  rbac.update("clusterrolebindings", {}, "b", nullptr);
  rbac.update("clusterrolebindings", {}, "b", nullptr);
  EXPECT_FALSE(rbac.authorize(on(bob, "list", "pods")).is_allowed);
}

TEST(Rbac, NamesAllMissingRoles) {
  Rbac rbac;
  const User bob = user("bob", {"dev"});
  bind_cluster(rbac, "a", "x", "{kind: User, name: bob}");
  bind_cluster(rbac, "b", "x", "{kind: Group, name: dev}");
  bind_cluster(rbac, "c", "z", "{kind: Group, name: dev}");
  EXPECT_EQ(rbac.authorize(on(bob, "get", "pods")).reason,
            "RBAC: [clusterrole.rbac.authorization.k8s.io \"x\" not found, "
            "clusterrole.rbac.authorization.k8s.io \"z\" not found]");
}

TEST(Rbac, TheDefaultRolesAreThoseOfUpstream) {
  const std::vector<BootstrapObject> objects = bootstrap_policy();
  EXPECT_EQ(objects.size(), 135U);
  const auto find = [&](std::string_view resource, std::string_view name) {
    for (const BootstrapObject& object : objects) {
      if (object.resource == resource && object.name == name) return document::write_json(object.document);
    }
    return std::string();
  };
  EXPECT_EQ(find("clusterroles", "edit"),
            R"({"apiVersion":"rbac.authorization.k8s.io/v1","kind":"ClusterRole","metadata":{"name":"edit","labels":)"
            R"({"kubernetes.io/bootstrapping":"rbac-defaults","rbac.authorization.k8s.io/aggregate-to-admin":"true"},)"
            R"("annotations":{"rbac.authorization.kubernetes.io/autoupdate":"true"}},"rules":null,)"
            R"("aggregationRule":{"clusterRoleSelectors":[{"matchLabels":)"
            R"({"rbac.authorization.k8s.io/aggregate-to-edit":"true"}}]}})");
  EXPECT_EQ(find("rolebindings", "system:controller:token-cleaner"),
            R"({"apiVersion":"rbac.authorization.k8s.io/v1","kind":"RoleBinding","metadata":{"name":)"
            R"("system:controller:token-cleaner","namespace":"kube-system","labels":{"kubernetes.io/bootstrapping":)"
            R"("rbac-defaults"},"annotations":{"rbac.authorization.kubernetes.io/autoupdate":"true"}},"subjects":)"
            R"([{"kind":"ServiceAccount","name":"token-cleaner","namespace":"kube-system"}],"roleRef":{"apiGroup":)"
            R"("rbac.authorization.k8s.io","kind":"Role","name":"system:controller:token-cleaner"}})");
}

TEST(Rbac, AggregatesUntilNothingIsStale) {
  Rbac rbac;
  load_defaults(rbac);
  bind_cluster(rbac, "viewer", "view", "{kind: User, name: v}");
  bind_cluster(rbac, "admin", "admin", "{kind: User, name: a}");
  const User viewer = user("v");
  const User admin = user("a");
  EXPECT_TRUE(rbac.authorize(on(viewer, "list", "pods")).is_allowed);
  EXPECT_FALSE(rbac.authorize(on(viewer, "create", "pods")).is_allowed);
  EXPECT_FALSE(rbac.authorize(on(viewer, "list", "secrets")).is_allowed);
  EXPECT_TRUE(rbac.authorize(on(admin, "create", "pods")).is_allowed);
  EXPECT_FALSE(rbac.authorize(on(admin, "create", "nodes")).is_allowed);
  EXPECT_TRUE(rbac.stale_aggregations().empty());
}

/// The user of the escalation tests may write roles and bindings, and nothing else; a role of theirs is missing.
class Escalation : public testing::Test {
 protected:
  Escalation() {
    load_defaults(rbac);
    bind_cluster(rbac, "rw", "writer", "{kind: User, name: bob}");
    bind_cluster(rbac, "defaults", "system:basic-user", "{kind: User, name: bob}");
    bind_cluster(rbac, "ghost", "ghost", "{kind: Group, name: dev}");
    write_role("[create, get, update]");
  }
  void write_role(const std::string& verbs) {
    add_role(rbac, "writer",
             "rules: [{verbs: " + verbs +
                 ", apiGroups: [rbac.authorization.k8s.io], resources: [roles, clusterroles, rolebindings, "
                 "clusterrolebindings]}]");
  }
  std::string check(const std::string& resource, const std::string& name_space, std::string_view object,
                    const Value* previous = nullptr) {
    Attributes asked = on(bob, previous == nullptr ? "create" : "update", resource, name_space);
    asked.group = "rbac.authorization.k8s.io";
    const auto failed = check_escalation(rbac, asked, yaml(object), previous);
    return failed.has_value() ? failed->message : "";
  }
  Rbac rbac;
  User bob = user("bob", {"dev", "qa", "system:authenticated"});
};

TEST_F(Escalation, AUserGrantsOnlyWhatTheUserHas) {
  EXPECT_EQ(check("clusterroles", "",
                  "metadata: {name: evil}\n"
                  "rules:\n"
                  "- {verbs: [get, list], apiGroups: ['', apps], resources: [pods, deployments]}\n"
                  "- {verbs: [get], nonResourceURLs: [/metrics, /healthz]}\n"
                  "- {verbs: [get], apiGroups: [''], resources: [secrets], resourceNames: [a, b]}"),
            "clusterroles.rbac.authorization.k8s.io \"evil\" is forbidden: user \"bob\" (groups=[\"dev\" \"qa\" "
            "\"system:authenticated\"]) is attempting to grant RBAC permissions not currently held:\n"
            "{APIGroups:[\"\"], Resources:[\"deployments\"], Verbs:[\"get\" \"list\"]}\n"
            "{APIGroups:[\"\"], Resources:[\"pods\"], Verbs:[\"get\" \"list\"]}\n"
            "{APIGroups:[\"\"], Resources:[\"secrets\"], ResourceNames:[\"a\"], Verbs:[\"get\"]}\n"
            "{APIGroups:[\"\"], Resources:[\"secrets\"], ResourceNames:[\"b\"], Verbs:[\"get\"]}\n"
            "{APIGroups:[\"apps\"], Resources:[\"deployments\"], Verbs:[\"get\" \"list\"]}\n"
            "{APIGroups:[\"apps\"], Resources:[\"pods\"], Verbs:[\"get\" \"list\"]}\n"
            "{NonResourceURLs:[\"/metrics\"], Verbs:[\"get\"]}; resolution errors: "
            "[clusterroles.rbac.authorization.k8s.io \"ghost\" not found]");
}

TEST_F(Escalation, WhatOneHasOneMayGrant) {
  EXPECT_EQ(
      check("roles", "ns", "rules: [{verbs: [create], apiGroups: [rbac.authorization.k8s.io], resources: [roles]}]"),
      "");
}

TEST_F(Escalation, AggregationNeedsEverything) {
  EXPECT_EQ(
      check("clusterroles", "", "{metadata: {name: agg}, aggregationRule: {clusterRoleSelectors: [{}]}}"),
      "clusterroles.rbac.authorization.k8s.io \"agg\" is forbidden: must have cluster-admin privileges to use the "
      "aggregationRule");
}

TEST_F(Escalation, BindingAMissingRoleIsNotFoundAsWhatTheRequestIsAbout) {
  EXPECT_EQ(
      check("clusterrolebindings", "", "roleRef: {kind: ClusterRole, name: nope, apiGroup: rbac.authorization.k8s.io}"),
      "clusterrolebindings.rbac.authorization.k8s.io \"nope\" not found");
  EXPECT_EQ(check("rolebindings", "ns", "roleRef: {kind: Role, name: nope, apiGroup: rbac.authorization.k8s.io}"),
            "rolebindings.rbac.authorization.k8s.io \"nope\" not found");
}

TEST_F(Escalation, VerbsEscalateAndBindLiftIt) {
  const char* role = "rules: [{verbs: [get], apiGroups: [''], resources: [pods]}]";
  const char* binding = "roleRef: {kind: ClusterRole, name: cluster-admin, apiGroup: rbac.authorization.k8s.io}";
  EXPECT_NE(check("roles", "ns", role), "");
  EXPECT_NE(check("rolebindings", "ns", binding), "");
  write_role("[create, escalate]");
  EXPECT_EQ(check("roles", "ns", role), "");
  EXPECT_NE(check("rolebindings", "ns", binding), "");
  write_role("[create, bind]");
  EXPECT_EQ(check("rolebindings", "ns", binding), "");
  EXPECT_NE(check("roles", "ns", role), "");
}

TEST_F(Escalation, GarbageCollectionMayChangeOwners) {
  const Value before =
      yaml("metadata: {name: r, finalizers: [a]}\nrules: [{verbs: [get], apiGroups: [''], resources: [pods]}]");
  EXPECT_EQ(
      check("roles", "ns", "metadata: {name: r}\nrules: [{verbs: [get], apiGroups: [''], resources: [pods]}]", &before),
      "");
  EXPECT_NE(check("roles", "ns",
                  "metadata: {name: r, labels: {a: b}}\nrules: [{verbs: [get], apiGroups: [''], resources: [pods]}]",
                  &before),
            "");
}

TEST(NotAllowed, UsesTheWordsOfTheApiServer) {
  const User bob = user("b<o>b");
  EXPECT_EQ(not_allowed(on(bob, "list", "secrets", "default"), "").message,
            "secrets is forbidden: User \"b&lt;o&gt;b\" cannot list resource \"secrets\" in API group \"\" in the "
            "namespace \"default\"");
  Attributes asked = on(bob, "update", "deployments");
  asked.group = "apps";
  asked.subresource = "scale";
  asked.name = "web";
  EXPECT_EQ(
      not_allowed(asked, "because").message,
      "deployments.apps \"web\" is forbidden: User \"b&lt;o&gt;b\" cannot update resource \"deployments/scale\" in "
      "API group \"apps\" at the cluster scope: because");
  Attributes path;
  path.user = &bob;
  path.verb = "get";
  path.path = "/nowhere";
  EXPECT_EQ(not_allowed(path, "").message, "forbidden: User \"b&lt;o&gt;b\" cannot get path \"/nowhere\"");
}

}  // namespace
}  // namespace loadline::apiserver
