#pragma once

#include "objects/kube/core/pod.h"
#include "objects/kube/core/quota.h"

namespace loadline::admission {

/// Whether a pod is in a scope of a quota. Scopes of claims match no pod.
///
/// Terminating: activeDeadlineSeconds is set. BestEffort: by quality-of-service class. PriorityClass: the class's name
/// against the operator (Exists: has one; NotIn and DoesNotExist hold for pods without one). CrossNamespacePodAffinity:
/// any affinity term names namespaces or a namespaceSelector. REQUIRES: the priority is resolved. Source:
/// pkg/quota/v1/evaluator/core/pods.go, v1.36.
[[nodiscard]] bool in_scope(const kube::ScopedResourceSelectorRequirement& scope, const kube::PodSpec& pod);

/// Whether a claim is in a scope: only VolumeAttributesClass can hold.
[[nodiscard]] bool in_scope(const kube::ScopedResourceSelectorRequirement& scope,
                            const kube::PersistentVolumeClaimSpec& claim);

}  // namespace loadline::admission
