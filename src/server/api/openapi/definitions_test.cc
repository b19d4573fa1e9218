#include "objects/schema/custom/definitions.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "foundation/document/writer.h"
#include "objects/schema/catalog.h"
#include "objects/schema/custom/definition_reader.h"
#include "server/api/openapi/openapi_v3.h"

namespace loadline::api {

using schema::BuiltInDefinitions;
using schema::Catalog;
using schema::read_definition;
using schema::Type;
namespace {

using ::testing::HasSubstr;
using ::testing::IsSupersetOf;
using ::testing::Not;
using ::testing::NotNull;

const document::Value* at(const document::Value* value, std::initializer_list<std::string_view> path) {
  for (const std::string_view key : path) {
    if (value == nullptr) return nullptr;
    value = value->is_array() ? &value->array().front() : value->find(key);
  }
  return value;
}

TEST(BuiltInDefinitions, AreThoseOfManyProjects) {
  std::set<std::string> names;
  const BuiltInDefinitions definitions;
  for (const auto& entry : definitions.entries()) names.insert(entry.name);
  EXPECT_THAT(names, IsSupersetOf({"clusterqueues.kueue.x-k8s.io",
                                   "workloads.kueue.x-k8s.io",
                                   "localqueues.kueue.x-k8s.io",
                                   "resourceflavors.kueue.x-k8s.io",
                                   "jobs.batch.volcano.sh",
                                   "queues.scheduling.volcano.sh",
                                   "podgroups.scheduling.volcano.sh",
                                   "nodepools.karpenter.sh",
                                   "nodeclaims.karpenter.sh",
                                   "ec2nodeclasses.karpenter.k8s.aws",
                                   "provisioners.karpenter.sh",
                                   "deschedulerpolicies.descheduler",
                                   "clusterpolicies.nvidia.com",
                                   "jobsets.jobset.x-k8s.io",
                                   "podcliquesets.grove.io",
                                   "podgangs.scheduler.grove.io",
                                   "leaderworkersets.leaderworkerset.x-k8s.io",
                                   "rayclusters.ray.io",
                                   "rayjobs.ray.io",
                                   "rayservices.ray.io",
                                   "pytorchjobs.kubeflow.org",
                                   "tfjobs.kubeflow.org",
                                   "mpijobs.kubeflow.org",
                                   "xgboostjobs.kubeflow.org",
                                   "jaxjobs.kubeflow.org",
                                   "paddlejobs.kubeflow.org",
                                   "trainjobs.trainer.kubeflow.org",
                                   "stages.kwok.x-k8s.io",
                                   "reservations.loadline.dev",
                                   "reservations.scheduling.koordinator.sh",
                                   "provisioningrequests.autoscaling.x-k8s.io"}));
}

TEST(BuiltInDefinitions, AreWhole) {
  BuiltInDefinitions definitions;
  for (const auto& entry : definitions.entries()) {
    const document::Value whole = definitions.definition(entry.name);
    ASSERT_TRUE(whole.is_object()) << entry.name;
    EXPECT_THAT(document::write_json(whole), Not(HasSubstr("\"$ref\""))) << entry.name;
    int stored = 0;
    for (const document::Value& version : whole.find("spec")->find("versions")->array()) {
      EXPECT_THAT(at(&version, {"schema", "openAPIV3Schema", "type"}), NotNull()) << entry.name;
      if (version.find("storage")->boolean()) ++stored;
    }
    EXPECT_EQ(stored, 1) << entry.name;
  }
  EXPECT_TRUE(definitions.definition("nothing.example.com").is_null());
}

TEST(BuiltInDefinitions, KeepWhatIsDeepInAPodTemplate) {
  BuiltInDefinitions definitions;
  const document::Value job = definitions.definition("jobs.batch.volcano.sh");
  const document::Value* keys =
      at(&job, {"spec",       "versions", "",           "schema", "openAPIV3Schema",
                "properties", "spec",     "properties", "tasks",  "items",
                "properties", "template", "properties", "spec",   "properties",
                "containers", "items",    "properties", "ports",  "x-kubernetes-list-map-keys"});
  ASSERT_THAT(keys, NotNull());
  EXPECT_EQ(document::write_json(*keys), R"(["containerPort","protocol"])");
}

TEST(BuiltInDefinitions, OfferBothOperatorsVersionsOfMpiJobs) {
  BuiltInDefinitions definitions;
  const document::Value jobs = definitions.definition("mpijobs.kubeflow.org");
  const document::Array& versions = jobs.find("spec")->find("versions")->array();
  ASSERT_EQ(versions.size(), 2U);
  EXPECT_EQ(versions[0].find("name")->string(), "v2beta1");
  EXPECT_EQ(versions[1].find("name")->string(), "v1");
}

void expect_references_lead_somewhere(const document::Value& value, const document::Value& schemas) {
  if (value.is_array()) {
    for (const document::Value& element : value.array()) expect_references_lead_somewhere(element, schemas);
  }
  if (!value.is_object()) return;
  for (const document::Member& member : value.object()) {
    if (member.key == "$ref" && member.value.is_string()) {
      const std::string& reference = member.value.string();
      EXPECT_THAT(schemas.find(std::string_view(reference).substr(reference.rfind('/') + 1)), NotNull()) << reference;
    }
    expect_references_lead_somewhere(member.value, schemas);
  }
}

TEST(BuiltInDefinitions, AreServedAndDocumented) {
  Catalog catalog = Catalog::published();
  const Type& object_meta = *catalog.find_type("io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta");
  BuiltInDefinitions definitions;
  std::set<std::pair<std::string, std::string>> versions;
  for (const auto& entry : definitions.entries()) {
    for (const auto& resource : read_definition(definitions.definition(entry.name), object_meta)) {
      EXPECT_EQ(resource->group_resource(), entry.name);
      versions.emplace(resource->kind.group, resource->kind.version);
      catalog.add(resource);
    }
  }
  EXPECT_GE(versions.size(), 20U);
  for (const auto& [group, version] : versions) {
    const auto made = openapi_v3_document(catalog, group, version);
    ASSERT_TRUE(made.has_value()) << group;
    expect_references_lead_somewhere(*made, *made->find("components")->find("schemas"));
  }
}

}  // namespace
}  // namespace loadline::api
