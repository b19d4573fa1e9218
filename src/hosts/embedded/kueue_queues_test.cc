// Kueue's queues in a whole cluster: Workloads that a client creates, and whose status it changes as the controllers of
// jobs would.
#include <gmock/gmock.h>

#include <memory>
#include <sstream>
#include <string>

#include "foundation/document/same_document.h"
#include "hosts/embedded/testing/cluster_fixture.h"
#include "hosts/embedded/testing/picky_client.h"
#include "hosts/recording/check.h"
#include "hosts/recording/recording.h"
#include "objects/kube/condition.h"
#include "objects/kube/kueue/workload_conditions.h"
#include "objects/kube/view.h"

namespace loadline::embedded {
namespace {

using document::Value;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::yaml;

Value whole(std::int64_t number) { return Value(number); }

kube::ResourceReference kueue(const std::string& plural, const std::string& name_space = "",
                              const std::string& name = "") {
  kube::ResourceReference of{"kueue.x-k8s.io", "v1beta2", plural, name_space};
  of.name = name;
  return of;
}

std::string cluster_queue(const std::string& name, const std::string& rest = "", int cpus = 4) {
  return fmt::format(R"(
apiVersion: kueue.x-k8s.io/v1beta2
kind: ClusterQueue
metadata: {{name: {0}}}
spec:
  namespaceSelector: {{}}
  resourceGroups:
  - coveredResources: [cpu, memory]
    flavors: [{{name: default, resources: [{{name: cpu, nominalQuota: {2}}}, {{name: memory, nominalQuota: 8Gi}}]}}]
  {1}
)",
                     name, rest, cpus);
}

class KueueQueuesTest : public testing::ClusterTest {
 protected:
  void start_with_flavor(ClusterOptions options = {}) {
    start({testing::node("n1")}, std::move(options));
    apply(kueue("resourceflavors"),
          "apiVersion: kueue.x-k8s.io/v1beta2\nkind: ResourceFlavor\nmetadata: {name: default}\n");
  }
  /// A ClusterQueue, and a LocalQueue of the same name that leads to it.
  void add_queue(const std::string& name, const std::string& rest = "", int cpus = 4) {
    apply(kueue("clusterqueues"), cluster_queue(name, rest, cpus));
    apply(kueue("localqueues", "default"),
          fmt::format("apiVersion: kueue.x-k8s.io/v1beta2\nkind: LocalQueue\nmetadata: {{name: {0}, namespace: "
                      "default}}\nspec: {{clusterQueue: {0}}}\n",
                      name));
  }
  void add_workload(const std::string& name, const std::string& queue, int cpus, int priority = 0,
                    const std::string& rest = "") {
    apply(kueue("workloads", "default"), fmt::format(R"(
apiVersion: kueue.x-k8s.io/v1beta2
kind: Workload
metadata: {{name: {0}, namespace: default}}
spec:
  queueName: {1}
  priority: {3}
  {4}
  podSets:
  - name: main
    count: 1
    template:
      spec:
        restartPolicy: Never
        containers: [{{name: app, image: train, resources: {{requests: {{cpu: "{2}", memory: 1Gi}}}}}}]
)",
                                                     name, queue, cpus, priority, rest));
  }
  Value get(const kube::ResourceReference& of) {
    Value object;
    client_->get(of, [&](const kube::Answer<Value>& answer) {
      if (answer) object = *answer;
    });
    loop_.run_until_idle();
    return object;
  }
  Value workload(const std::string& name) { return get(kueue("workloads", "default", name)); }
  /// "True Reason: message"; empty: there is no such condition.
  std::string condition(const Value& object, const std::string& type) {
    const Value* found = kube::find_condition(object, type);
    if (found == nullptr) return {};
    return fmt::format("{} {}: {}", document::text_at(*found, {"status"}), document::text_at(*found, {"reason"}),
                       document::text_at(*found, {"message"}));
  }
  std::string condition_of(const std::string& name, const std::string& type) { return condition(workload(name), type); }
  void patch(kube::ResourceReference of, const std::string& text, std::string subresource = {}) {
    of.subresource = std::move(subresource);
    client_->patch(of, {kube::PatchType::kMerge, yaml(text)},
                   [](const kube::Answer<Value>& answer) { EXPECT_TRUE(answer) << answer.error().message; });
    loop_.run_until_idle();
  }
  /// As the controller of its job does when the pods are gone.
  void clear_reservation(const std::string& name) {
    const kube::Schema& schema = *kube::kind_of<kube::KueueWorkload>().schema;
    const kube::KueueWorkload before = kube::view<kube::KueueWorkload>(workload(name), schema).object;
    kube::KueueWorkload after = before;
    kube::unreserve_quota(after, "Pending", "The workload has stopped", loop_.now());
    kube::ResourceReference of = kueue("workloads", "default", name);
    of.subresource = "status";
    client_->patch(of,
                   {kube::PatchType::kMerge, Value(document::Object{{"status", status_changes(before, after), {}}})},
                   [](const kube::Answer<Value>& answer) { EXPECT_TRUE(answer) << answer.error().message; });
    loop_.run_until_idle();
  }
};

TEST_F(KueueQueuesTest, AdmitAWorkloadWithinQuotaAndTellWhyAnotherWaits) {
  start_with_flavor();
  add_queue("q");
  add_workload("a", "q", 3);
  add_workload("b", "q", 2);
  EXPECT_EQ(condition_of("a", "QuotaReserved"), "True QuotaReserved: Quota reserved in ClusterQueue q");
  EXPECT_EQ(condition_of("a", "Admitted"), "True Admitted: The workload is admitted");
  const Value admission = document::value_at(workload("a"), {"status", "admission"});
  EXPECT_EQ(document::text_at(admission, {"clusterQueue"}), "q");
  const Value set = document::value_at(admission, {"podSetAssignments"}).array().at(0);
  EXPECT_EQ(document::text_at(set, {"flavors", "cpu"}), "default");
  EXPECT_EQ(document::text_at(set, {"resourceUsage", "cpu"}), "3");
  EXPECT_EQ(document::text_at(set, {"resourceUsage", "memory"}), "1Gi");
  EXPECT_EQ(condition_of("b", "QuotaReserved"),
            "False Pending: couldn't assign flavors to pod set main: insufficient unused quota for cpu in flavor "
            "default, 1 more needed");
  EXPECT_EQ(condition_of("b", "Admitted"), "");
}

TEST_F(KueueQueuesTest, AdmitTheNextOnceQuotaIsGivenBack) {
  start_with_flavor();
  add_queue("q");
  add_workload("a", "q", 3);
  add_workload("b", "q", 2);
  patch(kueue("workloads", "default", "a"),
        "{status: {conditions: [{type: Finished, status: 'True', reason: Succeeded, message: done, "
        "lastTransitionTime: '2026-01-01T00:00:00Z'}]}}",
        "status");
  EXPECT_THAT(condition_of("b", "Admitted"), IsEmpty());  // within a second, all that changes counts as one
  loop_.advance(Duration::seconds(2));
  EXPECT_EQ(condition_of("b", "Admitted"), "True Admitted: The workload is admitted");
}

TEST_F(KueueQueuesTest, PreemptALesserWorkloadAndTakeItsPlaceOnceItHasStopped) {
  start_with_flavor();
  add_queue("q", "preemption: {withinClusterQueue: LowerPriority}");
  add_workload("low", "q", 3);
  add_workload("high", "q", 2, 10);
  const std::string uid(document::text_at(workload("high"), {"metadata", "uid"}));
  const std::string message = fmt::format(
      "Preempted to accommodate a workload (UID: {}, JobUID: UNKNOWN) due to prioritization in the ClusterQueue; "
      "preemptor path: /q; preemptee path: /q",
      uid);
  EXPECT_EQ(condition_of("low", "Evicted"), "True Preempted: " + message);
  EXPECT_EQ(condition_of("low", "Preempted"), "True InClusterQueue: " + message);
  EXPECT_EQ(condition_of("high", "QuotaReserved"),
            "False Pending: couldn't assign flavors to pod set main: insufficient unused quota for cpu in flavor "
            "default, 1 more needed. Pending the preemption of 1 workload(s)");
  loop_.advance(Duration::seconds(5));
  EXPECT_EQ(condition_of("high", "Admitted"), "") << "the victim has not stopped";
  EXPECT_THAT(events("EvictedDueToPreempted"), ElementsAre(message));
  EXPECT_THAT(events("PreemptedWorkload"),
              ElementsAre(HasSubstr("in ClusterQueue q; preemptor effective priority: 10 (base: 10, boost: 0)")));
  clear_reservation("low");
  loop_.advance(Duration::seconds(2));
  EXPECT_EQ(condition_of("high", "Admitted"), "True Admitted: The workload is admitted");
  EXPECT_EQ(condition_of("low", "Admitted"), "False NoReservation: The workload has no reservation");
  EXPECT_THAT(condition_of("low", "QuotaReserved"), HasSubstr("False Pending: couldn't assign flavors"));
}

TEST_F(KueueQueuesTest, ShowStatusesAsKueueDoes) {
  start_with_flavor();
  add_queue("q", "cohortName: c", 2);
  add_queue("other", "cohortName: c");
  add_workload("a", "q", 3);
  add_workload("b", "q", 4);
  loop_.advance(Duration::seconds(3));
  const Value queue = get(kueue("clusterqueues", "", "q"));
  EXPECT_EQ(condition(queue, "Active"), "True Ready: Can admit new workloads");
  const Value status = document::value_at(queue, {"status"});
  EXPECT_EQ(*status.find("pendingWorkloads"), whole(1));
  EXPECT_EQ(*status.find("reservingWorkloads"), whole(1));
  EXPECT_EQ(*status.find("admittedWorkloads"), whole(1));
  const std::string usage =
      "[{name: default, resources: [{name: cpu, total: '3', borrowed: '1'}, {name: memory, total: 1Gi, borrowed: "
      "'0'}]}]";
  EXPECT_TRUE(same_document(*status.find("flavorsReservation"), yaml(usage)));
  EXPECT_TRUE(same_document(*status.find("flavorsUsage"), yaml(usage)));
  const Value local = get(kueue("localqueues", "default", "q"));
  EXPECT_EQ(condition(local, "Active"), "True Ready: Can submit new workloads to localQueue");
  EXPECT_EQ(document::value_at(local, {"status", "pendingWorkloads"}), whole(1));
  EXPECT_TRUE(
      same_document(document::value_at(local, {"status", "flavorsUsage"}),
                    yaml("[{name: default, resources: [{name: cpu, total: '3'}, {name: memory, total: 1Gi}]}]")));
}

TEST_F(KueueQueuesTest, AdmitOnceAllChecksAreReady) {
  start_with_flavor();
  apply(kueue("admissionchecks"),
        "apiVersion: kueue.x-k8s.io/v1beta2\nkind: AdmissionCheck\nmetadata: {name: check}\nspec: {controllerName: "
        "example.com/check}\n");
  add_queue("q", "admissionChecksStrategy: {admissionChecks: [{name: check}]}");
  loop_.advance(Duration::seconds(2));
  EXPECT_EQ(condition(get(kueue("clusterqueues", "", "q")), "Active"),
            "False AdmissionCheckInactive: Can't admit new workloads: references inactive AdmissionCheck(s): check.");
  add_workload("a", "q", 1);
  EXPECT_EQ(condition_of("a", "QuotaReserved"), "False Inadmissible: ClusterQueue q is inactive");
  patch(kueue("admissionchecks", "", "check"),
        "{status: {conditions: [{type: Active, status: 'True', reason: Active, message: '', lastTransitionTime: "
        "'2026-01-01T00:00:00Z'}]}}",
        "status");
  loop_.advance(Duration::seconds(2));
  EXPECT_EQ(condition_of("a", "QuotaReserved"), "True QuotaReserved: Quota reserved in ClusterQueue q");
  EXPECT_EQ(condition_of("a", "Admitted"), "");
  const auto answer = [&](const std::string& state) {
    patch(kueue("workloads", "default", "a"),
          fmt::format("{{status: {{admissionChecks: [{{name: check, state: {}, message: '', lastTransitionTime: "
                      "'2026-01-01T00:00:00Z'}}]}}}}",
                      state),
          "status");
  };
  answer("Retry");
  EXPECT_EQ(condition_of("a", "Evicted"),
            "True AdmissionCheck: Evicted due to AdmissionCheck in Retry state: \"check\"");
  clear_reservation("a");
  loop_.advance(Duration::seconds(2));
  EXPECT_EQ(condition_of("a", "QuotaReserved"), "True QuotaReserved: Quota reserved in ClusterQueue q");
  answer("Ready");
  EXPECT_EQ(condition_of("a", "Admitted"), "True Admitted: The workload is admitted");
}

TEST_F(KueueQueuesTest, StopWithTheirPolicies) {
  start_with_flavor();
  add_queue("q");
  add_workload("a", "q", 1);
  patch(kueue("clusterqueues", "", "q"), "{spec: {stopPolicy: HoldAndDrain}}");
  EXPECT_EQ(condition_of("a", "Evicted"), "True ClusterQueueStopped: The ClusterQueue is stopped");
  clear_reservation("a");
  loop_.advance(Duration::seconds(2));
  EXPECT_EQ(condition_of("a", "QuotaReserved"), "False Inadmissible: ClusterQueue q is inactive");
  EXPECT_EQ(condition(get(kueue("localqueues", "default", "q")), "Active"),
            "False ClusterQueueIsInactive: Can't submit new workloads to clusterQueue");
  patch(kueue("clusterqueues", "", "q"), "{spec: {stopPolicy: None}}");
  loop_.advance(Duration::seconds(2));
  EXPECT_EQ(condition_of("a", "Admitted"), "True Admitted: The workload is admitted");
}

TEST_F(KueueQueuesTest, EvictAWorkloadWhosePodsDoNotGetReadyAndTryAgainLater) {
  start_with_flavor();
  add_queue("q");
  add_workload("a", "q", 1);
  loop_.advance(Duration::seconds(1799));
  EXPECT_EQ(condition_of("a", "Evicted"), "");
  loop_.advance(Duration::seconds(2));
  EXPECT_EQ(condition_of("a", "Evicted"), "True PodsReadyTimeout: Exceeded the PodsReady timeout default/a");
  EXPECT_EQ(document::value_at(workload("a"), {"status", "requeueState", "count"}), whole(1));
  clear_reservation("a");
  loop_.advance(Duration::seconds(55));
  EXPECT_THAT(condition_of("a", "QuotaReserved"), HasSubstr("False"));
  loop_.advance(Duration::seconds(10));
  EXPECT_EQ(condition_of("a", "Admitted"), "True Admitted: The workload is admitted");
}

TEST_F(KueueQueuesTest, CountLimitsAndWhatLimitRangesFillIn) {
  start_with_flavor();
  apply({"", "v1", "limitranges", "default"},
        "apiVersion: v1\nkind: LimitRange\nmetadata: {name: l, namespace: default}\nspec: {limits: [{type: Container, "
        "defaultRequest: {cpu: '3'}}]}\n");
  add_queue("q");
  apply(kueue("workloads", "default"), R"(
apiVersion: kueue.x-k8s.io/v1beta2
kind: Workload
metadata: {name: a, namespace: default}
spec:
  queueName: q
  podSets:
  - name: main
    count: 1
    template: {spec: {restartPolicy: Never, containers: [{name: app, image: i, resources: {limits: {memory: 2Gi}}}]}}
)");
  const Value sets = document::value_at(workload("a"), {"status", "admission", "podSetAssignments"});
  ASSERT_TRUE(sets.is_array());
  EXPECT_EQ(*sets.array().at(0).find("resourceUsage"), yaml("{cpu: '3', memory: 2Gi}"));
}

TEST_F(KueueQueuesTest, BeginAnewFromObjects) {
  start_with_flavor();
  add_queue("q");
  add_workload("a", "q", 3);
  add_workload("b", "q", 2);
  const Value before = workload("a");
  bool has_synced = false;
  ASSERT_TRUE(cluster_->restart_control([&] { has_synced = true; }));
  loop_.advance(Duration::seconds(5));
  ASSERT_TRUE(has_synced);
  EXPECT_EQ(workload("a"), before);
  add_workload("c", "q", 1);
  loop_.advance(Duration::seconds(2));
  EXPECT_EQ(condition_of("c", "Admitted"), "True Admitted: The workload is admitted");
  EXPECT_THAT(condition_of("b", "QuotaReserved"), HasSubstr("more needed"));
}

TEST_F(KueueQueuesTest, GiveQuotaBackThatTheServerDoesNotReserve) {
  bool refuses = true;
  ClusterOptions options;
  options.wire = [&](std::unique_ptr<kube::Client> inner) {
    return std::make_unique<testing::PickyClient>(std::move(inner), loop_, [&](const kube::ResourceReference& of) {
      return refuses && of.plural == "workloads";
    });
  };
  start_with_flavor(std::move(options));
  add_queue("q");
  add_workload("a", "q", 3);
  loop_.advance(Duration::seconds(3));
  EXPECT_EQ(condition_of("a", "QuotaReserved"), "");
  refuses = false;
  loop_.advance(Duration::seconds(3));
  EXPECT_EQ(condition_of("a", "Admitted"), "True Admitted: The workload is admitted");
  loop_.advance(Duration::seconds(3));
  EXPECT_EQ(document::value_at(get(kueue("clusterqueues", "", "q")), {"status", "admittedWorkloads"}), whole(1));
}

TEST_F(KueueQueuesTest, AreLeftAloneWhereKueueIsNotOurs) {
  ClusterOptions options;
  options.disabled_operators = {"kueue"};
  start_with_flavor(std::move(options));
  add_queue("q");
  add_workload("a", "q", 1);
  loop_.advance(Duration::seconds(5));
  EXPECT_EQ(document::value_at(workload("a"), {"status", "conditions"}), Value());
  EXPECT_EQ(document::value_at(get(kueue("clusterqueues", "", "q")), {"status", "conditions"}), Value());
}

TEST_F(KueueQueuesTest, FollowTheConfiguration) {
  start_with_flavor();
  add_queue("q");
  add_workload("a", "q", 1);
  apply({"", "v1", "namespaces"}, "apiVersion: v1\nkind: Namespace\nmetadata: {name: kueue-system}\n");
  apply({"", "v1", "configmaps", "kueue-system"}, R"(
apiVersion: v1
kind: ConfigMap
metadata: {name: kueue-manager-config, namespace: kueue-system}
data:
  controller_manager_config.yaml: |
    apiVersion: config.kueue.x-k8s.io/v1beta2
    kind: Configuration
    fairSharing: {}
    resources: {excludeResourcePrefixes: [memory]}
)");
  loop_.advance(Duration::seconds(3));
  const Value queue = get(kueue("clusterqueues", "", "q"));
  EXPECT_EQ(document::value_at(queue, {"status", "fairSharing", "weightedShare"}), whole(0));
  EXPECT_EQ(document::value_at(queue, {"status", "admittedWorkloads"}), whole(1));
  add_workload("b", "q", 3);
  const Value sets = document::value_at(workload("b"), {"status", "admission", "podSetAssignments"});
  ASSERT_TRUE(sets.is_array());
  EXPECT_EQ(*sets.array().at(0).find("resourceUsage"), yaml("{cpu: '3'}"));
}

TEST_F(KueueQueuesTest, AreDecidedAgainAlikeFromARecording) {
  std::string text;
  ClusterOptions options;
  options.recording = std::make_shared<recording::Recording>([&text](std::string_view lines) { text += lines; },
                                                             recording::RecordedProgram{"loadline of this test", {}});
  start_with_flavor(std::move(options));
  add_queue("q", "preemption: {withinClusterQueue: LowerPriority}");
  add_workload("low", "q", 3);
  add_workload("high", "q", 2, 10);
  loop_.advance(Duration::seconds(3));
  clear_reservation("low");
  loop_.advance(Duration::seconds(3));
  ASSERT_TRUE(cluster_->restart_control([] {}));
  add_workload("late", "q", 2);
  loop_.advance(Duration::seconds(3));
  EXPECT_EQ(condition_of("late", "Admitted"), "True Admitted: The workload is admitted");
  client_.reset();
  cluster_.reset();
  loop_.run_until_idle();
  std::istringstream stream(text);
  const auto check = recording::check_recording(stream, "recording.jsonl");
  ASSERT_TRUE(check) << check.error().front().to_string();
  EXPECT_EQ(check->differences, 0U) << (check->first_differences.empty()
                                            ? std::string()
                                            : check->first_differences.front().recorded + "\nnow " +
                                                  check->first_differences.front().now);
  EXPECT_EQ(check->sections, 2U);
  EXPECT_TRUE(check->has_ended);
  EXPECT_THAT(text, HasSubstr("QuotaReserved"));
}

}  // namespace
}  // namespace loadline::embedded
