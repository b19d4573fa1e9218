#include "objects/schema/catalog.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

#include "objects/schema/testing/published.h"

namespace loadline::schema {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::NotNull;

const Field& field_of(std::string_view type, std::string_view name) {
  const Type* found = testing::published().find_type(type);
  EXPECT_NE(found, nullptr) << type;
  const Field* field = found->find(name);
  EXPECT_NE(field, nullptr) << name;
  return *field;
}

std::shared_ptr<const Resource> custom(std::string group, std::string version, std::string plural) {
  auto resource = std::make_shared<Resource>();
  resource->kind = {std::move(group), std::move(version), "Widget"};
  resource->plural = std::move(plural);
  resource->is_custom = true;
  return resource;
}

TEST(Catalog, KnowsPodsAsDiscoveryDoes) {
  const auto pods = testing::published().find("", "v1", "pods");
  ASSERT_THAT(pods, NotNull());
  EXPECT_EQ(pods->kind, (GroupVersionKind{"", "v1", "Pod"}));
  EXPECT_EQ(pods->singular, "pod");
  EXPECT_EQ(pods->list_kind, "PodList");
  EXPECT_TRUE(pods->is_namespaced);
  EXPECT_THAT(pods->short_names, ElementsAre("po"));
  EXPECT_THAT(pods->categories, ElementsAre("all"));
  EXPECT_TRUE(pods->allows("deletecollection"));
  EXPECT_EQ(pods->storage_hash, "xPOwRZ+Yhw8=");
  ASSERT_THAT(pods->find_subresource("eviction"), NotNull());
  EXPECT_EQ(pods->find_subresource("eviction")->kind, (GroupVersionKind{"policy", "v1", "Eviction"}));
  EXPECT_TRUE(pods->returns_deleted);
  EXPECT_FALSE(testing::published().find("apps", "v1", "deployments")->returns_deleted);
  EXPECT_EQ(pods->find_subresource("scale"), nullptr);
  EXPECT_EQ(pods->type, testing::published().find_type("io.k8s.api.core.v1.Pod"));
}

TEST(Catalog, FindsResourcesByKindAndByPreference) {
  const auto autoscalers = testing::published().find_resource("autoscaling", "horizontalpodautoscalers");
  ASSERT_THAT(autoscalers, NotNull());
  EXPECT_EQ(autoscalers->kind.version, "v2");
  EXPECT_EQ(testing::published().find("autoscaling", "v1", "horizontalpodautoscalers")->storage_version, "v2");
  EXPECT_EQ(testing::published().find_kind({"apps", "v1", "Deployment"})->plural, "deployments");
  EXPECT_EQ(testing::published().find_kind({"apps", "v1beta1", "Deployment"}), nullptr);
  EXPECT_EQ(testing::published().find_resource("apps", "nothing"), nullptr);
  EXPECT_EQ(testing::published().find("scheduling.k8s.io", "v1alpha2", "workloads")->kind.kind, "Workload");
  EXPECT_EQ(testing::published().find("metrics.k8s.io", "v1beta1", "nodes")->kind.kind, "NodeMetrics");
}

TEST(Catalog, KnowsKindsThatAreNoResources) {
  EXPECT_EQ(testing::published().find_type(GroupVersionKind{"policy", "v1", "Eviction"})->name,
            "io.k8s.api.policy.v1.Eviction");
  EXPECT_EQ(testing::published().find_type(GroupVersionKind{"autoscaling", "v1", "Scale"})->name,
            "io.k8s.api.autoscaling.v1.Scale");
  const Type* options = testing::published().find_type(GroupVersionKind{"apps", "v1", "DeleteOptions"});
  ASSERT_THAT(options, NotNull());
  EXPECT_EQ(options->name, "io.k8s.apimachinery.pkg.apis.meta.v1.DeleteOptions");
  EXPECT_EQ(testing::published().find_type(GroupVersionKind{"apps", "v1", "Nothing"}), nullptr);
}

TEST(Catalog, KeepsWhatGoAndOpenApiSayOfAField) {
  const Field& ports = field_of("io.k8s.api.core.v1.ServiceSpec", "ports");
  EXPECT_EQ(ports.tag, 1U);
  EXPECT_TRUE(ports.omits_empty);
  EXPECT_TRUE(ports.merges);
  EXPECT_EQ(ports.merge_key, "port");
  EXPECT_EQ(ports.type->form, Form::kList);
  EXPECT_EQ(ports.type->list, ListKind::kMap);
  EXPECT_THAT(ports.type->keys, ElementsAre("port", "protocol"));
  EXPECT_EQ(ports.type->element->name, "io.k8s.api.core.v1.ServicePort");

  EXPECT_TRUE(field_of("io.k8s.api.core.v1.PodSpec", "volumes").retains_keys);
  EXPECT_TRUE(field_of("io.k8s.api.policy.v1.PodDisruptionBudgetSpec", "selector").replaces);
  EXPECT_TRUE(field_of("io.k8s.api.core.v1.PodSpec", "containers").is_required);
  EXPECT_TRUE(field_of("io.k8s.api.core.v1.PodSpec", "nodeSelector").type->is_atomic);
  EXPECT_TRUE(field_of("io.k8s.api.apps.v1.DeploymentSpec", "replicas").is_pointer);
  EXPECT_TRUE(field_of("io.k8s.api.apps.v1.DeploymentSpec", "strategy").retains_keys);
  EXPECT_FALSE(field_of("io.k8s.api.scheduling.v1.PriorityClass", "value").omits_empty);
  EXPECT_EQ(field_of("io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta", "finalizers").type->list, ListKind::kSet);
  EXPECT_EQ(field_of("io.k8s.api.core.v1.ContainerPort", "protocol").initial, document::Value("TCP"));
  EXPECT_EQ(field_of("io.k8s.api.core.v1.Pod", "spec").initial, document::Value(document::Object{}));
  EXPECT_TRUE(field_of("io.k8s.api.core.v1.PodSpec", "securityContext").initial.is_null());
  EXPECT_EQ(field_of("io.k8s.api.core.v1.Secret", "data").type->element->form, Form::kBytes);
  EXPECT_TRUE(field_of("io.k8s.api.authentication.v1.UserInfo", "extra").type->element->is_wrapped);
}

TEST(Catalog, KnowsWhichEmbeddedMessageCarriesAField) {
  const Field& host_path = field_of("io.k8s.api.core.v1.Volume", "hostPath");
  EXPECT_EQ(host_path.inside, 2U);
  EXPECT_EQ(host_path.tag, 1U);
  EXPECT_EQ(host_path.inside_that, 0U);
  const Field& groups = field_of("io.k8s.api.admissionregistration.v1.NamedRuleWithOperations", "apiGroups");
  EXPECT_EQ(groups.inside, 2U);
  EXPECT_EQ(groups.inside_that, 2U);
  EXPECT_EQ(groups.tag, 1U);
}

TEST(Catalog, GoStructsThatAreNoPointersAreAlwaysWritten) {
  EXPECT_FALSE(field_of("io.k8s.api.core.v1.Container", "resources").omits_empty);
  EXPECT_FALSE(field_of("io.k8s.api.core.v1.Event", "eventTime").omits_empty);
  EXPECT_TRUE(field_of("io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta", "creationTimestamp").omits_empty);
}

TEST(Catalog, EveryTypeIsWhole) {
  for (const auto& [name, type] : testing::published().types()) {
    for (const Field& field : type->fields) {
      ASSERT_THAT(field.type, NotNull()) << name << "." << field.name;
      const bool is_collection = field.type->form == Form::kList || field.type->form == Form::kMap;
      EXPECT_EQ(field.type->element != nullptr, is_collection) << name << "." << field.name;
      if (field.type->list == ListKind::kMap) {
        for (const std::string& key : field.type->keys) {
          EXPECT_THAT(field.type->element->find(key), NotNull()) << name << "." << field.name << ": " << key;
        }
      }
    }
  }
  for (const auto& resource : testing::published().all()) EXPECT_THAT(resource->type, NotNull()) << resource->plural;
}

TEST(Catalog, ListsGroupsInUpstreamsOrderAndOthersByName) {
  Catalog catalog = Catalog::published();
  catalog.add(custom("zoo.example.com", "v1alpha1", "widgets"));
  catalog.add(custom("example.com", "v1beta2", "widgets"));
  catalog.add(custom("example.com", "v1", "widgets"));
  const auto groups = catalog.groups();
  ASSERT_GT(groups.size(), 4U);
  EXPECT_EQ(groups[0].name, "");
  EXPECT_EQ(groups[1].name, "apiregistration.k8s.io");
  EXPECT_EQ(groups[2].name, "apps");
  EXPECT_EQ(groups[groups.size() - 2].name, "example.com");
  EXPECT_THAT(groups[groups.size() - 2].versions, ElementsAre("v1", "v1beta2"));
  EXPECT_EQ(groups.back().name, "zoo.example.com");
}

TEST(Catalog, ListsKueueBeforeKubernetesOwnWorkloads) {
  Catalog catalog = Catalog::published();
  catalog.add(custom("example.com", "v1", "widgets"));
  catalog.add(custom("kueue.x-k8s.io", "v1beta2", "workloads"));
  std::vector<std::string> names;
  for (const Catalog::Group& group : catalog.groups()) names.push_back(group.name);
  const auto kueue = std::ranges::find(names, "kueue.x-k8s.io");
  ASSERT_NE(kueue, names.end());
  EXPECT_EQ(*std::next(kueue), "scheduling.k8s.io");
  EXPECT_EQ(names.back(), "example.com");
}

TEST(Catalog, ReplacesAndRemovesResources) {
  Catalog catalog = Catalog::published();
  const auto mark = catalog.generation();
  catalog.add(custom("example.com", "v1", "widgets"));
  const auto again = custom("example.com", "v1", "widgets");
  catalog.add(again);
  EXPECT_EQ(catalog.generation(), mark + 2);
  EXPECT_EQ(catalog.find("example.com", "v1", "widgets"), again);
  EXPECT_EQ(catalog.resources("example.com", "v1").size(), 1U);
  catalog.remove("example.com", "widgets");
  EXPECT_EQ(catalog.find("example.com", "v1", "widgets"), nullptr);
  EXPECT_THAT(catalog.resources("example.com", "v1"), IsEmpty());
  EXPECT_EQ(catalog.generation(), mark + 3);
}

TEST(Catalog, ListsTheResourcesOfAVersionByPlural) {
  std::vector<std::string> plurals;
  for (const auto& resource : testing::published().resources("apps", "v1")) plurals.push_back(resource->plural);
  EXPECT_THAT(plurals, ElementsAre("controllerrevisions", "daemonsets", "deployments", "replicasets", "statefulsets"));
}

TEST(Versions, ArePreferredAsKubernetesPrefersThem) {
  const std::vector<std::string> ordered = {"v10",       "v2",        "v1",   "v11beta2", "v10beta3", "v3beta1",
                                            "v12alpha1", "v11alpha2", "foo1", "foo10",    "v01",      "v1beta"};
  for (std::size_t i = 0; i + 1 < ordered.size(); ++i) {
    EXPECT_TRUE(is_preferred(ordered[i], ordered[i + 1])) << ordered[i] << " " << ordered[i + 1];
    EXPECT_FALSE(is_preferred(ordered[i + 1], ordered[i])) << ordered[i] << " " << ordered[i + 1];
  }
}

}  // namespace
}  // namespace loadline::schema
