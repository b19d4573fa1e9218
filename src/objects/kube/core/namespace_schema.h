#pragma once

#include "objects/kube/core/namespace.h"
#include "objects/kube/schema.h"

namespace loadline::kube {

extern const Schema kNamespaceSchema;

}  // namespace loadline::kube
