#pragma once

#include <cstddef>
#include <functional>

namespace loadline::cli {

/// How much memory this process may take: three quarters of what the machine, the control group and the limit of the
/// address space leave it.
[[nodiscard]] std::size_t memory_to_take();

/// How many pods that holds: what a pod takes, with its object, in all that keeps or watches it, is about 32 to 53 KiB
/// (docs/performance.md).
[[nodiscard]] std::size_t pods_in(std::size_t memory);

/// Tells how much memory the process has now; as it was a moment ago if it is asked often.
[[nodiscard]] std::function<std::size_t()> memory_meter();

}  // namespace loadline::cli
