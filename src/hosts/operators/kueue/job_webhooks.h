#pragma once

#include "server/apiserver/admission/webhook.h"

namespace loadline::operators::kueue {

/// The webhooks of the kinds that Kueue holds by a field. A new job that is managed (management.h) is suspended, and
/// gets the default queue of its namespace if it names none. What they refuse: job_rules.h.
/// They say nothing in a cluster without queues, nor of kinds that the configuration does not list.
[[nodiscard]] apiserver::Webhooks make_job_webhooks();

}  // namespace loadline::operators::kueue
