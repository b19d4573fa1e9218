#include "hosts/operators/kueue/job_rules.h"

#include <gtest/gtest.h>

#include <string>

#include "foundation/document/reader.h"
#include "hosts/operators/kueue/ray_rules.h"
#include "hosts/operators/kueue/workload_rules.h"

namespace loadline::operators::kueue {
namespace {

using document::Value;

constexpr JobRules kJobRules{"batch/v1, Kind=Job", "spec.suspend", true, true, nullptr};
constexpr JobRules kJobSetRules{"jobset.x-k8s.io/v1alpha2, Kind=JobSet", "spec.suspend", false, false, nullptr};
constexpr JobRules kRayJobRules{"ray.io/v1, Kind=RayJob", "spec.suspend", false, true, check_queued_ray_job};

Value read(const std::string& text) { return document::read_yaml(text, "test").documents.at(0); }

/// What is refused of a new job with that metadata, and that specification.
std::string refused(const JobRules& rules, const std::string& metadata, const std::string& spec = "") {
  return aggregate(faults_of_job(rules, {}, read("{metadata: {" + metadata + "}, spec: {" + spec + "}}"))).value_or("");
}
/// The same of a change.
std::string refused_change(const JobRules& rules, const std::string& before, const std::string& after,
                           const JobPlace& place = {}) {
  return aggregate(faults_of_job_change(rules, place, read("{" + before + "}"), read("{" + after + "}"))).value_or("");
}

TEST(KueueJobRules, OfNewJobs) {
  EXPECT_EQ(refused(kJobRules, "labels: {kueue.x-k8s.io/queue-name: team}", "parallelism: 2"), "");
  EXPECT_EQ(
      refused(kJobRules, "labels: {kueue.x-k8s.io/queue-name: Team_1}"),
      "metadata.labels[kueue.x-k8s.io/queue-name]: Invalid value: \"Team_1\": a lowercase RFC 1123 subdomain must "
      "consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric "
      "character (e.g. 'example.com', regex used for validation is "
      "'[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')");
  EXPECT_EQ(refused(kJobRules, "labels: {kueue.x-k8s.io/max-exec-time-seconds: '0'}"),
            "metadata.labels[kueue.x-k8s.io/max-exec-time-seconds]: Invalid value: 0: should be greater than 0");
  EXPECT_EQ(refused(kJobRules, "labels: {kueue.x-k8s.io/max-exec-time-seconds: soon}"),
            "metadata.labels[kueue.x-k8s.io/max-exec-time-seconds]: Invalid value: \"soon\": strconv.Atoi: parsing "
            "\"soon\": invalid syntax");
  EXPECT_EQ(refused(kJobSetRules, "annotations: {kueue.x-k8s.io/elastic-job: 'true'}"),
            "metadata.annotations[kueue.x-k8s.io/elastic-job]: Forbidden: elastic job is not supported for "
            "\"jobset.x-k8s.io/v1alpha2, Kind=JobSet\"");
}

TEST(KueueJobRules, OfPartialAdmission) {
  const auto at_least = [](const std::string& count) {
    return "annotations: {kueue.x-k8s.io/job-min-parallelism: '" + count + "'}";
  };
  EXPECT_EQ(refused(kJobRules, at_least("3"), "parallelism: 4"), "");
  EXPECT_EQ(refused(kJobRules, at_least("4"), "parallelism: 4"),
            "metadata.annotations[kueue.x-k8s.io/job-min-parallelism]: Invalid value: 4: should be between 0 and 3");
  EXPECT_EQ(refused(kJobRules, at_least("2"), "parallelism: 4, completions: 2"),
            "metadata.annotations[kueue.x-k8s.io/job-min-parallelism]: Invalid value: 2: should be between 0 and 1");
  EXPECT_EQ(refused(kJobSetRules, at_least("4")), "") << "an annotation of Jobs";
  const std::string sync = "annotations: {kueue.x-k8s.io/job-completions-equal-parallelism: 'true'}";
  EXPECT_EQ(refused(kJobRules, sync, "parallelism: 2, completions: 2, completionMode: Indexed"), "");
  EXPECT_EQ(refused(kJobRules, sync, "parallelism: 2, completions: 3"),
            "[metadata.annotations[kueue.x-k8s.io/job-completions-equal-parallelism]: Invalid value: \"true\": should "
            "not be enabled for NonIndexed jobs, spec.completions: Invalid value: 3: should be equal to parallelism "
            "when kueue.x-k8s.io/job-completions-equal-parallelism annotation is true]");
  const std::string before = "metadata: {" + at_least("2") + "}, spec: {parallelism: 4}";
  const std::string after = "metadata: {" + at_least("2") + "}, spec: {parallelism: 3}";
  EXPECT_EQ(
      refused_change(kJobRules, before, after),
      "spec.parallelism: Forbidden: cannot change when partial admission is enabled and the job is not suspended");
  EXPECT_EQ(
      refused_change(kJobRules, "metadata: {" + at_least("2") + "}, spec: {parallelism: 4, suspend: true}", after), "");
}

TEST(KueueJobRules, OfChanges) {
  const auto job = [](const std::string& labels, bool is_suspended) {
    return "metadata: {labels: {" + labels + "}}, spec: {suspend: " + (is_suspended ? "true" : "false") + "}";
  };
  const std::string team = "kueue.x-k8s.io/queue-name: team";
  const std::string other = "kueue.x-k8s.io/queue-name: other";
  EXPECT_EQ(refused_change(kJobSetRules, job(team, true), job(other, true)), "");
  EXPECT_EQ(refused_change(kJobSetRules, job(team, false), job(other, false)),
            "metadata.labels[kueue.x-k8s.io/queue-name]: Invalid value: \"other\": field is immutable");
  EXPECT_EQ(
      refused_change(kJobSetRules, job(team, true), job("", true), {false, true}),
      "metadata.labels[kueue.x-k8s.io/queue-name]: Invalid value: \"\": queue-name must not be empty in namespace "
      "with default queue");
  const std::string high = "kueue.x-k8s.io/priority-class: high";
  EXPECT_EQ(refused_change(kJobRules, job("", false), job(high, false)),
            "metadata.labels[kueue.x-k8s.io/priority-class]: Invalid value: \"high\": WorkloadPriorityClass cannot be "
            "added to a non-suspended workload");
  EXPECT_EQ(refused_change(kJobRules, job(high, true), job("", true)),
            "metadata.labels[kueue.x-k8s.io/priority-class]: Invalid value: \"\": WorkloadPriorityClass cannot be "
            "removed from a workload");
  EXPECT_EQ(refused_change(kJobRules, job(high, false), job("kueue.x-k8s.io/priority-class: low", false)), "");
}

TEST(KueueJobRules, AJobThatIsBeingStoppedIsNotSuspendedYet) {
  const auto job = [](const std::string& queue) {
    return "metadata: {labels: {kueue.x-k8s.io/queue-name: " + queue +
           "}, annotations: {kueue.x-k8s.io/stopping: 'true'}}, spec: {suspend: true}";
  };
  EXPECT_EQ(refused_change(kJobRules, job("a"), job("b")),
            "metadata.labels[kueue.x-k8s.io/queue-name]: Invalid value: \"b\": field is immutable");
  EXPECT_EQ(refused_change(kJobSetRules, job("a"), job("b")), "") << "a mark of Jobs";
}

TEST(KueueJobRules, OfRay) {
  const std::string queue = "labels: {kueue.x-k8s.io/queue-name: team}";
  EXPECT_EQ(refused(kRayJobRules, queue, "clusterSelector: {a: b}"), "") << "none of Kueue's";
  EXPECT_EQ(refused(kRayJobRules, queue),
            "spec.rayClusterSpec: Required value: rayClusterSpec is required for Kueue-managed jobs that don't use "
            "clusterSelector");
  EXPECT_EQ(
      refused(kRayJobRules, queue, "rayClusterSpec: {workerGroupSpecs: [{groupName: head}]}"),
      "[spec.shutdownAfterJobFinishes: Invalid value: false: a kueue managed job should delete the cluster after "
      "finishing, spec.rayClusterSpec.workerGroupSpecs[0].groupName: Forbidden: \"head\" is reserved for the head "
      "group]");
  EXPECT_EQ(refused(kRayJobRules, ""), "");
}

TEST(KueueWorkloadRules, OfChanges) {
  const auto workload = [](const std::string& count, const std::string& status) {
    return read("{metadata: {name: w}, spec: {podSets: [{name: main, count: " + count +
                ", template: {spec: {containers: [{name: c}]}}}]}, status: {" + status + "}}");
  };
  const auto refused_of = [](const Value& before, const Value& after) {
    return aggregate(faults_of_workload_change(before, after)).value_or("");
  };
  const std::string quota =
      "conditions: [{type: QuotaReserved, status: 'True'}], admission: {clusterQueue: cq, podSetAssignments: [{name: "
      "main, count: 2, resourceUsage: {cpu: '2'}}]}";
  EXPECT_EQ(refused_of(workload("2", ""), workload("3", "")), "");
  EXPECT_EQ(refused_of(workload("3", quota), workload("2", quota)), "") << "it may shrink";
  EXPECT_TRUE(refused_of(workload("2", quota), workload("3", quota)).starts_with("spec.podSets.0: Invalid value: "));
  EXPECT_EQ(refused_of(workload("2", quota + ", reclaimablePods: [{name: main, count: 2}]"),
                       workload("2", quota + ", reclaimablePods: [{name: main, count: 1}]")),
            "status.reclaimablePods[main].count: Invalid value: 1: cannot be less than 2");
  EXPECT_EQ(refused_of(workload("2", quota + ", reclaimablePods: [{name: main, count: 2}]"), workload("2", quota)),
            "status.reclaimablePods[main]: Required value: cannot be removed");
  EXPECT_EQ(refused_of(workload("2", ""), workload("2", "conditions: [{type: QuotaReserved, status: 'True'}]")),
            "status.admission: Required value: must be set while the QuotaReserved condition is true");
  std::string elsewhere = quota;
  elsewhere.replace(elsewhere.find("cq"), 2, "other");
  EXPECT_TRUE(refused_of(workload("2", quota), workload("2", elsewhere)).ends_with("field is immutable"));
  EXPECT_EQ(refused_of(workload("2", quota), workload("2", "conditions: [{type: QuotaReserved, status: 'False'}]")),
            "");
}

}  // namespace
}  // namespace loadline::operators::kueue
