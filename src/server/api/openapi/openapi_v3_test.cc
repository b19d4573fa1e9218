#include "server/api/openapi/openapi_v3.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <string_view>

#include "foundation/document/reader.h"
#include "foundation/document/writer.h"
#include "objects/schema/testing/published.h"

namespace loadline::api {

using schema::Catalog;
using schema::Resource;
namespace {

using document::Value;
using ::testing::HasSubstr;
using ::testing::NotNull;

const Value* at(const Value& value, std::initializer_list<std::string_view> path) {
  const Value* found = &value;
  for (const std::string_view key : path) {
    if (found == nullptr) return nullptr;
    found = found->find(key);
  }
  return found;
}

std::string text_below(const Value& value, std::initializer_list<std::string_view> path) {
  const Value* found = at(value, path);
  return found == nullptr ? "(absent)" : document::write_json(*found);
}

/// Every `$ref` below leads to a schema of the document.
void expect_schemas(const Value& value, const Value& schemas) {
  if (value.is_array()) {
    for (const Value& element : value.array()) expect_schemas(element, schemas);
  } else if (value.is_object()) {
    for (const document::Member& member : value.object()) {
      if (member.key == "$ref" && member.value.is_string()) {
        constexpr std::string_view kRoot = "#/components/schemas/";
        ASSERT_TRUE(member.value.string().starts_with(kRoot)) << member.value.string();
        EXPECT_THAT(schemas.find(std::string_view(member.value.string()).substr(kRoot.size())), NotNull())
            << member.value.string();
      }
      expect_schemas(member.value, schemas);
    }
  }
}

TEST(OpenApiV3, EveryReferenceLeadsSomewhere) {
  for (const Catalog::Group& group : schema::testing::published().groups()) {
    for (const std::string& version : group.versions) {
      const auto made = openapi_v3_document(schema::testing::published(), group.name, version);
      ASSERT_TRUE(made.has_value()) << group.name;
      expect_schemas(*made, *at(*made, {"components", "schemas"}));
      EXPECT_FALSE(made->find("paths")->object().empty()) << group.name;
    }
  }
}

TEST(OpenApiV3, DescribesFieldsAsUpstreamDoes) {
  const Value core = *openapi_v3_document(schema::testing::published(), "", "v1");
  const Value& schemas = *at(core, {"components", "schemas"});
  EXPECT_EQ(
      text_below(schemas, {"io.k8s.api.core.v1.PodSpec", "properties", "volumes"}),
      R"({"type":"array","items":{"allOf":[{"$ref":"#/components/schemas/io.k8s.api.core.v1.Volume"}],"default":{}},)"
      R"("x-kubernetes-list-map-keys":["name"],"x-kubernetes-list-type":"map",)"
      R"("x-kubernetes-patch-merge-key":"name","x-kubernetes-patch-strategy":"merge,retainKeys"})");
  EXPECT_EQ(text_below(schemas, {"io.k8s.api.core.v1.ResourceRequirements", "properties", "limits"}),
            R"({"type":"object","additionalProperties":)"
            R"({"$ref":"#/components/schemas/io.k8s.apimachinery.pkg.api.resource.Quantity"}})");
  EXPECT_EQ(text_below(schemas, {"io.k8s.api.core.v1.Pod", "x-kubernetes-group-version-kind"}),
            R"([{"group":"","kind":"Pod","version":"v1"}])");
  EXPECT_EQ(text_below(schemas, {"io.k8s.api.core.v1.PodSpec", "required"}), R"(["containers"])");
  EXPECT_EQ(text_below(schemas, {"io.k8s.api.core.v1.ContainerPort", "properties", "protocol"}),
            R"({"type":"string","default":"TCP"})");
}

TEST(OpenApiV3, OffersValidationAndDryRunOnWrites) {
  const Value core = *openapi_v3_document(schema::testing::published(), "", "v1");
  const Value* patch = at(core, {"paths", "/api/v1/namespaces/{namespace}/pods/{name}", "patch"});
  ASSERT_THAT(patch, NotNull());
  EXPECT_EQ(patch->find("operationId")->string(), "patchCoreV1NamespacedPod");
  EXPECT_EQ(patch->find("x-kubernetes-action")->string(), "patch");
  EXPECT_EQ(text_below(*patch, {"x-kubernetes-group-version-kind"}), R"({"group":"","version":"v1","kind":"Pod"})");
  const std::string parameters = text_below(*patch, {"parameters"});
  for (const char* name : {"dryRun", "fieldManager", "fieldValidation", "force"})
    EXPECT_THAT(parameters, HasSubstr(name));
  EXPECT_EQ(text_below(core, {"paths", "/api/v1/namespaces/{namespace}/pods/{name}/eviction", "post",
                              "x-kubernetes-group-version-kind"}),
            R"({"group":"policy","version":"v1","kind":"Eviction"})");
  EXPECT_EQ(text_below(core, {"paths", "/api/v1/pods", "get", "operationId"}), R"("listCoreV1PodForAllNamespaces")");
}

std::shared_ptr<Resource> resource_of(std::string_view schema) {
  auto resource = std::make_shared<Resource>();
  resource->kind = {"example.com", "v1", "Widget"};
  resource->plural = "widgets";
  resource->list_kind = "WidgetList";
  resource->is_namespaced = true;
  resource->is_custom = true;
  resource->verbs = {"get", "list", "create", "patch"};
  resource->schema = document::read_json(schema, "schema").documents.front();
  return resource;
}

TEST(OpenApiV3, DescribesCustomKinds) {
  Catalog catalog = Catalog::published();
  catalog.add(resource_of(R"({"type":"object","properties":{"spec":{"type":"object","required":["size"],"properties":
      {"size":{"type":"integer","minimum":1},"any":{"type":"object","x-kubernetes-embedded-resource":true}}}}})"));
  const Value made = *openapi_v3_document(catalog, "example.com", "v1");
  expect_schemas(made, *at(made, {"components", "schemas"}));
  const Value& widget = *at(made, {"components", "schemas", "com.example.v1.Widget"});
  EXPECT_EQ(text_below(widget, {"properties", "metadata"}),
            R"({"allOf":[{"$ref":"#/components/schemas/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta"}]})");
  EXPECT_EQ(text_below(widget, {"properties", "spec", "properties", "size"}), R"({"type":"integer","minimum":1})");
  EXPECT_THAT(at(widget, {"properties", "spec", "properties", "any", "properties", "metadata"}), NotNull());
  EXPECT_EQ(text_below(widget, {"x-kubernetes-group-version-kind"}),
            R"([{"group":"example.com","kind":"Widget","version":"v1"}])");
  EXPECT_EQ(text_below(made, {"components", "schemas", "com.example.v1.WidgetList", "required"}), R"(["items"])");
  EXPECT_EQ(text_below(made, {"paths", "/apis/example.com/v1/namespaces/{namespace}/widgets/{name}", "patch", "tags"}),
            R"(["exampleCom_v1"])");
  EXPECT_EQ(at(made, {"paths", "/apis/example.com/v1/namespaces/{namespace}/widgets/{name}", "patch", "requestBody",
                      "content", "application/strategic-merge-patch+json"}),
            nullptr);
}

TEST(OpenApiV3, KeepsDocumentsUntilTheCatalogChanges) {
  Catalog catalog = Catalog::published();
  OpenApiV3 openapi(catalog);
  const auto index = openapi.index();
  EXPECT_THAT(*index, HasSubstr(R"("apis/apps/v1":{"serverRelativeURL":"/openapi/v3/apis/apps/v1?hash=)"));
  EXPECT_EQ(openapi.index(), index);
  const auto apps = openapi.document("apis/apps/v1");
  ASSERT_TRUE(apps.has_value());
  EXPECT_THAT(*index, HasSubstr(apps->hash));
  EXPECT_EQ(openapi.document("apis/apps/v1")->text, apps->text);
  for (const char* path : {"", "api", "apis", "apis/apps", "apis/example.com/v1", "nothing/v1", "apis/apps/v1/x"}) {
    EXPECT_FALSE(openapi.document(path).has_value()) << path;
  }
  catalog.add(resource_of(R"({"type":"object"})"));
  EXPECT_NE(*openapi.index(), *index);
  EXPECT_EQ(openapi.document("apis/apps/v1")->text, apps->text);
  const auto first = openapi.document("apis/example.com/v1");
  ASSERT_TRUE(first.has_value());
  EXPECT_THAT(*openapi.index(), HasSubstr(first->hash));
  catalog.add(resource_of(R"({"type":"object","properties":{"spec":{"type":"object"}}})"));
  const auto second = openapi.document("apis/example.com/v1");
  EXPECT_NE(second->hash, first->hash);
  EXPECT_NE(*second->text, *first->text);
  EXPECT_THAT(*openapi.index(), HasSubstr(second->hash));
  catalog.remove("example.com", "widgets");
  EXPECT_EQ(*openapi.index(), *index);
  EXPECT_FALSE(openapi.document("apis/example.com/v1").has_value());
}

}  // namespace
}  // namespace loadline::api
