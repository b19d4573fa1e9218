#pragma once

#include <string>
#include <string_view>

#include "foundation/base/result.h"
#include "objects/kube/meta.h"

namespace loadline::workloads {

/// What Volcano's Job is called where workloads are named by their kind, for Kubernetes has a Job, too.
inline constexpr std::string_view kVolcanoJob = "VolcanoJob";

/// The kind of workload that a reference is to.
[[nodiscard]] inline std::string_view kind_of(const kube::OwnerReference& controller) {
  return controller.kind == "Job" && controller.api_version.starts_with("batch.volcano.sh/") ? kVolcanoJob
                                                                                             : controller.kind;
}

/// The kind of workload that a person means, as kubectl would take the word: "jobset", "JobSets",
/// "jobset.jobset.x-k8s.io", "sts", "lws"; "pod" too, which is a workload of its own. Else a message with the nearest
/// word that there is.
[[nodiscard]] Result<std::string> kind_of_word(std::string_view word);

}  // namespace loadline::workloads
