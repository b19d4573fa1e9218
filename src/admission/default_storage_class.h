#pragma once

#include <optional>
#include <string>
#include <vector>

#include "kube/storage/storage.h"

namespace loadline::admission {

/// The class that claims without one get: marked by the annotation storageclass.kubernetes.io/is-default-class; of
/// several the newest, then the first by name. Nothing if none is marked. Source:
/// plugin/pkg/admission/storage/storageclass/setdefault, v1.36.
[[nodiscard]] std::optional<std::string> default_storage_class(const std::vector<kube::StorageClass>& classes);

}  // namespace loadline::admission
