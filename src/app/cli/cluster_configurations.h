#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "foundation/base/diagnostic.h"
#include "objects/kube/config/scheduler_configuration.h"

namespace loadline::cli {

// The scheduler configurations in the ConfigMaps of a cluster. Whoever may write a ConfigMap in some namespace may have
// written one, and a cluster goes on without what is wrong in it: so does a plan of the cluster, as `up` does, and says
// what it leaves out.

/// Whether a problem is about one of them.
[[nodiscard]] bool is_about_configuration(const Diagnostic& diagnostic);

/// Faults in them are told, and keep nothing else from being planned: errors about them become warnings.
void tolerate_faulty_configurations(Diagnostics& diagnostics);

/// Leaves out profiles that another one before them has the name of, or that name plugins which are neither built in
/// nor `provided`. Has no extender called, for the right to write a ConfigMap must not make this program send what it
/// knows to a server. A warning each goes to `diagnostics`.
void keep_sound_profiles(std::vector<kube::SchedulerConfiguration>& configurations,
                         std::span<const std::string_view> provided, Diagnostics& diagnostics);

}  // namespace loadline::cli
