#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "hosts/controllers/controller.h"
#include "server/apiserver/admission/webhook.h"

namespace loadline::operators::kueue {

// A LeaderWorkerSet in a queue: each of its groups is a workload, with a pod set "leader" and one "worker", or one
// "main" if the leader is made as its workers are. Its templates are marked, so that the pods are created with a
// scheduling gate; the controller makes a Workload for each group, and tells the pods which one is theirs, once they
// know their group. pod_controller.h starts and stops them. Source: Kueue v0.19.2, pkg/controller/jobs/leaderworkerset.

inline constexpr std::string_view kLeaderWorkerSetFramework = "leaderworkerset.x-k8s.io/leaderworkerset";

/// "leaderworkerset-llm-0-1a2b3".
[[nodiscard]] std::string workload_of_lws_group(std::string_view name, std::string_view group, std::string_view uid);

[[nodiscard]] std::shared_ptr<apiserver::Webhook> make_leader_worker_set_webhook();
[[nodiscard]] std::unique_ptr<controllers::Controller> make_leader_worker_set_controller();

}  // namespace loadline::operators::kueue
