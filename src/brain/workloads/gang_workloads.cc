#include "brain/workloads/gang_workloads.h"

#include <algorithm>
#include <functional>
#include <iterator>
#include <map>
#include <memory>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "brain/cluster/spellings/membership.h"
#include "brain/workloads/later_rooms.h"
#include "brain/workloads/ray_job.h"
#include "brain/workloads/workload.h"
#include "objects/kube/workload_names.h"

namespace loadline::workloads {
namespace {

using PartOf = std::function<std::optional<WholePart>(const kube::ObjectMeta& pod)>;

/// What the object of a workload says of its pods' start.
struct Wish {
  bool asks = false;
  const kube::KindInfo* kind = nullptr;
  PartOf part_of;
  PartOf part_with_room;  // likewise, if the workload holds room for its later parts
  std::function<std::vector<WholePart>(const kube::PodGroup& group)> parts;
  const kube::ObjectMeta* metadata = nullptr;
};

using Wishes = std::map<WorkloadReference, Wish>;

template <class Kind>
WorkloadReference reference_to(const Kind& object) {
  return {std::string(kube::kind_of<Kind>().kind), object.metadata.namespace_, object.metadata.name};
}

/// The cluster that is made for the job has the name that its pods say.
std::optional<WholePart> part_of_made_cluster(const kube::RayJob& job, const kube::ObjectMeta& pod) {
  const auto cluster = pod.labels.find(kube::kRayCluster);
  if (!job.spec.cluster || cluster == pod.labels.end()) return std::nullopt;
  return whole_part_of(cluster_of(job, cluster->second), pod);
}

/// The parts of the cluster that was made for the job, if the group is one of them: its name tells the cluster's.
std::vector<WholePart> parts_of_made_cluster(const kube::RayJob& job, const kube::PodGroup& group) {
  constexpr std::string_view kPrefix = "raycluster-";
  if (!job.spec.cluster || !group.metadata.name.starts_with(kPrefix)) return {};
  return whole_parts(cluster_of(job, group.metadata.name.substr(kPrefix.size())));
}

/// Those of the kinds that are of use only as a whole.
Wishes wishes_among(const kube::Objects& objects) {
  Wishes wishes;
  for_each_whole_kind([&]<class Kind>() {
    for (const Kind& object : objects.of<Kind>()) {
      const auto holding = std::make_shared<const Kind>(holding_room(object));
      wishes[reference_to(object)] = {asks_to_start_whole(object),
                                      &kube::kind_of<Kind>(),
                                      [&](const kube::ObjectMeta& pod) { return whole_part_of(object, pod); },
                                      [holding](const kube::ObjectMeta& pod) { return whole_part_of(*holding, pod); },
                                      [&](const kube::PodGroup&) { return whole_parts(object); },
                                      &object.metadata};
    }
  });
  for (const kube::RayJob& job : objects.of<kube::RayJob>()) {
    const auto part_of = [&](const kube::ObjectMeta& pod) { return part_of_made_cluster(job, pod); };
    wishes[reference_to(job)] = {asks_to_start_whole(job),
                                 &kube::kind_of<kube::RayJob>(),
                                 part_of,
                                 part_of,
                                 [&](const kube::PodGroup& group) { return parts_of_made_cluster(job, group); },
                                 &job.metadata};
  }
  return wishes;
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

/// The groups of workloads that start whole: those that are there, and those that are made for their first pods.
class WholeGroups {
 public:
  WholeGroups(const kube::Objects& objects, WholeWorkloads which, LaterParts later)
      : which_(which),
        later_(later),
        wishes_(wishes_among(objects)),
        begun_(wishes_.empty() ? Begun() : begun(objects)) {
    for (const kube::PodGroup& each : objects.of<kube::PodGroup>()) {
      const kube::OwnerReference* owner = each.metadata.controller();
      if (owner != nullptr) have_groups_.insert({owner->kind, each.metadata.namespace_, owner->name});
      known_[{each.metadata.namespace_, each.metadata.name}] =
          owner == nullptr ? WorkloadReference{}
                           : WorkloadReference{owner->kind, each.metadata.namespace_, owner->name};
    }
  }

  void add(CreatedPod& created) {
    const auto found = wishes_.find(created.workload);
    if (found == wishes_.end() || cluster::spellings::group_of(created.pod)) return;
    const Wish& wish = found->second;
    const bool starts_whole = (wish.asks || which_ == WholeWorkloads::kAll) && !begun_.contains(created.workload);
    // What has its groups goes on as it began, which its own annotation says.
    const bool holds_room = starts_whole && later_ == LaterParts::kHoldRoom && !have_groups_.contains(created.workload);
    const PartOf& part_of = holds_room ? wish.part_with_room : wish.part_of;
    const std::optional<WholePart> part = part_of(created.pod.metadata);
    if (!part) return;
    const auto known = known_.find({wish.metadata->namespace_, part->group});
    if (known == known_.end()) {
      if (!starts_whole) return;
      known_[{wish.metadata->namespace_, part->group}] = created.workload;
      made_.push_back(group_of_part(*wish.kind, *wish.metadata, *part));
      made_.back().metadata.source = created.pod.metadata.source;
      if (holds_room || workloads::holds_room(*wish.metadata)) {
        holding_.emplace(made_.size() - 1, Holding{&wish, *part, {}});
        holding_by_name_[{wish.metadata->namespace_, part->group}] = made_.size() - 1;
      }
    } else if (known->second != created.workload) {
      return;
    }
    naming_.join(created.pod, part->group);
    const auto holding = holding_by_name_.find({wish.metadata->namespace_, part->group});
    if (holding != holding_by_name_.end()) holding_.at(holding->second).pods.push_back(&created.pod);
  }

  [[nodiscard]] std::vector<kube::PodGroup> take_made() { return std::move(made_); }

  /// For the later parts of the groups that are made. The pods that were added are there still.
  [[nodiscard]] std::vector<kube::Reservation> rooms() const {
    std::vector<kube::Reservation> all;
    for (const auto& [place, group] : holding_) {
      std::vector<kube::Reservation> rooms =
          rooms_of_later_parts(*group.wish->kind, *group.wish->metadata, group.part, group.pods);
      std::ranges::move(rooms, std::back_inserter(all));
    }
    return all;
  }

  /// The groups of workloads that ask for another minimum by now.
  [[nodiscard]] std::vector<kube::PodGroup> revise(const std::vector<kube::PodGroup>& groups) const {
    std::vector<kube::PodGroup> all;
    for (const kube::PodGroup& group : groups) {
      const kube::OwnerReference* owner = group.metadata.controller();
      if (owner == nullptr) continue;
      const auto wish = wishes_.find({owner->kind, group.metadata.namespace_, owner->name});
      if (wish == wishes_.end()) continue;
      const std::vector<WholePart> parts = wish->second.parts(group);
      const auto part = std::ranges::find(parts, group.metadata.name, &WholePart::group);
      if (part == parts.end()) continue;
      if (std::optional<kube::PodGroup> now = revised(group, *part)) all.push_back(*std::move(now));
    }
    return all;
  }

 private:
  using Begun = std::set<WorkloadReference>;
  /// A group that is made, and its pods.
  struct Holding {
    const Wish* wish = nullptr;
    WholePart part;
    std::vector<const kube::Pod*> pods;
  };

  WholeWorkloads which_;
  LaterParts later_;
  Wishes wishes_;
  Begun begun_;
  std::map<std::pair<std::string, std::string>, WorkloadReference> known_;  // by namespace and name: whose it is
  std::set<WorkloadReference> have_groups_;
  std::vector<kube::PodGroup> made_;        // in order of their first pods
  std::map<std::size_t, Holding> holding_;  // those that hold room, by their place in `made_`
  std::map<std::pair<std::string, std::string>, std::size_t> holding_by_name_;
  Naming naming_;
};

}  // namespace

void group_whole_workloads(const kube::Objects& objects, WholeWorkloads which, LaterParts later, Expansion& expansion) {
  WholeGroups groups(objects, which, later);
  for (CreatedPod& created : expansion.pods) groups.add(created);
  std::vector<kube::Reservation>& rooms = expansion.made.of<kube::Reservation>();
  for (kube::Reservation& room : groups.rooms()) rooms.push_back(std::move(room));
  std::vector<kube::PodGroup>& made = expansion.made.of<kube::PodGroup>();
  for (kube::PodGroup& group : groups.take_made()) made.push_back(std::move(group));
  std::vector<kube::PodGroup>& revised = expansion.revised.of<kube::PodGroup>();
  for (kube::PodGroup& group : groups.revise(objects.of<kube::PodGroup>())) revised.push_back(std::move(group));
}

}  // namespace loadline::workloads
