#pragma once

#include "server/apiserver/admission/webhook.h"

namespace loadline::operators::kueue {

/// The webhooks of Kueue's own objects: ClusterQueues, Cohorts, ResourceFlavors and Workloads, with their status.
/// Queues and flavors get a finalizer, which in_use_controller.h takes away. Other kinds have rules in their
/// definitions only. Source: Kueue v0.19.2, pkg/webhooks.
[[nodiscard]] apiserver::Webhooks make_object_webhooks();

}  // namespace loadline::operators::kueue
