#include "objects/kube/schema.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "objects/kube/apps/apps.h"
#include "objects/kube/core/pod.h"
#include "objects/kube/policy/pod_disruption_budget.h"
#include "objects/kube/registry.h"
#include "objects/kube/retired_kinds.h"
#include "objects/kube/storage/storage.h"

namespace loadline::kube {
namespace {

/// Every schema that can be reached from a kind.
std::set<const Schema*> all_schemas() {
  std::set<const Schema*> seen;
  std::vector<const Schema*> open;
  for (const KindInfo& info : known_kinds()) open.push_back(info.schema);
  while (!open.empty()) {
    const Schema* schema = open.back();
    open.pop_back();
    if (!seen.insert(schema).second) continue;
    for (const Field& row : schema->fields()) {
      if (row.type.schema != nullptr) open.push_back(row.type.schema);
    }
  }
  return seen;
}

const Schema* below(const Schema* schema, std::initializer_list<std::string_view> names) {
  for (const std::string_view name : names) {
    const Field* row = schema->find(name);
    if (row == nullptr) return nullptr;
    schema = row->type.schema;
  }
  return schema;
}

TEST(Schema, EveryRowIsNamedOnceAndHasWhatItsTypeNeeds) {
  for (const Schema* schema : all_schemas()) {
    std::set<std::string_view> names;
    EXPECT_LE(schema->fields().size(), 64U) << schema->name;
    const bool is_mark = schema->name.ends_with("BasicSchedulingPolicy");  // says all by being there
    EXPECT_EQ(schema->fields().empty(), is_mark) << schema->name;
    for (const Field& row : schema->fields()) {
      EXPECT_TRUE(names.insert(row.name).second) << schema->name << "." << row.name << " stands twice";
      EXPECT_EQ(row.type.shape == FieldType::kObject, row.type.schema != nullptr) << schema->name << "." << row.name;
      EXPECT_EQ(row.type.shape == FieldType::kEnumeration, row.type.enumeration != nullptr)
          << schema->name << "." << row.name;
    }
  }
}

TEST(Schema, KnowsEveryKindOfVolume) {
  const Schema* volume = below(find_kind("v1", "Pod")->schema, {"spec", "volumes"});
  EXPECT_EQ(volume->fields().size(), 31U);  // the name and thirty sources
}

TEST(Schema, KnowsTheFieldsThatNoDecisionReads) {
  const Schema* container =
      below(find_kind("apps/v1", "Deployment")->schema, {"spec", "template", "spec", "containers"});
  for (const std::string_view name : {"livenessProbe", "lifecycle", "securityContext", "env", "volumeDevices"}) {
    EXPECT_NE(container->find(name), nullptr) << name;
  }
}

TEST(Registry, FindsKindsByVersionAndName) {
  EXPECT_EQ(find_kind("apps/v1", "Deployment")->plural, "deployments");
  EXPECT_EQ(find_kind("v1", "Deployment"), nullptr);
  EXPECT_EQ(find_kind("StorageClass")->scope, Scope::kCluster);
  EXPECT_EQ(known_kinds().size(), 79U);
}

TEST(Registry, TellsMisspellingsFromKindsThatAreNotOurs) {
  EXPECT_TRUE(is_misspelled_kind("apps/v1", "Deploymnet"));
  EXPECT_FALSE(is_misspelled_kind("apps/v1", "ControllerRevision"));
  EXPECT_FALSE(is_misspelled_kind("v1", "Secret"));
  EXPECT_FALSE(is_misspelled_kind("example.com/v1", "Anything"));
  EXPECT_TRUE(is_misspelled_kind("loadline.dev/v1alpha1", "Polcy"));
}

TEST(Registry, NoKindIsBothReadAndRetired) {
  for (const KindInfo& info : known_kinds()) {
    EXPECT_EQ(find_retired_kind(info.api_version, info.kind), nullptr);
  }
  const RetiredKind* retired = find_retired_kind("policy/v1beta1", "PodDisruptionBudget");
  ASSERT_NE(retired, nullptr);
  EXPECT_NE(find_kind(retired->successor, retired->kind), nullptr);
}

}  // namespace
}  // namespace loadline::kube
