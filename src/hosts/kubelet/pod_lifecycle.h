#pragma once

#include <memory>

#include "hosts/controllers/controller.h"
#include "hosts/kubelet/machine.h"

namespace loadline::kubelet {

struct PodLifecycleOptions {
  Claim claim = Claim::kAnnotated;
};

/// The virtual kubelet, as far as pods are concerned: takes pods that are bound to virtual nodes, or refuses them; lets
/// their containers start, end, crash, be restarted and stopped as docs/virtual-nodes.md says; writes their status and
/// events as a kubelet does; and deletes those that were to be deleted, once they have stopped.
///
/// Keys are pods. Of each pod on a machine it remembers precise times; after a restart it goes on from the pods'
/// status, whose times are whole seconds. A pod whose start takes no time is Running with one write of its status.
std::unique_ptr<controllers::Controller> make_pod_lifecycle(PodLifecycleOptions options);

}  // namespace loadline::kubelet
