#pragma once

#include <memory>

#include "objects/kube/client.h"
#include "server/apiserver/reads/watch_stream.h"
#include "server/apiserver/resources/selection.h"
#include "server/apiserver/server_context.h"
#include "server/apiserver/status.h"

namespace loadline::apiserver {

/// What a client in this process watches.
struct LocalWatchPlan {
  std::shared_ptr<const ServedResource> served;
  Selection selection;
  WatchStream::Plan from;
};

/// Tells of what is there and of all that comes, in later tasks of the loop; or of why there is nothing to watch.
std::unique_ptr<kube::Watch> watch_here(const ServerContext& context, Answer<LocalWatchPlan> plan,
                                        kube::Client::OnEvent tell);

/// A failure as clients are told of it.
kube::Status status_of(const StatusError& failure);

}  // namespace loadline::apiserver
