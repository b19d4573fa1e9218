#include "server/apiserver/resources/custom_definitions.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <string_view>

#include "server/apiserver/testing/test_server.h"

namespace loadline::apiserver {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr std::string_view kDefinitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
constexpr std::string_view kWidgetDefinition =
    "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/widgets.example.com";
constexpr std::string_view kWidgets = "/apis/example.com/v1/namespaces/default/widgets";
constexpr std::string_view kWidget = "/apis/example.com/v1/namespaces/default/widgets/w";

constexpr std::string_view kSchema = R"({"type":"object","properties":{
    "spec":{"type":"object","required":["size"],
      "properties":{"size":{"type":"integer","minimum":1,"default":7},"mode":{"type":"string","enum":["A","B"]}},
      "x-kubernetes-validations":[{"rule":"self.size < 100","message":"too big"}]},
    "status":{"type":"object","properties":{"n":{"type":"integer"}}}}})";

/// The definition that a kube-apiserver was recorded with.
std::string definition(std::string_view plural = "widgets", std::string_view kind = "Widget",
                       std::string_view more_names = R"("shortNames":["wd"])") {
  return fmt::format(
      R"({{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition",
      "metadata":{{"name":"{0}.example.com"}},
      "spec":{{"group":"example.com","scope":"Namespaced","names":{{"plural":"{0}","kind":"{1}",{2}}},
      "versions":[{{"name":"v1","served":true,"storage":true,"schema":{{"openAPIV3Schema":{3}}},
      "subresources":{{"status":{{}},"scale":{{"specReplicasPath":".spec.size","statusReplicasPath":".status.n"}}}}}}]}}}})",
      plural, kind, more_names, kSchema);
}

std::string widget(std::string_view spec, std::string_view metadata = "") {
  return fmt::format(R"({{"apiVersion":"example.com/v1","kind":"Widget","metadata":{{"name":"w"{}}},"spec":{}}})",
                     metadata, spec);
}

/// "NamesAccepted=True NoConflicts, …" of a definition.
std::string conditions(const Reply& reply) {
  std::string text;
  const document::Value object = reply.json();
  const document::Value* status = object.find("status");
  const document::Value* all = status == nullptr ? nullptr : status->find("conditions");
  if (all == nullptr || !all->is_array()) return text;
  for (const document::Value& condition : all->array()) {
    if (!text.empty()) text += ", ";
    text += fmt::format("{}={} {}", condition.find("type")->string(), condition.find("status")->string(),
                        condition.find("reason")->string());
  }
  return text;
}

class CustomDefinitionsTest : public testing::Test {
 protected:
  void define() { ASSERT_EQ(server.post(kDefinitions, definition()).verdict(), "201"); }

  TestServer server;
};

TEST_F(CustomDefinitionsTest, AreEstablishedAtOnce) {
  const Reply made = server.post(kDefinitions, definition());
  EXPECT_EQ(made.at({"status"}),
            R"({"conditions":null,"acceptedNames":{"plural":"","kind":""},"storedVersions":["v1"]})");
  const Reply established = server.get(kWidgetDefinition);
  EXPECT_EQ(conditions(established), "NamesAccepted=True NoConflicts, Established=True InitialNamesAccepted");
  EXPECT_EQ(established.at({"status", "acceptedNames"}), established.at({"spec", "names"}));
  EXPECT_EQ(established.at({"metadata", "generation"}), "1");
  EXPECT_THAT(server.get("/apis/example.com/v1").body, HasSubstr("widgets/scale"));
  EXPECT_THAT(server.get("/apis/example.com/v1").body, HasSubstr(R"("storageVersionHash":"gIwvi5rymmg=")"));
}

TEST_F(CustomDefinitionsTest, SayWhatObjectsLookLike) {
  define();
  const std::string verdict = server.post(kWidgets, widget(R"({"size":0,"mode":"C"})")).verdict();
  EXPECT_THAT(verdict, HasSubstr("422 Invalid: Widget.example.com \"w\" is invalid: ["));
  EXPECT_THAT(verdict,
              HasSubstr("spec.size: Invalid value: 0: spec.size in body should be greater than or equal to 1, "));
  EXPECT_THAT(verdict, HasSubstr("spec.mode: Unsupported value: \"C\": supported values: \"A\", \"B\", "));
  EXPECT_THAT(verdict,
              HasSubstr("<nil>: Invalid value: null: some validation rules were not checked because the object "
                        "was invalid; correct the existing errors to complete validation]"));
  EXPECT_EQ(server.post(kWidgets, widget(R"({"size":100})")).verdict(),
            "422 Invalid: Widget.example.com \"w\" is invalid: spec: Invalid value: too big");
  const Reply made = server.post(kWidgets, widget(R"({"size":3,"zzz":1})"));
  EXPECT_EQ(made.verdict(), "201");
  EXPECT_EQ(made.header("Warning"), R"(299 - "unknown field \"spec.zzz\"")");
  EXPECT_EQ(made.at({"spec"}), R"({"size":3})");
  EXPECT_EQ(server.patch("merge", kWidget, R"({"spec":{"size":null}})").at({"spec", "size"}), "7");
}

TEST_F(CustomDefinitionsTest, CountChangesOfAllButStatusAndMetadata) {
  define();
  EXPECT_EQ(server.post(kWidgets, widget(R"({"size":3})")).at({"metadata", "generation"}), "1");
  const auto generation_after = [&](std::string_view path, std::string_view patch) {
    return server.patch("merge", path, patch).at({"metadata", "generation"});
  };
  EXPECT_EQ(generation_after(kWidget, R"({"metadata":{"labels":{"a":"b"}}})"), "1");
  EXPECT_EQ(generation_after(kWidget, R"({"status":{"n":4}})"), "1");
  EXPECT_EQ(server.get(kWidget).at({"status"}), "") << "the status has a path of its own";
  EXPECT_EQ(generation_after(std::string(kWidget) + "/status", R"({"status":{"n":4},"spec":{"size":9}})"), "1");
  EXPECT_EQ(server.get(kWidget).at({"status", "n"}), "4");
  EXPECT_EQ(generation_after(kWidget, R"({"spec":{"size":5}})"), "2");
}

TEST_F(CustomDefinitionsTest, WarnOfFinalizersThatOthersCouldUse) {
  define();
  const Reply made = server.post(kWidgets, widget("{}", R"(,"finalizers":["hold","a.example.com/hold"])"));
  EXPECT_EQ(made.verdict(), "201");
  EXPECT_THAT(made.header("Warning"), HasSubstr("prefer a domain-qualified finalizer name to avoid accidental"));
}

TEST_F(CustomDefinitionsTest, RefuseReplicasThatCannotBe) {
  std::string text = definition();
  text.replace(text.find(R"(,"minimum":1)"), std::string_view(R"(,"minimum":1)").size(), "");
  ASSERT_EQ(server.post(kDefinitions, text).verdict(), "201");
  EXPECT_THAT(server.post(kWidgets, widget(R"({"size":-1})")).verdict(),
              HasSubstr(".spec.size: Invalid value: -1: should be a non-negative integer"));
}

TEST_F(CustomDefinitionsTest, MayNotTakeEachOthersNames) {
  define();
  ASSERT_EQ(server.post(kDefinitions, definition("gadgets", "Widget", R"("shortNames":["wd"])")).verdict(), "201");
  const std::string gadgets = std::string(kDefinitions) + "/gadgets.example.com";
  const Reply refused = server.get(gadgets);
  EXPECT_EQ(conditions(refused), "NamesAccepted=False ListKindConflict, Established=False NotAccepted");
  EXPECT_THAT(refused.body, HasSubstr(R"(\"WidgetList\" is already in use)"));
  EXPECT_EQ(server.get("/apis/example.com/v1/gadgets").status, 404);

  // Once the other is gone, the names are free.
  EXPECT_EQ(server.remove(kWidgetDefinition).status, 200);
  EXPECT_EQ(server.get(kWidgetDefinition).status, 404);
  EXPECT_EQ(conditions(server.get(gadgets)), "NamesAccepted=True NoConflicts, Established=True InitialNamesAccepted");
  EXPECT_EQ(server.get("/apis/example.com/v1/gadgets").status, 200);
}

TEST_F(CustomDefinitionsTest, GoAfterTheirObjects) {
  define();
  ASSERT_EQ(server.post(kWidgets, widget("{}", R"(,"finalizers":["example.com/hold"])")).verdict(), "201");
  const Reply deleted = server.remove(kWidgetDefinition);
  EXPECT_EQ(deleted.at({"metadata", "finalizers"}), R"(["customresourcecleanup.apiextensions.k8s.io"])");
  EXPECT_THAT(conditions(deleted), HasSubstr("Terminating=True InstanceDeletionPending"));

  EXPECT_THAT(conditions(server.get(kWidgetDefinition)), HasSubstr("Terminating=True InstanceDeletionInProgress"));
  EXPECT_NE(server.get(kWidget).at({"metadata", "deletionTimestamp"}), "");
  EXPECT_EQ(server.post(kWidgets, widget("{}")).status, 405) << "nothing new";
  EXPECT_EQ(server.patch("merge", kWidget, R"({"metadata":{"finalizers":null}})").status, 200);
  EXPECT_EQ(server.get(kWidgetDefinition).status, 404);
  EXPECT_EQ(server.get(kWidgets).status, 404);
  EXPECT_THAT(server.get("/apis").body, Not(HasSubstr("example.com")));
}

TEST_F(CustomDefinitionsTest, NoRouteAnswersForWhatTheyDoNotDefine) {
  define();
  const std::string page = "404 page not found\n";
  EXPECT_EQ(server.get("/apis/example.com/v1/namespaces/default/gizmos").body, page);
  EXPECT_EQ(server.get("/apis/example.com/v1/gizmos?watch=true").body, page);
  EXPECT_EQ(server.post("/apis/example.com/v1/gizmos", "{}").body, page);
  EXPECT_EQ(server.remove("/apis/example.com/v1/namespaces/default/gizmos/g").status, 404);
  // Namespaced ones are nowhere but in a namespace.
  EXPECT_EQ(server.get("/apis/example.com/v1/widgets/w").body, page);
  EXPECT_EQ(server.remove("/apis/example.com/v1/widgets").body, page);
  EXPECT_EQ(server.post("/apis/example.com/v1/widgets", widget(R"({"size":1})")).body, page);
  EXPECT_EQ(server.get("/apis/example.com/v1/widgets").verdict(), "200");
  EXPECT_EQ(server.put(kWidgets, widget(R"({"size":1})")).verdict(), "400 BadRequest: name must be provided");
  // The name of such a path says nothing.
  EXPECT_EQ(server.post(std::string(kWidgets) + "/other", widget(R"({"size":1})")).verdict(), "201");
  EXPECT_EQ(server.get(kWidget).verdict(), "200");
  // Kubernetes' own groups answer with a Status.
  EXPECT_EQ(server.get("/apis/apps/v1/gizmos").verdict(),
            "404 NotFound: the server could not find the requested resource");
}

TEST_F(CustomDefinitionsTest, StopServingVersions) {
  define();
  ASSERT_EQ(server.post(kWidgets, widget("{}")).verdict(), "201");
  const std::string second = fmt::format(
      R"([{{"op":"add","path":"/spec/versions/-","value":{{"name":"v2","served":true,"storage":false,
      "schema":{{"openAPIV3Schema":{}}}}}}}])",
      kSchema);
  ASSERT_EQ(server.patch("json", kWidgetDefinition, second).verdict(), "200");
  EXPECT_EQ(server.get("/apis/example.com/v2/namespaces/default/widgets/w").at({"apiVersion"}), "example.com/v2");
  EXPECT_EQ(server.get(kWidgetDefinition).at({"metadata", "generation"}), "2");
  const std::string unserved = R"([{"op":"replace","path":"/spec/versions/1/served","value":false}])";
  ASSERT_EQ(server.patch("json", kWidgetDefinition, unserved).verdict(), "200");
  EXPECT_EQ(server.get("/apis/example.com/v2/namespaces/default/widgets/w").status, 404);
  EXPECT_EQ(server.get(kWidget).status, 200);
}

TEST_F(CustomDefinitionsTest, CannotReplaceWhatKubernetesServes) {
  const std::string roles = R"({"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition",
      "metadata":{"name":"roles.rbac.authorization.k8s.io",
        "annotations":{"api-approved.kubernetes.io":"unapproved, a test"}},
      "spec":{"group":"rbac.authorization.k8s.io","scope":"Namespaced","names":{"plural":"roles","kind":"Role"},
      "versions":[{"name":"v7","served":true,"storage":true,"schema":{"openAPIV3Schema":{"type":"object"}}}]}})";
  ASSERT_EQ(server.post(kDefinitions, roles).verdict(), "201");
  EXPECT_THAT(conditions(server.get(std::string(kDefinitions) + "/roles.rbac.authorization.k8s.io")),
              HasSubstr("KubernetesAPIApprovalPolicyConformant=False UnapprovedAnnotation"));
  EXPECT_EQ(server.get("/apis/rbac.authorization.k8s.io/v7/roles").status, 404);
  EXPECT_THAT(server.get("/apis/rbac.authorization.k8s.io/v1/roles").body,
              HasSubstr("extension-apiserver-authentication-reader"));
  EXPECT_EQ(server.remove(std::string(kDefinitions) + "/roles.rbac.authorization.k8s.io").status, 200);
  EXPECT_EQ(server.get(std::string(kDefinitions) + "/roles.rbac.authorization.k8s.io").status, 404);
  EXPECT_THAT(server.get("/apis/rbac.authorization.k8s.io/v1/roles").body,
              HasSubstr("extension-apiserver-authentication-reader"));
}

TEST(CustomDefinitionsOnDisk, AreServedFromTheStart) {
  const std::filesystem::path directory = std::filesystem::path(testing::TempDir()) / "custom_definitions_on_disk";
  std::filesystem::remove_all(directory);
  ControlPlaneOptions options = TestServer::default_options();
  options.data_dir = directory.string();
  {
    TestServer server(options);
    ASSERT_EQ(server.post(kDefinitions, definition()).verdict(), "201");
    ASSERT_EQ(server.post(kWidgets, widget("{}")).verdict(), "201");
  }
  TestServer server(options);
  EXPECT_EQ(server.get(kWidget).at({"spec", "size"}), "7");
}

constexpr std::string_view kFlavors = "/apis/kueue.x-k8s.io/v1beta2/resourceflavors";
constexpr std::string_view kFlavor =
    R"({"apiVersion":"kueue.x-k8s.io/v1beta2","kind":"ResourceFlavor","metadata":{"name":"f"},
    "spec":{"nodeLabels":{"a":"b"},"nonsense":1}})";

TEST(BuiltInKinds, NeedNoInstalling) {
  TestServer server;
  EXPECT_EQ(server.get(kFlavors).verdict(), "200");
  const Reply made = server.post(kFlavors, kFlavor);
  EXPECT_EQ(made.verdict(), "201");
  EXPECT_EQ(made.header("Warning"), R"(299 - "unknown field \"spec.nonsense\"")") << "its type was made";
  EXPECT_EQ(server.get(kDefinitions).at({"items"}), "[]");
  EXPECT_THAT(server.get("/openapi/v3/apis/ray.io/v1").body, HasSubstr("rayClusterSpec"));
}

TEST(BuiltInKinds, GiveWayToAUsersDefinition) {
  TestServer server;
  ASSERT_EQ(server.post(kFlavors, kFlavor).verdict(), "201");
  const std::string own =
      R"({"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition",
      "metadata":{"name":"resourceflavors.kueue.x-k8s.io"},
      "spec":{"group":"kueue.x-k8s.io","scope":"Cluster","names":{"plural":"resourceflavors","kind":"ResourceFlavor"},
      "versions":[{"name":"v7","served":true,"storage":true,"schema":{"openAPIV3Schema":{"type":"object"}}}]}})";
  ASSERT_EQ(server.post(kDefinitions, own).verdict(), "201");
  EXPECT_EQ(server.get(kFlavors).status, 404);
  // What is kept in another version is served in the one that is asked for.
  EXPECT_EQ(server.get("/apis/kueue.x-k8s.io/v7/resourceflavors/f").at({"apiVersion"}), "kueue.x-k8s.io/v7");
  EXPECT_THAT(server.get("/apis/kueue.x-k8s.io/v7/resourceflavors").body,
              HasSubstr(R"("kind":"ResourceFlavor","apiVersion":"kueue.x-k8s.io/v7")"));
  ASSERT_EQ(server.remove(std::string(kDefinitions) + "/resourceflavors.kueue.x-k8s.io").status, 200);
  EXPECT_EQ(server.get("/apis/kueue.x-k8s.io/v7/resourceflavors").status, 404);
  EXPECT_EQ(server.post(kFlavors, kFlavor).header("Warning"), R"(299 - "unknown field \"spec.nonsense\"")");
}

}  // namespace
}  // namespace loadline::apiserver
