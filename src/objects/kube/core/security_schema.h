#pragma once

#include "objects/kube/schema.h"

namespace loadline::kube {}  // namespace loadline::kube
