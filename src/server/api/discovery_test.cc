#include "server/api/discovery.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "foundation/document/reader.h"
#include "foundation/document/writer.h"
#include "objects/schema/testing/published.h"

namespace loadline::api {

using schema::Catalog;
using schema::Resource;
namespace {

using document::Value;
using ::testing::HasSubstr;
using ::testing::StartsWith;

Catalog with_widgets() {
  Catalog catalog = Catalog::published();
  auto widgets = std::make_shared<Resource>();
  widgets->kind = {"example.com", "v1", "Widget"};
  widgets->plural = "widgets";
  widgets->singular = "widget";
  widgets->is_namespaced = true;
  widgets->is_custom = true;
  widgets->verbs = {"delete", "get"};
  widgets->short_names = {"wd"};
  widgets->storage_hash = "hash=";
  widgets->subresources = {{"status", widgets->kind, {"get", "patch", "update"}},
                           {"scale", {"autoscaling", "v1", "Scale"}, {"get", "patch", "update"}}};
  catalog.add(widgets);
  return catalog;
}

TEST(Discovery, ListsTheCoreVersion) {
  EXPECT_EQ(document::write_json(api_versions("127.0.0.1:6443")),
            R"({"kind":"APIVersions","versions":["v1"],"serverAddressByClientCIDRs":)"
            R"([{"clientCIDR":"0.0.0.0/0","serverAddress":"127.0.0.1:6443"}]})");
}

TEST(Discovery, DescribesAGroup) {
  EXPECT_EQ(
      document::write_json(*api_group(schema::testing::published(), "apps")),
      R"({"kind":"APIGroup","apiVersion":"v1","name":"apps","versions":[{"groupVersion":"apps/v1","version":"v1"}],)"
      R"("preferredVersion":{"groupVersion":"apps/v1","version":"v1"}})");
  EXPECT_THAT(document::write_json(*api_group(schema::testing::published(), "autoscaling")),
              HasSubstr(R"("preferredVersion":{"groupVersion":"autoscaling/v2","version":"v2"})"));
  EXPECT_EQ(api_group(schema::testing::published(), ""), std::nullopt);
  EXPECT_EQ(api_group(schema::testing::published(), "example.com"), std::nullopt);
}

TEST(Discovery, ListsResourcesAndWhatLiesBelowThem) {
  const std::string core = document::write_json(*api_resource_list(schema::testing::published(), "", "v1"));
  EXPECT_THAT(core, StartsWith(R"({"kind":"APIResourceList","groupVersion":"v1","resources":[)"
                               R"({"name":"bindings","singularName":"binding","namespaced":true,"kind":"Binding",)"));
  EXPECT_THAT(core, HasSubstr(R"({"name":"pods/eviction","singularName":"","namespaced":true,"group":"policy",)"
                              R"("version":"v1","kind":"Eviction","verbs":["create"]})"));
  EXPECT_THAT(core, HasSubstr(R"("shortNames":["po"],"categories":["all"],"storageVersionHash":"xPOwRZ+Yhw8="})"));
  EXPECT_THAT(document::write_json(*api_resource_list(schema::testing::published(), "apps", "v1")),
              StartsWith(R"({"kind":"APIResourceList","apiVersion":"v1","groupVersion":"apps/v1","resources":[)"));
  EXPECT_EQ(api_resource_list(schema::testing::published(), "apps", "v1beta1"), std::nullopt);
}

TEST(Discovery, NamesTheVersionOfCustomKinds) {
  const Catalog catalog = with_widgets();
  EXPECT_EQ(document::write_json(*api_resource_list(catalog, "example.com", "v1")),
            R"({"kind":"APIResourceList","apiVersion":"v1","groupVersion":"example.com/v1","resources":[)"
            R"({"name":"widgets","singularName":"widget","namespaced":true,"kind":"Widget","verbs":["delete","get"],)"
            R"("shortNames":["wd"],"storageVersionHash":"hash="},)"
            R"({"name":"widgets/status","singularName":"","namespaced":true,"kind":"Widget",)"
            R"("verbs":["get","patch","update"]},)"
            R"({"name":"widgets/scale","singularName":"","namespaced":true,"group":"autoscaling","version":"v1",)"
            R"("kind":"Scale","verbs":["get","patch","update"]}]})");
  const std::string all =
      document::write_json(aggregated_discovery(catalog, DiscoveryRoot::kApis, DiscoveryVersion::kV2));
  EXPECT_THAT(all, HasSubstr(R"({"metadata":{"name":"example.com"},"versions":[{"version":"v1","resources":[)"
                             R"({"resource":"widgets","responseKind":{"group":"example.com","version":"v1",)"
                             R"("kind":"Widget"},"scope":"Namespaced","singularResource":"widget",)"));
}

TEST(Discovery, TellsEverythingAtOnce) {
  const std::string core = document::write_json(
      aggregated_discovery(schema::testing::published(), DiscoveryRoot::kApi, DiscoveryVersion::kV2));
  EXPECT_THAT(core, StartsWith(R"({"kind":"APIGroupDiscoveryList","apiVersion":"apidiscovery.k8s.io/v2","metadata":{},)"
                               R"("items":[{"metadata":{},"versions":[{"version":"v1","resources":[)"
                               R"({"resource":"bindings","responseKind":{"group":"","version":"","kind":"Binding"},)"
                               R"("scope":"Namespaced","singularResource":"binding","verbs":["create"]},)"));
  EXPECT_THAT(core, HasSubstr(R"("responseKind":{"group":"policy","version":"v1","kind":"Eviction"})"));
  EXPECT_THAT(core, ::testing::EndsWith(R"("freshness":"Current"}]}]})"));
  EXPECT_THAT(document::write_json(
                  aggregated_discovery(schema::testing::published(), DiscoveryRoot::kApis, DiscoveryVersion::kV2beta1)),
              StartsWith(R"({"kind":"APIGroupDiscoveryList","apiVersion":"apidiscovery.k8s.io/v2beta1","metadata":{},)"
                         R"("items":[{"metadata":{"name":"apiregistration.k8s.io"},)"));
}

TEST(Discovery, TagsBodiesByTheirContent) {
  EXPECT_EQ(entity_tag("a"), entity_tag("a"));
  EXPECT_NE(entity_tag("a"), entity_tag("b"));
  EXPECT_NE(entity_tag(std::string(1000, 'a')), entity_tag(std::string(1001, 'a')));
  EXPECT_EQ(entity_tag("").size(), 34U);
}

/// The body of an answer that a real kube-apiserver gave, if the recordings are here.
std::optional<Value> recorded(const std::string& name) {
  const char* folder = std::getenv("LOADLINE_RECORDINGS");
  if (folder == nullptr) return std::nullopt;
  std::ifstream file(std::filesystem::path(folder) / name);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  const std::size_t body = text.find("\n{");
  if (body == std::string::npos) return std::nullopt;
  return document::read_json(std::string_view(text).substr(body + 1), name).documents.front();
}

constexpr const char* kNoRecordings = "set LOADLINE_RECORDINGS to a folder of a real server's answers to compare";

TEST(RecordedDiscovery, OfTheCoreVersionIsOurs) {
  const auto legacy = recorded("008-api-v1.txt");
  const auto aggregated = recorded("006-api-agg-v2.txt");
  if (!legacy || !aggregated) GTEST_SKIP() << kNoRecordings;
  EXPECT_EQ(document::write_json(*api_resource_list(schema::testing::published(), "", "v1")),
            document::write_json(*legacy));
  EXPECT_EQ(document::write_json(
                aggregated_discovery(schema::testing::published(), DiscoveryRoot::kApi, DiscoveryVersion::kV2)),
            document::write_json(*aggregated));
}

TEST(RecordedDiscovery, HasOurGroupsInOurOrder) {
  const auto list = recorded("005-apis.txt");
  if (!list) GTEST_SKIP() << kNoRecordings;
  std::vector<std::string> theirs;
  for (const Value& group : list->find("groups")->array()) theirs.push_back(group.find("name")->string());
  std::vector<std::string> ours;
  for (const Catalog::Group& group : schema::testing::published().groups()) {
    if (std::ranges::find(theirs, group.name) != theirs.end()) ours.push_back(group.name);
  }
  EXPECT_EQ(ours, theirs);
}

}  // namespace
}  // namespace loadline::api
