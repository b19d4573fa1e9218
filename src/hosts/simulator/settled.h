#pragma once

#include "hosts/simulator/planning.h"
#include "objects/kube/objects.h"

namespace loadline::simulator {

/// The cluster as a plan left it, as if it had been read from there: the question "what would a change do to the
/// cluster that runs?" starts here.
///
///   - Every pod that the plan placed exists and runs on its node; pods that waited go on waiting; lost pods are gone.
///     One that was read as Pending on its node, or as not Ready, still is.
///   - Controllers recognise their pods, so that planning the result again creates nothing twice: the ReplicaSets that
///     Deployments made are among the objects.
///   - Reservations hold what they held, and pods that consumed one say so.
///   - Claims are bound to the volumes they got, and quotas are charged with what was admitted.
///   - What admission refused is a manifest still, so it is tried again.
///   - PodDisruptionBudgets are counted anew, since the pods they count come and go.
/// Plan it with the same `now` and seed, and with PlanOptions::replacements = planning.replacements(). Then nothing
/// moves (tested on random clusters), but that controllers create what the plan gave up replacing.
/// O(objects).
kube::Objects settled(Planning& planning);

}  // namespace loadline::simulator
