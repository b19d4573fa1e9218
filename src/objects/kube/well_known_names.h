#pragma once

#include <string_view>

namespace loadline::kube {

/// True for names of labels, taints and extended resources that Kubernetes, clouds and makers of devices are known to
/// give: who writes one means it, however much it looks like another one. The table is of use where a name is taken
/// for a slip of the pen; that a name is missing from it says nothing.
[[nodiscard]] bool is_well_known_name(std::string_view name);

}  // namespace loadline::kube
