#pragma once

#include <string_view>

#include "app/report/table.h"
#include "foundation/document/value.h"
#include "hosts/simulator/comparison.h"

namespace loadline::report {

/// A comparison as a document: what `plan --diff -o json` and `-o yaml` write. Stable within its apiVersion as a plan
/// is (plan_document.h). Only pods with a difference are listed.
///
///     apiVersion: loadline/v1alpha1
///     kind: PlanDifference
///     summary: {moved, becamePending, placed, appeared, gone, restated, unchanged, stillWaiting,
///               worse: what exit status 1 says}
///     pods: [{namespace, name, newName: of the pod that took its place, if that is another,
///             workload: {kind, namespace, name}, change: Moved | BecamePending | Placed | Appeared | Gone | Restated,
///             from, to: nodes, outcomeBefore, outcomeAfter, why: how it left its node, preemptedBy,
///             intended: of a gone one, message, reasons: [{nodes, plugin, message}] of one that waits afterwards}]
///     podGroups: [{before, after}], as in a plan, of those that start only before or only after it, and of new ones
///     disturbance: {gpuSecondsLost, gangs: [{namespace, name, leaving, members: counts, losesRun, gpuSecondsLost,
///                   expectedEnd}], later: {at, gpuSecondsLost, gangs}}, of gangs that lose pods at once
///     drainSchedule: {deadline, atOnce: [pod], gangs: [{namespace, name, leaves: NotStarted | EndsByItself |
///                     AfterCheckpoint | NoCheckpointInTime | AtTheLatest, at, gpuSecondsLost, nodes, pods,
///                     then: {nodes, at, heldByBudget, notBroughtBack}}],
///                     late: [{node, freeAt}], those that are free after the deadline only}, with --drain-by
///     reservations: [{namespace, name, before, after: {outcome, held, waiting, consumed, nodes: [{name, pods}],
///                     message}}], those of which other room is held or waits
///     refused: [{kind, namespace, name, message}], objects that admission refuses only after the change
///     drains: [{node, evicted, daemons: counts, blocked: [{pod, node, message}], unmanaged: [pod], localData: [pod]}]
///     refusedEvictions: [{pod, node, message}], on all nodes: a gang that a budget holds has pods on others, too
///     nodesAdded, nodesRemoved: [name]
///     free: [{resource, before: {allocatable, free}, after: {allocatable, free}}], on nodes that take pods
///     notes: [text]
document::Value diff_document(const simulator::Comparison& comparison);

/// One row a pod with a difference, for programs: `-o csv`. Columns: change, namespace, name, new_name, workload_kind,
/// workload, from, to, outcome_before, outcome_after, why, message.
Table diff_csv(const simulator::Comparison& comparison);

/// The same for people: `-o wide`.
Table diff_table(const simulator::Comparison& comparison);

/// "Moved", "BecamePending", …
std::string_view pod_change_word(simulator::PodChange change);

/// The pod of an entry as it is known: before the change, or, if it is new, after it.
const simulator::PlannedPod& subject_of(const simulator::Comparison& comparison, const simulator::PodDifference& entry);

}  // namespace loadline::report
