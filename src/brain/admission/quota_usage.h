#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "objects/kube/core/pod.h"
#include "objects/kube/core/service.h"
#include "objects/kube/core/volume.h"

namespace loadline::admission {

/// What objects use of the resources that quotas name, and which of a quota's resources an object of a kind can use at
/// all. Source: pkg/quota/v1/evaluator/core and apiserver/pkg/quota/v1/generic, v1.36.

/// cpu and requests.cpu, limits.cpu, likewise memory and ephemeral-storage; hugepages-* and requests.hugepages-*;
/// requests.<extended resource> (extended resources have no other name in quotas: `limits.nvidia.com/gpu` and a bare
/// `nvidia.com/gpu` limit nothing); pods and count/pods. `status` counts while the pod is being resized; may be null.
[[nodiscard]] kube::ResourceList pod_usage(const kube::PodSpec& spec, const kube::PodStatus* status);
[[nodiscard]] bool pods_use(std::string_view resource);

/// For an extended resource under a name that a quota may carry but nothing ever uses, the name that counts: for
/// `limits.nvidia.com/gpu` and `nvidia.com/gpu` it is `requests.nvidia.com/gpu`. Nothing for all other names.
[[nodiscard]] std::optional<std::string> name_that_counts(std::string_view resource);

/// What remains charged when a pod has finished but still exists: count/pods.
[[nodiscard]] kube::ResourceList finished_pod_usage();

/// The pod_usage names that one container's requests and limits fill; what it misses of a quota is an error for cpu and
/// memory.
[[nodiscard]] kube::ResourceList compute_usage(const kube::ResourceList& requests, const kube::ResourceList& limits);

/// requests.storage and persistentvolumeclaims, in all and `<class>.storageclass.storage.k8s.io/…`, and
/// count/persistentvolumeclaims.
[[nodiscard]] kube::ResourceList claim_usage(const kube::PersistentVolumeClaim& claim);
[[nodiscard]] bool claims_use(std::string_view resource);

/// services, services.loadbalancers, services.nodeports, count/services.
[[nodiscard]] kube::ResourceList service_usage(const kube::Service& service);
[[nodiscard]] bool services_use(std::string_view resource);

/// One object of another kind, as in "deployments.apps" or "configmaps": `count/<resource>`, and for the kinds that
/// quotas counted before there was `count/`, the plain name too.
[[nodiscard]] kube::ResourceList object_usage(std::string_view resource);

}  // namespace loadline::admission
