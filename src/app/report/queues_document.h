#pragma once

#include "app/report/scope.h"
#include "foundation/document/value.h"
#include "hosts/simulator/plan.h"

namespace loadline::report {

/// Kueue's queues at the end of a plan, as a document: what `loadline queues -o json` writes, and parts of a plan's.
///
///     apiVersion: loadline/v1alpha1
///     kind: Queues
///     queues: [{kind: ClusterQueue | Cohort, name, cohort, depth, weight, share (Kueue's; "Infinite": it borrows and
///               has no weight), pending, admitted, inactive,
///               quotas: [{flavor, resource, nominal, used, borrowed, lent, most, usedOfMost (percent),
///                         borrowingLimit, lendingLimit}]}]
///     workloads: [{job: {kind, namespace, name}, name, localQueue, clusterQueue, priority,
///                  outcome: Admitted | Reserved | Pending | Leaving | Held, position, flavors: [name],
///                  usage: {resource: amount}, evictions, message, afterSeconds}]
document::Value queues_document(const simulator::Plan& plan, const Scope& scope = {});

/// The two lists.
document::Array queues_array(const simulator::Plan& plan);
document::Array queued_workloads_array(const simulator::Plan& plan, const Scope& scope);

/// "Admitted"
std::string_view outcome_word(simulator::QueuedOutcome outcome);

/// What is used of all that may be used while others leave theirs, in percent, rounded down; nullopt: that is without
/// limit, or nothing.
std::optional<int> used_of_most(const simulator::PlannedQuota& quota);

}  // namespace loadline::report
