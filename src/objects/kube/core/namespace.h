#pragma once

#include "objects/kube/meta.h"

namespace loadline::kube {

struct Namespace {
  ObjectMeta metadata;
};

}  // namespace loadline::kube
