#pragma once

#include <optional>
#include <string>

#include "foundation/document/value.h"
#include "objects/kube/scalars.h"

namespace loadline::operators {

// What the operator's webhook does with a LeaderWorkerSet.
// Source: kubernetes-sigs/lws v0.9.0, pkg/webhooks/leaderworkerset_webhook.go.

/// With what it fills in, when the set is created and whenever it is changed.
[[nodiscard]] document::Value with_leader_worker_set_defaults(document::Value set);

/// What it has against the set as it would be stored. `before`: the set as it was; null: it is new.
[[nodiscard]] kube::FieldErrors faults_of_leader_worker_set(const document::Value& set, const document::Value* before);

/// All of them in a sentence; nothing, if there are none.
[[nodiscard]] std::optional<std::string> leader_worker_set_refusal(const kube::FieldErrors& faults);

}  // namespace loadline::operators
