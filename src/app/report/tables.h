#pragma once

#include <string>

#include "app/report/devices.h"
#include "app/report/scope.h"
#include "app/report/table.h"
#include "hosts/simulator/plan.h"

namespace loadline::report {

/// One row a pod, in order of creation, for people: `-o wide`.
Table pods_table(const simulator::Plan& plan, const Scope& scope = {});

/// One row a node, in order of input, for people: `--nodes -o wide`.
Table nodes_table(const simulator::Plan& plan);

/// One row a pod for programs. Columns: namespace, name, workload_kind, workload, outcome, node, nominated_node,
/// priority, scheduler, then one a resource that any pod requests (canonical quantity), preempted_by, after_seconds,
/// message.
Table pods_csv(const simulator::Plan& plan, const Scope& scope = {});

/// One row a node for programs. Columns: name, unschedulable, taints (separated by blanks), pods, allowed_pods, then
/// `<resource>_allocatable` and `<resource>_requested` for each resource of any node.
Table nodes_csv(const simulator::Plan& plan);

/// "0-1 ml/train-0, 2 reserved for ml/room, 3 free": which pod holds which of a node's devices.
std::string holders_text(const simulator::Plan& plan, const NodeDevices& devices);

}  // namespace loadline::report
