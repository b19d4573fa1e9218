#pragma once

#include <cstdint>
#include <string_view>

#include "objects/kube/core/pod.h"

namespace loadline::kube {

struct PodResourcesOptions {
  /// Counts what a running pod holds (status.containerStatuses: actuated and allocated) while it is being resized in
  /// place.
  bool use_status_resources = false;
  /// With `use_status_resources`: counts status.resources and status.allocatedResources of pod-level resources too.
  /// The scheduler does (feature InPlacePodLevelResourcesVerticalScaling, on since 1.36), quota does not.
  bool use_status_pod_level_resources = false;
  /// Requests that stand in for a resource that a container does not mention; an explicit zero stays. Null: none.
  const ResourceList* non_missing_container_requests = nullptr;
  bool skip_pod_level_resources = false;
  bool exclude_overhead = false;
};

/// Counts the containers, and nothing that the pod says as a whole.
[[nodiscard]] constexpr PodResourcesOptions containers_only() {
  PodResourcesOptions options;
  options.skip_pod_level_resources = true;
  options.exclude_overhead = true;
  return options;
}

/// What a pod requests in all: the sum of its containers and sidecars, at least what each init container needs while it
/// runs (with the sidecars started before it); pod-level cpu, memory and huge pages override; plus overhead. `status`
/// may be null unless `use_status_resources`. O(containers × resources). Source: k8s.io/component-helpers/resource
/// PodRequests, v1.36.
[[nodiscard]] ResourceList pod_requests(const PodSpec& spec, const PodStatus* status,
                                        const PodResourcesOptions& options);

/// The same for limits; overhead is added only to limits that are set and not zero. `non_missing_container_requests` is
/// ignored. Source: k8s.io/component-helpers/resource PodLimits, v1.36.
[[nodiscard]] ResourceList pod_limits(const PodSpec& spec, const PodStatus* status, const PodResourcesOptions& options);

/// True for the resources that spec.resources (pod level) may carry: cpu, memory, hugepages-*.
[[nodiscard]] bool is_supported_pod_level_resource(std::string_view name);

/// True if spec.resources carries a supported request or limit.
[[nodiscard]] bool pod_level_resources_set(const PodSpec& spec);

/// Adds `amounts` to `sum`, resource by resource.
void add_resources(ResourceList& sum, const ResourceList& amounts);

/// Raises each entry of `largest` to that of `amounts`; entries that are missing are added.
void raise_to_resources(ResourceList& largest, const ResourceList& amounts);

enum class QosClass : std::uint8_t { kGuaranteed, kBurstable, kBestEffort };

/// The quality-of-service class as the API server computes it for a new pod: only cpu and memory count; zero counts as
/// unset. Source: k8s.io/component-helpers ComputePodQOS, v1.36.
[[nodiscard]] QosClass pod_qos(const PodSpec& spec);

}  // namespace loadline::kube
