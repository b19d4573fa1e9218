#pragma once

#include "server/apiserver/admission/webhook.h"

namespace loadline::operators {

/// Those of RayClusters and RayJobs, which refuse and complete nothing.
/// Source: ray-operator/pkg/webhooks/v1, kuberay v1.6.2.
[[nodiscard]] apiserver::Webhooks make_ray_webhooks();

}  // namespace loadline::operators
