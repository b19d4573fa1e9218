#include "hosts/advice/lint/queues.h"

#include <fmt/format.h>

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "brain/workloads/queue.h"
#include "foundation/base/closest.h"
#include "hosts/simulator/queue_objects.h"
#include "hosts/simulator/unheld_jobs.h"
#include "objects/kube/kueue/cluster_queue.h"
#include "objects/kube/kueue/local_queue.h"
#include "objects/kube/kueue/resource_flavor.h"

namespace loadline::advice::lint {
namespace {

using Names = std::set<std::string, std::less<>>;

/// "write team-a", or what there is; empty: nothing is like it.
std::string nearest_of(std::string_view name, const Names& names) {
  const std::vector<std::string_view> known(names.begin(), names.end());
  const std::string_view nearest = closest(name, known);
  return nearest.empty() ? std::string() : fmt::format("write {}", nearest);
}

template <class Kind>
Names names_of(const kube::Objects& objects) {
  Names names;
  for (const Kind& object : objects.of<Kind>()) names.insert(object.metadata.name);
  return names;
}

void check_local_queues(const LintInput& input, Findings& findings) {
  const Names queues = names_of<kube::ClusterQueue>(input.objects());
  for (const kube::LocalQueue& local : input.objects().of<kube::LocalQueue>()) {
    if (queues.contains(local.cluster_queue)) continue;
    findings.add(fmt::format("LocalQueue {}/{}", local.metadata.namespace_, local.metadata.name), local.metadata.source,
                 "spec.clusterQueue",
                 fmt::format("there is no ClusterQueue {}, so nothing that waits here starts", local.cluster_queue),
                 nearest_of(local.cluster_queue, queues));
  }
}

void check_flavors(const LintInput& input, Findings& findings) {
  const Names flavors = names_of<kube::ResourceFlavor>(input.objects());
  for (const kube::ClusterQueue& queue : input.objects().of<kube::ClusterQueue>()) {
    for (std::size_t group = 0; group < queue.resource_groups.size(); ++group) {
      const auto& named = queue.resource_groups[group].flavors;
      for (std::size_t i = 0; i < named.size(); ++i) {
        if (flavors.contains(named[i].flavor)) continue;
        findings.add("ClusterQueue " + queue.metadata.name, queue.metadata.source,
                     fmt::format("spec.resourceGroups[{}].flavors[{}].name", group, i),
                     fmt::format("there is no ResourceFlavor {}, so the queue admits nothing", named[i].flavor),
                     nearest_of(named[i].flavor, flavors));
      }
    }
  }
}

void check_workloads(const LintInput& input, Findings& findings) {
  const workloads::Queues queues(input.objects());
  for (const JudgedWorkload& workload : input.workloads()) {
    if (!workload.judged) continue;
    const auto queue = queues.of(workload.pod, {workload.kind, workload.name_space(), workload.metadata->name});
    if (!queue || queue->project != workloads::kKueueProject) continue;
    Names there;
    for (const kube::LocalQueue& local : input.objects().of<kube::LocalQueue>()) {
      if (local.metadata.namespace_ == workload.name_space()) there.insert(local.metadata.name);
    }
    if (there.contains(queue->name)) continue;
    findings.add(workload.subject(), workload.metadata->source, "metadata",
                 fmt::format("there is no LocalQueue {} in its namespace, so it never starts", queue->name),
                 nearest_of(queue->name, there));
  }
}

}  // namespace

void check_queues(const LintInput& input, Findings& findings) {
  const workloads::Queues queues(input.objects());
  const bool decides_kueue = simulator::has_queues(input.objects());
  for (const JudgedWorkload& workload : input.workloads()) {
    if (!workload.judged) continue;
    const workloads::WorkloadReference reference{workload.kind, workload.name_space(), workload.metadata->name};
    const auto queue = queues.of(workload.pod, reference);
    if (!queue || (decides_kueue && queue->project == workloads::kKueueProject)) continue;
    findings.add(workload.subject(), workload.metadata->source, "metadata",
                 queue->text() + ", which is not decided here: a plan shows its pods as if the queue let them start",
                 "read the queue's own status for whether and when it does");
  }
}

void check_queues_are_there(const LintInput& input, Findings& findings) {
  if (!simulator::has_queues(input.objects())) return;
  check_local_queues(input, findings);
  check_flavors(input, findings);
  check_workloads(input, findings);
}

void check_queues_hold(const LintInput& input, Findings& findings) {
  for (const simulator::UnheldJob& job : simulator::unheld_jobs(input.objects())) {
    if (input.judges(job.source)) findings.add(job.subject, job.source, job.path, job.message(), job.hint);
  }
}

}  // namespace loadline::advice::lint
