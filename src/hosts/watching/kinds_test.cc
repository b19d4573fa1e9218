#include <gtest/gtest.h>

#include <cstddef>

#include "foundation/document/reader.h"
#include "hosts/watching/caches.h"
#include "hosts/watching/plain_kinds.h"
#include "objects/kube/apps/apps.h"
#include "objects/kube/kueue/cluster_queue.h"
#include "objects/schema/published.h"

namespace loadline::watching {
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

std::size_t count_of(const Caches& caches) {
  std::size_t count = 0;
  caches.for_each([&](const AnyCache&) { ++count; });
  return count;
}

TEST(Caches, AreThoseThatWereAskedFor) {
  Caches caches;
  const std::size_t before = count_of(caches);
  const AnyCache* deployments = &caches.add<kube::Deployment>();
  EXPECT_EQ(count_of(caches), before + 1);
  EXPECT_EQ(&caches.add<kube::Deployment>(), deployments);
  EXPECT_EQ(count_of(caches), before + 1);
}

TEST(Caches, KeepCustomKinds) {
  Caches caches;
  Cache<kube::ClusterQueue>& queues = caches.add<kube::ClusterQueue>();
  EXPECT_EQ(queues.kind().api_version(), "kueue.x-k8s.io/v1beta2");
  queues.put(document::read_yaml("{apiVersion: kueue.x-k8s.io/v1beta2, kind: ClusterQueue, "
                                 "metadata: {name: team, resourceVersion: '7'}, spec: {cohortName: all}}",
                                 "test")
                 .documents.at(0));
  const ObjectPtr<kube::ClusterQueue> team = queues.find("", "team");
  ASSERT_NE(team, nullptr);
  EXPECT_EQ(team->view.cohort, "all");
  EXPECT_EQ(team->revision, 7U);
}

TEST(CachesDeathTest, TellOfAKindThatNobodySaidItReads) {
  const Caches caches;
  EXPECT_DEATH(static_cast<void>(caches.of<kube::Deployment>()), "contract");
}

}  // namespace
}  // namespace loadline::watching
