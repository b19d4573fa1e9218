#pragma once

#include <cstdint>
#include <string>

#include "objects/kube/core/pod.h"

namespace loadline::cluster {

/// Whether spec.nodeName is part of a key. Once a pod is on its node it tells nothing that the placement does not.
enum class NodeNamePart : std::uint8_t { kIncluded, kLeftOut };

/// Appends bytes that are equal for two specs exactly if no decision can tell the pods apart by their specs.
/// Names of containers and ports, probes, commands and the like are left out.
void append_spec_key(std::string& key, const kube::PodSpec& spec, NodeNamePart node_name);

/// The same for what lies outside the spec: namespace, labels, controller, resized resources.
void append_pod_key(std::string& key, const kube::Pod& pod);

/// What append_spec_key appends, with the node's name.
std::string spec_key(const kube::PodSpec& spec);

/// Such bytes for what the pod asks of a node's labels and name alone.
std::string node_rules_key(const kube::PodSpec& spec);

}  // namespace loadline::cluster
