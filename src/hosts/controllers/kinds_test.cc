#include <gtest/gtest.h>

#include "hosts/controllers/caches.h"
#include "hosts/controllers/plain_kinds.h"
#include "objects/kube/apps/apps.h"
#include "objects/schema/published.h"

namespace loadline::controllers {
namespace {

template <class Kind>
void expect_named_as_published() {
  const schema::Resource* resource = schema::find_published(Kind::kName.api_version(), Kind::kName.kind);
  ASSERT_NE(resource, nullptr) << Kind::kName.kind;
  EXPECT_EQ(resource->plural, Kind::kName.plural);
}

TEST(KindName, OfPlainKindsIsAsPublished) {
  expect_named_as_published<ControllerRevision>();
  expect_named_as_published<Endpoints>();
  expect_named_as_published<EndpointSlice>();
  expect_named_as_published<Lease>();
  expect_named_as_published<VolumeAttributesClass>();
}

TEST(KindName, OfOthersIsTheRegistrys) {
  const KindName& name = kind_name<kube::Deployment>();
  EXPECT_EQ(name.api_version(), "apps/v1");
  EXPECT_EQ(name.group, "apps");
  EXPECT_EQ(name.plural, "deployments");
  EXPECT_EQ(kind_name<kube::Pod>().group, "");
}

TEST(Caches, AreThoseThatSomebodyReads) {
  Caches caches;
  EXPECT_EQ(caches.find("Deployment"), nullptr);
  caches.add<kube::Deployment>();
  ASSERT_NE(caches.find("Deployment"), nullptr);
  EXPECT_EQ(&caches.add<kube::Deployment>(), caches.find("Deployment"));
}

TEST(CachesDeathTest, TellOfAKindThatNobodySaidItReads) {
  const Caches caches;
  EXPECT_DEATH(static_cast<void>(caches.of<kube::Deployment>()), "contract");
}

}  // namespace
}  // namespace loadline::controllers
