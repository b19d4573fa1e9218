#pragma once

#include <string_view>
#include <vector>

#include "objects/kube/objects.h"

namespace loadline::cli {

/// The schedulers of other projects whose objects are in the input, kinds that no decision reads among them: who brings
/// Volcano's Jobs, KAI's Queues or PodGroups of Coscheduling has the scheduler that they are made for, whose place
/// Loadline takes, as `loadline up` does. In the order of their names.
[[nodiscard]] std::vector<std::string_view> schedulers_at_home(const kube::Objects& objects);

}  // namespace loadline::cli
