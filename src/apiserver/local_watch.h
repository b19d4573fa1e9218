#pragma once

#include <memory>

#include "apiserver/parts.h"
#include "apiserver/reads/watch_stream.h"
#include "apiserver/selection.h"
#include "apiserver/status.h"
#include "kube/client.h"

namespace loadline::apiserver {

/// What a client in this process watches.
struct LocalWatchPlan {
  std::shared_ptr<const Served> served;
  Selection selection;
  WatchStream::Plan from;
};

/// Tells of what is there and of all that comes, in later tasks of the loop; or of why there is nothing to watch.
std::unique_ptr<kube::Watch> watch_here(const Parts& parts, Answer<LocalWatchPlan> plan, kube::Client::OnEvent tell);

/// A failure as clients hear of it.
kube::Status status_of(const Failure& failure);

}  // namespace loadline::apiserver
