#pragma once

#include <memory>

#include "hosts/operators/operator.h"
#include "server/apiserver/admission/webhook.h"

namespace loadline::operators {

/// Make the PodGroups of plain controllers whose pods start together (brain/workloads/owner_groups.h), and mend them
/// when the annotation changes: one controller for each kind.
[[nodiscard]] Controllers make_owner_group_controllers();

/// Has pods of such controllers name their PodGroup when they are created. Volcano's controller does so a moment later.
[[nodiscard]] std::shared_ptr<apiserver::Webhook> make_owner_group_webhook();

}  // namespace loadline::operators
