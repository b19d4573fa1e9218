#pragma once

#include <string>
#include <string_view>
#include <tl/expected.hpp>

#include "foundation/document/value.h"

namespace loadline::operators {

/// Whether the pod belongs to a LeaderWorkerSet: its webhook and its controller look at no other.
[[nodiscard]] bool is_group_pod(const document::Value& pod);

/// A new pod of a LeaderWorkerSet as the operator's webhook completes it: labels of its place, what an exclusive
/// topology asks for, and variables of every container that tell the group's size, its leader's address and the pod's
/// place; or why it denies the pod. Other pods stay as they are.
/// Source: kubernetes-sigs/lws v0.9.0, pkg/webhooks/pod_webhook.go and AddLWSVariables in pkg/utils/pod.
[[nodiscard]] tl::expected<document::Value, std::string> as_group_pod(document::Value pod, std::string_view name_space);

}  // namespace loadline::operators
