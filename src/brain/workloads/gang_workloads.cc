#include "brain/workloads/gang_workloads.h"

#include <fmt/format.h>

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
  for (char& letter : kind) {
    if (letter >= 'A' && letter <= 'Z') letter = static_cast<char>(letter - 'A' + 'a');
  }
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

/// The pods that start together, by workload and part.
class Parts {
 public:
  Parts(const kube::Objects& objects, WholeWorkloads which)
      : which_(which), wishes_(wishes_among(objects)), begun_(wishes_.empty() ? Begun() : begun(objects)) {
    for (const kube::PodGroup& each : objects.of<kube::PodGroup>()) {
      taken_.emplace(each.metadata.namespace_, each.metadata.name);
    }
  }

  void add(CreatedPod& created) {
    const auto wish = wishes_.find(created.workload);
    if (wish == wishes_.end() || (which_ == WholeWorkloads::kThatAsk && !wish->second.asks)) return;
    if (begun_.contains(created.workload) || cluster::spellings::group_of(created.pod)) return;
    std::optional<std::string> part = part_of(created.workload, created.pod.metadata);
    if (!part) return;
    const auto [entry, is_new] = places_.try_emplace({created.workload, *std::move(part)}, parts_.size());
    if (is_new) parts_.push_back({entry->first.first, entry->first.second, wish->second.min_count, {}});
    parts_[entry->second].pods.push_back(&created.pod);
  }

  /// Has the pods of each part name a group of their own, and returns these groups.
  std::vector<kube::PodGroup> make_groups() {
    std::vector<kube::PodGroup> groups;
    Naming naming;
    for (const Part& part : parts_) {
      kube::PodGroup group;
      group.metadata.namespace_ = part.workload.namespace_;
      group.metadata.name = group_name(part.workload, part.name);
      group.metadata.source = part.pods.front()->metadata.source;
      group.policy.min_count = part.min_count.value_or(static_cast<std::int32_t>(part.pods.size()));
      if (taken_.contains({group.metadata.namespace_, group.metadata.name})) continue;
      for (kube::Pod* pod : part.pods) naming.join(*pod, group.metadata.name);
      groups.push_back(std::move(group));
    }
    return groups;
  }

 private:
  struct Part {
    WorkloadReference workload;
    std::string name;
    std::optional<std::int32_t> min_count;
    std::vector<kube::Pod*> pods;
  };
  using Begun = std::set<WorkloadReference>;

  WholeWorkloads which_;
  Wishes wishes_;
  Begun begun_;
  std::set<std::pair<std::string, std::string>> taken_;  // namespaces and names of groups
  std::vector<Part> parts_;                              // in order of their first pods
  std::map<std::pair<WorkloadReference, std::string>, std::size_t> places_;
};

}  // namespace

void group_whole_workloads(const kube::Objects& objects, WholeWorkloads which, Expansion& expansion) {
  Parts parts(objects, which);
  for (CreatedPod& created : expansion.pods) parts.add(created);
  std::vector<kube::PodGroup>& made = expansion.made.of<kube::PodGroup>();
  for (kube::PodGroup& group : parts.make_groups()) made.push_back(std::move(group));
}

}  // namespace loadline::workloads
