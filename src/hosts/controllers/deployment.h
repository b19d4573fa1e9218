#pragma once

#include <memory>

#include "hosts/controllers/controller.h"

namespace loadline::controllers {

/// Brings the pods of a Deployment to its template, through one ReplicaSet a template.
///
/// One look goes: adopt and let go ReplicaSets; find the newest, whose template is the Deployment's (all of the
/// document but the label pod-template-hash); scale, if the number of replicas changed, in proportion where a rollout
/// is under way; else roll on a step, or recreate; delete what the history has too much; report the status.
///
/// A new ReplicaSet comes first, since the status says that it was created; everything else is done in the same step
/// as the status. Several changes to one ReplicaSet in one look are one update and one event.
///
/// Names: `web-<hash>`, where the hash is that of `plan` (workloads/template_hash.h). A template that differs from an
/// older one in other fields only, and one that collides (status.collisionCount), is told apart by a hash of all of its
/// document. Upstream hashes Go's memory.
///
/// Cost: O(ReplicaSets · size of a template). Source: pkg/controller/deployment, v1.36.
std::unique_ptr<Controller> make_deployment_controller();

}  // namespace loadline::controllers
