#pragma once

#include "objects/kube/schema.h"

namespace loadline::kube {

extern const Schema kSecurityContextSchema;
extern const Schema kPodSecurityContextSchema;

}  // namespace loadline::kube
