#pragma once

#include <string>

#include "foundation/document/value.h"
#include "server/apiserver/admission/webhook.h"

namespace loadline::operators {

/// The Job of Volcano with what its webhook fills in: queue, scheduler, retries, names of tasks, what is available at
/// least, plugins that others need. Source: volcano.sh/volcano v1.15.1, pkg/webhooks/admission/jobs/mutate.
[[nodiscard]] document::Value with_volcano_job_defaults(document::Value job);

/// Why the webhook refuses a new Job, or the change of one; empty: it does not. Whether the queue is there is not
/// asked. Source: pkg/webhooks/admission/jobs/validate, ibidem.
[[nodiscard]] std::string volcano_job_refusal(const document::Value& job, bool is_new);

/// The webhook that asks for that.
[[nodiscard]] apiserver::Webhooks make_volcano_webhooks();

}  // namespace loadline::operators
