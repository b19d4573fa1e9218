#include "brain/workloads/job_set.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "brain/workloads/controller.h"
#include "brain/workloads/job.h"
#include "brain/workloads/names.h"
#include "foundation/base/digest.h"
#include "objects/kube/scheduling/priority_class.h"
#include "objects/kube/workload_names.h"

namespace loadline::workloads {
namespace {

constexpr std::string_view kManagedHere = "jobset.sigs.k8s.io/jobset-controller";

/// Jobs of all replicated jobs that `counts`, up to the given one.
template <class Counts>
std::int64_t jobs_before(const JobOfSet& job, Counts counts) {
  std::int64_t before = 0;
  for (const kube::ReplicatedJob& each : job.set.replicated_jobs) {
    if (&each == &job.replicated_job) break;
    if (counts(each)) before += each.replicas;
  }
  return before;
}

template <class Counts>
std::int64_t jobs_in_all(const kube::JobSet& set, Counts counts) {
  std::int64_t all = 0;
  for (const kube::ReplicatedJob& each : set.replicated_jobs) all += counts(each) ? each.replicas : 0;
  return all;
}

std::string coordinator_address(const kube::JobSet& set) {
  const kube::JobSetCoordinator& coordinator = *set.coordinator;
  return fmt::format("{}-{}-{}-{}.{}", set.metadata.name, coordinator.replicated_job, coordinator.job_index,
                     coordinator.pod_index, subdomain(set));
}

/// An annotation that a replicated job may say otherwise than its JobSet.
std::string annotation_of(const JobOfSet& job, std::string_view name) {
  for (const kube::ObjectMeta* metadata : {&job.replicated_job.job_metadata, &job.set.metadata}) {
    const auto found = metadata->annotations.find(name);
    if (found != metadata->annotations.end()) return found->second;
  }
  return {};
}

kube::LabelSelectorRequirement requirement(std::string_view key, kube::LabelSelectorOperator op,
                                           std::vector<std::string> values) {
  return {std::string(key), op, std::move(values)};
}

/// Pods of whichever namespace with those labels in the same domain.
kube::PodAffinityTerm in_any_namespace(const std::string& topology,
                                       std::vector<kube::LabelSelectorRequirement> labels) {
  kube::PodAffinityTerm term = domain_of_pods(topology, std::move(labels));
  term.namespace_selector.emplace();
  return term;
}

}  // namespace

std::string JobOfSet::name() const { return fmt::format("{}-{}-{}", set.metadata.name, replicated_job.name, index); }

std::string JobOfSet::key() const { return sha1_hex(set.metadata.namespace_ + '/' + name()); }

std::string JobOfSet::exclusive_topology() const { return annotation_of(*this, kube::kJobSetExclusiveTopology); }

bool JobOfSet::selects_labelled_nodes() const {
  const auto says_so = [](const kube::ObjectMeta& metadata) {
    return metadata.annotations.contains(kube::kJobSetNodeSelector);
  };
  return says_so(replicated_job.job_metadata) || says_so(set.metadata);
}

const kube::MetaCondition* finished_condition(const kube::JobSet& set) {
  const auto found =
      std::find_if(set.status.conditions.begin(), set.status.conditions.end(), [](const kube::MetaCondition& each) {
        return (each.type == "Completed" || each.type == "Failed") && each.status == "True";
      });
  return found == set.status.conditions.end() ? nullptr : &*found;
}

bool is_managed_elsewhere(const kube::JobSet& set) { return !set.managed_by.empty() && set.managed_by != kManagedHere; }

std::string subdomain(const kube::JobSet& set) { return set.subdomain.empty() ? set.metadata.name : set.subdomain; }

PodDraft job_draft(const JobOfSet& job, std::string_view uid) {
  const kube::JobSet& set = job.set;
  const std::string& group = job.replicated_job.group_name;
  const auto any = [](const kube::ReplicatedJob&) { return true; };
  const auto of_group = [&](const kube::ReplicatedJob& each) { return each.group_name == group; };
  PodDraft draft;
  draft.labels = {
      {kube::kJobSetName, set.metadata.name},
      {kube::kJobSetUid, std::string(uid)},
      {kube::kReplicatedJobName, job.replicated_job.name},
      {kube::kJobSetRestartAttempt, std::to_string(set.status.restarts)},
      {kube::kReplicatedJobReplicas, std::to_string(job.replicated_job.replicas)},
      {kube::kJobSetGlobalReplicas, std::to_string(jobs_in_all(set, any))},
      {kube::kJobSetJobIndex, std::to_string(job.index)},
      {kube::kJobSetJobKey, job.key()},
      {kube::kJobSetJobGlobalIndex, std::to_string(jobs_before(job, any) + job.index)},
      {kube::kJobSetGroupName, group},
      {kube::kJobSetGroupReplicas, std::to_string(jobs_in_all(set, of_group))},
      {kube::kJobSetJobGroupIndex, std::to_string(jobs_before(job, of_group) + job.index)},
  };
  if (set.coordinator) draft.labels.emplace_back(kube::kJobSetCoordinator, coordinator_address(set));
  draft.annotations = draft.labels;
  if (const std::string topology = job.exclusive_topology(); !topology.empty()) {
    draft.annotations.emplace_back(kube::kJobSetExclusiveTopology, topology);
    if (job.selects_labelled_nodes()) {
      draft.annotations.emplace_back(kube::kJobSetNodeSelector, annotation_of(job, kube::kJobSetNodeSelector));
      draft.node_selector = {{std::string(kube::kJobSetNamespacedJob), set.metadata.namespace_ + '_' + job.name()}};
      kube::Toleration any_value;
      any_value.key = kube::kJobSetNoSchedule;
      any_value.op = kube::TolerationOperator::kExists;
      any_value.effect = kube::TaintEffect::kNoSchedule;
      draft.tolerations = {any_value};
    }
  }
  if (set.has_dns_hostnames) draft.subdomain = subdomain(set);
  for (const kube::VolumeClaimPolicy& policy : set.volume_claim_policies) {
    for (const kube::PersistentVolumeClaimTemplate& each : policy.templates) {
      const std::string& name = each.metadata.name;
      if (!job.replicated_job.mounted_volumes.contains(name)) continue;
      draft.volumes.push_back({name, shared_claim_name(set, name)});
    }
  }
  return draft;
}

PodDraft leader_draft(std::string_view topology, std::string_view key, std::string_view priority) {
  using Op = kube::LabelSelectorOperator;
  const std::string domain(topology);
  PodDraft draft;
  draft.near = {in_any_namespace(domain, {requirement(kube::kJobSetJobKey, Op::kIn, {std::string(key)})})};
  draft.away_from = {in_any_namespace(domain, {requirement(kube::kJobSetJobKey, Op::kExists, {}),
                                               requirement(kube::kJobSetJobKey, Op::kNotIn, {std::string(key)}),
                                               requirement(kube::kJobSetPriority, Op::kIn, {std::string(priority)})})};
  return draft;
}

PodDraft exclusive_draft(const JobOfSet& job, bool leads, std::optional<std::int32_t> priority) {
  using Op = kube::LabelSelectorOperator;
  const std::string topology = job.exclusive_topology();
  const std::string key = job.key();
  const std::string value = priority ? std::to_string(*priority) : "";
  PodDraft draft;
  if (leads) {
    draft = leader_draft(topology, key, value);
  } else {
    draft.near = {in_any_namespace(topology, {requirement(kube::kJobSetJobKey, Op::kIn, {key}),
                                              requirement(kube::kJobCompletionIndex, Op::kIn, {"0"})})};
  }
  if (priority) draft.labels = {{kube::kJobSetPriority, value}};
  return draft;
}

std::string shared_claim_name(const kube::JobSet& set, std::string_view claim_template) {
  return std::string(claim_template) + '-' + set.metadata.name;
}

// ---- in a plan -----------------------------------------------------------------------------------------------------

namespace {

class JobSetExpansion {
 public:
  JobSetExpansion(const kube::JobSet& set, const View& view, Expansion& expansion)
      : set_(set),
        workload_{"JobSet", set.metadata.namespace_, set.metadata.name},
        view_(view),
        expansion_(expansion),
        uid_(set.metadata.uid.empty() ? Names(view.seed, workload_.to_string()).uid() : set.metadata.uid) {}

  /// Jobs count as ready, and complete, once their pods have nodes.
  void run() {
    if (finished_condition(set_) != nullptr) return;
    if (is_managed_elsewhere(set_)) return note(fmt::format("is left to {}", set_.managed_by));
    if (set_.suspend) return note("is suspended");
    add_service();
    add_claims();
    for (const kube::ReplicatedJob& replicated_job : set_.replicated_jobs) {
      for (std::int64_t index = 0; index < replicated_job.replicas; ++index) add_job({set_, replicated_job, index});
    }
  }

 private:
  void note(std::string message) { expansion_.notes.push_back({workload_, std::move(message)}); }

  void own(kube::ObjectMeta& child) const {
    child.namespace_ = set_.metadata.namespace_;
    child.source = set_.metadata.source;
    child.owner_references.push_back({"jobset.x-k8s.io/v1alpha2", "JobSet", set_.metadata.name, uid_, true});
  }

  void add_service() {
    if (!set_.has_dns_hostnames) return;
    kube::Service service;
    service.metadata.name = subdomain(set_);
    own(service.metadata);
    service.selector = {{std::string(kube::kJobSetName), set_.metadata.name}};
    const auto& known = view_.objects.of<kube::Service>();
    const bool is_there = std::any_of(known.begin(), known.end(), [&](const kube::Service& each) {
      return each.metadata.name == service.metadata.name && each.metadata.namespace_ == service.metadata.namespace_;
    });
    if (!is_there) expansion_.made.of<kube::Service>().push_back(std::move(service));
  }

  void add_claims() {
    for (const kube::VolumeClaimPolicy& policy : set_.volume_claim_policies) {
      for (const kube::PersistentVolumeClaimTemplate& each : policy.templates) {
        kube::PersistentVolumeClaim claim;
        claim.metadata = each.metadata;
        claim.metadata.name = shared_claim_name(set_, each.metadata.name);
        own(claim.metadata);
        claim.spec = each.spec;
        claim.phase = "Pending";
        expansion_.claims.push_back(std::move(claim));
      }
    }
  }

  void add_job(const JobOfSet& of) {
    kube::Job job;
    job.metadata.labels = of.replicated_job.job_metadata.labels;
    job.metadata.annotations = of.replicated_job.job_metadata.annotations;
    job.metadata.name = of.name();
    if (!view_.asks_for("Job", job.metadata.name)) return;
    own(job.metadata);
    if (view_.has("Job", job.metadata)) return;
    const PodDraft draft = job_draft(of, uid_);
    apply(static_cast<const ObjectDraft&>(draft), job.metadata);
    job.spec = of.replicated_job.job_spec;
    job.spec.suspend = false;
    complete(job.spec);
    apply(draft, job.spec.template_);
    const std::size_t before = expansion_.pods.size();
    expand_job(job, workload_, view_, expansion_);
    const std::shared_ptr<const CreationOrder> order = order_of(of.replicated_job);
    for (std::size_t i = before; i < expansion_.pods.size(); ++i) expansion_.pods[i].order = order;
    const bool is_exclusive = !of.exclusive_topology().empty() && !of.selects_labelled_nodes();
    if (is_exclusive) keep_to_one_domain(of, before);
  }

  /// As the API server completes a new Job: one that says neither runs once.
  static void complete(kube::JobSpec& spec) {
    if (!spec.parallelism && !spec.completions) spec.completions = 1;
    if (!spec.parallelism) spec.parallelism = 1;
  }

  /// As the operator's webhook completes pods.
  void keep_to_one_domain(const JobOfSet& of, std::size_t first) {
    const std::optional<std::int32_t> priority = priority_of(*of.replicated_job.job_spec.template_.spec);
    const PodDraft follower = exclusive_draft(of, false, priority);
    std::shared_ptr<const kube::PodSpec> shared;
    const std::shared_ptr<const CreationOrder> order = after_first_pod(of);
    for (std::size_t i = first; i < expansion_.pods.size(); ++i) {
      kube::Pod& pod = expansion_.pods[i].pod;
      if (completion_index(pod.metadata) == 0) {
        apply(exclusive_draft(of, true, priority), pod);
        continue;
      }
      expansion_.pods[i].order = order;
      if (shared == nullptr) {
        apply(follower, pod);
        shared = pod.spec;
      } else {
        apply(static_cast<const ObjectDraft&>(follower), pod.metadata);
        pod.spec = shared;
      }
    }
  }

  /// The Jobs before it: InOrder those of the replicated job that stands before it, else those that it depends on.
  [[nodiscard]] std::shared_ptr<const CreationOrder> order_of(const kube::ReplicatedJob& job) const {
    auto order = std::make_shared<CreationOrder>();
    for (std::size_t i = 0; i < set_.replicated_jobs.size() && set_.replicated_jobs[i].name != job.name; ++i) {
      const kube::ReplicatedJob& earlier = set_.replicated_jobs[i];
      const bool is_named =
          std::ranges::find(job.depends_on, earlier.name, &kube::ReplicatedJobDependency::name) != job.depends_on.end();
      const std::int64_t pods = std::int64_t{earlier.replicas} * pods_at_once(earlier.job_spec);
      if (pods < 1 || (!set_.starts_in_order && !is_named) || is_through(earlier)) continue;
      order->after.push_back({"replicated job " + earlier.name,
                              {{std::string(kube::kJobSetName), set_.metadata.name},
                               {std::string(kube::kReplicatedJobName), earlier.name}},
                              pods});
    }
    if (order->after.empty()) return nullptr;
    return order;
  }

  /// All of its Jobs are known to be ready, or to have succeeded.
  [[nodiscard]] bool is_through(const kube::ReplicatedJob& job) const {
    const auto status = std::ranges::find(set_.status.replicated_jobs, job.name, &kube::ReplicatedJobStatus::name);
    return status != set_.status.replicated_jobs.end() && status->ready + status->succeeded >= job.replicas;
  }

  static std::int64_t pods_at_once(const kube::JobSpec& spec) {
    const std::int64_t parallelism = spec.parallelism.value_or(1);
    return spec.completions ? std::min<std::int64_t>(parallelism, *spec.completions) : parallelism;
  }

  /// Followers are created once the first pod of their Job has a node; before that they are refused.
  [[nodiscard]] std::shared_ptr<const CreationOrder> after_first_pod(const JobOfSet& of) const {
    auto order = std::make_shared<CreationOrder>();
    order->after.push_back(
        {"the first pod of its Job " + of.name(),
         {{std::string(kube::kJobSetJobKey), of.key()}, {std::string(kube::kJobCompletionIndex), "0"}},
         1});
    return order;
  }

  /// As admission will resolve it.
  std::optional<std::int32_t> priority_of(const kube::PodSpec& spec) const {
    if (spec.priority) return spec.priority;
    for (const kube::PriorityClass& each : view_.objects.of<kube::PriorityClass>()) {
      const bool is_named = each.metadata.name == spec.priority_class_name;
      if (is_named || (spec.priority_class_name.empty() && each.global_default)) return each.value;
    }
    return 0;
  }

  const kube::JobSet& set_;
  WorkloadReference workload_;
  const View& view_;
  Expansion& expansion_;
  std::string uid_;
};

}  // namespace

void expand(const kube::JobSet& set, const View& view, Expansion& expansion) {
  JobSetExpansion(set, view, expansion).run();
}

}  // namespace loadline::workloads
