#include "brain/workloads/volcano_job.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <memory>
#include <set>
#include <vector>

#include "brain/workloads/controller.h"
#include "brain/workloads/kind_names.h"
#include "objects/kube/workload_names.h"

namespace loadline::workloads {
namespace {

/// What pods get of their Job's annotations. Of the two about budgets, the first counts.
void add_job_annotations(const kube::VolcanoJob& job, PodDraft& draft) {
  const auto pass_on = [&](std::string_view name) {
    const auto found = job.metadata.annotations.find(name);
    if (found == job.metadata.annotations.end()) return false;
    draft.annotations.emplace_back(name, found->second);
    return true;
  };
  pass_on(kube::kVolcanoPreemptable);
  pass_on(kube::kVolcanoCooldown);
  pass_on(kube::kVolcanoRevocableZone);
  if (!pass_on(kube::kVolcanoLeastAvailable)) pass_on(kube::kVolcanoMostUnavailable);
}

void add_job_labels(const kube::VolcanoJob& job, PodDraft& draft) {
  for (const std::string_view name : {kube::kVolcanoPreemptable, kube::kVolcanoCooldown}) {
    const auto found = job.metadata.labels.find(name);
    if (found != job.metadata.labels.end()) draft.labels.emplace_back(name, found->second);
  }
}

}  // namespace

std::string replica_name(const kube::VolcanoJob& job, const kube::VolcanoTask& task, std::int64_t index) {
  return fmt::format("{}-{}-{}", job.metadata.name, task.name, index);
}

std::optional<std::int64_t> replica_index(const kube::VolcanoJob& job, const kube::VolcanoTask& task,
                                          std::string_view pod) {
  const std::string prefix = fmt::format("{}-{}-", job.metadata.name, task.name);
  if (!pod.starts_with(prefix)) return std::nullopt;
  const std::string_view digits = pod.substr(prefix.size());
  std::int64_t index = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), index);
  const bool is_number = error == std::errc() && end == digits.data() + digits.size() && index >= 0;
  // "01" is no replica's.
  return is_number && replica_name(job, task, index) == pod ? std::optional(index) : std::nullopt;
}

std::string pod_group_name(const kube::VolcanoJob& job, std::string_view uid) {
  return fmt::format("{}-{}", job.metadata.name, uid);
}

namespace {

/// The partitions of a task, which its pods say by a label.
kube::VolcanoSubGroupPolicy parts_of(const kube::VolcanoTask& task) {
  kube::VolcanoSubGroupPolicy policy;
  policy.name = task.name;
  policy.label_selector.emplace();
  policy.label_selector->match_labels.insert_or_assign(std::string(kube::kVolcanoTaskSpec), task.name);
  policy.match_label_keys = {std::string(kube::kVolcanoPartition)};
  policy.subgroup_size = task.partitions->size;
  policy.min_subgroups = task.partitions->least;
  policy.topology = task.partitions->topology;
  return policy;
}

}  // namespace

kube::VolcanoPodGroup pod_group_of(const kube::VolcanoJob& job, std::string_view uid) {
  kube::VolcanoPodGroup group;
  group.metadata.name = pod_group_name(job, uid);
  group.metadata.namespace_ = job.metadata.namespace_;
  group.metadata.owner_references.push_back(
      {"batch.volcano.sh/v1alpha1", "Job", job.metadata.name, std::string(uid), true});
  group.metadata.source = job.metadata.source;
  group.min_member = job.min_available;
  for (const kube::VolcanoTask& task : job.tasks) {
    group.min_task_member[task.name] = least_available(task);
    if (task.partitions) group.subgroups.push_back(parts_of(task));
  }
  group.priority_class_name = job.priority_class_name;
  group.queue = job.queue.empty() ? "default" : job.queue;
  group.topology = job.topology;
  cluster::spellings::note_order_of_creation(later_tasks(job), {}, group.metadata);
  return group;
}

std::vector<cluster::spellings::WrittenPart> later_tasks(const kube::VolcanoJob& job) {
  std::int64_t least_of_all = 0;
  std::int64_t first = 0;  // pods that are created at once
  for (const kube::VolcanoTask& task : job.tasks) {
    least_of_all += least_available(task);
    if (!task.depends_on) first += task.replicas;
  }
  const bool heeds_tasks = job.min_available >= least_of_all;
  std::int64_t beyond_first = std::max<std::int64_t>(job.min_available - first, 0);
  std::vector<cluster::spellings::WrittenPart> later;
  for (const kube::VolcanoTask& task : job.tasks) {
    if (!task.depends_on) continue;
    // Where tasks have no minimums of their own, the later ones have what the first ones cannot reach.
    const std::int64_t pods = heeds_tasks ? least_available(task) : std::min<std::int64_t>(beyond_first, task.replicas);
    beyond_first -= std::min<std::int64_t>(beyond_first, task.replicas);
    if (pods < 1) continue;
    later.push_back(
        {task.name, static_cast<std::int32_t>(pods), {{std::string(kube::kVolcanoTaskSpec), task.name, false}}});
  }
  return later;
}

std::int32_t least_available(const kube::VolcanoTask& task) { return task.min_available.value_or(task.replicas); }

bool is_finished(const kube::VolcanoJob& job) {
  constexpr std::string_view kOver[] = {"Completing", "Completed", "Terminating", "Terminated",
                                        "Failed",     "Aborting",  "Aborted"};
  return std::ranges::find(kOver, job.status.phase) != std::end(kOver);
}

PodDraft shared_draft(const kube::VolcanoJob& job, const kube::VolcanoTask& task, std::string_view uid) {
  const std::string queue = job.queue.empty() ? "default" : job.queue;
  PodDraft draft;
  draft.annotations = {{kube::kVolcanoTaskSpec, task.name},
                       {kube::kGroupNameAnnotation, pod_group_name(job, uid)},
                       {kube::kVolcanoJobName, job.metadata.name},
                       {kube::kVolcanoQueueName, queue},
                       {kube::kVolcanoJobVersion, std::to_string(job.status.version)},
                       {kube::kVolcanoTemplate, fmt::format("{}-{}", job.metadata.name, task.name)},
                       {kube::kVolcanoRetryCount, std::to_string(job.status.retry_count)}};
  if (!task.topology_policy.empty()) draft.annotations.emplace_back(kube::kVolcanoNumaPolicy, task.topology_policy);
  add_job_annotations(job, draft);
  draft.labels = {{kube::kVolcanoJobName, job.metadata.name},
                  {kube::kVolcanoTaskSpec, task.name},
                  {kube::kVolcanoJobNamespace, job.metadata.namespace_},
                  {kube::kVolcanoQueueName, queue}};
  add_job_labels(job, draft);
  return draft;
}

PodDraft replica_draft(const kube::VolcanoJob& job, const kube::VolcanoTask& task, std::int64_t index) {
  PodDraft draft;
  draft.name = replica_name(job, task, index);
  draft.annotations = {{kube::kVolcanoTaskIndex, std::to_string(index)}};
  draft.labels = draft.annotations;
  if (task.partitions) {
    const std::int64_t partition = task.partitions->size > 0 ? index / task.partitions->size : 0;
    draft.labels.emplace_back(kube::kVolcanoPartition, std::to_string(partition));
  }
  return draft;
}

// ---- in a plan -----------------------------------------------------------------------------------------------------

namespace {

class VolcanoExpansion {
 public:
  VolcanoExpansion(const kube::VolcanoJob& job, const View& view, Expansion& expansion)
      : job_(job),
        workload_{std::string(kVolcanoJob), job.metadata.namespace_, job.metadata.name},
        view_(view),
        expansion_(expansion),
        names_(view.seed, workload_.to_string()),
        uid_(job.metadata.uid.empty() ? names_.uid() : job.metadata.uid) {}

  void run() {
    if (is_finished(job_)) return;
    for (const kube::Pod* const pod : view_.existing.controlled_by(kVolcanoJob, job_.metadata)) {
      taken_.insert(pod->metadata.name);
    }
    add_claims();
    add_pod_group();
    for (const kube::VolcanoTask& task : job_.tasks) add_task(task);
  }

 private:
  /// Claims that the Job describes and does not name are made for it.
  void add_claims() {
    for (std::size_t i = 0; i < job_.volumes.size(); ++i) {
      const kube::VolcanoVolume& volume = job_.volumes[i];
      std::string claim_name = volume.claim_name;
      if (claim_name.empty()) {
        claim_name = names_.generate(job_.metadata.name + "-pvc-", i);
        if (volume.claim) add_claim(claim_name, *volume.claim);
      }
      const bool is_known = std::ranges::find(volumes_, claim_name, &PodDraft::ClaimVolume::claim) != volumes_.end();
      if (!is_known) volumes_.push_back({fmt::format("{}-volume-{}", job_.metadata.name, i), claim_name});
    }
  }

  void add_claim(const std::string& name, const kube::PersistentVolumeClaimSpec& spec) {
    kube::PersistentVolumeClaim claim;
    claim.metadata.name = name;
    claim.metadata.namespace_ = job_.metadata.namespace_;
    claim.metadata.owner_references.push_back({"batch.volcano.sh/v1alpha1", "Job", job_.metadata.name, uid_, true});
    claim.metadata.source = job_.metadata.source;
    claim.spec = spec;
    claim.phase = "Pending";
    expansion_.claims.push_back(std::move(claim));
  }

  void add_pod_group() {
    kube::VolcanoPodGroup group = pod_group_of(job_, uid_);
    const std::vector<kube::VolcanoPodGroup>& known = view_.objects.of<kube::VolcanoPodGroup>();
    const auto there = std::ranges::find_if(known, [&](const kube::VolcanoPodGroup& each) {
      return each.metadata.name == group.metadata.name && each.metadata.namespace_ == group.metadata.namespace_;
    });
    if (there == known.end()) return expansion_.made.of<kube::VolcanoPodGroup>().push_back(std::move(group));
    if (there->min_member == group.min_member && there->min_task_member == group.min_task_member) return;
    kube::VolcanoPodGroup revised = *there;
    revised.min_member = group.min_member;
    revised.min_task_member = std::move(group.min_task_member);
    for (const auto& [name, said] : group.metadata.annotations) {
      revised.metadata.annotations.insert_or_assign(name, said);
    }
    expansion_.revised.of<kube::VolcanoPodGroup>().push_back(std::move(revised));
  }

  void add_task(const kube::VolcanoTask& task) {
    PodDraft shared = shared_draft(job_, task, uid_);
    shared.volumes = volumes_;
    PodMaker maker(view_, workload_, "batch.volcano.sh/v1alpha1", "Job", job_.metadata, task.template_, {});
    maker.share(shared);
    const std::shared_ptr<const CreationOrder> order = order_of(task);
    for (std::int64_t index = 0; index < task.replicas; ++index) {
      if (taken_.contains(replica_name(job_, task, index))) continue;
      expansion_.pods.push_back(maker.make(replica_draft(job_, task, index)));
      expansion_.pods.back().order = order;
    }
  }

  /// Of a task that depends on others: as many of their pods run as they need. Source: waitDependsOnTaskMeetCondition.
  [[nodiscard]] std::shared_ptr<const CreationOrder> order_of(const kube::VolcanoTask& task) const {
    if (!task.depends_on) return nullptr;
    auto order = std::make_shared<CreationOrder>();
    order->one_suffices = task.depends_on->iteration == "any";
    for (const std::string& name : task.depends_on->tasks) {
      const auto found = std::ranges::find(job_.tasks, name, &kube::VolcanoTask::name);
      if (found == job_.tasks.end() || least_available(*found) < 1) continue;
      order->after.push_back(
          {"task " + name,
           {{std::string(kube::kVolcanoJobName), job_.metadata.name}, {std::string(kube::kVolcanoTaskSpec), name}},
           least_available(*found)});
    }
    if (order->after.empty()) return nullptr;
    return order;
  }

  const kube::VolcanoJob& job_;
  WorkloadReference workload_;
  const View& view_;
  Expansion& expansion_;
  Names names_;
  std::string uid_;
  std::set<std::string, std::less<>> taken_;  // names of pods that are there
  std::vector<PodDraft::ClaimVolume> volumes_;
};

}  // namespace

void expand(const kube::VolcanoJob& job, const View& view, Expansion& expansion) {
  VolcanoExpansion(job, view, expansion).run();
}

}  // namespace loadline::workloads
