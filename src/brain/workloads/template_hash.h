#pragma once

#include <string>

#include "objects/kube/core/pod.h"

namespace loadline::workloads {

/// The pod-template-hash of a Deployment's template. Upstream hashes a printout of the template that only Go can make;
/// ours tells templates apart by the fields that people change: labels, and names, images and requests of containers.
[[nodiscard]] std::string template_hash(const kube::ObjectMeta& deployment, const kube::PodTemplateSpec& pod_template);

}  // namespace loadline::workloads
