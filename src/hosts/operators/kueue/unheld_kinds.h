#pragma once

#include <string_view>

#include "server/apiserver/admission/webhook.h"

namespace loadline::operators::kueue {

// Kinds that Kueue holds and we do not: a queue's name on them means nothing yet. Whoever writes it is told so. What
// they make may be held itself, if it carries the name.

/// "ray.io/rayservice".
[[nodiscard]] bool is_unheld(std::string_view framework);

/// Warns of queues' names on such objects, in a cluster that has queues.
[[nodiscard]] apiserver::Webhooks make_unheld_kinds_webhooks();

}  // namespace loadline::operators::kueue
