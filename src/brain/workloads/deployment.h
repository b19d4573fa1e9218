#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "objects/kube/apps/apps.h"
#include "objects/kube/meta.h"

namespace loadline::workloads {

// A Deployment has a ReplicaSet for each of its templates, `<deployment>-<hash>`. The label pod-template-hash, on the
// ReplicaSet, its pods and in its selector, keeps the pods of one template from those of the others.
// Source: pkg/controller/deployment, v1.36; the hash: template_hash.h.

/// "web-5d4f7c9b8b", the Deployment's name cut where it would be too long.
[[nodiscard]] std::string replica_set_name(std::string_view deployment, std::string_view hash);

/// The ReplicaSet for the Deployment's template, with all of its replicas; without a hash, it is not labelled.
[[nodiscard]] kube::ReplicaSet replica_set_of(const kube::Deployment& deployment, std::string name,
                                              std::string_view hash);

/// The revision that the annotations of a Deployment or ReplicaSet say; 0 if they say none, or no number.
[[nodiscard]] std::int64_t revision_of(const kube::StringMap& annotations);

/// Whether the ReplicaSet is the Deployment's: by name, and by uid where both sides have one.
[[nodiscard]] bool controls(const kube::Deployment& deployment, const kube::ReplicaSet& replica_set);

}  // namespace loadline::workloads
