#include "server/api/apply/created_fields.h"

#include <gtest/gtest.h>

#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include "foundation/document/at.h"
#include "foundation/document/reader.h"
#include "foundation/document/writer.h"
#include "objects/schema/catalog.h"
#include "objects/schema/conform.h"
#include "objects/schema/testing/published.h"
#include "server/api/apply/field_ownership.h"

namespace loadline::api {

using schema::GroupVersionKind;
using schema::Type;
using schema::zero_value;
namespace {

using document::Value;

Value read_object(std::string_view text) { return document::read_json(text, "test").documents.at(0); }

const Type* type_of(const Value& object) {
  const std::string_view version = document::text_at(object, {"apiVersion"});
  const std::size_t slash = version.find('/');
  GroupVersionKind kind;
  if (slash != std::string_view::npos) kind.group = version.substr(0, slash);
  kind.version = slash == std::string_view::npos ? version : version.substr(slash + 1);
  kind.kind = document::text_at(object, {"kind"});
  return schema::testing::published().find_type(kind);
}

/// The same by way of sets.
std::string owned_by_sets(const Value& blank, const Value& object, const Type& type, const FieldSet* resets) {
  FieldManagement management;
  management.type = &type;
  management.api_version = "v1";
  management.reset_fields = resets;
  FieldOwnership ownership({}, management);
  ownership.update(blank, object, "m");
  return ownership.entries().empty() ? "{}" : document::write_json(ownership.entries()[0].fields.to_fields_v1());
}

void expect_the_same(const Value& object, const Type& type) {
  const Value blank = zero_value(type);
  const FieldSet resets = FieldSet::of_fields({{"status"}, {"spec", "replicas"}, {"metadata", "labels"}});
  for (const FieldSet* reset : {static_cast<const FieldSet*>(nullptr), &resets}) {
    const auto written = created_fields_v1(blank, object, type, reset);
    ASSERT_TRUE(written) << document::write_json(object);
    EXPECT_EQ(*written, owned_by_sets(blank, object, type, reset)) << document::write_json(object);
  }
}

TEST(CreatedFields, AreWhatTheSetsSay) {
  std::ifstream file(LOADLINE_SOURCE_DIR "/src/server/api/defaults/testdata/defaulted.json");
  std::size_t count = 0;
  for (std::string line; std::getline(file, line);) {
    const Value both = read_object(line);
    for (const char* which : {"in", "out"}) {
      const Value& object = *both.find(which);
      const Type* type = type_of(object);
      ASSERT_NE(type, nullptr);
      expect_the_same(object, *type);
      ++count;
    }
  }
  EXPECT_GT(count, 160U);
}

TEST(CreatedFields, AreWhatTheSetsSayOfOddObjects) {
  for (
      const std::string_view text : {
          R"({"apiVersion":"v1","kind":"Pod"})",
          R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"a","uid":"u","managedFields":[]},"status":{}})",
          // Twice the same element, elements without their key, and others than objects.
          R"({"apiVersion":"v1","kind":"Pod","spec":{"containers":[{"name":"b","env":[{"name":"A"},{"name":"A"}]},
               {"name":"a","ports":[{"containerPort":80},{"containerPort":80,"protocol":"UDP"},{"protocol":"TCP"}]},
               {"image":"x"},null,"text"]}})",
          R"({"apiVersion":"v1","kind":"Pod","spec":{"containers":[],"volumes":null,"nodeSelector":{},"overhead":null,
               "securityContext":{"sysctls":[{"name":"a","value":"b"}],"supplementalGroups":[3,1,2]}}})",
          // A set, names with quotes, names of Go's HTML encoder, and unknown fields.
          R"({"apiVersion":"v1","kind":"Pod","metadata":{"finalizers":["b/c","a/b","a/b"],"labels":{"\"q\"":"x","<&>":"y"},
               "annotations":{"é":"","\u2028":""}},"spec":{"unknown":{"a":1},"containers":[{"name":"<\"&>"}]}})",
          // Lists and maps where the type has others.
          R"({"apiVersion":"v1","kind":"Pod","metadata":[1],"spec":{"containers":{"a":1},"nodeSelector":[1],"tolerations":3}})",
          R"({"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","spec":{"versions":[{"name":"v1",
               "schema":{"openAPIV3Schema":{"type":"object","properties":{"a":{"default":{"x":[1]},"enum":["a",1]}},
               "x-kubernetes-preserve-unknown-fields":true}}}]}})",
      }) {
    const Value object = read_object(text);
    const Type* type = type_of(object);
    ASSERT_NE(type, nullptr) << text;
    expect_the_same(object, *type);
  }
}

TEST(CreatedFields, LeaveToTheSetsWhatOnlyTheyCanTell) {
  const Value pod = read_object(R"({"apiVersion":"v1","kind":"Pod","spec":{"containers":[{"name":"a"}]}})");
  const Value other = read_object(R"({"apiVersion":"v1","kind":"Pod","spec":{"containers":[{"name":"b"}]}})");
  EXPECT_FALSE(created_fields_v1(other, pod, *type_of(pod), nullptr));
}

}  // namespace
}  // namespace loadline::api
