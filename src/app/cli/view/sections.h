#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "app/cli/terminal/styled.h"
#include "app/cli/terminal/terminal.h"
#include "app/report/scope.h"
#include "app/report/summary.h"
#include "app/report/workloads.h"
#include "hosts/simulator/plan.h"

namespace loadline::cli {

/// What the sections of the text view are made from. Holds references: it must not outlive them.
struct PlanView {
  const simulator::Plan& plan;
  const report::Summary& summary;
  const std::vector<report::WorkloadReport>& workloads;
  const report::Scope& scope;
  const Terminal& terminal;
};

using Lines = std::vector<Line>;

/// How much a section leaves out of a plan that is too large for a screen, always saying so.
enum class Detail : std::uint8_t { kBrief, kFull };

/// One line: does every pod have a node, and if not, what happened?
Lines verdict_section(const PlanView& view);

/// Everything a person must act on or know of: pending (highest priority first, equal reasons once), rejected (pods and
/// other objects), ignored, preempted, evicted, gated. Empty if there is nothing.
Lines problems_section(const PlanView& view, Detail detail);

/// One line a pod group, those that wait first, each with what it lacks. Empty if there are none.
Lines pod_groups_section(const PlanView& view, Detail detail);

/// Why a member of a group that waits has no node: where pods are listed by their reasons.
inline constexpr std::string_view kWaitsWithGroup = "waiting with the whole pod group: see POD GROUPS";

/// Whether it is said here why the next member does not fit.
enum class GroupReason : std::uint8_t { kInFull, kLeftOut };

/// What became of one group.
Lines pod_group_lines(const simulator::PlannedGroup& group, const Terminal& terminal,
                      GroupReason reason = GroupReason::kInFull);

/// One row a workload: how many of its pods have a node, and where. Brief: many bare pods share a row a namespace and
/// outcome. Empty if there are no workloads.
Lines workloads_section(const PlanView& view, Detail detail);

/// One row a reservation: how much of its room is held, and where, who has consumed it, and why the rest waits. Empty
/// if there are no reservations.
Lines reservations_section(const PlanView& view);

/// "gpu-a ×2, 1 waiting": where its room is.
Line room_of(const simulator::PlannedReservation& reservation, const Terminal& terminal);

/// One row for each resource of a flavor that a queue or cohort of Kueue has quota of, as a tree. Brief: many queues
/// are left out. Empty if there are no queues.
Lines queues_section(const PlanView& view, Detail detail);

/// One row a job in these queues: how it stands, and why it waits. Empty if there are none.
Lines queued_workloads_section(const PlanView& view);

/// The workloads that have no pods and so no row among the pods of a full plan. Empty if there are none.
Lines idle_section(const PlanView& view);

/// One row a node: a bar a resource and its GPUs one by one. Brief: many nodes are shown as one row a machine type.
/// Full: also which pod holds which GPU. Empty if there are no nodes.
Lines nodes_section(const PlanView& view, Detail detail);

/// Totals: pods by outcome, use of every resource, free GPUs that nothing pending can use.
Lines summary_section(const PlanView& view);

}  // namespace loadline::cli
