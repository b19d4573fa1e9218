#pragma once

#include <string>
#include <string_view>

#include "hosts/advice/lint/lint_input.h"

namespace loadline::advice::lint {

/// The field that asks most of a resource: the limit where the request equals it, for it was most likely made of it.
[[nodiscard]] std::string resource_path(const JudgedWorkload& workload, std::string_view resource);

/// Whether one of the pod's tolerations covers the taint.
[[nodiscard]] bool tolerates(const JudgedWorkload& workload, const kube::Taint& taint);

/// A toleration that covers every taint there is: operator Exists without a key.
[[nodiscard]] bool tolerates_every_key(const kube::Toleration& toleration);
}  // namespace loadline::advice::lint
