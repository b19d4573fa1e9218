#pragma once

#include "app/report/scope.h"
#include "foundation/document/value.h"
#include "hosts/simulator/plan.h"

namespace loadline::report {

/// A plan as a document: what `-o json` and `-o yaml` write. The schema is stable within its apiVersion: members may be
/// added, never renamed or removed. Quantities are canonical strings; empty texts and lists are left out, except the
/// lists pods, nodes, refused, events and notes.
///
///     apiVersion: loadline/v1alpha1
///     kind: Plan
///     summary:
///       pods: {total, running, placed, pending, gated, rejected, preempted, evicted, ignored, failed, undecided,
///              notCreated, queued}
///       allPlaced: what exit status 0 says
///       waiting: [{workload: {kind, namespace, name}, outcome, pods, message, reasons: [{nodes, plugin, message}]}]
///       resources: [{name, allocatable, requested, percent}]
///       gpus: [{resource, allocatable, requested, free, largestFree, wanted, pendingPods, unusable,
///               because: [{node, gpus, reason, detail}]}]
///       schedulingAttempts
///     pods: [{namespace, name, workload: {kind, namespace, name}, outcome, node, nominatedNode, priority,
///     schedulerName, podGroup,
///             requests, devices: {resource: [index]}, plannedStart (as of podGroups), message, reasons, spares,
///             heldBy, passed: [{unit, plannedStart, rule: EndsBefore | FitsBeside | MovedBeside | PlannedAnew, text}],
///             preemptedBy, replacedBy, reservation, afterSeconds}]
///     nodes: [{name, unschedulable, labels, taints, allowedPods, pods: [namespace/name],
///              reserved: [{reservation: namespace/name, pods}], resources: {name: {allocatable, requested}},
///              devices: {resource: [namespace/name, Reservation namespace/name or null]}}]
///     podGroups: [{namespace, name, outcome: Started | WaitsForRoom | DoesNotFit | Failed | Held, spelling: the API
///                  group in whose words its pods name it, described, minCount, priority, members, placed, fits,
///                  fitsAfterEvictions, succeeded, gated, rejected: counts of pods, evicts: [text],
///                  victims: [{unit, pods, gpuSecondsLost}], the same units, message, text,
///                  stoppedBy: {pod, workload, message, reasons, spares},
///                  topology: {level, domain, parts: [{domain, pods, usedNodes, nodes}]},
///                  plannedStart: {at, afterSeconds, nodes: [name], awaits: [{kind, namespace, name}]},
///                  passed: as of pods, heldBy: whose planned start it would move,
///                  search: {ending: Found | Proven | Budget | NotSearched, steps, budget,
///                           proof: {cause, who: [{pod, members}], resource, needed, available, nodes}}}],
///                 see simulator::PlannedGroup
///     queues, queuedWorkloads: see queues_document.h
///     reservations: [{namespace, name, outcome: Holding, Waiting, Consumed, Ahead or Ended, pods, held, waiting,
///                     consumed, nodes: [{name, pods}], consumers: [namespace/name], for: Replacements, perDomain,
///                     domains: [{name, held, waiting}], requests (of one pod), from, until, message, reasons}]
///     refused: [{kind, namespace, name, message}], objects other than pods that admission refused
///     idleWorkloads: [{kind, namespace, name}], those that want no pods
///     events: [{afterSeconds, subject, reason, message}]
///     notes: [text]
///
/// `waiting` holds every group of pods of one workload that is pending, gated, rejected or ignored for one reason.
document::Value plan_document(const simulator::Plan& plan, const Scope& scope = {});

}  // namespace loadline::report
