#include "brain/admission/quota_usage.h"

#include <algorithm>
#include <array>

#include "objects/kube/pod_resources.h"
#include "objects/kube/resource_names.h"
#include "objects/kube/storage/storage_classes.h"

namespace loadline::admission {
namespace {

using kube::Quantity;
using kube::ResourceList;

constexpr std::string_view kDeviceClass = "deviceclass.resource.kubernetes.io/";
constexpr std::string_view kOfStorageClass = ".storageclass.storage.k8s.io/";
constexpr std::string_view kOfDeviceClass = ".deviceclass.resource.k8s.io/devices";
constexpr std::string_view kCount = "count/";
constexpr std::string_view kClaims = "persistentvolumeclaims";
constexpr std::string_view kStorage = "requests.storage";
constexpr std::array<std::string_view, 3> kCompute = {"cpu", "memory", "ephemeral-storage"};
constexpr std::array<std::string_view, 4> kCountedByPlainName = {"configmaps", "replicationcontrollers",
                                                                 "resourcequotas", "secrets"};

std::string join(std::string_view a, std::string_view b, std::string_view c = {}) {
  std::string text(a);
  return text.append(b).append(c);
}

std::string_view without_prefix(std::string_view text, std::string_view prefix) {
  return text.starts_with(prefix) ? text.substr(prefix.size()) : text;
}

bool extended(std::string_view resource) {
  return kube::is_extended_resource(resource) || resource.starts_with(kDeviceClass);
}

bool is_compute(std::string_view resource) {
  return std::find(kCompute.begin(), kCompute.end(), resource) != kCompute.end();
}

}  // namespace

ResourceList compute_usage(const ResourceList& requests, const ResourceList& limits) {
  ResourceList usage;
  usage.emplace("pods", Quantity::of(1));
  for (const auto& [name, amount] : requests) {
    if (is_compute(name) || kube::is_huge_page_resource(name)) usage.insert_or_assign(name, amount);
    if (is_compute(name) || kube::is_huge_page_resource(name) || extended(name)) {
      usage.insert_or_assign(join(kube::kRequestsPrefix, name), amount);
    }
  }
  for (const auto& [name, amount] : limits) {
    if (is_compute(name)) usage.insert_or_assign(join(kube::kLimitsPrefix, name), amount);
  }
  return usage;
}

ResourceList pod_usage(const kube::PodSpec& spec, const kube::PodStatus* status) {
  const kube::PodResourcesOptions options{.use_status_resources = status != nullptr};
  ResourceList usage = compute_usage(pod_requests(spec, status, options), pod_limits(spec, status, options));
  usage.merge(finished_pod_usage());
  return usage;
}

ResourceList finished_pod_usage() { return {{"count/pods", Quantity::of(1)}}; }

bool pods_use(std::string_view resource) {
  if (resource == "pods" || resource == "count/pods") return true;
  if (is_compute(resource) || is_compute(without_prefix(resource, kube::kRequestsPrefix))) return true;
  if (resource.starts_with(kube::kLimitsPrefix)) return is_compute(without_prefix(resource, kube::kLimitsPrefix));
  if (kube::is_huge_page_resource(without_prefix(resource, kube::kRequestsPrefix))) return true;
  return resource.starts_with(kube::kRequestsPrefix) &&
         (!kube::is_native_resource(resource) ||
          without_prefix(resource, kube::kRequestsPrefix).starts_with(kDeviceClass));
}

std::optional<std::string> name_that_counts(std::string_view resource) {
  const bool counted = resource.starts_with(kCount) || resource.ends_with(kOfDeviceClass) || claims_use(resource);
  if (counted || !kube::is_extended_resource(resource)) return std::nullopt;
  return join(kube::kRequestsPrefix, without_prefix(resource, kube::kLimitsPrefix));
}

ResourceList claim_usage(const kube::PersistentVolumeClaim& claim) {
  const std::string_view storage_class = kube::class_of(claim);
  ResourceList usage;
  const auto charge = [&](std::string_view resource, const Quantity& amount) {
    usage.emplace(resource, amount);
    if (!storage_class.empty()) usage.emplace(join(storage_class, kOfStorageClass, resource), amount);
  };
  usage.emplace(join(kCount, kClaims), Quantity::of(1));
  charge(kClaims, Quantity::of(1));
  const auto requested = claim.spec.requests.find("storage");
  if (requested != claim.spec.requests.end()) {
    // Quotas count whole bytes.
    const Quantity& amount = requested->second;
    charge(kStorage, amount.is_whole() ? amount : Quantity::of(amount.value(), amount.format()));
  }
  return usage;
}

bool claims_use(std::string_view resource) {
  if (resource == kClaims || resource == kStorage || resource == join(kCount, kClaims)) return true;
  return resource.ends_with(join(kOfStorageClass, kClaims)) || resource.ends_with(join(kOfStorageClass, kStorage));
}

ResourceList service_usage(const kube::Service& service) {
  const bool balanced = service.type == "LoadBalancer";
  const bool has_node_ports = service.type == "NodePort" || (balanced && service.allocate_load_balancer_node_ports);
  return {{"count/services", Quantity::of(1)},
          {"services", Quantity::of(1)},
          {"services.loadbalancers", Quantity::of(balanced ? 1 : 0)},
          {"services.nodeports", Quantity::of(has_node_ports ? service.port_count : 0)}};
}

bool services_use(std::string_view resource) {
  return resource == "services" || resource == "services.loadbalancers" || resource == "services.nodeports" ||
         resource == "count/services";
}

ResourceList object_usage(std::string_view resource) {
  ResourceList usage{{join(kCount, resource), Quantity::of(1)}};
  if (std::find(kCountedByPlainName.begin(), kCountedByPlainName.end(), resource) != kCountedByPlainName.end()) {
    usage.emplace(resource, Quantity::of(1));
  }
  return usage;
}

}  // namespace loadline::admission
