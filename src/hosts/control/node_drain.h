#pragma once

#include <memory>

#include "hosts/controllers/controller.h"

namespace loadline::control {

/// Frees nodes by a deadline: those that are cordoned and have the annotation loadline.dev/drain-by.
///
/// What kubectl drain would evict is evicted, as disruption budgets allow: pods by themselves, and members that their
/// groups go on without, at once; a gang that cannot go on without its members there as a whole, wherever these are,
/// when gang::leave_time says. When a drain was announced is kept on the node (loadline.dev/drain-announced), so a
/// controller that is started again goes on. A gang is not asked to leave unless every budget allows all of its
/// members to. Pods that no controller brings back stay.
///
/// Events on the node say which gang leaves when, what a budget holds, which annotation cannot be read, and when
/// nothing is left to evict; an event on each pod says why it was evicted.
///
/// Keys are nodes. A key costs O(pods on the node + pods in the namespaces of gangs on it). Only Loadline has it.
std::unique_ptr<controllers::Controller> make_node_drain();

}  // namespace loadline::control
