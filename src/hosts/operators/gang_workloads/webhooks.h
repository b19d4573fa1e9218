#pragma once

#include <functional>

#include "server/apiserver/admission/webhook.h"

namespace loadline::operators {

/// What the policy in force says of workloads that are created.
struct CreatedUnder {
  bool all_start_whole = false;
  bool later_parts_have_room = false;  ///< those that start whole hold room for their later pods
};

/// The webhooks by which workloads start whole (brain/workloads/gang_workloads.h), whoever runs their operators. A
/// workload that is created and asks for it, or is created under a policy that says so, gets the annotation
/// loadline.dev/starts-whole, and with it, if pods of it are created later and the policy says so,
/// loadline.dev/holds-room. It keeps both: what it began as does not change with the policy. A pod of it, that names no
/// group, names the one that its workload has for it.
[[nodiscard]] apiserver::Webhooks make_gang_workload_webhooks(
    std::function<CreatedUnder(const apiserver::Lookup&)> policy);

}  // namespace loadline::operators
