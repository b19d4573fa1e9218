#include "hosts/simulator/queued_jobs_intake.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <tuple>
#include <utility>

#include "brain/admission/priority.h"
#include "brain/queue/kueue/jobs/job_kinds.h"
#include "brain/queue/kueue/jobs/job_workload.h"
#include "brain/queue/kueue/jobs/pod_sets.h"
#include "brain/workloads/job.h"
#include "brain/workloads/kinds.h"
#include "brain/workloads/ray_job.h"
#include "brain/workloads/training_job.h"
#include "hosts/simulator/intake.h"
#include "objects/kube/core/namespace.h"
#include "objects/kube/kueue/job_names.h"
#include "objects/kube/kueue/local_queue.h"
#include "objects/kube/kueue/workload_conditions.h"
#include "objects/kube/kueue/workload_priority_class.h"
#include "objects/kube/registry.h"

namespace loadline::simulator {
namespace {

namespace kueue = queue::kueue;
using workloads::WorkloadReference;

template <class Kind>
WorkloadReference job_name(const Kind& job) {
  return {std::string(workloads::kind_name<Kind>()), job.metadata.namespace_, job.metadata.name};
}

/// Whether the job is over, so that Kueue has no more to do with it.
template <class Kind>
bool has_ended(const Kind& job) {
  if constexpr (std::is_same_v<Kind, kube::Job>) {
    return workloads::finished_condition(job) != nullptr;
  } else if constexpr (requires { workloads::finished_condition(job.status); }) {
    return workloads::finished_condition(job.status) != nullptr;
  } else if constexpr (requires { workloads::is_over(job.status); }) {
    return workloads::is_over(job.status);
  } else if constexpr (std::is_same_v<Kind, kube::JobSet>) {
    return !job.status.terminal_state.empty();
  } else {
    return false;
  }
}

class ClassesOfPlan final : public kueue::WorkloadPriorities {
 public:
  explicit ClassesOfPlan(const kube::Objects& objects) : objects_(objects), pods_(objects.of<kube::PriorityClass>()) {}

  [[nodiscard]] std::optional<std::int32_t> of_workloads(std::string_view name) const override {
    for (const kube::WorkloadPriorityClass& each : objects_.of<kube::WorkloadPriorityClass>()) {
      if (each.metadata.name == name) return each.value;
    }
    return std::nullopt;
  }
  [[nodiscard]] std::optional<std::int32_t> of_pods(std::string& name) const override {
    admission::PodPriority asked;
    asked.class_name = name;
    if (pods_.resolve(asked)) return std::nullopt;
    name = asked.class_name;
    return asked.value.value_or(0);
  }

 private:
  const kube::Objects& objects_;
  admission::PriorityClasses pods_;
};

/// Which jobs Kueue manages.
class Management {
 public:
  explicit Management(const kube::Objects& objects) : objects_(objects) {
    const auto& written = objects.of<kube::KueueConfiguration>();
    if (!written.empty()) configuration_ = &written.front();
    kueue::for_each_job_kind([&]<class Kind>() {
      if (!holds<Kind>()) return;
      for (const Kind& job : objects.of<Kind>()) metadata_[job_name(job)] = &job.metadata;
    });
  }

  template <class Kind>
  [[nodiscard]] bool holds() const {
    if (configuration_ == nullptr) return true;
    const std::vector<std::string>& frameworks = configuration_->frameworks;
    return std::ranges::find(frameworks, kueue::kJobKind<Kind>.framework) != frameworks.end();
  }
  /// A job that is created without a queue, where there is a LocalQueue `default`, waits in that.
  /// Source: ApplyDefaultLocalQueue.
  void give_default_queue(kube::ObjectMeta& job) const {
    constexpr std::string_view kDefault = "default";
    if (job.from_cluster() || !kueue::queue_name_of(job).empty() || is_part_of_one(job)) return;
    const bool is_there = std::ranges::any_of(objects_.of<kube::LocalQueue>(), [&](const kube::LocalQueue& queue) {
      return queue.metadata.name == kDefault && queue.metadata.namespace_ == job.namespace_;
    });
    if (is_there) job.labels.insert_or_assign(std::string(kube::kQueueName), std::string(kDefault));
  }
  /// REQUIRES: holds() its kind.
  [[nodiscard]] bool manages(const kube::ObjectMeta& job) const { return !is_part_of_one(job) && wants(job); }

 private:
  [[nodiscard]] bool wants(const kube::ObjectMeta& job) const {
    if (!kueue::queue_name_of(job).empty()) return true;
    if (configuration_ == nullptr || !configuration_->manage_jobs_without_queue_name) return false;
    return kube::matches(configuration_->managed_jobs_namespace_selector,
                         labels_of_namespace(objects_, job.namespace_));
  }
  /// Something above the job is managed, which is held as a whole.
  [[nodiscard]] bool is_part_of_one(const kube::ObjectMeta& job) const {
    for (const kube::OwnerReference* above = job.controller(); above != nullptr;) {
      const auto found = metadata_.find({above->kind, job.namespace_, above->name});
      if (found == metadata_.end()) return false;
      if (wants(*found->second)) return true;
      above = found->second->controller();
    }
    return false;
  }

  const kube::Objects& objects_;
  const kube::KueueConfiguration* configuration_ = nullptr;
  std::map<WorkloadReference, const kube::ObjectMeta*> metadata_;
};

class TakingIn {
 public:
  TakingIn(kube::Objects& objects, const admission::Admission& admission, Instant now)
      : objects_(objects), admission_(admission), now_(now), management_(objects), classes_(objects) {}

  QueuedIntake run() && {
    find_workloads();
    kueue::for_each_job_kind([&]<class Kind>() {
      std::vector<Kind>& jobs = objects_.of<Kind>();
      for (std::size_t i = 0; management_.holds<Kind>() && i < jobs.size(); ++i) take(jobs[i], i);
    });
    sort();
    find_children();
    for (const auto& [job, workload] : by_job_) {
      if (!kube::is_finished(*workload)) intake_.without_job.push_back(adjusted(*workload));
    }
    return std::move(intake_);
  }

 private:
  void find_workloads() {
    for (const kube::KueueWorkload& workload : objects_.of<kube::KueueWorkload>()) {
      const kube::OwnerReference* const owner = workload.metadata.controller();
      const WorkloadReference job =
          owner == nullptr ? WorkloadReference{"Workload", workload.metadata.namespace_, workload.metadata.name}
                           : WorkloadReference{owner->kind, workload.metadata.namespace_, owner->name};
      // Of several, the one that is not over counts.
      const kube::KueueWorkload*& known = by_job_[job];
      if (known == nullptr || kube::is_finished(*known)) known = &workload;
    }
  }

  template <class Kind>
  void take(Kind& object, std::size_t place) {
    if (object.metadata.deletion_timestamp) return;
    management_.give_default_queue(object.metadata);
    if (!management_.manages(object.metadata)) return;
    QueuedJob job;
    job.name = job_name(object);
    job.place = place;
    const auto found = by_job_.find(job.name);
    const kube::KueueWorkload* const known = found == by_job_.end() ? nullptr : found->second;
    if (known != nullptr) by_job_.erase(found);
    const bool has_run = object.metadata.from_cluster() && !kueue::suspend_of(object);
    if (has_ended(object)) return;
    if (known == nullptr && has_run) return note_unqueued(object.metadata, job.name);
    known == nullptr ? make_workload(object, job) : take_known(object, *known, job);
    orders_.push_back({job.workload.metadata.creation_timestamp.value_or(now_), !object.metadata.from_cluster(),
                       order_of(object.metadata.source), jobs_.size()});
    jobs_.push_back(std::move(job));
  }

  template <class Kind>
  void make_workload(Kind& object, QueuedJob& job) {
    const kueue::JobKind& kind = kueue::kJobKind<Kind>;
    kueue::suspend_of(object) = true;
    job.workload = kueue::workload_of(job.name.kind, kind.api_version, object.metadata, kueue::job_pod_sets(object));
    job.workload.metadata.uid = object.metadata.uid;
    job.workload.metadata.creation_timestamp = object.metadata.creation_timestamp;
    std::string missing;
    const std::optional<kueue::WorkloadPriority> priority =
        kueue::priority_of(object.metadata, kueue::priority_class_in(object), job.workload.pod_sets, classes_, missing);
    if (job.workload.pod_sets.empty()) {
      hold(job, "has no pods of its own that a queue could count");
    } else if (!priority) {
      hold(job, fmt::format("its priority class \"{}\" is not there, so that Kueue makes no Workload of it", missing));
    } else {
      set_priority(*priority, job.workload);
      job.workload = adjusted(job.workload);
    }
  }

  static void hold(QueuedJob& job, std::string why) {
    job.stage = QueuedStage::kHeld;
    job.why = std::move(why);
  }

  /// It stands as its Workload says.
  template <class Kind>
  void take_known(Kind& object, const kube::KueueWorkload& known, QueuedJob& job) {
    job.workload = adjusted(known);
    const bool was_suspended = kueue::suspend_of(object);
    if (kube::is_finished(known)) {
      job.stage = QueuedStage::kOver;
    } else if (kube::is_admitted(known) && !kube::is_evicted(known)) {
      job.stage = QueuedStage::kStarted;
      if (was_suspended) intake_.to_start.insert(jobs_.size());
    } else if (!was_suspended) {
      job.stage = QueuedStage::kLeaving;
      job.stops = 1;
      job.why = "is stopped: its Workload is not admitted";
    } else if (kube::has_quota_reservation(known)) {
      job.stage = QueuedStage::kReserved;
      job.why = "has quota, and waits for its admission checks";
    } else if (!kube::is_admissible(known)) {
      hold(job,
           known.active ? "its Workload may not wait for quota, as its status says" : "its Workload is not active");
    } else {
      follow(object, job);
    }
  }

  /// The Workload of a job that waits is as the job is now.
  template <class Kind>
  void follow(const Kind& object, QueuedJob& job) {
    kube::KueueWorkload anew = kueue::workload_of(job.name.kind, kueue::kJobKind<Kind>.api_version, object.metadata,
                                                  kueue::job_pod_sets(object));
    job.workload.queue_name = anew.queue_name;
    job.workload.pod_sets = std::move(anew.pod_sets);
    follow_priority(object, job);
    job.workload = adjusted(job.workload);
  }

  /// Another WorkloadPriorityClass counts; a PriorityClass of its pods counted once. Source: Kueue v0.19.2,
  /// pkg/controller/jobframework/reconciler.go, UpdateWorkloadPriority.
  template <class Kind>
  void follow_priority(const Kind& object, QueuedJob& job) {
    const auto label = object.metadata.labels.find(kube::kWorkloadPriorityClassLabel);
    const bool has_none = job.workload.priority_class_source == kube::PriorityClassSource::kNone;
    const bool is_ours = job.workload.priority_class_source == kube::PriorityClassSource::kWorkloadPriorityClass;
    if (label == object.metadata.labels.end() || !(has_none || is_ours)) return;
    if (is_ours && job.workload.priority_class_name == label->second) return;
    std::string missing;
    const std::optional<kueue::WorkloadPriority> priority =
        kueue::priority_of(object.metadata, kueue::priority_class_in(object), job.workload.pod_sets, classes_, missing);
    if (priority) set_priority(*priority, job.workload);
  }

  static void set_priority(const kueue::WorkloadPriority& priority, kube::KueueWorkload& workload) {
    workload.priority = priority.value;
    workload.priority_class_name = priority.class_name;
    workload.priority_class_source = priority.source;
  }

  void note_unqueued(const kube::ObjectMeta& metadata, const WorkloadReference& name) {
    Diagnostic& note = intake_.notes.emplace_back();
    note.severity = Severity::kWarning;
    note.at = metadata.source;
    note.subject = name.to_string();
    note.message = "runs, and no Workload of it is in the input: it counts towards no quota";
    note.hint = "read Kueue's Workloads, too";
  }

  /// Its pods are counted as they will be admitted: with what LimitRanges and a RuntimeClass give them.
  [[nodiscard]] kube::KueueWorkload adjusted(kube::KueueWorkload workload) {
    for (kube::PodSet& set : workload.pod_sets) {
      kube::Pod pod;
      pod.metadata = set.template_.metadata;
      pod.metadata.namespace_ = workload.metadata.namespace_;
      pod.spec = set.template_.spec;
      defaults_.set(pod);
      if (!admission_.complete(pod)) set.template_.spec = pod.spec;
    }
    return workload;
  }

  /// Files are numbered as they are first met.
  std::pair<std::size_t, std::uint32_t> order_of(const SourcePosition& at) {
    if (!at.file) return {files_.size(), 0};
    return {files_.try_emplace(*at.file, files_.size()).first->second, at.line};
  }

  /// Those of a dump first, then manifests in the order in which they were read, which is the order of their uids.
  void sort() {
    std::ranges::sort(orders_);
    std::set<std::size_t> to_start = std::move(intake_.to_start);
    intake_.to_start.clear();
    for (const Order& order : orders_) {
      if (to_start.contains(std::get<3>(order))) intake_.to_start.insert(intake_.jobs.size());
      QueuedJob& job = intake_.jobs.emplace_back(std::move(jobs_[std::get<3>(order)]));
      if (job.workload.metadata.uid.empty()) job.workload.metadata.uid = fmt::format("{:010}", intake_.jobs.size());
      if (!job.workload.metadata.creation_timestamp) job.workload.metadata.creation_timestamp = now_;
    }
  }

  void find_children() {
    std::set<WorkloadReference> tops;
    for (const QueuedJob& job : intake_.jobs) tops.insert(job.name);
    const workloads::Owners owners(objects_);
    workloads::for_each_kind([&]<class Kind>() {
      const std::vector<Kind>& all = objects_.of<Kind>();
      for (std::size_t i = 0; i < all.size(); ++i) {
        if (all[i].metadata.controller() == nullptr) continue;
        const WorkloadReference top = owners.top_of(job_name(all[i]));
        if (tops.contains(top)) intake_.children[top].emplace_back(workloads::kind_name<Kind>(), i);
      }
    });
    const std::vector<kube::Pod>& pods = objects_.of<kube::Pod>();
    for (std::size_t i = 0; i < pods.size(); ++i) {
      if (pods[i].metadata.controller() == nullptr) continue;
      const WorkloadReference top = owners.owner_of(pods[i]);
      if (tops.contains(top)) intake_.children[top].emplace_back(kPodKind, i);
    }
  }

  using Order = std::tuple<Instant, bool, std::pair<std::size_t, std::uint32_t>, std::size_t>;

  kube::Objects& objects_;
  const admission::Admission& admission_;
  Instant now_;
  Management management_;
  ClassesOfPlan classes_;
  CreatedPodDefaults defaults_;
  std::map<WorkloadReference, const kube::KueueWorkload*> by_job_;
  std::map<std::string, std::size_t> files_;
  std::vector<QueuedJob> jobs_;
  std::vector<Order> orders_;
  QueuedIntake intake_;
};

}  // namespace

QueuedIntake take_in_jobs(kube::Objects& objects, const admission::Admission& admission, Instant now) {
  return TakingIn(objects, admission, now).run();
}

std::shared_ptr<const kueue::WorkloadPriorities> priorities_in(const kube::Objects& objects) {
  return std::make_shared<ClassesOfPlan>(objects);
}

kube::StringMap labels_of_namespace(const kube::Objects& objects, std::string_view name) {
  kube::StringMap labels;
  for (const kube::Namespace& each : objects.of<kube::Namespace>()) {
    if (each.metadata.name == name) labels = each.metadata.labels;
  }
  labels.insert_or_assign("kubernetes.io/metadata.name", std::string(name));
  return labels;
}

}  // namespace loadline::simulator
