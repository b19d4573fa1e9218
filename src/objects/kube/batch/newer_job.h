#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "foundation/document/value.h"

namespace loadline::kube {

/// A Job, or a CronJob, that has `scheduling` in its Job spec, which Kubernetes 1.37 serves, and 1.36 does not: its
/// `schedulingPolicy` says that the Job's pods start together.
struct NewerJob {
  document::Value object;  ///< without it
  std::string path;        ///< "spec.scheduling"
  document::Mark mark;
  bool is_gang = false;  ///< it asks for that
};

/// Nothing: the object is no such Job. Source: staging/src/k8s.io/api/batch/v1/types.go, Kubernetes v1.37 (KEP-5547).
[[nodiscard]] std::optional<NewerJob> newer_job(const document::Value& object, std::string_view api_version,
                                                std::string_view kind);

}  // namespace loadline::kube
