#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "foundation/document/value.h"
#include "hosts/timeline/timeline.h"
#include "objects/kube/core/pod.h"

namespace loadline::timeline {

/// How an object other than a pod ended, as its status says.
struct StatedEnding {
  Duration at;
  Ending ending = Ending::kCompleted;
  std::string message;
};

/// What an object's status says of its end: a condition Complete, Completed, Succeeded or Failed that is True, or a
/// phase of such a name (status.phase, status.state.phase, status.jobDeploymentStatus). That is how Jobs, JobSets,
/// RayJobs, Volcano's Jobs and those of the training operator end. Nothing: it has not.
std::optional<StatedEnding> stated_ending(const document::Value& object, Duration now);

/// Why an object has no pods, as a condition says: it is suspended, or they are refused. Empty: none says so.
std::string waiting_message(const document::Value& object);

/// How many pods it wants at once, of the kinds of Kubernetes itself.
std::optional<std::int64_t> wanted_pods(const document::Value& object);

/// Whether a person would call it a workload of theirs: it is shown even while it has no pods. CronJobs are not.
bool is_workload(std::string_view kind);

/// CronJob, and KubeRay's RayCronJob.
bool is_cron(std::string_view kind);

/// Why a pod waits, or how it ended, in Kubernetes' words; empty: there is nothing to say.
std::string pod_message(const kube::Pod& pod);

std::int32_t restarts_of(const kube::Pod& pod);

}  // namespace loadline::timeline
