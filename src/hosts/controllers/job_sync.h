#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "brain/workloads/index_intervals.h"
#include "brain/workloads/job.h"
#include "foundation/base/time.h"
#include "hosts/controllers/job_backoff.h"
#include "hosts/controllers/job_pods.h"
#include "hosts/controllers/words.h"
#include "hosts/watching/action.h"
#include "objects/kube/batch/batch.h"

namespace loadline::controllers {

/// One look at a Job that is not over, and what follows from it.
///
/// Ended pods are counted exactly once, whatever fails in between: a pod's finalizer holds it until its uid stands in
/// status.uncountedTerminatedPods (or its index in completedIndexes), then the finalizer goes, and when that is seen,
/// the uid becomes a number. A Job that is to end says so first, in an interim condition (SuccessCriteriaMet,
/// FailureTarget); its last condition (Complete, Failed) follows once all pods are gone and counted.
/// Example: the only pod succeeds.
///   1. status: SuccessCriteriaMet, uncounted: [uid]; then the pod's finalizer goes
///   2. status: Complete, succeeded: 1
/// Source: syncJob in pkg/controller/job/job_controller.go, v1.36.
class JobSync {
 public:
  /// `pods` are those the Job controls, by name. `namespace_is_ending`: nothing can be created any more.
  JobSync(const Observed<kube::Job>& job, JobPods pods, bool namespace_is_ending, JobBackoff& backoff, Instant now);

  /// New pods name that PodGroup; empty: none.
  void join(std::string pod_group) { pod_group_ = std::move(pod_group); }
  Reconciliation run();

 private:
  void count_pods();
  void look_for_failure();
  void count_indexes();
  void end_for_indexes();
  void delete_active_pods();
  void manage_pods();
  void remove_surplus(const JobPods& pods);
  void create_pods(std::int64_t count);
  [[nodiscard]] workloads::PodDraft draft_of(std::int64_t index) const;
  std::optional<std::vector<std::int64_t>> ready_indexes(std::int64_t count);
  void look_for_completion();
  void tell_suspension();
  void track();
  void count_released();
  bool may_untrack(const Observed<kube::Pod>& pod) const;
  void record_end(const Observed<kube::Pod>& pod, std::set<std::int64_t>& new_indexes);
  void write_interim_condition();
  void finish();
  void write_status();

  [[nodiscard]] workloads::JobProgress progress() const;
  [[nodiscard]] bool replaces_only_failed() const;
  [[nodiscard]] bool is_failed(const kube::Pod& pod) const;
  [[nodiscard]] bool is_valid(const Observed<kube::Pod>& pod) const;
  [[nodiscard]] std::optional<std::string> failure_by_policy() const;
  [[nodiscard]] bool restarts_exceed_limit() const;
  [[nodiscard]] std::int64_t backoff_limit() const;
  void end(std::string_view type, std::string_view reason, std::string_view message);
  void say(Event::Type type, std::string_view reason, std::string_view message);

  const Observed<kube::Job>& job_;
  const kube::JobSpec& spec_;
  kube::JobStatus status_;  ///< as it will be written
  JobPods pods_;
  bool namespace_is_ending_;
  std::string pod_group_;
  JobBackoff& backoff_;
  Instant now_;

  JobPods active_;
  std::set<std::string> uncounted_succeeded_;  // as they were found
  std::set<std::string> uncounted_failed_;
  std::int64_t succeeded_ = 0;  // with those that are not in the status yet
  std::int64_t failed_ = 0;
  std::int64_t will_run_ = 0;        // how many pods are active, and
  std::int64_t will_terminate_ = 0;  // how many end, once this is done
  workloads::IndexIntervals counted_indexes_;
  workloads::IndexIntervals succeeded_indexes_;
  std::optional<workloads::IndexIntervals> failed_indexes_;
  /// Of an index without an active pod: the failed one that waits for the one that takes its place.
  std::map<std::int64_t, const Observed<kube::Pod>*> awaiting_replacement_;
  std::optional<kube::JobCondition> end_;  // the condition by which the Job ends
  bool reached_max_uncounted_ = false;

  std::vector<Action> untracked_first_;  // pods that are not counted
  std::vector<Action> deletions_;
  std::vector<Action> untracked_;
  std::vector<Action> creations_;
  std::optional<Event> said_;  // once the status is written
  Reconciliation result_;
};

}  // namespace loadline::controllers
