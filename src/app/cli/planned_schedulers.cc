#include "app/cli/planned_schedulers.h"

#include <algorithm>
#include <iterator>
#include <span>

#include "brain/workloads/owner_groups.h"
#include "objects/kube/apps/apps.h"
#include "objects/kube/batch/batch.h"
#include "objects/kube/coscheduling/pod_group.h"
#include "objects/kube/grove/pod_clique_set.h"
#include "objects/kube/grove/pod_gang.h"
#include "objects/kube/kai/pod_group.h"
#include "objects/kube/kai/topology.h"
#include "objects/kube/volcano/hyper_node.h"
#include "objects/kube/volcano/pod_group.h"
#include "objects/kube/volcano/volcano_job.h"

namespace loadline::cli {
namespace {

constexpr std::string_view kOfKai[] = {"scheduling.run.ai", "kai.scheduler", "grove.io", "scheduler.grove.io"};
constexpr std::string_view kOfCoscheduling[] = {"scheduling.x-k8s.io"};
constexpr std::string_view kOfVolcano[] = {"batch.volcano.sh", "scheduling.volcano.sh", "topology.volcano.sh",
                                           "flow.volcano.sh",  "bus.volcano.sh",        "nodeinfo.volcano.sh"};

template <class... Kinds>
bool has_any(const kube::Objects& objects) {
  return (!objects.of<Kinds>().empty() || ...);
}

/// Whether an object of one of these API groups was met and not read.
bool skipped_any(const kube::Objects& objects, std::span<const std::string_view> groups) {
  return std::ranges::any_of(objects.skipped, [&](const kube::SkippedKind& skipped) {
    const std::string_view version = skipped.api_version;
    return std::ranges::find(groups, version.substr(0, version.find('/'))) != groups.end();
  });
}

/// Whether a plain controller says by Volcano's annotation how many of its pods start together.
template <class... Kinds>
bool asks_any_for_group(const kube::Objects& objects) {
  const auto asks = [](const auto& object) { return workloads::group_minimum(object.metadata).has_value(); };
  return (std::ranges::any_of(objects.of<Kinds>(), asks) || ...);
}

}  // namespace

std::vector<std::string_view> schedulers_at_home(const kube::Objects& objects) {
  std::vector<std::string_view> names;
  if (has_any<kube::PodCliqueSet, kube::PodClique, kube::PodGang, kube::KaiPodGroup, kube::KaiTopology>(objects) ||
      skipped_any(objects, kOfKai)) {
    names.push_back("kai-scheduler");
  }
  if (has_any<kube::CoschedulingPodGroup>(objects) || skipped_any(objects, kOfCoscheduling)) {
    names.push_back("scheduler-plugins-scheduler");
  }
  if (has_any<kube::VolcanoJob, kube::VolcanoPodGroup, kube::HyperNode>(objects) || skipped_any(objects, kOfVolcano) ||
      asks_any_for_group<kube::Deployment, kube::ReplicaSet, kube::StatefulSet, kube::DaemonSet, kube::Job>(objects)) {
    names.push_back("volcano");
  }
  return names;
}

}  // namespace loadline::cli
