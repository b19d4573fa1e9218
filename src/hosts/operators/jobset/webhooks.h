#pragma once

#include "server/apiserver/admission/webhook.h"

namespace loadline::operators {

/// The webhooks of the JobSet operator: one completes and judges JobSets (job_set_rules.h), the other the pods of those
/// whose Jobs have domains to themselves: it leads them to their domain, and refuses them as long as nobody knows it.
/// Source: pkg/webhooks, jobset v0.12.0.
[[nodiscard]] apiserver::Webhooks make_jobset_webhooks();

}  // namespace loadline::operators
