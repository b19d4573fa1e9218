// Kueue's queues in a whole cluster: Workloads that a client creates, and whose status it changes as the controllers of
// jobs would.
#include <gmock/gmock.h>

#include "hosts/embedded/testing/cluster_fixture.h"
#include "hosts/embedded/testing/picky_client.h"
#include "objects/kube/condition.h"

namespace loadline::embedded {
namespace {

using document::Value;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::yaml;

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
    patch(kueue("workloads", "default", name),
          "{status: {admission: null, conditions: [{type: QuotaReserved, status: 'False', reason: Pending, message: "
          "Evicted, lastTransitionTime: '2026-01-01T00:00:00Z'}]}}",
          "status");
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

}  // namespace
}  // namespace loadline::embedded
