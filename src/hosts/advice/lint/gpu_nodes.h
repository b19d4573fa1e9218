#pragma once

#include "hosts/advice/lint/finding.h"
#include "hosts/advice/lint/lint_input.h"

namespace loadline::advice::lint {

/// Nodes with GPUs that no taint keeps other pods off, in a cluster that has nodes without GPUs for them.
void check_untainted_gpu_nodes(const LintInput& input, Findings& findings);
/// DaemonSets that serve GPUs (device plugins, exporters, drivers) and do not tolerate the taints of GPU nodes.
void check_gpu_daemons(const LintInput& input, Findings& findings);
/// Device plugins of lower priority than the pods that need the devices.
void check_device_plugin_priority(const LintInput& input, Findings& findings);

}  // namespace loadline::advice::lint
