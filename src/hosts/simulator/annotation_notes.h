#pragma once

#include "foundation/base/diagnostic.h"
#include "hosts/simulator/simulated_pods.h"
#include "objects/kube/objects.h"

namespace loadline::simulator {

/// Warnings of annotations and labels that scheduling reads, of workloads that end and of pods, with values that it
/// cannot make sense of: see cluster::unreadable_run_values(). Pods of a workload that have the same are told once.
/// O(pods × log).
Diagnostics note_unreadable_annotations(const kube::Objects& objects, const SimulatedPods& pods);

}  // namespace loadline::simulator
