#include "server/api/defaults/defaults.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "foundation/document/reader.h"
#include "foundation/document/writer.h"
#include "objects/schema/conform.h"
#include "objects/schema/defaults/default_fields.h"
#include "server/api/defaults/amounts.h"
#include "server/api/defaults/rules.h"

namespace loadline::api {

using schema::Catalog;
using schema::conform;
using schema::Conformed;
using schema::Field;
using schema::GroupVersionKind;
using schema::Resource;
using schema::Type;
namespace {

using document::Value;

const Catalog& published() {
  static const Catalog& catalog = *new Catalog(Catalog::published());
  return catalog;
}

const Defaults& defaults() {
  static const Defaults& made = *new Defaults(published());
  return made;
}

const Instant kNow = *parse_rfc3339("2026-01-02T00:00:00Z");

std::shared_ptr<const Resource> resource_of(const Value& document) {
  const std::string version = document.find("apiVersion")->string();
  const std::size_t slash = version.find('/');
  GroupVersionKind kind;
  if (slash != std::string::npos) kind.group = version.substr(0, slash);
  kind.version = slash == std::string::npos ? version : version.substr(slash + 1);
  kind.kind = document.find("kind")->string();
  return published().find_kind(kind);
}

Value conformed(const Value& document, const Type& type) {
  Conformed result = conform(document, type);
  EXPECT_EQ(result.error, "") << document::write_json(document);
  return std::move(result.value);
}

Value filled(const Value& document) {
  const auto resource = resource_of(document);
  EXPECT_NE(resource, nullptr) << document::write_json(document);
  if (resource == nullptr) return document;
  return defaults().set(conformed(document, *resource->type), *resource, kNow);
}

std::vector<Value> cases() {
  std::vector<Value> found;
  std::ifstream file(LOADLINE_SOURCE_DIR "/src/server/api/defaults/testdata/defaulted.json");
  for (std::string line; std::getline(file, line);) {
    found.push_back(document::read_json(line, "defaulted.json").documents.at(0));
  }
  return found;
}

TEST(Defaults, AreThoseOfTheApiServer) {
  const std::vector<Value> all = cases();
  EXPECT_GT(all.size(), 80U);
  for (const Value& one : all) {
    const Value in = *one.find("in");
    const auto resource = resource_of(in);
    ASSERT_NE(resource, nullptr) << document::write_json(in);
    // Go writes kind first; what is compared is everything, in order.
    const Value out = conformed(*one.find("out"), *resource->type);
    EXPECT_EQ(document::write_json(filled(in)), document::write_json(out)) << document::write_json(in);
  }
}

TEST(Defaults, AreSetOnceAndShareWhatIsThere) {
  for (const Value& one : cases()) {
    const Value once = filled(*one.find("in"));
    const Value twice = defaults().set(once, *resource_of(once), kNow);
    EXPECT_TRUE(shares(once, twice)) << document::write_json(once);
  }
}

TEST(Defaults, LeaveAloneWhatIsNotOfItsType) {
  const auto pods = published().find("", "v1", "pods");
  for (const std::string_view text : {
           R"({"spec":{"containers":"none","volumes":[1,null,"x"],"securityContext":[]}})",
           R"({"spec":{"containers":[{"resources":{"limits":"much"},"ports":{"a":1},"livenessProbe":[]}]}})",
           R"({"metadata":7,"spec":[],"status":null})",
           R"({"spec":{"resources":{"limits":{"cpu":"x"}},"overhead":{"cpu":{}}}})",
       }) {
    const Value document = document::read_json(text, "test").documents.at(0);
    const Value once = defaults().set(document, *pods, kNow);
    EXPECT_EQ(once, defaults().set(once, *pods, kNow)) << text;
  }
  EXPECT_EQ(defaults().set(Value("text"), *pods, kNow), Value("text"));
}

TEST(Defaults, GiveTaintsTheTime) {
  const Value slice = document::read_json(R"({"apiVersion":"resource.k8s.io/v1","kind":"ResourceSlice","spec":{
    "devices":[{"name":"a","taints":[{"key":"k","effect":"NoSchedule"}]}]}})",
                                          "test")
                          .documents.at(0);
  EXPECT_NE(document::write_json(filled(slice)).find(R"("timeAdded":"2026-01-02T00:00:00Z")"), std::string::npos);
}

TEST(Defaults, NameTypesAndFieldsThatExist) {
  const auto check = [](std::string_view type_name, std::string_view field) {
    const Type* type = published().find_type(type_name);
    ASSERT_NE(type, nullptr) << type_name;
    EXPECT_TRUE(field.empty() || type->find(field) != nullptr) << type_name << " " << field;
  };
  for (const schema::AmountsField& row : schema::amounts_fields()) check(row.type, row.field);
  for (const auto& rules : {core_rules(), extension_rules(), pod_rules(), service_rules(), stateful_set_rules()}) {
    for (const DefaultRule& rule : rules) check(rule.type, "");
  }
}

/// What the published schemas say is filled in; where they say Go's zero value, Go's encoder writes it.
TEST(Defaults, CoverThoseThatArePublished) {
  std::set<std::string> known;
  for (const schema::DefaultField& row : schema::default_fields())
    known.insert(std::string(row.type) + " " + std::string(row.field));
  const auto is_zero = [](const Value& value) {
    return value.is_null() || value == Value("") || value == Value(std::int64_t{0}) || value == Value(false) ||
           value.is_object() || value.is_array();
  };
  std::set<const Type*> seen;
  std::vector<const Type*> open;
  for (const auto& resource : published().all()) {
    if (!resource->is_custom && resource->type != nullptr) open.push_back(resource->type);
  }
  while (!open.empty()) {
    const Type* type = open.back();
    open.pop_back();
    if (type == nullptr || !seen.insert(type).second) continue;
    open.push_back(type->element);
    for (const Field& field : type->fields) {
      open.push_back(field.type);
      if (is_zero(field.initial)) continue;
      // Replicas of a ReplicationController have a row of its own type.
      if (type->name == "io.k8s.api.core.v1.ReplicationControllerSpec") continue;
      EXPECT_TRUE(known.contains(type->name + " " + field.name)) << type->name << " " << field.name;
    }
  }
}

}  // namespace
}  // namespace loadline::api
