#pragma once

#include <functional>

#include "server/apiserver/admission/webhook.h"

namespace loadline::operators {

/// The webhooks by which workloads start whole (brain/workloads/gang_workloads.h), whoever runs their operators. A
/// workload that is created and asks for it, or is created while `all_whole` says so, gets the annotation
/// loadline.dev/starts-whole, and keeps it: what it began as does not change with the policy. A pod of it, that names
/// no group, names the one that its workload has for it.
[[nodiscard]] apiserver::Webhooks make_gang_workload_webhooks(std::function<bool(const apiserver::Lookup&)> all_whole);

}  // namespace loadline::operators
