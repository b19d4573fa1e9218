#pragma once

#include <cstddef>
#include <memory>

#include "base/time.h"
#include "controllers/controller.h"

namespace loadline::controllers {

struct PodGarbageOptions {
  Duration quarantine = Duration::seconds(40);  ///< how long a node must be gone before its pods are
  std::size_t most_finished = 12'500;           ///< pods that have finished and are kept; 0: all
};

/// Takes pods away whose machine will never say anything more about them: those of nodes that are gone, and those that
/// are to be deleted on nodes tainted node.kubernetes.io/out-of-service; and the oldest of very many finished ones.
///
/// Keys are pods. Pods that are being deleted and were never bound are the API server's business (OrphanedPods).
/// Source: pkg/controller/podgc, v1.36; that one looks every 20 seconds.
std::unique_ptr<Controller> make_pod_garbage(PodGarbageOptions options);

}  // namespace loadline::controllers
