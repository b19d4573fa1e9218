#pragma once

#include "server/apiserver/admission/webhook.h"

namespace loadline::operators {

/// What completes and reviews LeaderWorkerSets, and what completes the pods of their groups.
/// Source: kubernetes-sigs/lws v0.9.0, pkg/webhooks.
[[nodiscard]] apiserver::Webhooks make_lws_webhooks();

}  // namespace loadline::operators
