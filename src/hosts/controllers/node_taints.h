#pragma once

#include <optional>
#include <string_view>

#include "foundation/base/time.h"
#include "hosts/controllers/words.h"
#include "hosts/watching/action.h"
#include "objects/kube/core/node.h"
#include "objects/kube/core/pod.h"

namespace loadline::controllers {

inline constexpr std::string_view kNotReadyTaint = "node.kubernetes.io/not-ready";
inline constexpr std::string_view kUnreachableTaint = "node.kubernetes.io/unreachable";

/// The NoExecute taint that a node's readiness asks for; empty: none.
std::string_view eviction_taint(const kube::Node& node);
[[nodiscard]] bool has_taint(const kube::Node& node, std::string_view key, kube::TaintEffect effect);

/// Brings the taints that follow from conditions up to date, and labels that are kept for old clients. NoExecute taints
/// for readiness become `eviction`, which may be empty. Nothing: all is well. It fails if another writer changes the
/// node. Source: doNoScheduleTaintingPass and reconcileNodeLabels in pkg/controller/nodelifecycle, v1.36.
std::optional<Action> correct_taints(const Observed<kube::Node>& node, std::string_view eviction, Instant now);

}  // namespace loadline::controllers
