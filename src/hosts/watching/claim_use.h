#pragma once

#include <string>
#include <string_view>

#include "objects/kube/core/pod.h"

namespace loadline::watching {

/// The claim that a volume of the pod stands for, by name or made for the pod; empty: none.
std::string claim_of(const kube::Pod& pod, const kube::Volume& volume);

/// Whether one of the pod's volumes stands for the claim.
bool uses_claim(const kube::Pod& pod, std::string_view claim);

}  // namespace loadline::watching
