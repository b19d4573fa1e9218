#pragma once

#include "server/apiserver/admission/webhook.h"

namespace loadline::operators::kueue {

/// The webhooks of pods that wait in queues by themselves, and of Deployments, whose pods do so one by one. A managed
/// pod gets a gate, a finalizer, the label kManagedPod and the digest of its role. What the configuration says of other
/// frameworks does not change pods, and pods of jobs that are managed are those jobs'.
/// Source: Kueue v0.19.2, pkg/controller/jobs/{pod,deployment}/*_webhook.go.
[[nodiscard]] apiserver::Webhooks make_pod_webhooks();

}  // namespace loadline::operators::kueue
