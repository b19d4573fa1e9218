#pragma once

#include <span>
#include <string_view>

namespace loadline::kube {

/// A kind of job that Kueue 0.19.2 can hold, by the name that `integrations.frameworks` has for it.
struct KueueFramework {
  std::string_view name;  ///< "batch/job"
  std::string_view kind;  ///< "Job.v1.batch", as `integrations.externalFrameworks` has it
};

/// All of them, by name. Source: kueue v0.19.2, pkg/controller/jobs.
std::span<const KueueFramework> kueue_frameworks();
/// The one of that name, or null.
const KueueFramework* find_kueue_framework(std::string_view name);

}  // namespace loadline::kube
