#pragma once

#include <string_view>

#include "brain/workloads/workload.h"
#include "foundation/base/result.h"
#include "objects/kube/objects.h"

namespace loadline::simulator {

/// The workload or bare pod that "KIND/NAME" or "KIND/NAME.NAMESPACE" means. KIND as kubectl takes it, in any letter
/// case: deployment, deployments, deploy. Errors: not of that form; no workload's kind; nothing of that name (with the
/// nearest); in several namespaces.
Result<workloads::WorkloadReference> choose_workload(std::string_view text, const kube::Objects& objects);

}  // namespace loadline::simulator
