#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "foundation/document/value.h"
#include "hosts/operators/lws/group_rollout.h"
#include "hosts/watching/object.h"
#include "objects/kube/core/pod.h"
#include "objects/kube/leaderworkerset/leader_worker_set.h"

namespace loadline::operators {

// What a LeaderWorkerSet makes, as documents.
// Source: kubernetes-sigs/lws v0.9.0, pkg/controllers and CreateHeadlessServiceIfNotExists in pkg/utils/controller.

using LwsObject = watching::Observed<kube::LeaderWorkerSet>;
using PodObject = watching::Observed<kube::Pod>;

/// What the operator applies of the StatefulSet of the leaders.
[[nodiscard]] document::Value leaders_document(const LwsObject& set, const LeadersTarget& target,
                                               std::string_view revision_key);

/// The StatefulSet of a leader's workers.
/// `domain`: of the label that the exclusive topology names; null: the group shares.
[[nodiscard]] document::Value workers_document(const LwsObject& set, const PodObject& leader, std::int64_t group,
                                               const document::Value& worker_template, const std::string* domain);

/// The headless Service of all pods, or of a group's, with who controls it.
[[nodiscard]] document::Value group_service_document(const kube::LeaderWorkerSet& set, std::int64_t group,
                                                     document::Value owner);

/// Whether an object has everything that is to be applied to it. Where there is nothing to apply, it does not matter
/// what is there.
[[nodiscard]] bool is_applied(const document::Value& applied, const document::Value& object);

}  // namespace loadline::operators
