#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "foundation/base/time.h"
#include "hosts/controllers/controller.h"
#include "objects/kube/batch/batch.h"
#include "objects/kube/ray/ray_job.h"

namespace loadline::operators {

/// What people write to say what Ray's dashboard says of the jobs of a namespace: the ConfigMap of this name, with
/// `status`, `message` and `endTime`.
inline constexpr std::string_view kRayDashboard = "ray-dashboard";

/// What the dashboard says of a job.
struct RayAnswer {
  bool is_there = false;  ///< the job has been submitted
  std::string status;     ///< PENDING, RUNNING, STOPPED, SUCCEEDED, FAILED
  std::string message;
  std::optional<Instant> start;
  std::optional<Instant> end;
  std::optional<Duration> again_after;  ///< it says something else then

  /// Whether a job with that status is over.
  [[nodiscard]] static bool is_end(std::string_view status);
};

/// Who submits a job, as far as there is one.
struct RaySubmitter {
  const watching::Observed<kube::Job>* job = nullptr;  ///< K8sJobMode
  const kube::ContainerStatus* container = nullptr;    ///< of the head; SidecarMode
};

/// There is no Ray here. A job does what its submitter does, which waits for it: it runs while the submitter runs, and
/// fails if that fails. Where KubeRay itself submits it, or a person, it runs for ten seconds, as pods of Jobs do, or
/// as annotations of the RayJob say: `loadline.dev/run-time`, `loadline.dev/exit-code`.
[[nodiscard]] RayAnswer ask_ray(const kube::RayJob& job, const document::Value& info, const RaySubmitter& submitter,
                                const controllers::Context& context);

}  // namespace loadline::operators
