#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "hosts/controllers/controller.h"
#include "server/apiserver/admission/webhook.h"

namespace loadline::operators::kueue {

// A StatefulSet in a queue: all of its pods are one workload of one pod set, which needs its quota before the first of
// them is there. Its template is marked, so that its pods are created with a scheduling gate; the controller makes the
// Workload and tells the pods that they are a group of that name, which pod_controller.h starts and stops. It serves,
// and never ends. Scaled to none it is on hold: it keeps its Workload, which has no quota then.
// Source: Kueue v0.19.2, pkg/controller/jobs/statefulset.

inline constexpr std::string_view kStatefulSetFramework = "statefulset";

/// "statefulset-db-1a2b3".
[[nodiscard]] std::string workload_of_stateful_set(std::string_view name, std::string_view uid);

[[nodiscard]] std::shared_ptr<apiserver::Webhook> make_stateful_set_webhook();
[[nodiscard]] std::unique_ptr<controllers::Controller> make_stateful_set_controller();

}  // namespace loadline::operators::kueue
