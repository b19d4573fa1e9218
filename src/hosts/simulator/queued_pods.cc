#include "hosts/simulator/queued_pods.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <utility>

#include "brain/queue/kueue/jobs/job_workload.h"
#include "brain/queue/kueue/pod_shapes.h"
#include "brain/workloads/pod_set.h"
#include "foundation/base/contract.h"
#include "foundation/base/digest.h"
#include "objects/kube/apps/apps.h"
#include "objects/kube/kueue/job_names.h"
#include "objects/kube/leaderworkerset/leader_worker_set.h"
#include "objects/kube/workload_names.h"

namespace loadline::simulator {

namespace kueue = queue::kueue;
using workloads::WorkloadReference;

namespace {

constexpr std::string_view kPod = "Pod";
constexpr std::string_view kDeployment = "Deployment";
constexpr std::string_view kStatefulSet = "StatefulSet";
constexpr std::string_view kLeaderWorkerSet = "LeaderWorkerSet";
constexpr std::string_view kPodGroup = "Pod group";

std::string_view framework_of(std::string_view kind) {
  if (kind == kDeployment) return "deployment";
  if (kind == kStatefulSet) return "statefulset";
  return kind == kLeaderWorkerSet ? "leaderworkerset.x-k8s.io/leaderworkerset" : "pod";
}

std::size_t total_of(const kube::ObjectMeta& pod) {
  const auto found = pod.annotations.find(kube::kPodGroupTotalCount);
  std::size_t total = 0;
  if (found == pod.annotations.end()) return 1;
  std::from_chars(found->second.data(), found->second.data() + found->second.size(), total);
  return std::max<std::size_t>(total, 1);
}

std::string value_of(const kube::StringMap& labels, std::string_view key) {
  const auto found = labels.find(key);
  return found == labels.end() ? std::string() : found->second;
}

}  // namespace

QueuedPods::QueuedPods(const kube::Objects& objects) {
  const auto& written = objects.of<kube::KueueConfiguration>();
  if (!written.empty()) configuration_ = &written.front();
  const auto add = [&]<class Kind>(std::string_view kind, auto pods_of) {
    if (!holds(framework_of(kind))) return;
    for (const Kind& object : objects.of<Kind>()) {
      const std::string queue(kueue::queue_name_of(object.metadata));
      if (queue.empty()) continue;
      Owner& owner = owners_[{std::string(kind), object.metadata.namespace_, object.metadata.name}];
      owner.queue = queue;
      owner.pods = pods_of(object);
      owner.uid = object.metadata.uid;
      owner.priority_class = value_of(object.metadata.labels, kube::kWorkloadPriorityClassLabel);
      if constexpr (requires { object.leader_template; }) owner.has_leader = object.leader_template.has_value();
    }
  };
  const auto at_least_one = [](std::int64_t pods) { return static_cast<std::size_t>(std::max<std::int64_t>(pods, 1)); };
  add.operator()<kube::Deployment>(kDeployment, [](const kube::Deployment&) { return std::size_t{1}; });
  add.operator()<kube::StatefulSet>(kStatefulSet, [&](const auto& set) { return at_least_one(set.replicas); });
  add.operator()<kube::LeaderWorkerSet>(kLeaderWorkerSet, [&](const auto& set) { return at_least_one(set.size); });
}

bool QueuedPods::holds(std::string_view framework) const {
  if (configuration_ == nullptr) return true;
  const std::vector<std::string>& frameworks = configuration_->frameworks;
  return std::ranges::find(frameworks, framework) != frameworks.end();
}

std::optional<PodBundle> QueuedPods::bundle_of(const kube::Pod& pod, const WorkloadReference& top) const {
  const kube::ObjectMeta& metadata = pod.metadata;
  const auto owner = owners_.find(top);
  PodBundle bundle;
  bundle.name = {std::string(kPod), metadata.namespace_, metadata.name};
  if (owner != owners_.end()) {
    bundle.queue = owner->second.queue;
    bundle.expected = owner->second.pods;
    bundle.priority_class = owner->second.priority_class;
    bundle.has_leader = owner->second.has_leader;
    if (top.kind == kDeployment) return bundle;
    bundle.name = top;
    std::string name = top.name;
    if (top.kind == kLeaderWorkerSet) {
      name += '-' + value_of(metadata.labels, kube::kLwsGroupIndex);
      bundle.name.name = name;
    }
    const std::string_view version = top.kind == kStatefulSet ? "apps/v1" : "leaderworkerset.x-k8s.io/v1";
    bundle.workload = kueue::workload_name(top.kind, version, name, owner->second.uid);
    return bundle;
  }
  bundle.queue = kueue::queue_name_of(metadata);
  if (bundle.queue.empty() || !holds(framework_of(kPod))) return std::nullopt;
  const std::string group = value_of(metadata.labels, kube::kPodGroupName);
  if (group.empty()) return bundle;
  bundle.name = {std::string(kPodGroup), metadata.namespace_, group};
  bundle.workload = group;
  bundle.expected = total_of(metadata);
  return bundle;
}

std::string QueuedPods::pod_set_of(const PodBundle& bundle, const kube::Pod& pod) {
  constexpr std::size_t kDigits = 8;
  if (bundle.name.kind == kPodGroup) return sha1_hex(kueue::shape_key(*pod.spec)).substr(0, kDigits);
  if (!bundle.has_leader) return "main";
  return workloads::role_of(bundle.name, pod.metadata);
}

kube::KueueWorkload QueuedPods::workload_of(const PodBundle& bundle, std::span<const kube::Pod* const> pods) {
  REQUIRES(!pods.empty());
  std::map<std::string, kube::PodSet> sets;
  for (const kube::Pod* const pod : pods) {
    kube::PodSet& set = sets[pod_set_of(bundle, *pod)];
    if (set.template_.metadata.name.empty()) {
      set.count = 0;
      set.template_.metadata.name = pod->metadata.name;  // marks it, and is taken off below
      set.template_.metadata.labels = pod->metadata.labels;
      set.template_.metadata.annotations = pod->metadata.annotations;
      set.template_.spec = pod->spec;
    }
    ++set.count;
  }
  std::vector<kube::PodSet> list;
  for (auto& [name, set] : sets) {
    set.name = name;
    set.template_.metadata.name.clear();
    list.push_back(std::move(set));
  }
  kube::KueueWorkload workload = kueue::workload_of(kPod, "v1", pods.front()->metadata, std::move(list));
  if (!bundle.workload.empty()) workload.metadata.name = bundle.workload;
  workload.queue_name = bundle.queue;
  if (pods.size() == 1 && bundle.workload.empty()) return workload;
  workload.metadata.owner_references.clear();
  for (const kube::Pod* const pod : pods) {
    workload.metadata.owner_references.push_back({"v1", std::string(kPod), pod->metadata.name, pod->metadata.uid});
  }
  return workload;
}

}  // namespace loadline::simulator
