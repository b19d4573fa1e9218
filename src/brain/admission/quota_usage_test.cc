#include "brain/admission/quota_usage.h"

#include <gtest/gtest.h>

namespace loadline::admission {
namespace {

using kube::Quantity;

std::string print(const kube::ResourceList& amounts) {
  std::string text;
  for (const auto& [name, amount] : amounts) text += name + "=" + amount.to_string() + " ";
  return text;
}

TEST(QuotaUsage, OfAPodHasEveryNameOfItsResources) {
  kube::PodSpec spec;
  spec.containers.resize(1);
  auto& resources = spec.containers[0].resources;
  resources.requests = {
      {"cpu", Quantity::of(1)}, {"hugepages-2Mi", Quantity::of(4)}, {"nvidia.com/gpu", Quantity::of(2)}};
  resources.limits = {{"memory", Quantity::of(8)}, {"nvidia.com/gpu", Quantity::of(2)}};
  EXPECT_EQ(print(pod_usage(spec, nullptr)),
            "count/pods=1 cpu=1 hugepages-2Mi=4 limits.memory=8 pods=1 requests.cpu=1 requests.hugepages-2Mi=4 "
            "requests.nvidia.com/gpu=2 ");
}

TEST(QuotaUsage, OfPodsIsLimitedByTheseResourcesOnly) {
  for (const char* resource :
       {"pods", "count/pods", "cpu", "requests.memory", "limits.cpu", "ephemeral-storage", "requests.ephemeral-storage",
        "limits.ephemeral-storage", "hugepages-2Mi", "requests.hugepages-1Gi", "requests.nvidia.com/gpu",
        "requests.deviceclass.resource.kubernetes.io/gpu"}) {
    EXPECT_TRUE(pods_use(resource)) << resource;
  }
  for (const char* resource : {"limits.nvidia.com/gpu", "nvidia.com/gpu", "services", "requests.storage",
                               "limits.hugepages-2Mi", "count/services"}) {
    EXPECT_FALSE(pods_use(resource)) << resource;
  }
}

TEST(QuotaUsage, OfExtendedResourcesGoesByOneNameOnly) {
  for (const char* resource : {"limits.nvidia.com/gpu", "nvidia.com/gpu"}) {
    EXPECT_EQ(name_that_counts(resource), "requests.nvidia.com/gpu") << resource;
  }
  for (const char* resource :
       {"requests.nvidia.com/gpu", "limits.cpu", "pods", "count/deployments.apps", "hugepages-2Mi",
        "fast.storageclass.storage.k8s.io/requests.storage", "gpu.deviceclass.resource.k8s.io/devices",
        "requests.deviceclass.resource.kubernetes.io/gpu"}) {
    EXPECT_EQ(name_that_counts(resource), std::nullopt) << resource;
  }
}

TEST(QuotaUsage, OfAClaimIsCountedInAllAndByItsClass) {
  kube::PersistentVolumeClaim claim;
  claim.spec.requests.emplace("storage", *Quantity::parse("10Gi"));
  claim.spec.storage_class_name = "fast";
  EXPECT_EQ(print(claim_usage(claim)),
            "count/persistentvolumeclaims=1 fast.storageclass.storage.k8s.io/persistentvolumeclaims=1 "
            "fast.storageclass.storage.k8s.io/requests.storage=10Gi persistentvolumeclaims=1 requests.storage=10Gi ");
  claim.metadata.annotations["volume.beta.kubernetes.io/storage-class"] = "old";
  EXPECT_TRUE(claim_usage(claim).contains("old.storageclass.storage.k8s.io/persistentvolumeclaims"));
  EXPECT_TRUE(claims_use("slow.storageclass.storage.k8s.io/requests.storage"));
  EXPECT_FALSE(claims_use("requests.cpu"));
}

TEST(QuotaUsage, OfServicesCountsNodePorts) {
  struct Case {
    std::string type;
    bool allocate;
    std::string expected;
  };
  const std::vector<Case> cases = {
      {"ClusterIP", true, "count/services=1 services=1 services.loadbalancers=0 services.nodeports=0 "},
      {"NodePort", true, "count/services=1 services=1 services.loadbalancers=0 services.nodeports=3 "},
      {"LoadBalancer", true, "count/services=1 services=1 services.loadbalancers=1 services.nodeports=3 "},
      {"LoadBalancer", false, "count/services=1 services=1 services.loadbalancers=1 services.nodeports=0 "},
  };
  for (const Case& item : cases) {
    kube::Service service;
    service.type = item.type;
    service.port_count = 3;
    service.allocate_load_balancer_node_ports = item.allocate;
    EXPECT_EQ(print(service_usage(service)), item.expected);
  }
}

TEST(QuotaUsage, OfOtherObjectsIsTheirCount) {
  EXPECT_EQ(print(object_usage("deployments.apps")), "count/deployments.apps=1 ");
  EXPECT_EQ(print(object_usage("configmaps")), "configmaps=1 count/configmaps=1 ");
}

}  // namespace
}  // namespace loadline::admission
