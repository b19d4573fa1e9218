#include "server/api/openapi/openapi_v2.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <string_view>

#include "foundation/document/reader.h"
#include "foundation/document/writer.h"
#include "server/api/openapi/gnostic.h"

namespace loadline::api {

using schema::Catalog;
using schema::Resource;
namespace {

using document::Value;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::NotNull;

const Value& published_document() {
  static const Value& made = *new Value(openapi_v2_document(Catalog::published()));
  return made;
}

std::string definition(const Value& made, std::string_view name) {
  const Value* found = made.find("definitions")->find(name);
  return found == nullptr ? "(absent)" : document::write_json(*found);
}

void expect_definitions(const Value& value, const Value& definitions) {
  if (value.is_array()) {
    for (const Value& element : value.array()) expect_definitions(element, definitions);
  } else if (value.is_object()) {
    for (const document::Member& member : value.object()) {
      if (member.key == "$ref" && member.value.is_string()) {
        const std::string_view name =
            std::string_view(member.value.string()).substr(std::string_view("#/definitions/").size());
        EXPECT_THAT(definitions.find(name), NotNull()) << name;
      }
      expect_definitions(member.value, definitions);
    }
  }
}

TEST(OpenApiV2, EveryReferenceLeadsSomewhere) {
  expect_definitions(published_document(), *published_document().find("definitions"));
}

TEST(OpenApiV2, DescribesTypesInTheOlderLanguage) {
  EXPECT_EQ(definition(published_document(), "io.k8s.apimachinery.pkg.util.intstr.IntOrString"),
            R"({"type":"string","format":"int-or-string"})");
  EXPECT_EQ(definition(published_document(), "io.k8s.apimachinery.pkg.api.resource.Quantity"), R"({"type":"string"})");
  EXPECT_THAT(definition(published_document(), "io.k8s.api.apps.v1.DeploymentSpec"),
              HasSubstr(R"("strategy":{"$ref":"#/definitions/io.k8s.api.apps.v1.DeploymentStrategy",)"
                        R"("x-kubernetes-patch-strategy":"retainKeys"})"));
  EXPECT_THAT(definition(published_document(), "io.k8s.api.core.v1.ContainerPort"), Not(HasSubstr("default")));
}

std::string custom_definition(std::string_view schema) {
  Catalog catalog = Catalog::published();
  auto resource = std::make_shared<Resource>();
  resource->kind = {"example.com", "v1", "Widget"};
  resource->plural = "widgets";
  resource->list_kind = "WidgetList";
  resource->is_custom = true;
  resource->verbs = {"get", "patch"};
  resource->schema = document::read_json(schema, "schema").documents.front();
  catalog.add(resource);
  return definition(openapi_v2_document(catalog), "com.example.v1.Widget");
}

TEST(OpenApiV2, LeavesOutOfCustomSchemasWhatItCannotSay) {
  const std::string made = custom_definition(R"({"type":"object","properties":{"spec":{"type":"object",
      "required":["maybe","size"],"properties":{
        "maybe":{"type":"string","nullable":true},
        "size":{"anyOf":[{"type":"integer"},{"type":"string"}],"x-kubernetes-int-or-string":true},
        "any":{"type":"object","x-kubernetes-preserve-unknown-fields":true,"properties":{"a":{"type":"string"}}}}}}})");
  EXPECT_THAT(made, HasSubstr(R"("required":["size"])"));
  EXPECT_THAT(made, HasSubstr(R"("maybe":{},"size":{"x-kubernetes-int-or-string":true},)"
                              R"("any":{"x-kubernetes-preserve-unknown-fields":true})"));
  EXPECT_THAT(made, HasSubstr(R"("x-kubernetes-group-version-kind":[{"group":"example.com")"));
  EXPECT_EQ(custom_definition(R"({"type":"object","x-kubernetes-preserve-unknown-fields":true})"),
            R"({"x-kubernetes-preserve-unknown-fields":true,)"
            R"("x-kubernetes-group-version-kind":[{"group":"example.com","kind":"Widget","version":"v1"}]})");
}

TEST(OpenApiV2, IsKeptUntilTheCatalogChanges) {
  Catalog catalog = Catalog::published();
  OpenApiV2 openapi(catalog);
  const auto bytes = openapi.protobuf();
  EXPECT_EQ(openapi.protobuf(), bytes);
  EXPECT_THAT(*openapi.json(), HasSubstr(R"({"swagger":"2.0",)"));
  catalog.remove("apps", "deployments");
  EXPECT_LT(openapi.protobuf()->size(), bytes->size());
}

TEST(Gnostic, WritesMessagesFieldByField) {
  const Value document = document::read_json(R"({"swagger":"2.0","info":{"title":"T"},"definitions":{"a":{
      "type":"string","minLength":3,"x-b":[1]}}})",
                                             "document")
                             .documents.front();
  using namespace std::string_literals;
  const std::string any = "\x12\x04[1]\n"s;  // yaml
  const std::string extension =
      "\x0a\x03x-b"s
      "\x12\x06"s +
      any;  // name, value
  const std::string schema =
      "\xb2\x01\x08\x0a\x06string"s
      "\x60\x03"s  // type, minLength
      "\xfa\x01\x0d"s +
      extension;
  const std::string entry =
      "\x0a\x01"
      "a"s
      "\x12"s +
      static_cast<char>(schema.size()) + schema;
  const std::string list = "\x0a"s + static_cast<char>(entry.size()) + entry;
  EXPECT_EQ(encode_gnostic(document),
            "\x0a\x03"
            "2.0"s
            "\x12\x03\x0a\x01T"s
            "\x4a"s +
                static_cast<char>(list.size()) + list);
}

std::string read_file(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// conformance/publish reads the same bytes with gnostic's own code.
TEST(Gnostic, WritesTheBytesThatGnosticReads) {
  const std::string folder = LOADLINE_SOURCE_DIR "/src/server/api/testdata/";
  const document::Reading reading = document::read_json(read_file(folder + "openapi_v2.json"), "openapi_v2.json");
  ASSERT_EQ(reading.documents.size(), 1U);
  EXPECT_EQ(encode_gnostic(reading.documents.front()), read_file(folder + "openapi_v2.pb"));
}

TEST(Gnostic, LeavesOutWhatIsNotOfTheFormItTakes) {
  const auto encoded = [](std::string_view text) {
    return encode_gnostic(document::read_json(text, "document").documents.front());
  };
  EXPECT_EQ(encoded(R"({"swagger":2,"info":"x","paths":[1],"unknown":{}})"), "");
  EXPECT_EQ(encoded(R"({"definitions":{"a":{"minLength":1.5,"type":7,"items":[{}],"additionalProperties":"x"}}})"),
            encoded(R"({"definitions":{"a":{}}})"));
}

}  // namespace
}  // namespace loadline::api
