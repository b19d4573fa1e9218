#pragma once

#include <string_view>

namespace loadline::kube {

/// True for names of labels, taints and extended resources that Kubernetes, clouds and makers of devices are known to
/// give: an author that writes one means it, however much it looks like another one. The table keeps such names from
/// being reported as typing errors; that a name is missing from it says nothing.
[[nodiscard]] bool is_well_known_name(std::string_view name);

}  // namespace loadline::kube
