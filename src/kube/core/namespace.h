#pragma once

#include "kube/meta.h"

namespace loadline::kube {

struct Namespace {
  ObjectMeta metadata;
};

}  // namespace loadline::kube
