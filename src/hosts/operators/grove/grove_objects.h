#pragma once

#include <cstdint>
#include <string_view>

#include "brain/workloads/pod_clique_set.h"
#include "foundation/document/value.h"
#include "hosts/operators/grove/set_templates.h"

namespace loadline::operators {

// What Grove makes for a PodCliqueSet, as documents.
// Source: ai-dynamo/grove v0.1.0-alpha.11, operator/internal/controller/podcliqueset/components and
// podcliquescalinggroup/components.

inline constexpr std::string_view kGroveSetFinalizer = "grove.io/podcliqueset.grove.io";
inline constexpr std::string_view kGroveCliqueFinalizer = "grove.io/podclique.grove.io";
inline constexpr std::string_view kGroveGroupFinalizer = "grove.io/podcliquescalinggroup.grove.io";

/// A PodClique of the set or of one of its scaling groups, which is its owner.
[[nodiscard]] document::Value clique_document(const workloads::CliqueOfSet& clique, const SetTemplates& templates,
                                              document::Value owner);

/// A PodCliqueScalingGroup.
[[nodiscard]] document::Value scaling_group_document(const kube::PodCliqueSet& set, std::int64_t replica,
                                                     const kube::CliqueScalingGroup& group, document::Value owner);

/// The headless service of a replica of the set.
[[nodiscard]] document::Value replica_service_document(const kube::PodCliqueSet& set, std::int64_t replica,
                                                       document::Value owner);

// By which the container that waits for other cliques may look at their pods.
[[nodiscard]] document::Value account_document(const kube::PodCliqueSet& set, document::Value owner);
[[nodiscard]] document::Value role_document(const kube::PodCliqueSet& set, document::Value owner);
[[nodiscard]] document::Value role_binding_document(const kube::PodCliqueSet& set, document::Value owner);
[[nodiscard]] document::Value token_document(const kube::PodCliqueSet& set, document::Value owner);
/// "llm-initc-sa-token-secret".
[[nodiscard]] std::string token_name(std::string_view set);

/// The autoscaler of a PodClique or PodCliqueScalingGroup of that name. `scaling` is what the set's author wrote.
[[nodiscard]] document::Value autoscaler_document(const kube::PodCliqueSet& set, std::string_view kind,
                                                  const std::string& name, const document::Value& scaling,
                                                  document::Value owner);

/// The object with labels, annotations and spec of `wanted`; null: it has them. PodCliques and scaling groups keep
/// their replicas, which autoscalers may have changed.
[[nodiscard]] document::Value mended(const document::Value& object, const document::Value& wanted);

}  // namespace loadline::operators
