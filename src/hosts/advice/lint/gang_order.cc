#include "hosts/advice/lint/gang_order.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <string>

#include "brain/cluster/spellings/membership.h"
#include "brain/workloads/gang_workloads.h"
#include "brain/workloads/volcano_job.h"
#include "foundation/base/text.h"
#include "objects/kube/kubeflow/training_job.h"
#include "objects/kube/volcano/pod_group.h"
#include "objects/kube/volcano/volcano_job.h"
#include "objects/kube/workload_names.h"

namespace loadline::advice::lint {
namespace {

void check_volcano_job(const LintInput& input, const kube::VolcanoJob& job, Findings& findings) {
  if (!input.judges(job.metadata)) return;
  std::int64_t first = 0;
  std::string later;
  for (const kube::VolcanoTask& task : job.tasks) {
    if (!task.depends_on) {
      first += task.replicas;
    } else {
      later += (later.empty() ? "" : ", ") + task.name;
    }
  }
  if (later.empty() || job.min_available <= first) return;
  findings.add(fmt::format("VolcanoJob {}/{}", job.metadata.namespace_, job.metadata.name), job.metadata.source,
               "spec.minAvailable",
               fmt::format("{} must start together, and dependsOn keeps those of {} back until {} {}: with Volcano's "
                           "scheduler nothing starts; here later tasks count once they have pods",
                           counted(static_cast<std::size_t>(job.min_available), "pod"), later,
                           counted(static_cast<std::size_t>(first), "other"), first == 1 ? "runs" : "run"),
               fmt::format("minAvailable: {}", first));
}

void check_mpi_job(const LintInput& input, const kube::MpiJob& job, Findings& findings) {
  const auto& policy = job.spec.run_policy.scheduling_policy;
  if (!input.judges(job.metadata) || !policy || !policy->min_available) return;
  for (const workloads::WholePart& part : workloads::whole_parts(job)) {
    if (part.later.empty()) continue;
    findings.add(fmt::format("MPIJob {}/{}", job.metadata.namespace_, job.metadata.name), job.metadata.source,
                 "spec.runPolicy.schedulingPolicy.minAvailable",
                 fmt::format("{} must start together, the launcher among them, which waits for the workers: with "
                             "other schedulers nothing starts; here it counts once it is there",
                             counted(static_cast<std::size_t>(part.min_count), "pod")),
                 fmt::format("minAvailable: {}", part.min_count - part.later.front().pods));
  }
}

}  // namespace

void check_minimums_of_later_pods(const LintInput& input, Findings& findings) {
  for (const kube::VolcanoJob& job : input.objects().of<kube::VolcanoJob>()) check_volcano_job(input, job, findings);
  for (const kube::MpiJob& job : input.objects().of<kube::MpiJob>()) check_mpi_job(input, job, findings);
}

void check_role_labels(const LintInput& input, Findings& findings) {
  const auto& groups = input.objects().of<kube::VolcanoPodGroup>();
  for (const JudgedWorkload& workload : input.workloads()) {
    if (!workload.judged) continue;
    const kube::ObjectMeta& pod = workload.pod.metadata;
    const auto role = pod.annotations.find(kube::kVolcanoTaskSpec);
    if (role == pod.annotations.end() || pod.labels.contains(kube::kVolcanoTaskSpec)) continue;
    const auto group = cluster::spellings::group_of(pod, *workload.written);
    if (!group || group->spelling != cluster::GroupSpelling::kVolcano) continue;
    const bool has_minimum = std::ranges::any_of(groups, [&](const kube::VolcanoPodGroup& each) {
      return each.metadata.name == group->name && each.metadata.namespace_ == pod.namespace_ &&
             each.min_task_member.contains(role->second);
    });
    if (!has_minimum) continue;
    const std::string metadata =
        workload.template_path.empty() ? "metadata" : workload.template_path + std::string(workload.metadata_field);
    findings.add(workload.subject(), workload.metadata->source,
                 fmt::format("{}.annotations[{}]", metadata, kube::kVolcanoTaskSpec),
                 fmt::format("the role {} of PodGroup {} is told by the label of that name here, which its pods lack",
                             role->second, group->name),
                 fmt::format("labels: {{{}: {}}}", kube::kVolcanoTaskSpec, role->second));
  }
}

}  // namespace loadline::advice::lint
