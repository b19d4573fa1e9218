#pragma once

#include <memory>

#include "hosts/controllers/controller.h"

namespace loadline::controllers {

struct TaintEvictionOptions {};

/// Deletes pods from nodes with NoExecute taints that they do not tolerate, or tolerate for so many seconds only: those
/// are counted from when the last such taint came (its timeAdded, else when it was noticed), or the pod, whichever was
/// later.
///
/// Keys are pods. What was noticed is remembered. Source: pkg/controller/tainteviction, v1.36; that one forgets when
/// taints came if it is restarted, and counts anew.
std::unique_ptr<Controller> make_taint_eviction(TaintEvictionOptions options);

}  // namespace loadline::controllers
