#include "brain/admission/admission.h"

#include <gtest/gtest.h>

#include "brain/admission/testing/amounts.h"
#include "objects/kube/storage/storage.h"

namespace loadline::admission {
namespace {

using kube::Quantity;
using kube::ResourceList;

std::shared_ptr<kube::PodSpec> spec_of(ResourceList requests, ResourceList limits = {}) {
  auto spec = std::make_shared<kube::PodSpec>();
  spec->containers.resize(1);
  spec->containers[0].name = "app";
  spec->containers[0].image = "app:1";
  spec->termination_grace_period_seconds = 30;
  spec->containers[0].resources.requests = std::move(requests);
  spec->containers[0].resources.limits = std::move(limits);
  return spec;
}

kube::Pod pod(std::string name, std::shared_ptr<const kube::PodSpec> spec) {
  kube::Pod result;
  result.metadata.name = std::move(name);
  result.metadata.namespace_ = "team";
  result.spec = std::move(spec);
  return result;
}

template <class Kind>
Kind in_team(std::string name) {
  Kind result;
  result.metadata.name = std::move(name);
  result.metadata.namespace_ = "team";
  return result;
}

kube::ResourceQuota quota(ResourceList hard) {
  auto result = in_team<kube::ResourceQuota>("q");
  result.hard = std::move(hard);
  return result;
}

kube::LimitRange defaults(ResourceList limit, ResourceList request) {
  auto result = in_team<kube::LimitRange>("limits");
  result.limits.resize(1);
  result.limits[0].default_limit = std::move(limit);
  result.limits[0].default_request = std::move(request);
  return result;
}

Quantity used(const Admission& admission, const char* resource) {
  return admission.quota_used("team", "q")->find(resource)->second;
}

TEST(Admission, CompletesAPod) {
  kube::Objects cluster;
  cluster.of<kube::LimitRange>() = {defaults(amounts({{"cpu", "1"}}), amounts({{"cpu", "500m"}}))};
  Admission admission(cluster);
  kube::Pod web = pod("web", spec_of({}));
  EXPECT_FALSE(admission.admit(web));
  EXPECT_EQ(web.spec->priority, 0);
  EXPECT_EQ(web.spec->tolerations.size(), 2U);
  EXPECT_EQ(web.spec->containers[0].resources.requests, amounts({{"cpu", "500m"}}));
  EXPECT_EQ(web.metadata.annotations.find("kubernetes.io/limit-ranger")->second,
            "LimitRanger plugin set: cpu request for container app; cpu limit for container app");
}

TEST(Admission, SharesTheAdmittedSpecAmongPodsOfATemplate) {
  Admission admission(kube::Objects{});
  const auto shared = spec_of({});
  kube::Pod a = pod("a", shared);
  kube::Pod b = pod("b", shared);
  EXPECT_FALSE(admission.admit(a));
  EXPECT_FALSE(admission.admit(b));
  EXPECT_NE(a.spec, shared);
  EXPECT_EQ(a.spec, b.spec);
}

TEST(Admission, RefusesWithTheNameThatTheStepSees) {
  kube::Objects cluster;
  cluster.of<kube::ResourceQuota>() = {quota(amounts({{"pods", "0"}}))};
  Admission admission(cluster);
  auto unknown = spec_of({});
  unknown->priority_class_name = "nope";
  kube::Pod first = pod("web-abcde", unknown);
  first.metadata.generate_name = "web-";
  const Verdict priority = admission.admit(first);
  ASSERT_TRUE(priority);
  EXPECT_EQ(priority->message, R"(pods "web-" is forbidden: no PriorityClass with name nope was found)");
  EXPECT_EQ(priority->plugin, Plugin::kPriority);

  kube::Pod second = pod("web-abcde", spec_of({}));
  second.metadata.generate_name = "web-";
  const Verdict exceeded = admission.admit(second);
  ASSERT_TRUE(exceeded);
  EXPECT_EQ(exceeded->message,
            R"(pods "web-abcde" is forbidden: exceeded quota: q, requested: pods=1, used: pods=0, limited: pods=0)");
  EXPECT_EQ(exceeded->policies, std::vector<std::string>{"q"});
  EXPECT_EQ(second.spec->priority, 0) << "a refused pod is completed as far as admission got";
}

TEST(Admission, RefusesForARuntimeClassBeforeAndAfterNaming) {
  Admission admission(kube::Objects{});
  const auto of_class = spec_of({});
  of_class->runtime_class_name = "gvisor";
  kube::Pod first = pod("web-1", of_class);
  first.metadata.generate_name = "web-";
  EXPECT_EQ(admission.admit(first)->message,
            "pods \"web-\" is forbidden: pod rejected: RuntimeClass \"gvisor\" not found");
  const auto heavy = spec_of({});
  heavy->overhead = amounts({{"cpu", "1"}});
  kube::Pod second = pod("web-2", heavy);
  second.metadata.generate_name = "web-";
  EXPECT_EQ(admission.admit(second)->message,
            "pods \"web-2\" is forbidden: pod rejected: Pod Overhead set without corresponding RuntimeClass defined "
            "Overhead");
}

TEST(Admission, LooksAgainAtWhatDefaultsMadeOfAPod) {
  kube::Objects cluster;
  cluster.of<kube::LimitRange>() = {defaults(amounts({{"cpu", "1"}}), {})};
  Admission admission(cluster);
  kube::Pod greedy = pod("greedy", spec_of(amounts({{"cpu", "2"}})));
  const Verdict verdict = admission.admit(greedy);
  ASSERT_TRUE(verdict);
  EXPECT_EQ(verdict->plugin, Plugin::kValidation);
  EXPECT_EQ(verdict->message,
            R"(Pod "greedy" is invalid: spec.containers[0].resources.requests: Invalid value: "2": must be less than )"
            "or equal to cpu limit of 1");
}

TEST(Admission, LooksAtWhatACustomResourceHasAPodMadeOf) {
  Admission admission(kube::Objects{});
  const auto greedy = spec_of(amounts({{"cpu", "2"}}));
  greedy->termination_grace_period_seconds = 30;
  greedy->containers.at(0).resources.limits = amounts({{"cpu", "1"}});
  kube::Pod first = pod("first", greedy);
  EXPECT_FALSE(admission.admit(first)) << "its template was looked at when it was read";
  kube::Pod second = pod("second", std::make_shared<kube::PodSpec>(*greedy));
  const Verdict verdict = admission.admit(second, SpecFrom::kCustomResource);
  ASSERT_TRUE(verdict);
  EXPECT_EQ(verdict->plugin, Plugin::kValidation);
}

TEST(Admission, ChargesQuotaUntilThePodEnds) {
  kube::Objects cluster;
  cluster.of<kube::ResourceQuota>() = {quota(amounts({{"pods", "1"}, {"count/pods", "2"}, {"requests.cpu", "4"}}))};
  Admission admission(cluster);
  const auto shared = spec_of(amounts({{"cpu", "1"}}));
  kube::Pod a = pod("a", shared);
  kube::Pod b = pod("b", shared);
  EXPECT_FALSE(admission.admit(a));
  EXPECT_TRUE(admission.admit(b));
  admission.release(a, Admission::Ending::kFinished);
  a.status.phase = kube::PodPhase::kSucceeded;
  EXPECT_FALSE(admission.admit(b));
  EXPECT_EQ(used(admission, "count/pods"), Quantity::of(2));
  admission.release(a, Admission::Ending::kDeleted);
  EXPECT_EQ(used(admission, "count/pods"), Quantity::of(1));
  EXPECT_EQ(used(admission, "requests.cpu"), Quantity::of(1));
  admission.release(b);
  EXPECT_TRUE(used(admission, "count/pods").is_zero());
  EXPECT_TRUE(used(admission, "requests.cpu").is_zero());
}

TEST(Admission, CountsWhatExistsAndAdmitsItUnchanged) {
  kube::Objects cluster;
  cluster.of<kube::ResourceQuota>() = {
      quota(amounts({{"pods", "9"}, {"count/pods", "9"}, {"count/deployments.apps", "9"}}))};
  kube::Pod running = pod("running", spec_of({}));
  running.metadata.uid = "1";
  kube::Pod finished = running;
  finished.status.phase = kube::PodPhase::kFailed;
  kube::Pod stuck = running;
  stuck.metadata.deletion_timestamp = Instant{} + Duration::seconds(100);
  stuck.metadata.deletion_grace_period_seconds = 30;
  kube::Pod planned = pod("planned", spec_of({}));
  cluster.of<kube::Pod>() = {running, finished, stuck, planned};
  cluster.of<kube::Deployment>() = {in_team<kube::Deployment>("new"), in_team<kube::Deployment>("live")};
  cluster.of<kube::Deployment>()[1].metadata.uid = "2";
  const Admission before(cluster, Instant{} + Duration::seconds(120));
  EXPECT_EQ(used(before, "pods"), Quantity::of(2));
  Admission admission(cluster, Instant{} + Duration::seconds(200));
  EXPECT_EQ(used(admission, "pods"), Quantity::of(1));
  EXPECT_EQ(used(admission, "count/pods"), Quantity::of(3));
  EXPECT_EQ(used(admission, "count/deployments.apps"), Quantity::of(1));
  EXPECT_FALSE(admission.admit(running));
  EXPECT_FALSE(running.spec->priority);
  EXPECT_EQ(used(admission, "pods"), Quantity::of(1));
}

TEST(Admission, LimitsObjectCounts) {
  kube::Objects cluster;
  cluster.of<kube::ResourceQuota>() = {
      quota(amounts({{"count/deployments.apps", "1"}, {"services", "0"}, {"configmaps", "0"}}))};
  Admission admission(cluster);
  EXPECT_FALSE(admission.admit(in_team<kube::Deployment>("a")));
  EXPECT_EQ(admission.admit(in_team<kube::Deployment>("b"))->message,
            R"(deployments.apps "b" is forbidden: exceeded quota: q, requested: count/deployments.apps=1, used: )"
            "count/deployments.apps=1, limited: count/deployments.apps=1");
  EXPECT_TRUE(admission.admit(in_team<kube::Service>("s")));
  EXPECT_TRUE(admission.admit(in_team<kube::ConfigMap>("c")));
  EXPECT_FALSE(admission.admit(in_team<kube::Job>("j")));
}

TEST(Admission, GivesClaimsTheNewestDefaultClassAndChargesIt) {
  kube::Objects cluster;
  for (const char* name : {"old", "new", "other"}) {
    kube::StorageClass item;
    item.metadata.name = name;
    if (name[0] != 'o' || name[1] == 'l') {
      item.metadata.annotations["storageclass.kubernetes.io/is-default-class"] = "true";
    }
    if (name[0] == 'n') item.metadata.creation_timestamp = Instant{5};
    cluster.of<kube::StorageClass>().push_back(item);
  }
  cluster.of<kube::ResourceQuota>() = {quota(amounts({{"new.storageclass.storage.k8s.io/requests.storage", "15Gi"}}))};
  Admission admission(cluster);
  auto claim = in_team<kube::PersistentVolumeClaim>("data");
  claim.spec.requests = amounts({{"storage", "10Gi"}});
  auto again = claim;
  EXPECT_FALSE(admission.admit(claim));
  EXPECT_EQ(claim.spec.storage_class_name, "new");
  EXPECT_EQ(admission.admit(again)->message,
            R"(persistentvolumeclaims "data" is forbidden: exceeded quota: q, requested: )"
            "new.storageclass.storage.k8s.io/requests.storage=10Gi, used: "
            "new.storageclass.storage.k8s.io/requests.storage=10Gi, limited: "
            "new.storageclass.storage.k8s.io/requests.storage=15Gi");
  auto annotated = in_team<kube::PersistentVolumeClaim>("annotated");
  annotated.metadata.annotations["volume.beta.kubernetes.io/storage-class"] = "old";
  annotated.spec.requests = amounts({{"storage", "10Gi"}});
  EXPECT_FALSE(admission.admit(annotated));
  EXPECT_EQ(annotated.spec.storage_class_name, std::nullopt) << "the annotation names one";
}

}  // namespace
}  // namespace loadline::admission
