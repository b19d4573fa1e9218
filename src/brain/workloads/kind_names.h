#pragma once

#include <string>
#include <string_view>

#include "foundation/base/result.h"

namespace loadline::workloads {

/// The kind of workload that a person means, as kubectl would take the word: "jobset", "JobSets",
/// "jobset.jobset.x-k8s.io", "sts", "lws"; "pod" too, which is a workload of its own. Else a message with the nearest
/// word that there is.
[[nodiscard]] Result<std::string> kind_of_word(std::string_view word);

}  // namespace loadline::workloads
