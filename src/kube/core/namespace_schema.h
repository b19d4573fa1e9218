#pragma once

#include "kube/core/namespace.h"
#include "kube/schema.h"

namespace loadline::kube {

extern const Schema kNamespaceSchema;

}  // namespace loadline::kube
