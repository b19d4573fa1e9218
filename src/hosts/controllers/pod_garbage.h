#pragma once

#include <cstddef>
#include <memory>

#include "foundation/base/time.h"
#include "hosts/controllers/controller.h"

namespace loadline::controllers {

struct PodGarbageOptions {
  Duration quarantine = Duration::seconds(40);  ///< how long a node must be gone before its pods are
  std::size_t most_finished = 12'500;           ///< pods that have finished and are kept; 0: all
};

/// Takes pods away whose machine will never say anything more about them: those of nodes that are gone, those that are
/// to be deleted on nodes tainted node.kubernetes.io/out-of-service, and those that are to be deleted and were never
/// bound; and the oldest of very many finished ones. Those that finalizers hold back are at least told to have failed:
/// their Job may wait for that.
///
/// Keys are pods.
/// Source: pkg/controller/podgc, v1.36; that one looks every 20 seconds.
std::unique_ptr<Controller> make_pod_garbage(PodGarbageOptions options);

}  // namespace loadline::controllers
