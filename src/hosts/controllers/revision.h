#pragma once

#include <cstdint>
#include <string_view>

#include "objects/kube/apps/apps.h"

namespace loadline::controllers {

// What a Deployment notes on its ReplicaSets. Source: pkg/controller/deployment/util, v1.36.

/// A number of replicas that stands in an annotation; -1 if it is not there, or no such number.
std::int32_t replicas_in(const kube::StringMap& annotations, std::string_view name);

/// Notes for how many replicas in all a ReplicaSet has its size. True if that changes anything.
bool note_replicas(kube::StringMap& annotations, std::int32_t desired, std::int32_t max);

/// What the ReplicaSet of the current template notes: the Deployment's annotations, except its own and kubectl's, and
/// the revision, if it is more than the one it had; that one goes into the history, of at most 2000 characters.
/// True if that changes anything.
bool note_revision(kube::StringMap& annotations, const kube::StringMap& deployment, std::int64_t revision);

}  // namespace loadline::controllers
