#include "brain/workloads/gang_workloads.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "brain/cluster/spellings/membership.h"
#include "brain/workloads/controller.h"
#include "brain/workloads/workload.h"
#include "objects/kube/scheduling/pod_group.h"
#include "objects/kube/workload_names.h"

namespace loadline::workloads {
namespace {

constexpr std::string_view kRayGangs = "ray.io/gang-scheduling-enabled";

/// What the object of a workload says of its pods' start.
struct Wish {
  bool asks = false;
  std::optional<std::int32_t> min_count = {};
};

template <class Job>
Wish wish_of_training_job(const Job& job) {
  const auto& policy = job.spec.run_policy.scheduling_policy;
  return policy ? Wish{true, policy->min_available} : Wish{};
}

template <class Kind>
Wish wish_of_labels(const Kind& object) {
  return {object.metadata.labels.contains(kRayGangs)};
}

using Wishes = std::map<WorkloadReference, Wish>;

template <class Kind, class WishOf>
void collect(const kube::Objects& objects, WishOf wish_of, Wishes& wishes) {
  for (const Kind& object : objects.of<Kind>()) {
    wishes[{std::string(kind_name<Kind>()), object.metadata.namespace_, object.metadata.name}] = wish_of(object);
  }
}

/// Those of the kinds that are of use only as a whole.
Wishes wishes_among(const kube::Objects& objects) {
  Wishes wishes;
  const auto asks_nothing = [](const auto&) { return Wish{}; };
  const auto training = [](const auto& job) { return wish_of_training_job(job); };
  const auto labelled = [](const auto& object) { return wish_of_labels(object); };
  collect<kube::JobSet>(objects, asks_nothing, wishes);
  collect<kube::LeaderWorkerSet>(objects, asks_nothing, wishes);
  collect<kube::PyTorchJob>(objects, training, wishes);
  collect<kube::TensorFlowJob>(objects, training, wishes);
  collect<kube::XgBoostJob>(objects, training, wishes);
  collect<kube::PaddleJob>(objects, training, wishes);
  collect<kube::JaxJob>(objects, training, wishes);
  collect<kube::MpiJob>(objects, training, wishes);
  collect<kube::RayCluster>(objects, labelled, wishes);
  collect<kube::RayJob>(objects, labelled, wishes);
  return wishes;
}

/// Which pods of the workload start together: of a LeaderWorkerSet those of one of its groups, of Ray those of one
/// cluster, without the pod that submits the job. Nothing: the pod starts by itself.
std::optional<std::string> part_of(const WorkloadReference& workload, const kube::ObjectMeta& pod) {
  const bool is_of_ray = workload.kind.starts_with("Ray");
  const bool is_of_lws = workload.kind == "LeaderWorkerSet";
  if (!is_of_ray && !is_of_lws) return std::string();
  const auto label = pod.labels.find(is_of_ray ? kube::kRayCluster : kube::kLwsGroupIndex);
  if (label == pod.labels.end() || (is_of_ray && !pod.labels.contains(kube::kRayNode))) return std::nullopt;
  return is_of_lws ? label->second : std::string();
}

std::string group_name(const WorkloadReference& workload, const std::string& part) {
  std::string kind = workload.kind;
  std::ranges::transform(kind, kind.begin(), [](unsigned char letter) { return std::tolower(letter); });
  return fmt::format("{}-{}{}{}", kind, workload.name, part.empty() ? "" : "-", part);
}

/// The workloads that have pods already.
std::set<WorkloadReference> begun(const kube::Objects& objects) {
  const Owners owners(objects);
  std::set<WorkloadReference> workloads;
  for (const kube::Pod& pod : objects.of<kube::Pod>()) workloads.insert(owners.owner_of(pod));
  return workloads;
}

/// Has pods name their group; those that share a spec go on sharing it.
class Naming {
 public:
  void join(kube::Pod& pod, const std::string& group) {
    auto& named = named_[{pod.spec, group}];
    if (named == nullptr) {
      auto spec = std::make_shared<kube::PodSpec>(*pod.spec);
      spec->pod_group_name = group;
      named = std::move(spec);
    }
    pod.spec = named;
  }

 private:
  std::map<std::pair<std::shared_ptr<const kube::PodSpec>, std::string>, std::shared_ptr<const kube::PodSpec>> named_;
};

}  // namespace

void group_whole_workloads(const kube::Objects& objects, WholeWorkloads which, Expansion& expansion) {
  const Wishes wishes = wishes_among(objects);
  if (wishes.empty()) return;
  const std::set<WorkloadReference> with_pods = begun(objects);
  std::set<std::pair<std::string, std::string>> taken;  // namespaces and names
  for (const kube::PodGroup& each : objects.of<kube::PodGroup>()) {
    taken.emplace(each.metadata.namespace_, each.metadata.name);
  }
  using Part = std::pair<WorkloadReference, std::string>;
  std::map<Part, std::vector<kube::Pod*>> parts;
  std::vector<Part> in_order;
  for (CreatedPod& created : expansion.pods) {
    const auto wish = wishes.find(created.workload);
    if (wish == wishes.end() || (which == WholeWorkloads::kThatAsk && !wish->second.asks)) continue;
    if (with_pods.contains(created.workload) || cluster::spellings::group_of(created.pod)) continue;
    std::optional<std::string> part = part_of(created.workload, created.pod.metadata);
    if (!part) continue;
    const auto [entry, is_new] = parts.try_emplace({created.workload, *std::move(part)});
    if (is_new) in_order.push_back(entry->first);
    entry->second.push_back(&created.pod);
  }
  Naming naming;
  for (const Part& part : in_order) {
    const std::vector<kube::Pod*>& pods = parts.at(part);
    kube::PodGroup group;
    group.metadata.namespace_ = part.first.namespace_;
    group.metadata.name = group_name(part.first, part.second);
    if (taken.contains({group.metadata.namespace_, group.metadata.name})) continue;
    const auto all = static_cast<std::int32_t>(pods.size());
    group.policy.min_count = wishes.at(part.first).min_count.value_or(all);
    group.metadata.source = pods.front()->metadata.source;
    for (kube::Pod* pod : pods) naming.join(*pod, group.metadata.name);
    expansion.made.of<kube::PodGroup>().push_back(std::move(group));
  }
}

}  // namespace loadline::workloads
