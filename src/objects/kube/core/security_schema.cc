#include "objects/kube/core/security_schema.h"

#include "objects/kube/decoder.h"

namespace loadline::kube {}  // namespace loadline::kube
