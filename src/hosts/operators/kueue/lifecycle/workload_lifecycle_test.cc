#include "hosts/operators/kueue/lifecycle/workload_lifecycle.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "objects/kube/condition.h"
#include "objects/kube/kueue/workload_conditions.h"

namespace loadline::operators::kueue {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using Deed = LifecycleStep::Deed;

constexpr Instant kNow = Instant{} + Duration::seconds(100'000);
Instant ago(std::int64_t seconds) { return kNow + Duration::seconds(-seconds); }

class WorkloadLifecycleTest : public ::testing::Test {
 protected:
  WorkloadLifecycleTest() {
    workload_.metadata.name = "w";
    workload_.metadata.namespace_ = "ns";
    workload_.metadata.owner_references.push_back({"batch/v1", "Job", "job", "job-uid", true});
    workload_.queue_name = "local";
    local_.cluster_queue = "queue";
    queue_.resource_groups.push_back({{"cpu"}, {{"small", {}}, {"large", {}}}});
  }
  void reserve(Instant at = kNow) {
    kube::WorkloadAdmission admission{"queue", {}};
    admission.pod_set_assignments.emplace_back().flavors = {{"cpu", "small"}};
    kube::reserve_quota(workload_, std::move(admission), at);
  }
  void admit(Instant at = kNow) {
    reserve(at);
    kube::sync_admitted(workload_, at);
  }
  void set(const std::string& type, const std::string& status, const std::string& reason, Instant at = kNow,
           const std::string& message = "") {
    kube::set_condition(
        workload_, {.type = type, .status = status, .last_transition_time = at, .reason = reason, .message = message});
  }
  void add_check(const std::string& name, kube::CheckState state, const std::string& message = "") {
    kube::AdmissionCheckStatus& check = workload_.status.admission_checks.emplace_back();
    check.name = name;
    check.state = state;
    check.message = message;
    check.last_transition_time = kNow;
  }
  LifecycleStep step() {
    return next_step(workload_, {.configuration = configuration_,
                                 .local_queue = has_local_ ? &local_ : nullptr,
                                 .cluster_queue = has_queue_ ? &queue_ : nullptr,
                                 .now = kNow});
  }
  /// Nothing is to be done now.
  static bool is_idle(const LifecycleStep& step, const kube::KueueWorkload& before) {
    return step.deed == Deed::kStatus && kube::status_changes(before, step.after).object().empty();
  }
  /// "Evicted=True Reason: message"
  static std::string condition(const LifecycleStep& step, const std::string& type) {
    const kube::MetaCondition* found = kube::find_condition(step.after.status.conditions, type);
    if (found == nullptr) return "none";
    return found->status + " " + found->reason + ": " + found->message;
  }
  static std::vector<std::string> said(const LifecycleStep& step) {
    std::vector<std::string> texts;
    for (const LifecycleStep::Said& each : step.said) {
      texts.push_back((each.is_warning ? "Warning " : "") + each.reason + ": " + each.message);
    }
    return texts;
  }

  kube::KueueWorkload workload_;
  kube::LocalQueue local_;
  kube::ClusterQueue queue_;
  kube::KueueConfiguration configuration_;
  bool has_local_ = true;
  bool has_queue_ = true;
};

// ---- waiting -------------------------------------------------------------------------------------------------------

TEST_F(WorkloadLifecycleTest, LeavesOneAloneThatStandsInAQueue) { EXPECT_TRUE(is_idle(step(), workload_)); }

TEST_F(WorkloadLifecycleTest, TellsWhyOneStandsInNone) {
  queue_.conditions.push_back({"Active", "False", 0, {}, "", ""});
  EXPECT_EQ(condition(step(), "QuotaReserved"), "False Inadmissible: ClusterQueue queue is inactive");
  has_queue_ = false;
  EXPECT_EQ(condition(step(), "QuotaReserved"), "False Inadmissible: ClusterQueue queue doesn't exist");
  local_.stop_policy = kube::StopPolicy::kHold;
  EXPECT_EQ(condition(step(), "QuotaReserved"), "False Inadmissible: LocalQueue local is inactive");
  has_local_ = false;
  EXPECT_EQ(condition(step(), "QuotaReserved"), "False Inadmissible: LocalQueue local doesn't exist");
}

TEST_F(WorkloadLifecycleTest, NamesChecksOfAllFlavorsBeforeItHasSome) {
  queue_.admission_checks = {{"on-all", {}}, {"on-both", {"large", "small"}}, {"on-one", {"large"}}};
  const LifecycleStep first = step();
  ASSERT_EQ(first.after.status.admission_checks.size(), 2U);
  EXPECT_EQ(first.after.status.admission_checks[0].name, "on-all");
  EXPECT_EQ(first.after.status.admission_checks[1].name, "on-both");
  workload_ = first.after;
  EXPECT_TRUE(is_idle(step(), workload_));
}

TEST_F(WorkloadLifecycleTest, ShowsAGateAndThatItIsGone) {
  workload_.metadata.annotations["kueue.x-k8s.io/admission-gated-by"] = "somebody";
  const LifecycleStep gated = step();
  EXPECT_EQ(condition(gated, "QuotaReserved"), "False AdmissionGated: Admission is gated by: somebody");
  EXPECT_THAT(said(gated), ElementsAre("AdmissionGated: Workload admission is gated by: somebody"));
  workload_ = gated.after;
  workload_.metadata.annotations.clear();
  EXPECT_EQ(condition(step(), "QuotaReserved"),
            "False Pending: AdmissionGatedBy cleared, waiting for quota reservation");
}

// ---- checks --------------------------------------------------------------------------------------------------------

TEST_F(WorkloadLifecycleTest, AddsTheChecksOfItsFlavorsAndAdmitsItOnceAllAreReady) {
  queue_.admission_checks = {{"a", {}}, {"b", {"large"}}};
  reserve(ago(7));
  LifecycleStep it = step();
  ASSERT_EQ(it.after.status.admission_checks.size(), 1U);
  EXPECT_EQ(condition(it, "Admitted"), "none");
  workload_ = it.after;
  EXPECT_TRUE(is_idle(step(), workload_));
  workload_.status.admission_checks[0].state = kube::CheckState::kReady;
  it = step();
  EXPECT_EQ(condition(it, "Admitted"), "True Admitted: The workload is admitted");
  EXPECT_THAT(said(it), ElementsAre("Admitted: Admitted by ClusterQueue queue, wait time since reservation was 7s"));
}

TEST_F(WorkloadLifecycleTest, EvictsWhatACheckWantsTriedAgain) {
  queue_.admission_checks = {{"a", {}}};
  reserve();
  add_check("a", kube::CheckState::kRetry, "no machines");
  const LifecycleStep it = step();
  const std::string message = R"(Evicted due to AdmissionCheck in Retry state: "a" (no machines))";
  EXPECT_EQ(condition(it, "Evicted"), "True AdmissionCheck: " + message);
  EXPECT_THAT(said(it), ElementsAre("EvictedDueToAdmissionCheck: " + message));
  EXPECT_EQ(it.after.status.admission_checks[0].state, kube::CheckState::kPending);
  EXPECT_EQ(it.after.status.admission_checks[0].retry_count, 1);
}

TEST_F(WorkloadLifecycleTest, WaitsAsLongAsACheckAsks) {
  queue_.admission_checks = {{"a", {}}};
  reserve();
  add_check("a", kube::CheckState::kRetry);
  workload_.status.admission_checks[0].requeue_after_seconds = 60;
  const LifecycleStep it = step();
  ASSERT_TRUE(it.after.status.requeue_state);
  EXPECT_EQ(it.after.status.requeue_state->requeue_at, kNow + Duration::seconds(60));
}

TEST_F(WorkloadLifecycleTest, DeactivatesWhatACheckRejects) {
  queue_.admission_checks = {{"a", {}}, {"b", {}}};
  reserve();
  add_check("a", kube::CheckState::kRejected);
  add_check("b", kube::CheckState::kRejected, "never");
  const std::string message = R"(AdmissionChecks in Rejected state: "a"; "b" (never))";
  LifecycleStep it = step();
  EXPECT_EQ(condition(it, "DeactivationTarget"), "True AdmissionCheck: " + message);
  EXPECT_THAT(said(it), ElementsAre("Warning AdmissionCheckRejected: Deactivated due to " + message));
  workload_ = it.after;
  EXPECT_EQ(step().deed, Deed::kDeactivate);
  workload_.active = false;
  it = step();
  EXPECT_EQ(condition(it, "Evicted"),
            "True DeactivatedDueToAdmissionCheck: The workload is deactivated due to " + message);
  EXPECT_EQ(condition(it, "DeactivationTarget"), "none");
  EXPECT_THAT(said(it),
              ElementsAre("EvictedDueToDeactivatedDueToAdmissionCheck: The workload is deactivated due to " + message));
}

// ---- queues that are stopped, and workloads ------------------------------------------------------------------------

TEST_F(WorkloadLifecycleTest, HoldTakesAReservationAndDrainEvicts) {
  queue_.admission_checks = {{"a", {}}};
  reserve();
  add_check("a", kube::CheckState::kPending);
  queue_.stop_policy = kube::StopPolicy::kHold;
  EXPECT_EQ(condition(step(), "QuotaReserved"), "False Inadmissible: ClusterQueue queue is stopped");
  local_.stop_policy = kube::StopPolicy::kHold;
  EXPECT_EQ(condition(step(), "QuotaReserved"), "False Inadmissible: LocalQueue local is stopped");
  local_.stop_policy = kube::StopPolicy::kNone;
  queue_.admission_checks.clear();
  workload_.status.admission_checks.clear();
  admit();
  EXPECT_TRUE(is_idle(step(), workload_)) << "it runs on";
  queue_.stop_policy = kube::StopPolicy::kHoldAndDrain;
  EXPECT_EQ(condition(step(), "Evicted"), "True ClusterQueueStopped: The ClusterQueue is stopped");
  local_.stop_policy = kube::StopPolicy::kHoldAndDrain;
  EXPECT_EQ(condition(step(), "Evicted"), "True LocalQueueStopped: The LocalQueue is stopped");
}

TEST_F(WorkloadLifecycleTest, GoesOnWhenItsQueueDoes) {
  set("Requeued", "False", "ClusterQueueStopped");
  queue_.stop_policy = kube::StopPolicy::kHold;
  EXPECT_EQ(condition(step(), "Requeued"), "False ClusterQueueStopped: ");
  queue_.stop_policy = kube::StopPolicy::kNone;
  EXPECT_EQ(condition(step(), "Requeued"),
            "True ClusterQueueRestarted: The ClusterQueue was restarted after being stopped");
}

TEST_F(WorkloadLifecycleTest, EvictsWhatItsOwnerDeactivatesAndRequeuesItLater) {
  admit();
  workload_.active = false;
  workload_.status.requeue_state = {3, kNow};
  LifecycleStep it = step();
  EXPECT_EQ(condition(it, "Evicted"), "True Deactivated: The workload is deactivated");
  EXPECT_FALSE(it.after.status.requeue_state);
  EXPECT_THAT(said(it), ElementsAre("EvictedDueToDeactivated: The workload is deactivated"));
  workload_.active = true;
  workload_.status.requeue_state.reset();
  set("Requeued", "False", "Deactivated");
  EXPECT_EQ(condition(step(), "Requeued"), "True Reactivated: The workload was reactivated");
}

// ---- time ----------------------------------------------------------------------------------------------------------

TEST_F(WorkloadLifecycleTest, EvictsWhatDoesNotGetReadyAndBacksOffLongerEachTime) {
  admit(ago(1799));
  LifecycleStep it = step();
  EXPECT_TRUE(is_idle(it, workload_));
  EXPECT_EQ(it.again_after, Duration::seconds(1));
  for (const auto& [before, seconds] :
       std::vector<std::pair<std::int32_t, int>>{{0, 60}, {1, 120}, {2, 240}, {9, 3600}}) {
    workload_.status = {};
    admit(ago(1800));
    if (before > 0) workload_.status.requeue_state = {before, std::nullopt};
    it = step();
    EXPECT_EQ(condition(it, "Evicted"), "True PodsReadyTimeout: Exceeded the PodsReady timeout ns/w");
    EXPECT_EQ(it.after.status.requeue_state->count, before + 1);
    EXPECT_EQ(it.after.status.requeue_state->requeue_at, kNow + Duration::seconds(seconds));
  }
}

TEST_F(WorkloadLifecycleTest, WaitsForPodsToComeBackAsLongAsItIsToldTo) {
  configuration_.wait_for_pods_ready->recovery_timeout = Duration::seconds(10);
  admit(ago(5000));
  set("PodsReady", "False", "WaitForRecovery", ago(9));
  EXPECT_EQ(step().again_after, Duration::seconds(1));
  set("PodsReady", "True", "Started");
  EXPECT_FALSE(step().again_after);
  set("PodsReady", "False", "WaitForRecovery", ago(10));
  EXPECT_EQ(condition(step(), "Evicted"), "True PodsReadyTimeout: Exceeded the PodsReady timeout ns/w");
  configuration_.wait_for_pods_ready->recovery_timeout = {};
  EXPECT_TRUE(is_idle(step(), workload_));
}

TEST_F(WorkloadLifecycleTest, GivesUpAfterTheLastRequeue) {
  configuration_.wait_for_pods_ready->requeuing_strategy.backoff_limit_count = 2;
  admit(ago(1800));
  workload_.status.requeue_state = {2, std::nullopt};
  EXPECT_EQ(condition(step(), "DeactivationTarget"),
            "True RequeuingLimitExceeded: exceeding the maximum number of re-queuing retries");
}

TEST_F(WorkloadLifecycleTest, GoesOnWhenItsBackoffIsOver) {
  set("Requeued", "False", "PodsReadyTimeout");
  workload_.status.requeue_state = {1, kNow + Duration::seconds(5)};
  EXPECT_EQ(step().again_after, Duration::seconds(5));
  workload_.status.requeue_state = {1, kNow};
  LifecycleStep it = step();
  EXPECT_FALSE(it.after.status.requeue_state->requeue_at);
  workload_ = it.after;
  it = step();
  EXPECT_EQ(condition(it, "Requeued"), "True BackoffFinished: The workload backoff was finished");
  EXPECT_EQ(it.after.status.requeue_state->count, 1);
}

TEST_F(WorkloadLifecycleTest, EndsWhatHasRunAsLongAsItMay) {
  configuration_.wait_for_pods_ready.reset();
  workload_.maximum_execution_time_seconds = 100;
  workload_.status.accumulated_past_execution_time_seconds = 30;
  admit(ago(69));
  EXPECT_EQ(step().again_after, Duration::seconds(1));
  set("Admitted", "False", "x", ago(70));
  set("Admitted", "True", "Admitted", ago(70));
  const LifecycleStep it = step();
  EXPECT_EQ(condition(it, "DeactivationTarget"),
            "True MaximumExecutionTimeExceeded: exceeding the maximum execution time");
  EXPECT_THAT(said(it),
              ElementsAre("Warning MaximumExecutionTimeExceeded: The maximum execution time (100s) exceeded"));
}

// ---- the end -------------------------------------------------------------------------------------------------------

TEST_F(WorkloadLifecycleTest, DeletesWhatIsFinishedWhenItIsToldTo) {
  set("Finished", "True", "Succeeded", ago(50));
  EXPECT_TRUE(is_idle(step(), workload_));
  configuration_.retention.after_finished = Duration::seconds(60);
  EXPECT_EQ(step().again_after, Duration::seconds(10));
  configuration_.retention.after_finished = Duration::seconds(50);
  EXPECT_EQ(step().deed, Deed::kDelete);
}

TEST_F(WorkloadLifecycleTest, LetsAnOrphanGo) {
  workload_.metadata.owner_references.clear();
  EXPECT_TRUE(is_idle(step(), workload_)) << "nobody says that it ever had an owner";
  workload_.metadata.finalizers = {"kueue.x-k8s.io/resource-in-use"};
  workload_.metadata.labels["kueue.x-k8s.io/job-uid"] = "gone";
  const LifecycleStep it = step();
  EXPECT_EQ(condition(it, "Finished"), "True OwnerNotFound: The workload's owner no longer exists");
  workload_ = it.after;
  EXPECT_EQ(step().deed, Deed::kRemoveFinalizer);
  workload_.metadata.deletion_timestamp = kNow;
  workload_.metadata.finalizers.clear();
  EXPECT_TRUE(is_idle(step(), workload_));
}

}  // namespace
}  // namespace loadline::operators::kueue
