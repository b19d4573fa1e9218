#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "hosts/watching/action.h"
#include "hosts/watching/object.h"
#include "objects/kube/ray/ray_job.h"

namespace loadline::operators {

/// An event about the job.
[[nodiscard]] inline watching::Event ray_job_event(const watching::Observed<kube::RayJob>& job,
                                                   watching::Event::Type type, std::string_view reason,
                                                   std::string message) {
  return {watching::reference_to(job), type, std::string(reason), std::move(message)};
}

}  // namespace loadline::operators
