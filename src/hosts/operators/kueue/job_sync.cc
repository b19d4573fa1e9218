#include "hosts/operators/kueue/job_sync.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "brain/queue/kueue/jobs/job_workload.h"
#include "foundation/document/at.h"
#include "hosts/operators/custom_finalizers.h"
#include "hosts/operators/kueue/job_workload_object.h"
#include "objects/kube/condition.h"
#include "objects/kube/kueue/job_names.h"
#include "objects/kube/kueue/resource_flavor.h"
#include "objects/kube/kueue/workload_conditions.h"

namespace loadline::operators::kueue {
namespace {

using document::Value;
using watching::Action;
using watching::Event;
using watching::Reconciliation;

/// What is missing is heard of when it comes; but not of owners.
constexpr Duration kAnotherLook = Duration::seconds(60);
constexpr Duration kOwnersLook = Duration::seconds(1);

std::string name_of(const WorkloadObject& workload) { return workload.key().to_string(); }

bool is_partly_admissible(const kube::KueueWorkload& workload) {
  return std::ranges::any_of(workload.pod_sets,
                             [](const kube::PodSet& set) { return set.min_count && *set.min_count < set.count; });
}

std::string_view controller_uid_of(const WorkloadObject& workload) {
  const kube::OwnerReference* controller = workload.metadata().controller();
  return controller == nullptr ? std::string_view() : std::string_view(controller->uid);
}

}  // namespace

// Source: PrebuiltWorkloadNameFor in pkg/controller/jobframework/utils.go.
std::string_view prebuilt_workload_of(const kube::ObjectMeta& job) {
  for (const kube::StringMap* names : {&job.annotations, &job.labels}) {
    const auto found = names->find(kube::kPrebuiltWorkloadName);
    if (found != names->end() && !found->second.empty()) return found->second;
  }
  return {};
}

Reconciliation JobSync::run() {
  if (!selects_namespace(in_.objects, in_.configuration, job_.metadata().namespace_)) return {};
  if (!job_.is_top_level()) {
    const auto ancestor = managed_ancestor(in_.objects, in_.configuration, job_.document());
    if (!ancestor) wait(kOwnersLook);
    if (!ancestor || !is_managed(*ancestor)) return std::move(result_);
    if (*ancestor) {
      hold_with(**ancestor);
      return std::move(result_);
    }
  } else if (!is_managed(std::nullopt)) {
    return {};
  }
  sets_ = job_.pod_sets();
  documents_ = job_.documents(sets_);

  const WorkloadPtr workload = ensure_workload();
  if (is_done_) return std::move(result_);
  if (workload != nullptr && (see_to_finished(*workload) || see_to_deleted(*workload))) return std::move(result_);
  if (see_to_hold(workload.get()) || see_to_ending(workload.get())) return std::move(result_);
  if (workload == nullptr) {
    make_workload();
    return std::move(result_);
  }
  if (see_to_reclaimable(*workload) || see_to_readiness(*workload) || see_to_eviction(*workload)) {
    return std::move(result_);
  }
  if (job_.is_suspended()) {
    see_to_suspended(*workload);
  } else if (!kube::is_admitted(workload->view)) {
    stop(workload.get(), kNotAdmitted, "Not admitted by cluster queue");
  }
  return std::move(result_);
}

// ---- whose job it is ----------------------------------------------------------------------------------------------

bool JobSync::is_managed(const std::optional<ManagedAncestor>& ancestor) const {
  if (in_.configuration.manage_jobs_without_queue_name || !queue_label(job_.document()).empty()) return true;
  return ancestor && !ancestor->queue_name.empty();
}

/// A job that another one made runs as long as that one's Workload is admitted.
void JobSync::hold_with(const ManagedAncestor& ancestor) {
  if (job_.ending() || job_.is_suspended()) return;
  const kube::KueueWorkload* latest = nullptr;
  for (const auto& [key, each] : in_.context.caches.of<kube::KueueWorkload>().controlled_by(ancestor.uid)) {
    if (kube::is_finished(each->view)) continue;
    if (latest == nullptr || latest->metadata.creation_timestamp <= each->metadata().creation_timestamp) {
      latest = &each->view;
    }
  }
  if (latest != nullptr && kube::is_admitted(*latest)) return;
  if (std::optional<Action> hold = job_.hold()) result_.then(std::move(*hold));
}

// ---- its Workload -------------------------------------------------------------------------------------------------

WorkloadPtr JobSync::ensure_workload() {
  const std::string_view prebuilt = prebuilt_workload_of(job_.metadata());
  if (!found_ && !prebuilt.empty()) return ensure_prebuilt(prebuilt);
  if (found_ && found_->is_prebuilt) return found_->workload;
  WorkloadPtr match;
  std::vector<WorkloadPtr> outdated;
  if (found_ && found_->workload != nullptr && !found_->is_outdated) match = found_->workload;
  if (found_ && found_->workload != nullptr && found_->is_outdated) outdated.push_back(found_->workload);
  for (const WorkloadPtr& each : workloads_) {
    const bool is_match = match == nullptr && is_equivalent(*each);
    if (is_match) match = each;
    if (!is_match) outdated.push_back(each);
  }
  WorkloadPtr updated;
  if (match == nullptr && !outdated.empty() && job_.is_suspended() &&
      !kube::has_quota_reservation(outdated.front()->view)) {
    updated = outdated.front();
    outdated.erase(outdated.begin());
  }
  if (match == nullptr && !job_.is_suspended() && !job_.ending()) {
    const WorkloadObject* last = outdated.size() == 1 ? outdated.front().get() : nullptr;
    stop(last, kNoMatchingWorkload,
         last == nullptr ? "Missing Workload; unable to restore pod templates"
                         : "No matching Workload; restoring pod templates according to existent Workload");
    // The Workload is made, or removed, at another look: the job is another one then.
    if (!result_.steps.empty()) is_done_ = true;
  }
  if (is_done_) return nullptr;
  if (!outdated.empty()) {
    remove_workloads(outdated);
  } else if (updated != nullptr) {
    update_workload(*updated);
  } else if (match != nullptr) {
    follow_gates(*match);
    if (!is_done_) follow_priority(*match);
  }
  return is_done_ ? nullptr : match;
}

WorkloadPtr JobSync::ensure_prebuilt(std::string_view name) {
  const WorkloadPtr found = in_.context.caches.of<kube::KueueWorkload>().find(job_.metadata().namespace_, name);
  if (found == nullptr) return nullptr;
  const kube::OwnerReference* controller = found->metadata().controller();
  if (controller != nullptr && controller->uid != job_.metadata().uid) return nullptr;
  if (controller == nullptr) {
    result_.then(
        watching::update(watching::kind_name<kube::KueueWorkload>(), found->key(), owned_by(found->document, job_)));
    is_done_ = true;
    return nullptr;
  }
  if (is_equivalent(*found) || kube::is_finished(found->view)) return found;
  kube::KueueWorkload after = found->view;
  finish(after, "OutOfSync", "The prebuilt workload is out of sync with its user job", in_.context.now);
  write(*found, after);
  is_done_ = true;
  return nullptr;
}

bool JobSync::is_equivalent(const WorkloadObject& workload) const {
  if (controller_uid_of(workload) != job_.metadata().uid) return false;
  if (workload.view.maximum_execution_time_seconds != most_seconds_of(job_.metadata())) return false;
  const Tolerations tolerations = kube::is_admitted(workload.view) ? Tolerations::kIgnored : Tolerations::kCompared;
  const PodSetDocuments wanted = pod_set_documents(workload);
  const std::optional<PodSetDocuments> running = running_sets(workload);
  if (!running) return ask_the_same(documents_, wanted, tolerations);
  if (ask_the_same(documents_, *running, tolerations)) return true;
  return job_.is_suspended() && ask_the_same(documents_, wanted, tolerations);
}

/// The sets of the job as it runs with what the Workload was given; nothing: it was given nothing, or no such job can
/// be. Of what is compared, counts and tolerations are others.
std::optional<PodSetDocuments> JobSync::running_sets(const WorkloadObject& workload) const {
  if (!kube::has_quota_reservation(workload.view)) return std::nullopt;
  const auto infos = infos_of(workload.view);
  if (!infos) return std::nullopt;
  PodSetDocuments sets = pod_set_documents(workload);
  for (std::size_t i = 0; i < sets.size(); ++i) {
    const auto info = std::ranges::find(*infos, sets[i].name, &queue::kueue::PodSetInfo::name);
    if (info == infos->end()) return std::nullopt;
    if (is_partly_admissible(workload.view) && sets[i].min_count) sets[i].count = info->count;
    document::Array tolerations = document::items_at(sets[i].pod_template, {"spec", "tolerations"});
    for (Value& each : documents_of(info->tolerations)) {
      if (std::ranges::find(tolerations, each) == tolerations.end()) tolerations.push_back(std::move(each));
    }
    sets[i].pod_template =
        document::with_at(std::move(sets[i].pod_template), {"spec", "tolerations"}, Value(std::move(tolerations)));
  }
  return sets;
}

void JobSync::remove_workloads(const std::vector<WorkloadPtr>& outdated) {
  for (const WorkloadPtr& each : outdated) {
    if (auto freed = finalizer_removal(*each)) result_.then(std::move(*freed));
    if (each->is_being_deleted()) continue;
    Action removal = watching::remove(watching::kind_name<kube::KueueWorkload>(), each->key(), each->metadata().uid);
    removal.said_when_done = event("DeletedWorkload", "Deleted not matching Workload: " + name_of(*each));
    result_.then(std::move(removal));
  }
  is_done_ = true;
}

void JobSync::make_workload() {
  const bool is_prebuilt = found_ ? found_->is_prebuilt : !prebuilt_workload_of(job_.metadata()).empty();
  if (is_prebuilt) {
    return stop(nullptr, kNoMatchingWorkload, "missing workload");
  }
  // Its pods still use the quota that they had before.
  if (job_.is_active() || sets_.empty()) return;
  std::optional<Value> draft = draft_workload();
  if (!draft) return;
  const std::string name(document::text_at(*draft, {"metadata", "name"}));
  Action creation =
      watching::create(watching::kind_name<kube::KueueWorkload>(), job_.metadata().namespace_, std::move(*draft));
  creation.said_when_done =
      event("CreatedWorkload", fmt::format("Created Workload: {}/{}", job_.metadata().namespace_, name));
  result_.then(std::move(creation));
}

void JobSync::update_workload(const WorkloadObject& workload) {
  is_done_ = true;
  const std::optional<Value> draft = draft_workload();
  if (!draft) return;
  Value spec = document::value_at(*draft, {"spec"}).with("active", Value(workload.view.active));
  Action update = watching::update(watching::kind_name<kube::KueueWorkload>(), workload.key(),
                                   workload.document.with("spec", std::move(spec)));
  update.said_when_done =
      event("UpdatedWorkload", "Updated not matching Workload for suspended job: " + name_of(workload));
  result_.then(std::move(update));
}

std::optional<Value> JobSync::draft_workload() {
  const auto priority = priority_of(job_, sets_, in_.context.caches);
  if (!priority) {
    wait(kAnotherLook);
    return std::nullopt;
  }
  return workload_document(job_, sets_, documents_, *priority, in_.configuration);
}

void JobSync::follow_priority(const WorkloadObject& workload) {
  if (!is_of_another_class(workload.view, job_.metadata())) return;
  const auto priority = priority_of(job_, sets_, in_.context.caches);
  if (!priority) return wait(kAnotherLook);
  const Value changed = with_priority(workload.document, *priority);
  if (changed == workload.document) return;
  Action update = watching::update(watching::kind_name<kube::KueueWorkload>(), workload.key(), changed);
  update.said_when_done = event("UpdatedWorkload", "Updated workload priority class: " + name_of(workload));
  result_.then(std::move(update));
  is_done_ = true;
}

void JobSync::follow_gates(const WorkloadObject& workload) {
  const auto text_in = [](const kube::ObjectMeta& metadata) {
    const auto found = metadata.annotations.find(kube::kAdmissionGatedByAnnotation);
    return found == metadata.annotations.end() ? std::string() : found->second;
  };
  const std::string wanted = text_in(job_.metadata());
  if (text_in(workload.metadata()) == wanted) return;
  const Value patch = document::with_at(Value(), {"metadata", "annotations", kube::kAdmissionGatedByAnnotation},
                                        wanted.empty() ? Value() : Value(wanted));
  Action action =
      watching::patch(watching::kind_name<kube::KueueWorkload>(), workload.key(), kube::PatchType::kMerge, patch);
  action.said_when_done = event("UpdatedWorkload", fmt::format("Updated workload AdmissionGatedBy to \"{}\"", wanted));
  result_.then(std::move(action));
  is_done_ = true;
}

// ---- what the Workload's state asks for ---------------------------------------------------------------------------

bool JobSync::see_to_finished(const WorkloadObject& workload) {
  if (!kube::is_finished(workload.view)) return false;
  finalize();
  if (auto freed = finalizer_removal(workload)) result_.then(std::move(*freed));
  return true;
}

bool JobSync::see_to_deleted(const WorkloadObject& workload) {
  if (!workload.is_being_deleted()) return false;
  stop(&workload, kWorkloadDeleted, "Workload is deleted");
  if (auto freed = finalizer_removal(workload)) result_.then(std::move(*freed));
  return true;
}

bool JobSync::see_to_hold(const WorkloadObject* workload) {
  if (!job_.is_on_hold()) return false;
  if (workload != nullptr && kube::has_quota_reservation(workload->view)) {
    kube::KueueWorkload after = workload->view;
    kube::unreserve_quota(after, "OnHold", "Job is on hold", in_.context.now);
    write(*workload, after);
  }
  return true;
}

bool JobSync::see_to_ending(const WorkloadObject* workload) {
  const std::optional<JobEnding> ending = job_.ending();
  if (!ending) return false;
  if (workload != nullptr) {
    kube::KueueWorkload after = workload->view;
    finish(after, ending->has_succeeded ? "Succeeded" : "Failed", ending->message, in_.context.now);
    write(*workload, after,
          event("FinishedWorkload", fmt::format("Workload '{}' is declared finished", name_of(*workload))));
  }
  finalize();
  return true;
}

bool JobSync::see_to_reclaimable(const WorkloadObject& workload) {
  if (!in_.configuration.enables("ReclaimablePods")) return false;
  std::optional<std::vector<kube::ReclaimablePods>> pods = job_.reclaimable_pods();
  if (!pods) return false;
  kube::KueueWorkload after = workload.view;
  set_reclaimable(after, std::move(*pods));
  write(workload, after);
  return !result_.steps.empty();
}

/// Source: generatePodsReadyCondition.
bool JobSync::see_to_readiness(const WorkloadObject& workload) {
  if (!in_.configuration.wait_for_pods_ready) return false;
  constexpr std::string_view kNotReady = "Not all pods are ready or succeeded";
  constexpr std::string_view kRecovering = "At least one pod has failed, waiting for recovery";
  constexpr std::string_view kReady = "All pods reached readiness and the workload is running";
  const kube::MetaCondition* known = kube::find_condition(workload.view.status.conditions, "PodsReady");
  const std::string_view reason = known == nullptr ? std::string_view() : std::string_view(known->reason);
  kube::KueueWorkload after = workload.view;
  const Instant now = in_.context.now;
  if (!kube::is_admitted(workload.view)) {
    set_pods_ready(after, false, "WaitForStart", kNotReady, now);
  } else if (job_.are_pods_ready()) {
    const bool has_recovered = reason == "WaitForRecovery" || reason == "Recovered";
    set_pods_ready(after, true, has_recovered ? "Recovered" : "Started", kReady, now);
  } else if (known != nullptr && (known->status == "True" || reason == "WaitForRecovery")) {
    set_pods_ready(after, false, "WaitForRecovery", kRecovering, now);
  } else {
    set_pods_ready(after, false, "WaitForStart", kNotReady, now);
  }
  write(workload, after);
  return !result_.steps.empty();
}

bool JobSync::see_to_eviction(const WorkloadObject& workload) {
  if (!kube::is_evicted(workload.view)) return false;
  const kube::MetaCondition& eviction = *kube::find_condition(workload.view.status.conditions, "Evicted");
  stop(&workload, fmt::format("{}DueTo{}", kWorkloadEvicted, eviction.reason), eviction.message);
  if (kube::has_quota_reservation(workload.view) && !job_.is_active()) {
    const bool is_requeued = eviction.reason == "Preempted" || eviction.reason == "NodeFailures";
    kube::KueueWorkload after = workload.view;
    kube::set_requeued(after, eviction.reason, eviction.message, is_requeued, in_.context.now);
    kube::unreserve_quota(after, "Pending", eviction.message, in_.context.now);
    write(workload, after);
  }
  remove_after_deactivation(workload);
  return true;
}

void JobSync::see_to_suspended(const WorkloadObject& workload) {
  if (kube::is_admitted(workload.view)) return start(workload);
  if (kube::has_quota_reservation(workload.view)) tell_checks(workload);
  const std::string_view queue = queue::kueue::queue_name_of(job_.metadata());
  if (workload.view.queue_name == queue) return;
  result_.then(watching::update(watching::kind_name<kube::KueueWorkload>(), workload.key(),
                                with_queue(workload.document, queue)));
}

void JobSync::start(const WorkloadObject& workload) {
  const auto infos = infos_of(workload.view);
  if (!infos && !is_permanent(infos.error())) return wait(kAnotherLook);
  const std::string message = infos ? "Admitted by clusterQueue " + workload.view.status.admission->cluster_queue : "";
  Result<std::vector<Action>> actions = infos ? job_.start(*infos, message) : tl::unexpected(infos.error());
  if (!actions) {
    kube::KueueWorkload after = workload.view;
    finish(after, "FailedToStart", actions.error().message, in_.context.now);
    return write(workload, after);
  }
  result_.then(std::move(*actions));
}

void JobSync::stop(const WorkloadObject* workload, std::string_view reason, const std::string& message) {
  for (Action& each : job_.stop(workload, reason, message)) result_.then(std::move(each));
}

void JobSync::finalize() { result_.then(job_.finalize()); }

void JobSync::remove_after_deactivation(const WorkloadObject& workload) {
  const auto& retention = in_.configuration.retention.after_deactivated_by_kueue;
  const kube::MetaCondition& eviction = *kube::find_condition(workload.view.status.conditions, "Evicted");
  // Kueue itself deactivates for a reason; a client that does is told of without one.
  const bool is_by_kueue = eviction.reason.starts_with("DeactivatedDueTo");
  if (!retention || workload.view.active || !is_by_kueue) return;
  const Instant due = eviction.last_transition_time.value_or(in_.context.now) + *retention;
  if (due > in_.context.now) return result_.wake_after(due - in_.context.now);
  kube::DeleteOptions options;
  options.propagation = kube::DeleteOptions::Propagation::kBackground;
  Action removal =
      watching::remove(job_.kind(), {job_.metadata().namespace_, job_.metadata().name}, job_.metadata().uid, options);
  removal.said_when_done = event("Deleted", "Deleted job: deactivation retention period expired");
  result_.then(std::move(removal));
}

void JobSync::tell_checks(const WorkloadObject& workload) {
  std::string message;
  for (const kube::AdmissionCheckStatus& check : workload.view.status.admission_checks) {
    if (check.state != kube::CheckState::kPending || check.message.empty()) continue;
    message += fmt::format("{}{}: {}", message.empty() ? "" : "; ", check.name, check.message);
  }
  if (!message.empty()) result_.events.push_back(event("UpdatedAdmissionCheck", std::move(message)));
}

// ---- what the steps have in common --------------------------------------------------------------------------------

Result<std::vector<queue::kueue::PodSetInfo>> JobSync::infos_of(const kube::KueueWorkload& workload) const {
  if (!workload.status.admission || workload.status.admission->pod_set_assignments.size() != workload.pod_sets.size()) {
    return failure(fmt::format("{}: expecting {} podset, got {}", kInvalidInfo, workload.pod_sets.size(),
                               workload.status.admission ? workload.status.admission->pod_set_assignments.size() : 0));
  }
  return queue::kueue::pod_set_infos(workload, [this](std::string_view name) -> const kube::ResourceFlavor* {
    const auto flavor = in_.context.caches.of<kube::ResourceFlavor>().find("", name);
    return flavor == nullptr ? nullptr : &flavor->view;
  });
}

void JobSync::write(const WorkloadObject& before, const kube::KueueWorkload& after, std::optional<Event> told) {
  std::optional<Action> patch = status_patch(before, after);
  if (!patch) return;
  patch->said_when_done = std::move(told);
  result_.then(std::move(*patch));
}

Event JobSync::event(std::string_view reason, std::string message) const {
  return told(job_.kind(), job_.document(), reason, std::move(message));
}

void JobSync::wait(Duration span) {
  result_.wake_after(span);
  is_done_ = true;
}

void let_go(const WorkloadObject& workload, Instant now, Reconciliation& result) {
  if (!workload.is_being_deleted() && workload.metadata().controller() != nullptr) {
    if (kube::is_finished(workload.view)) return;
    kube::KueueWorkload after = workload.view;
    finish(after, "OwnerNotFound", "The workload's owner no longer exists", now);
    if (auto patch = status_patch(workload, after)) result.then(std::move(*patch));
    return;
  }
  if (auto freed = finalizer_removal(workload)) result.then(std::move(*freed));
}

}  // namespace loadline::operators::kueue
