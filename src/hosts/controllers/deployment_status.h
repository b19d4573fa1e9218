#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "foundation/base/time.h"
#include "hosts/controllers/rollout.h"
#include "objects/kube/apps/apps.h"

namespace loadline::controllers {

inline constexpr std::string_view kProgressing = "Progressing";

/// Whether the Deployment sets a deadline for its progress: one that is not the largest number.
bool has_progress_deadline(const kube::Deployment& deployment);

/// Sets the condition Progressing, as of now.
void set_progress(kube::DeploymentStatus& status, std::string_view value, std::string_view reason, std::string message,
                  Instant now);

/// A Deployment that is paused or resumed says so, so that the time in between does not count against its deadline.
void note_pause(const kube::Deployment& deployment, kube::DeploymentStatus& status, Instant now);

/// All replicas are of the current template and available, and no other pods are there.
bool is_complete(const kube::Deployment& deployment, const kube::DeploymentStatus& status);

/// The sums over all parts and the condition Available. `before`: the status with the conditions so far.
kube::DeploymentStatus count_parts(const kube::Deployment& deployment, const Rollout& rollout,
                                   const kube::DeploymentStatus& before, Instant now);

/// The same, and what there is to say of a rollout: complete, progressing, or out of time; and failures of ReplicaSets.
kube::DeploymentStatus rollout_status(const kube::Deployment& deployment, const Rollout& rollout,
                                      const kube::DeploymentStatus& before, Instant now);

/// When to look again whether a rollout is out of time; nothing if there is no need.
std::optional<Duration> next_progress_check(const kube::Deployment& deployment, const kube::DeploymentStatus& status,
                                            Instant now);

}  // namespace loadline::controllers
