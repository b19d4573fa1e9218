#pragma once

#include <cstddef>
#include <functional>

namespace loadline::cli {

/// How much memory this process may take: half of what the machine, the control group and the limit of the
/// address space leave it. The rest is for what is under way, and for pages that are free and not given back.
[[nodiscard]] std::size_t memory_to_take();

/// How many pods that holds: what a pod takes, with its object, in all that keeps or watches it, is about 32 to 53 KiB
/// (docs/performance.md).
[[nodiscard]] std::size_t pods_in(std::size_t memory);

/// Keeps some addresses for the moment when a limit of the address space is reached: what is under way then ends, and
/// the meter says that there is no more room until they have been taken back. Once, for the process.
void keep_reserve();

/// Tells how much memory the process has now; as it was a moment ago if it is asked often. Where a limit of the address
/// space has been reached, that is how many addresses it has, which is more than memory_to_take().
[[nodiscard]] std::function<std::size_t()> memory_meter();

}  // namespace loadline::cli
