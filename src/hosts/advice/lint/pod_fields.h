#pragma once

#include <string>
#include <string_view>

#include "hosts/advice/lint/lint_input.h"

namespace loadline::advice::lint {

/// The field that asks most of a resource: the limit where the request equals it, for it was most likely made of it.
[[nodiscard]] std::string resource_path(const JudgedWorkload& workload, std::string_view resource);

/// Whether the taint keeps pods off its node, rather than being avoided where possible.
[[nodiscard]] bool keeps_out(const kube::Taint& taint);

/// Whether one of the pod's tolerations covers the taint.
[[nodiscard]] bool tolerates(const JudgedWorkload& workload, const kube::Taint& taint);

/// A toleration that covers every taint there is: operator Exists without a key.
[[nodiscard]] bool tolerates_every_key(const kube::Toleration& toleration);

/// Whether the toleration covers the taint, as the scheduler judges it.
[[nodiscard]] bool covers(const kube::Toleration& toleration, const kube::Taint& taint);

}  // namespace loadline::advice::lint
