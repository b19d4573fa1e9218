#pragma once

#include <string>

#include "foundation/base/diagnostic.h"

namespace loadline::kube {

/// An object of a kind that nothing here reads, which seems to make pods, and names a queue of Kueue: a TrainJob.
struct UnreadJob {
  std::string kind;
  std::string name_space;
  std::string name;
  std::string queue;
  SourcePosition source;
};

}  // namespace loadline::kube
