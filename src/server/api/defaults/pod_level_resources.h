#pragma once

#include "server/api/defaults/draft.h"

namespace loadline::api {

/// Fills in `resources` of a pod's spec from what its containers say: limits of huge pages, and requests. Rare enough
/// to decode the spec for it. REQUIRES: `spec` has `resources`, and the containers' own requests are filled in. Source:
/// SetDefaults_Pod's defaultHugePagePodLimits and defaultPodRequests in pkg/apis/core/v1/defaults.go, v1.36.
void fill_pod_level_resources(Draft& spec);

}  // namespace loadline::api
