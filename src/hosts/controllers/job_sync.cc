#include "hosts/controllers/job_sync.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "brain/workloads/existing_pods.h"
#include "hosts/controllers/deletion_order.h"
#include "hosts/controllers/job_conditions.h"
#include "hosts/controllers/job_failure_policy.h"
#include "hosts/controllers/job_success_policy.h"
#include "hosts/controllers/pod_actions.h"
#include "objects/kube/batch/batch_schema.h"
#include "objects/kube/core/pod_readiness.h"
#include "objects/kube/encoder.h"

namespace loadline::controllers {
namespace {

using workloads::completion_index;
using workloads::IndexIntervals;

constexpr std::int64_t kMaxPodsAtOnce = 500;
constexpr std::size_t kMaxUncounted = 500;
constexpr Duration kBatch = Duration::seconds(1);  // recreation waits no shorter

std::int32_t number(std::size_t count) { return static_cast<std::int32_t>(count); }

bool is_active(const Observed<kube::Pod>& pod) { return workloads::is_active(pod.view); }

}  // namespace

JobSync::JobSync(const Observed<kube::Job>& job, JobPods pods, bool namespace_is_ending, JobBackoff& backoff,
                 Instant now)
    : job_(job),
      spec_(job.view.spec),
      status_(job.view.status),
      pods_(std::move(pods)),
      namespace_is_ending_(namespace_is_ending),
      backoff_(backoff),
      now_(now) {
  if (!status_.uncounted_terminated_pods) status_.uncounted_terminated_pods.emplace();
  uncounted_succeeded_.insert(status_.uncounted_terminated_pods->succeeded.begin(),
                              status_.uncounted_terminated_pods->succeeded.end());
  uncounted_failed_.insert(status_.uncounted_terminated_pods->failed.begin(),
                           status_.uncounted_terminated_pods->failed.end());
}

Reconciliation JobSync::run() {
  count_pods();
  if (!status_.start_time && !spec_.suspend) status_.start_time = now_;
  look_for_failure();
  if (spec_.indexed) count_indexes();
  if (end_) {
    delete_active_pods();
  } else {
    const bool is_managed = !job_.is_being_deleted();
    if (is_managed) manage_pods();
    look_for_completion();
    if (!end_ && is_managed) tell_suspension();
  }
  track();
  write_status();
  result_.then(std::move(untracked_first_));
  result_.then(std::move(deletions_));
  result_.then(std::move(untracked_));
  for (std::vector<Action>& step : slow_start(std::move(creations_))) result_.then(std::move(step));
  return std::move(result_);
}

void JobSync::say(Event::Type type, std::string_view reason, std::string_view message) {
  said_ = Event{reference_to(job_), type, std::string(reason), std::string(message)};
}

void JobSync::end(std::string_view type, std::string_view reason, std::string_view message) {
  end_ = make_condition(type, "True", reason, message, now_);
}

// ---- counting ------------------------------------------------------------------------------------------------------

bool JobSync::replaces_only_failed() const {
  return spec_.pod_replacement_policy == "Failed" || spec_.pod_failure_policy.has_value();
}

/// A pod that is being deleted counts as failed, unless only those are replaced that really are.
bool JobSync::is_failed(const kube::Pod& pod) const {
  if (pod.status.phase == kube::PodPhase::kFailed) return true;
  if (replaces_only_failed()) return false;
  return pod.metadata.deletion_timestamp && pod.status.phase != kube::PodPhase::kSucceeded;
}

/// Tracked, and of an index that the Job has.
bool JobSync::is_valid(const Observed<kube::Pod>& pod) const {
  if (!is_tracked(pod.metadata())) return false;
  if (!spec_.indexed) return true;
  const auto index = completion_index(pod.metadata());
  return index && *index < spec_.completions.value_or(0);
}

void JobSync::count_pods() {
  JobPods succeeded;
  JobPods failed;
  std::int32_t ready = 0;
  for (const auto* pod : pods_) {
    if (is_active(*pod)) {
      active_.push_back(pod);
      if (is_ready(pod->view)) ++ready;
    }
    if (is_terminating(pod->view)) ++will_terminate_;
    if (!is_valid(*pod)) continue;
    const std::string& uid = pod->metadata().uid;
    const bool success = pod->view.status.phase == kube::PodPhase::kSucceeded;
    if (success && !uncounted_succeeded_.contains(uid)) succeeded.push_back(pod);
    if (is_failed(pod->view) && !uncounted_failed_.contains(uid)) failed.push_back(pod);
  }
  backoff_.notice(succeeded, failed);
  const auto counted = std::count_if(failed.begin(), failed.end(), [&](const auto* pod) {
    return judge_failure(spec_.pod_failure_policy, pod->view).counts();
  });
  succeeded_ = status_.succeeded + number(succeeded.size()) + number(uncounted_succeeded_.size());
  failed_ = status_.failed + counted + number(uncounted_failed_.size());
  will_run_ = number(active_.size());
  status_.active = number(active_.size());
  status_.ready = ready;
  status_.terminating = static_cast<std::int32_t>(will_terminate_);
}

std::int64_t JobSync::backoff_limit() const {
  const bool per_index = spec_.backoff_limit_per_index.has_value();
  return spec_.backoff_limit.value_or(per_index ? std::numeric_limits<std::int32_t>::max() : 6);
}

std::optional<std::string> JobSync::failure_by_policy() const {
  if (!spec_.pod_failure_policy) return std::nullopt;
  for (const auto* pod : pods_) {
    if (!is_failed(pod->view)) continue;
    FailureVerdict verdict = judge_failure(spec_.pod_failure_policy, pod->view);
    if (verdict.action == FailureVerdict::Action::kFailJob) return std::move(verdict.message);
  }
  return std::nullopt;
}

/// With restartPolicy OnFailure it is containers that fail, not pods.
bool JobSync::restarts_exceed_limit() const {
  if (spec_.template_.spec->restart_policy != kube::RestartPolicy::kOnFailure) return false;
  std::int64_t restarts = 0;
  for (const auto* pod : pods_) {
    const kube::PodStatus& status = pod->view.status;
    if (status.phase != kube::PodPhase::kRunning && status.phase != kube::PodPhase::kPending) continue;
    for (const kube::ContainerStatus& container : status.init_container_statuses) restarts += container.restart_count;
    for (const kube::ContainerStatus& container : status.container_statuses) restarts += container.restart_count;
  }
  return backoff_limit() == 0 ? restarts > 0 : restarts >= backoff_limit();
}

/// What was decided before stays decided; else the policy, the limit and the deadline are asked, in this order.
void JobSync::look_for_failure() {
  if (const kube::JobCondition* met = true_condition(status_, "SuccessCriteriaMet")) {
    end_ = *met;
  } else if (const kube::JobCondition* target = true_condition(status_, "FailureTarget")) {
    end("Failed", target->reason, target->message);
  } else if (const auto message = failure_by_policy()) {
    end("FailureTarget", "PodFailurePolicy", *message);
  } else if (failed_ > backoff_limit() || restarts_exceed_limit()) {
    end("FailureTarget", "BackoffLimitExceeded", "Job has reached the specified backoff limit");
  } else if (spec_.active_deadline_seconds && !spec_.suspend && status_.start_time) {
    const Duration left = *status_.start_time + Duration::seconds(*spec_.active_deadline_seconds) - now_;
    if (left > Duration{}) {
      result_.wake_after(left);
    } else {
      end("FailureTarget", "DeadlineExceeded", "Job was active longer than specified deadline");
    }
  }
}

void JobSync::count_indexes() {
  const std::int64_t completions = spec_.completions.value_or(0);
  counted_indexes_ = IndexIntervals::parse(status_.completed_indexes, completions);
  std::set<std::int64_t> succeeded;
  std::set<std::int64_t> failed;
  for (const auto* pod : pods_) {
    if (!is_valid(*pod)) continue;
    const std::int64_t index = *completion_index(pod->metadata());
    if (pod->view.status.phase == kube::PodPhase::kSucceeded) succeeded.insert(index);
    if (!spec_.backoff_limit_per_index || !is_failed(pod->view)) continue;
    const FailureVerdict verdict = judge_failure(spec_.pod_failure_policy, pod->view);
    const bool over = index_failures(pod->metadata()).counted >= *spec_.backoff_limit_per_index;
    if (verdict.action == FailureVerdict::Action::kFailIndex || (verdict.counts() && over)) failed.insert(index);
  }
  succeeded_indexes_ = counted_indexes_.merged(IndexIntervals(succeeded));
  succeeded_ = succeeded_indexes_.total();
  if (spec_.backoff_limit_per_index) {
    failed_indexes_ =
        IndexIntervals::parse(status_.failed_indexes.value_or(""), completions).merged(IndexIntervals(failed));
  }
  end_for_indexes();
}

void JobSync::end_for_indexes() {
  const std::int64_t completions = spec_.completions.value_or(0);
  if (failed_indexes_ && !end_) {
    const std::int64_t lost = failed_indexes_->total();
    if (spec_.max_failed_indexes && lost > *spec_.max_failed_indexes) {
      end("FailureTarget", "MaxFailedIndexesExceeded",
          "Job has exceeded the specified maximal number of failed indexes");
    } else if (lost > 0 && lost + succeeded_indexes_.total() >= completions) {
      end("FailureTarget", "FailedIndexes", "Job has failed indexes");
    }
  }
  if (failed_indexes_) {
    std::set<std::int64_t> active;
    for (const auto* pod : active_) active.insert(completion_index(pod->metadata()).value_or(-1));
    for (const auto* pod : pods_) {
      if (!is_valid(*pod) || !is_failed(pod->view)) continue;
      const std::int64_t index = *completion_index(pod->metadata());
      if (succeeded_indexes_.has(index) || failed_indexes_->has(index) || active.contains(index)) continue;
      const auto*& last = awaiting_replacement_[index];
      const bool is_later =
          last == nullptr || (index_failures(last->metadata()).all() <= index_failures(pod->metadata()).all() &&
                              finished_at(pod->view) >= finished_at(last->view));
      if (is_later) last = pod;
    }
  }
  if (end_) return;
  if (const auto met = met_success_rule(spec_.success_policy, completions, succeeded_indexes_)) {
    end("SuccessCriteriaMet", "SuccessPolicy", *met);
  }
}

// ---- pods ----------------------------------------------------------------------------------------------------------

/// They keep their finalizers until they are counted.
void JobSync::delete_active_pods() {
  const document::Value regarding = reference_to(job_);
  for (const auto* pod : active_) deletions_.push_back(remove_pod(regarding, *pod));
  will_terminate_ += number(active_.size());
  will_run_ = 0;
}

/// What a Job does not want is not counted.
void JobSync::remove_surplus(const JobPods& pods) {
  const document::Value regarding = reference_to(job_);
  for (const auto* pod : pods) {
    if (is_tracked(pod->metadata())) untracked_first_.push_back(untrack(pod->metadata()));
    deletions_.push_back(remove_pod(regarding, *pod));
  }
  will_run_ -= number(pods.size());
  will_terminate_ += number(pods.size());
}

workloads::JobProgress JobSync::progress() const {
  return {will_run_, replaces_only_failed() ? will_terminate_ : 0, succeeded_};
}

void JobSync::manage_pods() {
  if (spec_.suspend) return remove_surplus(active_);
  const std::int64_t missing = workloads::missing_pods(spec_, progress());
  const std::int64_t surplus = std::max<std::int64_t>(-missing, 0);
  JobPods fitting = active_;
  JobPods leaving;
  if (spec_.indexed) leaving = take_misfits(fitting, spec_.completions.value_or(0), now_);
  if (number(leaving.size()) < surplus) {
    const auto more = static_cast<std::size_t>(surplus - number(leaving.size()));
    for (const auto* pod : first_to_delete(fitting, more, {}, now_)) leaving.push_back(pod);
  }
  if (number(leaving.size()) > kMaxPodsAtOnce) leaving.resize(kMaxPodsAtOnce);
  if (!leaving.empty()) return remove_surplus(leaving);
  if (missing > 0 && !namespace_is_ending_) create_pods(std::min(missing, kMaxPodsAtOnce));
}

void JobSync::create_pods(std::int64_t count) {
  if (!spec_.backoff_limit_per_index) {
    const Duration wait = remaining_backoff(backoff_.failures, backoff_.last_failure, now_);
    if (wait > Duration{}) return result_.wake_after(std::max(wait, kBatch));
  }
  workloads::PodDraft shared = workloads::shared_draft(job_.view);
  shared.pod_group = pod_group_;
  const PodMaker maker(job_, shared);
  if (!spec_.indexed) {
    creations_.assign(static_cast<std::size_t>(count), maker.pod());
  } else if (const auto indexes = ready_indexes(count)) {
    for (const std::int64_t index : *indexes) creations_.push_back(maker.pod(draft_of(index)));
  }
  will_run_ += number(creations_.size());
}

/// Where failures are limited by index, a pod says how often those before it have failed.
workloads::PodDraft JobSync::draft_of(std::int64_t index) const {
  workloads::PodDraft draft = workloads::indexed_draft(job_.view, index);
  if (!spec_.backoff_limit_per_index) return draft;
  const auto replaced = awaiting_replacement_.find(index);
  const bool is_first = replaced == awaiting_replacement_.end();
  note(is_first ? IndexFailures{} : after_failure(job_.view, replaced->second->view), draft);
  return draft;
}

/// The first indexes that have nothing; where failures are limited by index, those of them that need not wait. Nothing
/// if all have to.
std::optional<std::vector<std::int64_t>> JobSync::ready_indexes(std::int64_t count) {
  std::set<std::int64_t> taken;
  for (const auto* pod : pods_) {
    const bool occupies = is_active(*pod) || (replaces_only_failed() && is_terminating(pod->view));
    const auto index = completion_index(pod->metadata());
    if (occupies && index) taken.insert(*index);
  }
  IndexIntervals settled = succeeded_indexes_.merged(IndexIntervals(taken));
  if (failed_indexes_) settled = settled.merged(*failed_indexes_);
  std::vector<std::int64_t> missing = workloads::missing_indexes(spec_, settled, count);
  if (!spec_.backoff_limit_per_index) return missing;

  std::vector<std::int64_t> ready;
  std::optional<Duration> shortest;
  for (const std::int64_t index : missing) {
    const auto failed = awaiting_replacement_.find(index);
    Duration wait;
    if (failed != awaiting_replacement_.end()) {
      const kube::Pod& pod = failed->second->view;
      wait = remaining_backoff(index_failures(pod.metadata).all() + 1, finished_at(pod), now_);
    }
    if (wait == Duration{}) {
      ready.push_back(index);
    } else {
      shortest = std::min(shortest.value_or(wait), wait);
    }
  }
  if (!ready.empty()) return ready;
  if (shortest) result_.wake_after(std::max(*shortest, kBatch));
  return std::nullopt;
}

// ---- status --------------------------------------------------------------------------------------------------------

void JobSync::look_for_completion() {
  const std::int64_t needed = spec_.completions ? std::int64_t{*spec_.completions} : 1;
  if (succeeded_ < needed || will_run_ > 0) return;
  end("SuccessCriteriaMet", "CompletionsReached", "Reached expected number of succeeded pods");
}

void JobSync::tell_suspension() {
  if (spec_.suspend) {
    if (!set_condition(status_, make_condition("Suspended", "True", "JobSuspended", "Job suspended", now_))) return;
    say(Event::Type::kNormal, "Suspended", "Job suspended");
    status_.start_time.reset();
    return;
  }
  if (!set_condition(status_, make_condition("Suspended", "False", "JobResumed", "Job resumed", now_))) return;
  say(Event::Type::kNormal, "Resumed", "Job resumed");
  status_.start_time = now_;  // the deadline is about being active without a break
}

/// Counts those of the uncounted whose finalizers are seen to be gone.
void JobSync::count_released() {
  std::set<std::string> tracked;
  for (const auto* pod : pods_) {
    if (is_tracked(pod->metadata())) tracked.insert(pod->metadata().uid);
  }
  const auto release = [&](std::vector<std::string>& uids, std::int32_t& counter) {
    counter += static_cast<std::int32_t>(std::erase_if(uids, [&](const auto& uid) { return !tracked.contains(uid); }));
  };
  release(status_.uncounted_terminated_pods->succeeded, status_.succeeded);
  release(status_.uncounted_terminated_pods->failed, status_.failed);
}

bool JobSync::may_untrack(const Observed<kube::Pod>& pod) const {
  if (job_.is_being_deleted() || end_ || pod.view.status.phase == kube::PodPhase::kSucceeded) return true;
  if (!is_failed(pod.view)) return false;
  const auto index = completion_index(pod.metadata());
  const auto waiting = index ? awaiting_replacement_.find(*index) : awaiting_replacement_.end();
  return waiting == awaiting_replacement_.end() || waiting->second->metadata().uid != pod.metadata().uid;
}

/// An index that has succeeded is its own record; everything else is recorded by uid.
void JobSync::record_end(const Observed<kube::Pod>& pod, std::set<std::int64_t>& new_indexes) {
  kube::UncountedTerminatedPods& uncounted = *status_.uncounted_terminated_pods;
  const std::string& uid = pod.metadata().uid;
  const auto index = completion_index(pod.metadata());
  const bool has_index = index && *index < spec_.completions.value_or(0);
  const bool is_lost = end_ && end_->type != "SuccessCriteriaMet";  // a Job that fails takes all its pods along
  if (pod.view.status.phase == kube::PodPhase::kSucceeded && !uncounted_failed_.contains(uid)) {
    if (!spec_.indexed) {
      if (!uncounted_succeeded_.contains(uid)) uncounted.succeeded.push_back(uid);
    } else if (has_index && !counted_indexes_.has(*index)) {
      new_indexes.insert(*index);
    }
  } else if (is_failed(pod.view) || is_lost) {
    if (uncounted_failed_.contains(uid) || (spec_.indexed && !has_index)) return;
    if (judge_failure(spec_.pod_failure_policy, pod.view).counts()) uncounted.failed.push_back(uid);
  }
}

void JobSync::track() {
  count_released();
  if (spec_.indexed) {
    std::stable_sort(pods_.begin(), pods_.end(), [](const auto* a, const auto* b) {
      return completion_index(a->metadata()).value_or(-1) < completion_index(b->metadata()).value_or(-1);
    });
  }
  std::set<std::string> leaving;  // those that manage_pods() has let go of already
  for (const Action& action : untracked_first_) leaving.insert(action.of.name);
  std::set<std::int64_t> new_indexes;
  for (const auto* pod : pods_) {
    if (!is_tracked(pod->metadata()) || leaving.contains(pod->metadata().name) || !may_untrack(*pod)) continue;
    untracked_.push_back(untrack(pod->metadata()));
    record_end(*pod, new_indexes);
    const kube::UncountedTerminatedPods& uncounted = *status_.uncounted_terminated_pods;
    if (new_indexes.size() + uncounted.succeeded.size() + uncounted.failed.size() < kMaxUncounted) continue;
    reached_max_uncounted_ = true;
    break;
  }
  if (spec_.indexed) {
    const IndexIntervals completed = counted_indexes_.merged(IndexIntervals(new_indexes));
    status_.succeeded = static_cast<std::int32_t>(completed.total());
    status_.completed_indexes = completed.to_string();
    status_.failed_indexes.reset();
    if (failed_indexes_) status_.failed_indexes = failed_indexes_->to_string();
  }
  if (!end_) return;
  write_interim_condition();
  finish();
}

void JobSync::write_interim_condition() {
  if (end_->type == "FailureTarget") {
    status_.conditions.push_back(*end_);
    end("Failed", std::string(end_->reason), std::string(end_->message));
  } else if (end_->type == "SuccessCriteriaMet") {
    if (true_condition(status_, "SuccessCriteriaMet") == nullptr) status_.conditions.push_back(*end_);
    end("Complete", std::string(end_->reason), std::string(end_->message));
  }
}

/// The Job is over once nothing of it is left to be counted, deleted or let go.
void JobSync::finish() {
  const kube::UncountedTerminatedPods& uncounted = *status_.uncounted_terminated_pods;
  if (reached_max_uncounted_ || !untracked_.empty() || !untracked_first_.empty()) return;
  if (!uncounted.succeeded.empty() || !uncounted.failed.empty() || will_terminate_ > 0 || will_run_ > 0) return;
  set_condition(status_, *end_);
  if (end_->type == "Failed") return say(Event::Type::kWarning, end_->reason, end_->message);
  status_.completion_time = now_;
  if (spec_.completions && status_.succeeded > *spec_.completions) {
    result_.events.push_back({reference_to(job_), Event::Type::kWarning, "TooManySucceededPods",
                              "Too many succeeded pods running after completion count reached"});
  }
  say(Event::Type::kNormal, "Completed", "Job completed");
}

void JobSync::write_status() {
  const auto encode = [](const kube::JobStatus& status) {
    return kube::encode_object(kube::kJobStatusSchema, &status);
  };
  const document::Value written = encode(status_);
  if (written == encode(job_.view.status)) return;
  Action action =
      update_status(kind_name<kube::Job>(), job_.key(), document::Value(job_.document).with("status", written));
  action.said_when_done = std::move(said_);
  result_.then(std::move(action));
}

}  // namespace loadline::controllers
