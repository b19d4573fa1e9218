#include "hosts/advice/lint/annotations.h"

#include <string>
#include <string_view>
#include <vector>

#include "brain/cluster/shapes/unreadable_values.h"
#include "brain/workloads/expected_runs.h"
#include "brain/workloads/kinds.h"

namespace loadline::advice::lint {
namespace {

using cluster::UnreadableValue;

bool is_of_ending_kind(const JudgedWorkload& workload) {
  bool is_known = false;
  workloads::for_each_ending_kind(
      [&]<class Kind>() { is_known = is_known || workloads::kind_name<Kind>() == workload.kind; });
  return is_known;
}

/// Where the workload writes the metadata of its pods: "spec.template.metadata".
std::string pod_metadata_path(const JudgedWorkload& workload) {
  if (workload.template_path.empty()) return "metadata";
  return workload.template_path + std::string(workload.metadata_field);
}

void add(const JudgedWorkload& workload, std::string_view metadata_path, const std::vector<UnreadableValue>& unreadable,
         Findings& findings) {
  for (const UnreadableValue& value : unreadable) {
    findings.add(workload.subject(), workload.metadata->source, std::string(metadata_path) + "." + value.field,
                 value.message);
  }
}

}  // namespace

void check_run_annotations(const LintInput& input, Findings& findings) {
  for (const JudgedWorkload& workload : input.workloads()) {
    if (!workload.judged) continue;
    add(workload, pod_metadata_path(workload), cluster::unreadable_run_values(workload.pod.metadata), findings);
    if (!workload.template_path.empty() && is_of_ending_kind(workload)) {
      add(workload, "metadata", cluster::unreadable_run_values(*workload.metadata), findings);
    }
  }
}

void check_topology_annotations(const LintInput& input, Findings& findings) {
  for (const JudgedWorkload& workload : input.workloads()) {
    if (!workload.judged) continue;
    add(workload, pod_metadata_path(workload), cluster::unreadable_topology_values(workload.pod.metadata), findings);
  }
}

}  // namespace loadline::advice::lint
