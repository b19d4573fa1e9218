#pragma once

#include <functional>

#include "foundation/base/result.h"
#include "objects/kube/client.h"

namespace loadline::embedded {

/// Gives a cluster the StorageClass "standard", its default: volumes are made virtually, where the first consumer is.
/// Once in the cluster's life, which an annotation of the namespace kube-system remembers: a class that a user deleted
/// is not created again. The client outlives the call.
void provide_default_storage(kube::Client& client, std::function<void(Result<void>)> done);

}  // namespace loadline::embedded
