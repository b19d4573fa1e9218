#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "foundation/document/value.h"
#include "objects/kube/apps/apps.h"
#include "objects/kube/core/pod.h"

namespace loadline::controllers {

// The identities of a StatefulSet's pods. Source: pkg/controller/statefulset/stateful_set_utils.go, v1.36.

inline constexpr std::string_view kStatefulPodName = "statefulset.kubernetes.io/pod-name";

/// 3 of "web-3", if that is a pod of "web"; else nothing.
std::optional<std::int32_t> ordinal_in(std::string_view pod, std::string_view stateful_set);
std::string stateful_pod_name(const kube::StatefulSet& set, std::int32_t ordinal);
/// "data-web-3".
std::string stateful_claim_name(const kube::StatefulSet& set, std::string_view claim_template, std::int32_t ordinal);

/// The revision of a pod, by its label; empty if it has none.
std::string_view revision_of_pod(const kube::Pod& pod);

/// The pod of an ordinal, of the set as its revision has it.
document::Value stateful_pod(const document::Value& object, const kube::StatefulSet& set, std::int32_t ordinal,
                             std::string_view revision);

/// A claim of one of the set's templates, for one pod.
struct StatefulClaim {
  std::string name;
  document::Value document;
};
std::vector<StatefulClaim> stateful_claims(const document::Value& object, const kube::StatefulSet& set,
                                           std::int32_t ordinal);

}  // namespace loadline::controllers
