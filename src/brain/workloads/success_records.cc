#include "brain/workloads/success_records.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "brain/workloads/gang_workloads.h"
#include "brain/workloads/index_intervals.h"
#include "brain/workloads/job.h"
#include "brain/workloads/kind_names.h"
#include "brain/workloads/pod_set.h"
#include "brain/workloads/volcano_job.h"
#include "objects/kube/workload_names.h"

namespace loadline::workloads {
namespace {

using cluster::GroupName;
using cluster::GroupSpelling;

/// By kind and name: manifests have no uids.
std::string named_owner(std::string_view kind, std::string_view name) {
  return std::string(kind) + '/' + std::string(name);
}

GroupRecord record_of(const kube::ObjectMeta& workload, GroupName group, std::string owner, std::string role,
                      kube::StringMap labels, std::int64_t succeeded) {
  return {{workload.namespace_, std::move(group)}, {std::move(owner), std::move(role), std::move(labels), succeeded}};
}

void add_labels(const PodDraft& draft, kube::ObjectMeta& pods) {
  for (const auto& [key, value] : draft.labels) pods.labels.insert_or_assign(std::string(key), value);
}

/// A PodGroup of the workload's own, by its name.
std::optional<GroupName> own_group(const kube::ObjectMeta& workload, const std::optional<WholePart>& part,
                                   const GroupSurroundings& around) {
  if (!part || around.pod_group(workload.namespace_, part->group) == nullptr) return std::nullopt;
  return GroupName{GroupSpelling::kKubernetes, part->group};
}

std::optional<GroupName> group_of_job(const kube::Job& job, const GroupSurroundings& around) {
  const kube::PodTemplateSpec& pods = job.spec.template_;
  if (pods.spec == nullptr) return std::nullopt;
  if (std::optional<GroupName> named = cluster::spellings::group_of(pods.metadata, *pods.spec)) return named;
  if (const kube::PodGroup* gang = around.gang_of(job)) {
    return GroupName{GroupSpelling::kKubernetes, gang->metadata.name};
  }
  const kube::OwnerReference* controller = job.metadata.controller();
  if (controller == nullptr || controller->kind != "JobSet") return std::nullopt;
  const kube::JobSet* set = around.job_set(job.metadata.namespace_, controller->name);
  if (set == nullptr) return std::nullopt;
  return own_group(set->metadata, whole_part_of(*set, pods.metadata), around);
}

std::int64_t succeeded_of(const kube::Job& job) {
  const kube::JobStatus& status = job.status;
  std::int64_t counted = status.succeeded;
  if (status.uncounted_terminated_pods) counted += std::ssize(status.uncounted_terminated_pods->succeeded);
  if (!job.spec.indexed) return counted;
  const std::int64_t completions = job.spec.completions.value_or(0);
  return std::max(counted, IndexIntervals::parse(status.completed_indexes, completions).total());
}

}  // namespace

cluster::SucceededPod succeeded_pod(const kube::Pod& pod) {
  const kube::OwnerReference* controller = pod.metadata.controller();
  return {controller == nullptr ? std::string() : named_owner(kind_of(*controller), controller->name),
          pod.metadata.name, pod.metadata.labels};
}

GroupRecords success_records(const kube::Job& job, const GroupSurroundings& around) {
  const std::int64_t succeeded = succeeded_of(job);
  if (succeeded == 0) return {};
  std::optional<GroupName> group = group_of_job(job, around);
  if (!group) return {};
  return {record_of(job.metadata, *std::move(group), named_owner("Job", job.metadata.name), {},
                    job.spec.template_.metadata.labels, succeeded)};
}

GroupRecords success_records(const TrainingView& job, const GroupSurroundings& around) {
  GroupRecords records;
  for (const TrainingRole& role : roles_of(job)) {
    const auto status = std::ranges::find_if(
        job.status.replicas, [&](const auto& entry) { return entry.first == role.name || entry.first == role.key; });
    // The pods of a launcher that is a Job are the Job's to count.
    if (status == job.status.replicas.end() || status->second.succeeded == 0 || is_run_by_a_job(job, role)) continue;
    kube::ObjectMeta pods = role.replicas->template_.metadata;
    add_labels(shared_draft(job, role), pods);
    std::optional<GroupName> group;
    if (role.replicas->template_.spec) group = cluster::spellings::group_of(pods, *role.replicas->template_.spec);
    if (!group) group = own_group(job.metadata, whole_part_of(job, pods), around);
    if (!group) continue;
    records.push_back(record_of(job.metadata, *std::move(group),
                                named_owner(rules_of(job.framework).kind, job.metadata.name), role.label(),
                                std::move(pods.labels), status->second.succeeded));
  }
  return records;
}

GroupRecords success_records(const kube::VolcanoJob& job, const GroupSurroundings&) {
  GroupRecords records;
  for (const kube::VolcanoTask& task : job.tasks) {
    const auto counts = job.status.tasks.find(task.name);
    if (counts == job.status.tasks.end()) continue;
    const auto succeeded = counts->second.phases.find("Succeeded");
    if (succeeded == counts->second.phases.end() || succeeded->second == 0) continue;
    kube::ObjectMeta pods = task.template_.metadata;
    add_labels(shared_draft(job, task, job.metadata.uid), pods);
    records.push_back(record_of(job.metadata, {GroupSpelling::kVolcano, pod_group_name(job, job.metadata.uid)},
                                named_owner(kVolcanoJob, job.metadata.name), task.name, std::move(pods.labels),
                                succeeded->second));
  }
  return records;
}

// ---- of all that are there ------------------------------------------------------------------------------------------

namespace {

class ObjectsAround final : public GroupSurroundings {
 public:
  explicit ObjectsAround(const kube::Objects& objects) {
    for (const kube::JobSet& set : objects.of<kube::JobSet>()) sets_[key_of(set.metadata)] = &set;
    for (const kube::PodGroup& group : objects.of<kube::PodGroup>()) {
      groups_[key_of(group.metadata)] = &group;
      const kube::OwnerReference* controller = group.metadata.controller();
      if (controller != nullptr && kind_of(*controller) == "Job") {
        gangs_[{group.metadata.namespace_, controller->name}] = &group;
      }
    }
  }

  [[nodiscard]] const kube::JobSet* job_set(std::string_view name_space, std::string_view name) const override {
    return find(sets_, name_space, name);
  }
  [[nodiscard]] const kube::PodGroup* pod_group(std::string_view name_space, std::string_view name) const override {
    return find(groups_, name_space, name);
  }
  [[nodiscard]] const kube::PodGroup* gang_of(const kube::Job& job) const override {
    return find(gangs_, job.metadata.namespace_, job.metadata.name);
  }

 private:
  using Key = std::pair<std::string, std::string>;  // namespace, name
  static Key key_of(const kube::ObjectMeta& metadata) { return {metadata.namespace_, metadata.name}; }
  template <class Kind>
  static const Kind* find(const std::map<Key, const Kind*>& among, std::string_view name_space, std::string_view name) {
    const auto found = among.find({std::string(name_space), std::string(name)});
    return found == among.end() ? nullptr : found->second;
  }

  std::map<Key, const kube::JobSet*> sets_;
  std::map<Key, const kube::PodGroup*> groups_;
  std::map<Key, const kube::PodGroup*> gangs_;  // by their Jobs
};

/// Of a JobSet's Jobs that have succeeded and are not among the objects, the JobSet itself tells.
class AbsentJobs {
 public:
  explicit AbsentJobs(const kube::Objects& objects) {
    for (const kube::Job& job : objects.of<kube::Job>()) {
      const kube::OwnerReference* controller = job.metadata.controller();
      if (controller == nullptr || controller->kind != "JobSet") continue;
      const kube::JobCondition* end = finished_condition(job);
      if (end != nullptr && end->type == "Complete") ++there_[role_of_set(job.metadata, controller->name)];
    }
    for (const kube::Pod& pod : objects.of<kube::Pod>()) {
      const auto set = pod.metadata.labels.find(kube::kJobSetName);
      if (pod.status.phase != kube::PodPhase::kSucceeded || set == pod.metadata.labels.end()) continue;
      ++pods_[role_of_set(pod.metadata, set->second)];
    }
  }

  void add(const kube::JobSet& set, const GroupSurroundings& around, GroupRecords& records) const {
    for (const kube::ReplicatedJob& job : set.replicated_jobs) {
      const auto status = std::ranges::find(set.status.replicated_jobs, job.name, &kube::ReplicatedJobStatus::name);
      if (status == set.status.replicated_jobs.end()) continue;
      const Role role{set.metadata.namespace_, set.metadata.name, job.name};
      const std::int64_t jobs = status->succeeded - count_in(there_, role);
      const std::int64_t pods = jobs * pods_at_once(job.job_spec) - (there_.contains(role) ? 0 : count_in(pods_, role));
      if (jobs <= 0 || pods <= 0) continue;
      kube::ObjectMeta metadata = job.job_spec.template_.metadata;
      metadata.labels.insert_or_assign(std::string(kube::kReplicatedJobName), job.name);
      metadata.labels.insert_or_assign(std::string(kube::kJobSetName), set.metadata.name);
      std::optional<GroupName> group;
      if (job.job_spec.template_.spec) group = cluster::spellings::group_of(metadata, *job.job_spec.template_.spec);
      if (!group) group = own_group(set.metadata, whole_part_of(set, metadata), around);
      if (!group) continue;
      records.push_back(record_of(set.metadata, *std::move(group), named_owner("JobSet", set.metadata.name), job.name,
                                  std::move(metadata.labels), pods));
    }
  }

 private:
  struct Role {
    std::string name_space, set, job;
    friend auto operator<=>(const Role&, const Role&) = default;
  };
  static Role role_of_set(const kube::ObjectMeta& child, const std::string& set) {
    const auto job = child.labels.find(kube::kReplicatedJobName);
    return {child.namespace_, set, job == child.labels.end() ? std::string() : job->second};
  }
  static std::int64_t count_in(const std::map<Role, std::int64_t>& counts, const Role& role) {
    const auto found = counts.find(role);
    return found == counts.end() ? 0 : found->second;
  }

  std::map<Role, std::int64_t> there_;  // complete Jobs
  std::map<Role, std::int64_t> pods_;   // that have succeeded
};

}  // namespace

GroupRecords success_records(const kube::Objects& objects) {
  const ObjectsAround around(objects);
  GroupRecords all;
  for_each_recording_kind([&]<class Kind>() {
    for (const Kind& workload : objects.of<Kind>()) {
      for (GroupRecord& each : success_records(workload, around)) all.push_back(std::move(each));
    }
  });
  if (objects.of<kube::JobSet>().empty()) return all;
  const AbsentJobs absent(objects);
  for (const kube::JobSet& set : objects.of<kube::JobSet>()) absent.add(set, around, all);
  return all;
}

}  // namespace loadline::workloads
