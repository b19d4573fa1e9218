#include "hosts/embedded/creation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "foundation/base/virtual_loop.h"
#include "foundation/document/at.h"
#include "foundation/document/reader.h"

namespace loadline::embedded {
namespace {

using document::Value;
using ::testing::HasSubstr;

std::vector<Value> objects_of(const std::string& text) { return document::read_yaml(text, "test").documents; }

class CreationTest : public ::testing::Test {
 protected:
  void SetUp() override {
    ClusterOptions options;
    options.plane.seed = 1;
    options.plane.commits_on_loop = true;
    Result<std::unique_ptr<Cluster>> cluster = Cluster::open(loop_, std::move(options));
    ASSERT_TRUE(cluster) << cluster.error().message;
    cluster_ = std::move(*cluster);
    cluster_->when_ready([](const Result<void>&) {});
    loop_.run_until_idle();
    client_ = cluster_->client("test");
  }

  std::vector<Creation> create(const std::string& text, Entry entry) {
    std::vector<Creation> result;
    create_objects(*cluster_, loop_, objects_of(text), entry,
                   [&](std::vector<Creation> done) { result = std::move(done); });
    loop_.advance(Duration::seconds(15));
    return result;
  }

  Value get(const kube::ResourceReference& of) {
    Value object;
    client_->get(of, [&](const kube::Answer<Value>& answer) {
      if (answer) object = *answer;
    });
    loop_.run_until_idle();
    return object;
  }

  VirtualLoop loop_{Instant{} + Duration::seconds(1'767'225'600)};
  std::unique_ptr<Cluster> cluster_;
  std::unique_ptr<kube::Client> client_;
};

TEST_F(CreationTest, CreatesEachObjectAfterWhatItNeeds) {
  const std::string text = R"(
{apiVersion: example.com/v1, kind: Widget, metadata: {name: w, namespace: team}}
---
apiVersion: v1
kind: Pod
metadata: {name: p, namespace: team}
spec: {priorityClassName: high, containers: [{name: c, image: x, resources: {requests: {cpu: "1"}}}]}
---
{apiVersion: v1, kind: ResourceQuota, metadata: {name: q, namespace: team}, spec: {hard: {requests.cpu: "1"}}}
---
{apiVersion: scheduling.k8s.io/v1, kind: PriorityClass, metadata: {name: high}, value: 7}
---
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {plural: widgets, singular: widget, kind: Widget}
  versions: [{name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object}}}]
---
{apiVersion: v1, kind: Namespace, metadata: {name: team}}
---
{apiVersion: example.org/v1, kind: Gadget, metadata: {name: g}}
)";
  std::vector<Creation> creations = create(text, Entry::kNew);
  ASSERT_EQ(creations.size(), 7U);
  for (std::size_t i = 0; i < 6; ++i)
    EXPECT_EQ(creations[i].result, CreationResult::kCreated) << i << ' ' << creations[i].why;
  EXPECT_EQ(creations[6].why, "no matches for kind \"Gadget\" in version \"example.org/v1\"");
  const Value pod = get({"", "v1", "pods", "team", "p"});
  EXPECT_EQ(document::find_at(pod, {"spec", "priority"})->integer(), 7);

  creations = create(text, Entry::kNew);
  for (std::size_t i = 0; i < 6; ++i)
    EXPECT_EQ(creations[i].result, CreationResult::kWasThere) << i << ' ' << creations[i].why;
}

TEST_F(CreationTest, PutsBackWhatWasThereAsItWas) {
  cluster_->stop_control();
  const std::vector<Creation> creations = create(R"(
apiVersion: batch/v1
kind: Job
metadata: {name: train, namespace: default, uid: u-1, generation: 4, resourceVersion: "99", creationTimestamp: "2025-01-01T00:00:00Z",
  labels: {batch.kubernetes.io/controller-uid: u-1}, managedFields: [{manager: kubectl, operation: Update}]}
spec:
  selector: {matchLabels: {batch.kubernetes.io/controller-uid: u-1}}
  template:
    metadata: {labels: {batch.kubernetes.io/controller-uid: u-1}}
    spec: {restartPolicy: Never, containers: [{name: c, image: x}]}
status: {active: 1}
---
{apiVersion: v1, kind: ConfigMap, metadata: {name: fresh, namespace: default}, data: {a: b}}
---
apiVersion: v1
kind: Pod
metadata: {name: odd, namespace: default, uid: u-2}
spec: {containers: none}
)",
                                                 Entry::kRestored);
  ASSERT_EQ(creations.size(), 3U);
  EXPECT_EQ(creations[0].result, CreationResult::kCreated) << creations[0].why;
  EXPECT_EQ(creations[1].result, CreationResult::kCreated) << creations[1].why;
  EXPECT_EQ(creations[2].result, CreationResult::kRefused);
  EXPECT_THAT(creations[2].why, HasSubstr("containers"));
  const Value job = get({"batch", "v1", "jobs", "default", "train"});
  EXPECT_EQ(document::text_at(job, {"metadata", "uid"}), "u-1");
  EXPECT_EQ(document::text_at(job, {"metadata", "creationTimestamp"}), "2025-01-01T00:00:00Z");
  EXPECT_EQ(document::find_at(job, {"metadata", "generation"})->integer(), 4);
  EXPECT_EQ(document::find_at(job, {"metadata", "managedFields"}), nullptr);
  EXPECT_EQ(document::find_at(job, {"status", "active"})->integer(), 1);
  EXPECT_EQ(document::find_at(job, {"spec", "backoffLimit"})->integer(), 6);  // a default
}

}  // namespace
}  // namespace loadline::embedded
