#include "brain/workloads/pod_count.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "brain/workloads/daemon_nodes.h"
#include "brain/workloads/existing_pods.h"
#include "brain/workloads/job.h"
#include "brain/workloads/job_set.h"
#include "brain/workloads/kinds.h"
#include "brain/workloads/leader_worker_set.h"
#include "brain/workloads/pod_clique_set.h"
#include "brain/workloads/pod_set.h"
#include "brain/workloads/ray_cluster.h"
#include "brain/workloads/ray_job.h"
#include "brain/workloads/template_weight.h"
#include "brain/workloads/training_job.h"
#include "brain/workloads/volcano_job.h"
#include "objects/kube/koordinator/reservation.h"
#include "objects/kube/loadline/reservation.h"

namespace loadline::workloads {
namespace {

constexpr std::int64_t kMostReserved = 100'000;  // of a reservation in all of its domains

/// A number that somebody wrote, and where.
struct Factor {
  std::string field;
  std::int64_t count = 0;
};

/// The pods of a role are so many times so many: replicas, of which each has Jobs, of which each has pods.
struct Role {
  std::vector<Factor> factors;
  const kube::PodTemplateSpec* pod_template = nullptr;  // null: it is not the author's
  PodSpecs specs = PodSpecs::kShared;
};
using Roles = std::vector<Role>;

/// What is made of a role, the objects on the way up to where there are none.
PodCount made_of(const Role& role) {
  PodCount count{1, 1, 0, {}};
  const Factor* largest = nullptr;
  for (const Factor& factor : role.factors) {
    const std::int64_t number = std::max<std::int64_t>(factor.count, 0);
    if (largest == nullptr || number > largest->count) largest = &factor;
    count.pods = saturated_product(count.pods, number);
    const bool is_last_level = number == 0 && &factor != &role.factors.front();
    if (is_last_level) break;
    count.objects = saturated_product(count.objects, number);
  }
  if (largest != nullptr) count.field = largest->field;
  const std::int64_t weight = role.pod_template == nullptr ? 1 : weight_of(*role.pod_template, role.specs);
  count.weight = saturated_product(count.objects, weight);
  return count;
}

PodCount made_of(const Roles& roles) {
  PodCount all;
  std::int64_t most = -1;
  for (const Role& each : roles) {
    PodCount role = made_of(each);
    all.pods = saturated_sum(all.pods, role.pods);
    all.objects = saturated_sum(all.objects, role.objects);
    all.weight = saturated_sum(all.weight, role.weight);
    if (role.weight > most) {
      most = role.weight;
      all.field = std::move(role.field);
    }
  }
  return all;
}

// ---- kinds ----------------------------------------------------------------------------------------------------------

template <class Kind>
Roles replicas_only(const Kind& object, PodSpecs specs = PodSpecs::kShared) {
  return {Role{{{"spec.replicas", object.replicas}}, &object.template_, specs}};
}

Roles numbers_of(const kube::Deployment& object, const kube::Objects&) { return replicas_only(object); }
Roles numbers_of(const kube::ReplicaSet& object, const kube::Objects&) { return replicas_only(object); }
Roles numbers_of(const kube::ReplicationController& object, const kube::Objects&) { return replicas_only(object); }
Roles numbers_of(const kube::StatefulSet& object, const kube::Objects&) {
  return replicas_only(object, PodSpecs::kOwn);
}

Roles numbers_of(const kube::DaemonSet& set, const kube::Objects& objects) {
  const auto nodes = static_cast<std::int64_t>(objects.of<kube::Node>().size());
  return {Role{{{"spec.template", nodes}}, &set.template_, PodSpecs::kOwn}};
}

PodSpecs specs_of(const kube::JobSpec& spec) { return spec.indexed ? PodSpecs::kOwn : PodSpecs::kShared; }

Roles numbers_of(const kube::Job& job, const kube::Objects&) {
  if (finished_condition(job) != nullptr) return {};
  return {Role{{{"spec.parallelism", pods_at_once(job.spec)}}, &job.spec.template_, specs_of(job.spec)}};
}

Roles numbers_of(const kube::CronJob& cron_job, const kube::Objects&) {
  const kube::JobSpec& spec = cron_job.job_spec;
  return {Role{{{"spec.jobTemplate.spec.parallelism", pods_at_once(spec)}}, &spec.template_, specs_of(spec)}};
}

Roles numbers_of(const kube::JobSet& set, const kube::Objects&) {
  if (finished_condition(set) != nullptr) return {};
  Roles roles;
  for (std::size_t i = 0; i < set.replicated_jobs.size(); ++i) {
    const kube::ReplicatedJob& job = set.replicated_jobs[i];
    const std::string at = fmt::format("spec.replicatedJobs[{}].", i);
    roles.push_back({{{at + "replicas", job.replicas}, {at + "template.spec.parallelism", pods_at_once(job.job_spec)}},
                     &job.job_spec.template_,
                     PodSpecs::kOwn});
  }
  return roles;
}

Roles numbers_of(const kube::LeaderWorkerSet& set, const kube::Objects&) {
  const Factor groups{"spec.replicas", set.replicas};
  Roles roles = {Role{{groups}, &leader_template(set), PodSpecs::kOwn}};
  if (set.size > 1) {
    roles.push_back({{groups, {"spec.leaderWorkerTemplate.size", std::int64_t{set.size} - 1}},
                     &set.worker_template,
                     PodSpecs::kOwn});
  }
  return roles;
}

Roles numbers_of(const TrainingView& job) {
  if (finished_condition(job.status) != nullptr) return {};
  const PodSpecs specs = job.is_of_mpi_operator ? PodSpecs::kOwn : PodSpecs::kShared;
  Roles roles;
  for (const TrainingRole& role : roles_of(job)) {
    const std::int64_t count = role.name == "Launcher" ? 1 : role.count();
    std::string field = fmt::format("spec.{}[{}].replicas", rules_of(job.framework).replicas_field, role.key);
    roles.push_back({{{std::move(field), count}}, &role.replicas->template_, specs});
  }
  return roles;
}

Roles numbers_of(const kube::RayClusterSpec& cluster, std::string_view path) {
  if (cluster.suspend) return {};
  Roles roles = {Role{{{fmt::format("{}.headGroupSpec", path), 1}}, &cluster.head.template_}};
  for (std::size_t i = 0; i < cluster.worker_groups.size(); ++i) {
    const kube::RayWorkerGroup& group = cluster.worker_groups[i];
    const bool is_said = group.replicas.value_or(0) >= group.min_replicas.value_or(0);
    const std::string at = fmt::format("{}.workerGroupSpecs[{}].", path, i);
    roles.push_back({{{at + (is_said ? "replicas" : "minReplicas"), wanted_replicas(group)},
                      {at + "numOfHosts", group.hosts_per_replica}},
                     &group.template_});
  }
  return roles;
}

Roles numbers_of(const kube::RayJobSpec& job, std::string_view path) {
  Roles roles;
  if (job.cluster && job.cluster_selector.empty()) {
    roles = numbers_of(*job.cluster, fmt::format("{}.rayClusterSpec", path));
  }
  if (has_submitter_job(job)) roles.push_back({{{fmt::format("{}.submitterPodTemplate", path), 1}}});
  return roles;
}

Roles numbers_of(const kube::RayCluster& cluster, const kube::Objects&) { return numbers_of(cluster.spec, "spec"); }

Roles numbers_of(const kube::RayJob& job, const kube::Objects&) {
  return is_over(job.status) ? Roles() : numbers_of(job.spec, "spec");
}

Roles numbers_of(const kube::RayCronJob& cron_job, const kube::Objects&) {
  return numbers_of(cron_job.spec.job, "spec.jobTemplate");
}

Roles numbers_of(const kube::VolcanoJob& job, const kube::Objects&) {
  if (is_finished(job)) return {};
  Roles roles;
  for (std::size_t i = 0; i < job.tasks.size(); ++i) {
    const kube::VolcanoTask& task = job.tasks[i];
    roles.push_back({{{fmt::format("spec.tasks[{}].replicas", i), task.replicas}}, &task.template_});
  }
  return roles;
}

Roles numbers_of(const kube::PodCliqueSet& set, const kube::Objects&) {
  const Factor replicas{"spec.replicas", set.replicas};
  Roles roles;
  for (std::size_t i = 0; i < set.cliques.size(); ++i) {
    const kube::CliqueTemplate& clique = set.cliques[i];
    const kube::CliqueScalingGroup* const group = scaling_group_of(set, clique.name);
    Role role{{replicas}, &clique.spec.template_, PodSpecs::kOwn};
    if (group != nullptr) {
      std::string field =
          fmt::format("spec.template.podCliqueScalingGroups[{}].replicas", group - set.scaling_groups.data());
      role.factors.push_back({std::move(field), group->replicas.value_or(1)});
    }
    role.factors.push_back({fmt::format("spec.template.cliques[{}].spec.replicas", i), clique.spec.replicas});
    roles.push_back(std::move(role));
  }
  if (set.cliques.empty()) roles.push_back({{replicas, {"spec.template.cliques", 0}}});
  return roles;
}

/// Its set describes its cliques; its own replicas count instead of the set's.
Roles numbers_of(const kube::PodCliqueScalingGroup& group, const kube::Objects& objects) {
  const kube::OwnerReference* const owner = group.metadata.controller();
  const auto& sets = objects.of<kube::PodCliqueSet>();
  const auto set = std::ranges::find_if(sets, [&](const kube::PodCliqueSet& each) {
    return owner != nullptr && each.metadata.name == owner->name &&
           each.metadata.namespace_ == group.metadata.namespace_;
  });
  Roles roles;
  if (set == sets.end()) return roles;
  for (const std::string& name : group.cliques) {
    const kube::CliqueTemplate* const clique = find_clique(*set, name);
    if (clique == nullptr) continue;
    roles.push_back({{{"spec.replicas", group.replicas}, {"spec.cliqueNames", clique->spec.replicas}},
                     &clique->spec.template_,
                     PodSpecs::kOwn});
  }
  if (roles.empty()) roles.push_back({{{"spec.replicas", group.replicas}, {"spec.cliqueNames", 0}}});
  return roles;
}

Roles numbers_of(const kube::PodClique& clique, const kube::Objects&) {
  return {Role{{{"spec.replicas", clique.spec.replicas}}, &clique.spec.template_, PodSpecs::kOwn}};
}

/// When its runs begin; nothing: it is no schedule's.
const std::string* schedule_of(const kube::CronJob& cron_job) { return &cron_job.schedule; }
const std::string* schedule_of(const kube::RayCronJob& cron_job) { return &cron_job.spec.schedule; }
template <class Kind>
const std::string* schedule_of(const Kind&) {
  return nullptr;
}

// ---- all of an input -----------------------------------------------------------------------------------------------

class Tally {
 public:
  /// `name` is asked who it is, if it makes the most so far.
  template <class Name>
  void add(const SourcePosition& at, PodCount count, Name name) {
    total_.objects = saturated_sum(total_.objects, count.objects);
    total_.weight = saturated_sum(total_.weight, count.weight);
    const bool is_largest = !total_.largest || count.weight > total_.largest->count.weight;
    if (is_largest) total_.largest = CountedWorkload{name(), at, std::move(count)};
  }
  [[nodiscard]] PodsToMake take() { return std::move(total_); }

 private:
  PodsToMake total_;
};

template <class Kind>
WorkloadReference own_name(const Kind& object) {
  return {std::string(kind_name<Kind>()), object.metadata.namespace_, object.metadata.name};
}

/// Each placeholder is a pod with a spec of its own.
std::int64_t weighed(std::int64_t pods, const kube::PodTemplateSpec& pod_template) {
  return saturated_product(pods, weight_of(pod_template, PodSpecs::kOwn));
}

WorkloadReference reservation(const kube::ObjectMeta& metadata) {
  return {"Reservation", metadata.namespace_, metadata.name};
}

void add_reservations(const kube::Objects& objects, Tally& tally) {
  const auto nodes = static_cast<std::int64_t>(objects.of<kube::Node>().size());
  for (const kube::Reservation& each : objects.of<kube::Reservation>()) {
    std::int64_t pods = std::max(each.pods, 0);
    if (!each.per_domain.empty()) pods = std::min(saturated_product(pods, nodes), kMostReserved);
    tally.add(each.metadata.source, {pods, pods, weighed(pods, each.template_), "spec.pods"},
              [&] { return reservation(each.metadata); });
  }
  for (const kube::KoordinatorReservation& each : objects.of<kube::KoordinatorReservation>()) {
    tally.add(each.metadata.source, {1, 1, weighed(1, each.template_), "spec"},
              [&] { return reservation(each.metadata); });
  }
}

PodsToMake at_most(const kube::Objects& objects, const Counting& counting) {
  Tally tally;
  for_each_kind([&]<class Kind>() {
    for (const Kind& each : objects.of<Kind>()) {
      if (!each.metadata.deletion_timestamp) {
        tally.add(each.metadata.source, count_pods(each, objects, counting), [&] { return own_name(each); });
      }
    }
  });
  add_reservations(objects, tally);
  return tally.take();
}

/// Whether pods of an object of the kind are made in the turn of its owner, which is among the objects.
bool is_made_by_its_owner(std::string_view kind, std::string_view owner) {
  return (kind == "ReplicaSet" && owner == "Deployment") || (kind == "StatefulSet" && owner == "LeaderWorkerSet");
}

/// What is asked for under the name of one workload.
struct Asked {
  SourcePosition at;
  WorkloadReference named;    // the object that asks for the most
  std::int64_t most = -1;     // what that one asks for
  std::string field;          // and where
  std::int64_t each = 1;      // for how many one counts, at most
  std::int64_t own = 0;       // by the top itself
  std::int64_t children = 0;  // by what it controls
  std::int64_t runs = 0;      // by Jobs that a schedule made, and that its next run comes on top of
};

/// Counts by top-level owner, and takes off what is there.
class Exact {
 public:
  Exact(const kube::Objects& objects, const Counting& counting)
      : objects_(objects), counting_(counting), owners_(objects) {}

  PodsToMake run() {
    for_each_kind([&]<class Kind>() {
      for (const Kind& each : objects_.of<Kind>()) {
        if (!each.metadata.deletion_timestamp) ask(each);
      }
    });
    const ExistingPods existing(objects_, owners_);
    Tally tally;
    for (auto& [top, asked] : asked_) {
      // Children are what the top asked for, as long as they are no more than that.
      std::int64_t all = asked.children > asked.own ? saturated_sum(asked.own, asked.children) : asked.own;
      all = saturated_sum(all, asked.runs) - active_among(existing.belonging_to(top));
      if (all <= 0) continue;
      tally.add(asked.at, {all, all, saturated_product(all, asked.each), std::move(asked.field)},
                [&] { return asked.named; });
    }
    add_reservations(objects_, tally);
    return tally.take();
  }

 private:
  template <class Kind>
  void ask(const Kind& object) {
    const WorkloadReference self = own_name(object);
    const WorkloadReference top = owners_.top_of(self);
    const bool is_child = top != self && owners_.knows(top);
    if (is_child && is_made_by_its_owner(self.kind, top.kind)) return;
    PodCount count = count_pods(object, objects_, counting_);
    const std::int64_t each = count.objects > 0 ? 1 + (count.weight - 1) / count.objects : 1;
    if constexpr (std::is_same_v<Kind, kube::DaemonSet>) count.objects = eligible_nodes(object);
    Asked& asked = asked_[top];
    if (count.objects > asked.most) {
      asked.at = object.metadata.source;
      asked.named = self;
      asked.most = count.objects;
      asked.field = std::move(count.field);
    }
    const bool is_of_schedule = top.kind == "CronJob" || top.kind == "RayCronJob";
    asked.each = std::max(asked.each, each);
    std::int64_t& share = !is_child ? asked.own : is_of_schedule ? asked.runs : asked.children;
    share = saturated_sum(share, count.objects);
  }

  [[nodiscard]] std::int64_t eligible_nodes(const kube::DaemonSet& set) const {
    const kube::PodSpec spec = with_daemon_tolerations(*set.template_.spec);
    DaemonNodes eligible(spec);
    return std::ranges::count_if(objects_.of<kube::Node>(),
                                 [&](const kube::Node& node) { return eligible.admits(node); });
  }

  const kube::Objects& objects_;
  const Counting& counting_;
  Owners owners_;
  std::map<WorkloadReference, Asked> asked_;
};

}  // namespace

template <class Kind>
PodCount count_pods(const Kind& workload, const kube::Objects& objects, const Counting& counting) {
  const bool has_jobs = std::is_same_v<Kind, kube::JobSet> && counting.counts_suspended_jobs;
  if (is_suspended(workload) && !has_jobs) return {};
  Roles roles;
  if constexpr (requires { TrainingView(workload); }) {
    roles = numbers_of(TrainingView(workload));
  } else {
    roles = numbers_of(workload, objects);
  }
  const std::string* const schedule = schedule_of(workload);
  if (schedule == nullptr || !counting.runs) return made_of(roles);
  const std::int64_t times = counting.runs(*schedule);
  for (Role& role : roles) role.factors.insert(role.factors.begin(), Factor{"spec.schedule", times});
  return made_of(roles);
}

template PodCount count_pods(const kube::Deployment&, const kube::Objects&, const Counting&);
template PodCount count_pods(const kube::ReplicaSet&, const kube::Objects&, const Counting&);
template PodCount count_pods(const kube::ReplicationController&, const kube::Objects&, const Counting&);
template PodCount count_pods(const kube::StatefulSet&, const kube::Objects&, const Counting&);
template PodCount count_pods(const kube::DaemonSet&, const kube::Objects&, const Counting&);
template PodCount count_pods(const kube::Job&, const kube::Objects&, const Counting&);
template PodCount count_pods(const kube::CronJob&, const kube::Objects&, const Counting&);
template PodCount count_pods(const kube::JobSet&, const kube::Objects&, const Counting&);
template PodCount count_pods(const kube::LeaderWorkerSet&, const kube::Objects&, const Counting&);
template PodCount count_pods(const kube::PyTorchJob&, const kube::Objects&, const Counting&);
template PodCount count_pods(const kube::TensorFlowJob&, const kube::Objects&, const Counting&);
template PodCount count_pods(const kube::XgBoostJob&, const kube::Objects&, const Counting&);
template PodCount count_pods(const kube::PaddleJob&, const kube::Objects&, const Counting&);
template PodCount count_pods(const kube::JaxJob&, const kube::Objects&, const Counting&);
template PodCount count_pods(const kube::MpiJob&, const kube::Objects&, const Counting&);
template PodCount count_pods(const kube::RayCluster&, const kube::Objects&, const Counting&);
template PodCount count_pods(const kube::RayJob&, const kube::Objects&, const Counting&);
template PodCount count_pods(const kube::RayCronJob&, const kube::Objects&, const Counting&);
template PodCount count_pods(const kube::VolcanoJob&, const kube::Objects&, const Counting&);
template PodCount count_pods(const kube::PodCliqueSet&, const kube::Objects&, const Counting&);
template PodCount count_pods(const kube::PodCliqueScalingGroup&, const kube::Objects&, const Counting&);
template PodCount count_pods(const kube::PodClique&, const kube::Objects&, const Counting&);

PodsToMake pods_to_make(const kube::Objects& objects, std::int64_t enough, const Counting& counting) {
  PodsToMake all = at_most(objects, counting);
  return all.weight <= enough ? all : Exact(objects, counting).run();
}

}  // namespace loadline::workloads
