#include "brain/workloads/job_gang.h"

#include <fmt/format.h>

#include <algorithm>

#include "brain/workloads/names.h"
#include "foundation/base/contract.h"
#include "objects/kube/scalars.h"

namespace loadline::workloads {
namespace {

constexpr std::string_view kBatchGroup = "batch";

bool is_candidate(const kube::JobSpec& spec) {
  return spec.parallelism.value_or(0) > 1 && spec.indexed && spec.completions == spec.parallelism &&
         spec.template_.spec->pod_group_name.empty();
}

/// Whether nothing of it has ever run. A Job that was suspended before has the condition, whatever it says now.
bool is_new(const kube::Job& job, bool has_pods) {
  const kube::JobStatus& status = job.status;
  return !has_pods && !status.start_time && status.succeeded == 0 && status.failed == 0 &&
         std::ranges::none_of(status.conditions, [](const auto& each) { return each.type == "Suspended"; });
}

/// By uid, where both sides have one.
bool is_controlled_by(const kube::ObjectMeta& object, const kube::ObjectMeta& job) {
  const kube::OwnerReference* controller = object.controller();
  if (controller == nullptr) return false;
  if (!controller->uid.empty() && !job.uid.empty()) return controller->uid == job.uid;
  return controller->kind == "Job" && controller->name == job.name;
}

kube::OwnerReference controller_reference(const kube::Job& job, std::string_view uid) {
  return {"batch/v1", "Job", job.metadata.name, std::string(uid), true};
}

/// A label, however long the Job's name; upstream's Jobs with names beyond 57 characters fail for ever here.
std::string template_name(std::string_view job) {
  constexpr std::string_view kSuffix = "-pgt-0";
  constexpr std::size_t kMaxLabel = 63;
  return fmt::format("{}{}", job.substr(0, kMaxLabel - kSuffix.size()), kSuffix);
}

/// `<workload>-<template>-<hash>`, each of the two names cut to the half of the room unless the other leaves it more.
std::string name_of_group(std::string_view workload, std::string_view template_name) {
  const std::string hash = spell_hash(hash_text(template_name, hash_text(workload)));
  const std::size_t room = kube::kMaxSubdomain - hash.size() - 2;
  if (workload.size() + template_name.size() > room) {
    const std::size_t half = room / 2;
    const std::size_t of_workload =
        workload.size() <= half ? workload.size() : room - std::min(template_name.size(), half);
    workload = workload.substr(0, of_workload);
    template_name = template_name.substr(0, room - of_workload);
  }
  return fmt::format("{}-{}-{}", workload, template_name, hash);
}

template <class Map, class Key>
const auto& entry_or_none(const Map& map, const Key& key) {
  static const auto& none = *new typename Map::mapped_type();
  const auto found = map.find(key);
  return found == map.end() ? none : found->second;
}

template <class Map, class Key>
void remove_entry(Map& map, const Key& key, const std::string& name) {
  const auto found = map.find(key);
  if (found == map.end()) return;
  found->second.erase(name);
  if (found->second.empty()) map.erase(found);
}

}  // namespace

GangIndex::GangIndex(const kube::Objects& objects) {
  for (const kube::Workload& workload : objects.of<kube::Workload>()) add(workload);
  for (const kube::PodGroup& group : objects.of<kube::PodGroup>()) add(group);
}

std::string_view job_of(const kube::Workload& workload) {
  const bool is_job = workload.controller.api_group == kBatchGroup && workload.controller.kind == "Job";
  return is_job ? std::string_view(workload.controller.name) : std::string_view();
}

void GangIndex::add(const kube::Workload& workload) {
  const std::string_view job = job_of(workload);
  if (job.empty()) return;
  workloads_[{workload.metadata.namespace_, std::string(job)}][workload.metadata.name] = &workload;
}

void GangIndex::remove(const kube::Workload& workload) {
  remove_entry(workloads_, Name(workload.metadata.namespace_, job_of(workload)), workload.metadata.name);
}

void GangIndex::add(const kube::PodGroup& group) {
  if (group.made_of.workload.empty()) return;
  groups_[{group.metadata.namespace_, group.made_of.workload}][group.metadata.name] = &group;
}

void GangIndex::remove(const kube::PodGroup& group) {
  remove_entry(groups_, Name(group.metadata.namespace_, group.made_of.workload), group.metadata.name);
}

const GangIndex::Workloads& GangIndex::workloads_of(const kube::ObjectMeta& job) const {
  return entry_or_none(workloads_, Name(job.namespace_, job.name));
}

const GangIndex::Groups& GangIndex::groups_of(const kube::Workload& workload) const {
  return entry_or_none(groups_, Name(workload.metadata.namespace_, workload.metadata.name));
}

JobGang gang_of(const kube::Job& job, bool has_pods, const GangIndex& index) {
  using Next = JobGang::Next;
  if (!is_candidate(job.spec)) return {};
  const GangIndex::Workloads& workloads = index.workloads_of(job.metadata);
  if (workloads.empty()) return {is_new(job, has_pods) ? Next::kMakeWorkload : Next::kNothing};
  const kube::Workload& workload = *workloads.begin()->second;
  const bool is_usable =
      workloads.size() == 1 && is_controlled_by(workload.metadata, job.metadata) && workload.templates.size() == 1;
  if (!is_usable) return {};
  const GangIndex::Groups& groups = index.groups_of(workload);
  if (groups.empty()) return {Next::kMakeGroup, &workload};
  const kube::PodGroup& group = *groups.begin()->second;
  if (groups.size() > 1 || !is_controlled_by(group.metadata, job.metadata)) return {};
  return {Next::kJoinGroup, &workload, &group};
}

kube::Workload workload_of(const kube::Job& job, std::string_view uid) {
  // Upstream hashes a printout of the uid that Go makes, its type before it.
  const std::string hash = spell_hash(hash_text(uid, hash_text("(types.UID)")));
  kube::Workload workload;
  workload.metadata.name =
      fmt::format("{}-{}", job.metadata.name.substr(0, kube::kMaxSubdomain - hash.size() - 1), hash);
  workload.metadata.namespace_ = job.metadata.namespace_;
  workload.metadata.owner_references = {controller_reference(job, uid)};
  workload.metadata.source = job.metadata.source;
  workload.controller = {std::string(kBatchGroup), "Job", job.metadata.name};
  workload.templates.push_back({template_name(job.metadata.name), {job.spec.parallelism}});
  return workload;
}

kube::PodGroup group_of(const kube::Job& job, std::string_view uid, const kube::Workload& workload) {
  REQUIRES(!workload.templates.empty());
  const kube::PodGroupTemplate& made_of = workload.templates.front();
  kube::PodGroup group;
  group.metadata.name = name_of_group(workload.metadata.name, made_of.name);
  group.metadata.namespace_ = job.metadata.namespace_;
  group.metadata.owner_references = {
      controller_reference(job, uid),
      {"scheduling.k8s.io/v1alpha2", "Workload", workload.metadata.name, workload.metadata.uid, false}};
  group.metadata.source = job.metadata.source;
  group.made_of = {workload.metadata.name, made_of.name};
  group.policy = made_of.policy;
  return group;
}

}  // namespace loadline::workloads
