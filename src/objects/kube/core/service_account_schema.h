#pragma once

#include "objects/kube/core/service_account.h"
#include "objects/kube/schema.h"

namespace loadline::kube {

extern const Schema kServiceAccountSchema;

}  // namespace loadline::kube
