#pragma once

#include "kube/core/service_account.h"
#include "kube/schema.h"

namespace loadline::kube {

extern const Schema kServiceAccountSchema;

}  // namespace loadline::kube
