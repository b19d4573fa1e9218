#pragma once

#include <string>

#include "objects/kube/objects.h"

namespace loadline::cli {

/// What is wrong with a namespace that a user chose: nothing of the input is in it, nor is it there itself. Names the
/// nearest one. Empty: it is there, or none was chosen. `added`: objects that join the input. O(objects).
[[nodiscard]] std::string unknown_namespace(const std::string& chosen, const kube::Objects& objects,
                                            const kube::Objects& added = {});

}  // namespace loadline::cli
