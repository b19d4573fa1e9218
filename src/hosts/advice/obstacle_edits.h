#pragma once

#include <optional>
#include <string_view>

#include "brain/placement/obstacle.h"
#include "hosts/advice/edit.h"
#include "objects/kube/core/node.h"
#include "objects/kube/core/pod.h"

namespace loadline::advice {

/// The edit on the pod that would remove the obstacle, or nothing: no edit would, or none that is good advice.
/// Kubernetes' own taints (node.kubernetes.io/not-ready) tell of trouble: tolerating them is never advised, nor is it
/// to pods without GPUs for taints that keep such pods off GPU nodes. Where the node has less than half of what is
/// asked for of a resource, requesting less is not advised: that would be another pod.
std::optional<Edit> edit_on_pod(const placement::Obstacle& obstacle, const kube::PodSpec& spec);

/// The edit on the node that would, or nothing. Labels are only suggested where the node has none of that key and the
/// key says nothing about hardware or place that a label cannot change (kubernetes.io, k8s.io and the like).
std::optional<Edit> edit_on_node(const placement::Obstacle& obstacle, const kube::Node& node);

/// Whether a label says what a machine is or where it stands, which no edit of the label would change.
[[nodiscard]] bool states_a_fact(std::string_view key);

/// What an edit asks of people, the lower the better; edits of one remedy add up.
[[nodiscard]] double cost_of(const Edit& edit);

}  // namespace loadline::advice
