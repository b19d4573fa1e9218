#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "foundation/base/rng.h"
#include "objects/kube/meta.h"

namespace loadline::kube {

/// `base` cut to 58 characters and five more, drawn by chance: how an API server names what has a generateName only.
/// Source: k8s.io/apiserver/pkg/storage/names, v1.36.
[[nodiscard]] std::string generate_name(std::string_view base, Rng& rng);

/// The name of an object of a manifest that gives a generateName only: the first that is not taken of those which its
/// kind, namespace and generateName lead to, so the same input gives the same names.
[[nodiscard]] std::string generate_name(const ObjectMeta& metadata, std::string_view kind,
                                        const std::function<bool(const std::string&)>& is_taken);

}  // namespace loadline::kube
