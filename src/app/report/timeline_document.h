#pragma once

#include "app/report/table.h"
#include "foundation/document/value.h"
#include "hosts/timeline/timeline.h"

namespace loadline::report {

/// A timeline as a document: what `plan --until -o json` and `-o yaml` write. The schema is stable within its
/// apiVersion: members may be added, never renamed or removed. Times are seconds since `start`; what did not happen has
/// none. Empty texts are left out.
///
///     apiVersion: loadline/v1alpha1
///     kind: Timeline
///     start: 2026-01-01T00:00:00Z
///     end: how long it was watched
///     isIdle: nothing more will happen by itself
///     summary: {workloads, pending, starting, running, completed, failed, deleted, lost: counts of workloads,
///               refused: objects that the API server did not take, allWell: everything has started or ended well,
///               makespan, medianWaiting}
///     workloads: [{workload: {kind, namespace, name}, ending, arrived, started, allStarted, ended, waiting, pods,
///                  failedPods, message}]
///     pods: [{namespace, name, workload: {kind, namespace, name}, node, ending, created, scheduled, started, ended,
///             restarts, message}]
///     nodes: [name]
///     resources: [{name, meanShare, allocatable: [{at, value}], requested: [{at, value}]}]
///     pendingPods: [{at, value}]
///     notes: [text]
///
/// `ending` is Pending, Starting (some pods of a workload run, others wait), Running, Completed, Failed or Deleted.
/// `started` of a workload is when the first of its pods got a node, `allStarted` when as many as it wants had nodes at
/// once; of a pod it is when it ran. A value of resources and pendingPods holds until the next one: cpu is in cores,
/// memory in bytes. `meanShare` is of the whole time.
document::Value timeline_document(const timeline::Timeline& timeline);

/// One row a pod for programs. Columns: namespace, name, workload_kind, workload, node, ending, created, scheduled,
/// started, ended (seconds; empty: that did not happen), restarts, message.
Table timeline_csv(const timeline::Timeline& timeline);

}  // namespace loadline::report
