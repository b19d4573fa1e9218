#pragma once

#include <vector>

#include "foundation/document/value.h"
#include "hosts/advice/explanation.h"

namespace loadline::report {

/// Explanations as a document: what `loadline explain -o json` writes. Stable within its apiVersion as Plan is.
///
///     apiVersion: loadline/v1alpha1
///     kind: Explanation
///     explanations:
///     - pod: {namespace, name, workload: {kind, namespace, name}, outcome, node, priority, requests, message,
///             heldBy, passed: as in a plan, preemptedBy, replacedBy}
///       workload: {pods, placed, alike}, how many pods it has, how many of them have a node, how many share the reason
///       nodes, in the cluster
///       podGroup, that the pod belongs to, as in a plan; fitsWithGroup: it waits, and the pod found a place with it,
///       so that what follows is about a member that found none
///       plannedStart, of a single pod that waits before a group, and heldUntil, the planned start that the pod would
///       move, alone or with its group: as plannedStart in a plan
///       refusedAsAWhole: {plugin, message}
///       groups: [{nodes: [name], obstacles: [{plugin, message, text, subject, wanted, found: {value: nodes}, forGood,
///                 emptiest, nearest: {node, uniform, needs, has, of}}]}]
///       preemption: text
///       scores: {feasible, tied, plugins: [name], alike, best: [{node, total, scores: [number]}]}
///       suggestions: [{edits: [{edit, text, command, patch, …}], proof: rehearsed, probed or untried, node, pods,
///                      placed, victims: [namespace/name], harm: [{workload, pods}], text}]
///       notTried: why there are no suggestions, and what the pod group needs
///
/// Amounts in `nearest` are as the scheduler counts: milli-units of cpu.
document::Value explanation_document(const std::vector<advice::Explanation>& explanations);

}  // namespace loadline::report
