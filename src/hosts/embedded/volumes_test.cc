// Pods and their volumes in a whole cluster: the scheduler chooses, the controller binds, and only then the pod goes.
#include <gmock/gmock.h>

#include "hosts/embedded/default_storage.h"
#include "hosts/embedded/testing/cluster_fixture.h"
#include "hosts/embedded/testing/picky_client.h"

namespace loadline::embedded {
namespace {

using document::Value;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::node;
using testing::PickyClient;

constexpr const char* kClaimingPod = R"(
apiVersion: v1
kind: Pod
metadata: {{name: {0}, namespace: default}}
spec:
  containers: [{{name: app, image: db}}]
  volumes: [{{name: v, persistentVolumeClaim: {{claimName: {1}}}}}]
)";
constexpr const char* kClaim = R"(
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {{name: {0}, namespace: default}}
spec: {{accessModes: [ReadWriteOnce], {1} resources: {{requests: {{storage: 1Gi}}}}}}
)";
constexpr const char* kLocalClass = R"(
apiVersion: storage.k8s.io/v1
kind: StorageClass
metadata: {name: local}
provisioner: kubernetes.io/no-provisioner
volumeBindingMode: WaitForFirstConsumer
)";
constexpr const char* kLocalVolume = R"(
apiVersion: v1
kind: PersistentVolume
metadata: {{name: on-{0}}}
spec:
  capacity: {{storage: 5Gi}}
  accessModes: [ReadWriteOnce]
  storageClassName: local
  local: {{path: /disk}}
  nodeAffinity:
    required:
      nodeSelectorTerms: [{{matchExpressions: [{{key: kubernetes.io/hostname, operator: In, values: [{0}]}}]}}]
)";

using testing::kPods;
const kube::ResourceReference kClaims{"", "v1", "persistentvolumeclaims", "default"};
const kube::ResourceReference kVolumes{"", "v1", "persistentvolumes"};
const kube::ResourceReference kClasses{"storage.k8s.io", "v1", "storageclasses"};

class VolumesTest : public testing::ClusterTest {
 protected:
  /// Writes of what `refuses` names fail.
  void start_picky(std::vector<Value> nodes, const PickyClient::Refuses& refuses,
                   const kube::Status& refusal = {403, "Forbidden", "the disk is on fire", {}}) {
    ClusterOptions options;
    options.provides_storage = true;
    options.wire = [this, refuses, refusal](std::unique_ptr<kube::Client> inner) {
      return std::make_unique<PickyClient>(std::move(inner), loop_, refuses, refusal);
    };
    start(std::move(nodes), std::move(options));
  }
  void start_with_storage(std::vector<Value> nodes) {
    start_picky(std::move(nodes), [](const kube::ResourceReference&) { return false; });
  }
  std::string_view annotation(const Value& object, std::string_view name) {
    return document::text_at(object, {"metadata", "annotations", name});
  }
};

TEST_F(VolumesTest, TheDefaultClassMakesVolumesWhereTheSchedulerSays) {
  start_with_storage({node("a")});
  apply(kClaims, fmt::format(kClaim, "data", ""));
  loop_.advance(Duration::seconds(1));
  EXPECT_THAT(events("WaitForFirstConsumer"), ElementsAre("waiting for first consumer to be created before binding"));
  apply(kPods, fmt::format(kClaimingPod, "db", "data"));
  loop_.advance(Duration::seconds(1));
  EXPECT_THAT(pods(), ElementsAre(std::pair("Running on a", 1)));
  EXPECT_THAT(events("FailedScheduling"), IsEmpty());
  const std::vector<Value> claims = list(kClaims);
  EXPECT_EQ(document::text_at(claims[0], {"spec", "storageClassName"}), "standard");
  EXPECT_EQ(document::text_at(claims[0], {"status", "phase"}), "Bound");
  EXPECT_EQ(annotation(claims[0], "volume.kubernetes.io/selected-node"), "a");
  EXPECT_EQ(list(kVolumes).size(), 1U);
}

TEST_F(VolumesTest, ADeletedDefaultClassIsNotCreatedAgain) {
  start_with_storage({node("a")});
  ASSERT_EQ(list(kClasses).size(), 1U);
  client_->remove({"storage.k8s.io", "v1", "storageclasses", "", "standard"}, {}, [](const kube::Answer<Value>&) {});
  loop_.run_until_idle();
  bool is_done = false;
  provide_default_storage(*client_, [&](const Result<void>& done) { is_done = done.has_value(); });
  loop_.run_until_idle();
  EXPECT_TRUE(is_done);
  EXPECT_THAT(list(kClasses), IsEmpty());
}

TEST_F(VolumesTest, APodGoesWhereAFreeVolumeIsOnceItIsBoundToItsClaim) {
  start_with_storage({node("a"), node("b")});
  apply(kClasses, kLocalClass);
  apply(kVolumes, fmt::format(kLocalVolume, "b"));
  apply(kClaims, fmt::format(kClaim, "one", "storageClassName: local,"));
  apply(kClaims, fmt::format(kClaim, "two", "storageClassName: local,"));
  apply(kPods, fmt::format(kClaimingPod, "first", "one"));
  apply(kPods, fmt::format(kClaimingPod, "second", "two"));
  loop_.advance(Duration::seconds(1));
  EXPECT_THAT(pods(), ElementsAre(std::pair("Pending on ", 1), std::pair("Running on b", 1)));
  EXPECT_THAT(events("FailedScheduling"),
              ElementsAre(HasSubstr("0/2 nodes are available: 2 node(s) didn't find available persistent volumes to "
                                    "bind.")));
  apply(kVolumes, fmt::format(kLocalVolume, "a"));
  loop_.advance(Duration::seconds(1));
  EXPECT_THAT(pods(), ElementsAre(std::pair("Running on a", 1), std::pair("Running on b", 1)));
  for (const Value& claim : list(kClaims)) EXPECT_EQ(document::text_at(claim, {"status", "phase"}), "Bound");
}

TEST_F(VolumesTest, APodIsNotBoundBeforeItsClaims) {
  start_picky({node("a")}, [](const kube::ResourceReference& of) { return of.plural == "persistentvolumes"; });
  apply(kClaims, fmt::format(kClaim, "data", ""));
  apply(kPods, fmt::format(kClaimingPod, "db", "data"));
  loop_.advance(Duration::seconds(590));
  EXPECT_THAT(pods(), ElementsAre(std::pair("Pending on ", 1)));
  EXPECT_THAT(events("FailedScheduling"), IsEmpty());
  EXPECT_EQ(annotation(list(kClaims)[0], "volume.kubernetes.io/selected-node"), "a");
  loop_.advance(Duration::seconds(20));
  EXPECT_THAT(events("FailedScheduling"),
              ElementsAre("running PreBind plugin \"VolumeBinding\": binding volumes: context deadline exceeded"));
  EXPECT_EQ(document::text_at(document::find_at(list(kPods)[0], {"status", "conditions"})->array().at(0), {"reason"}),
            "SchedulerError");
}

TEST_F(VolumesTest, AVolumeThatCannotBeReservedIsFreeForOthers) {
  bool refuses = true;
  start_picky({node("a")}, [&](const kube::ResourceReference& of) {
    return refuses && of.plural == "persistentvolumes" && of.subresource.empty();
  });
  apply(kClasses, kLocalClass);
  apply(kVolumes, fmt::format(kLocalVolume, "a"));
  apply(kClaims, fmt::format(kClaim, "one", "storageClassName: local,"));
  apply(kPods, fmt::format(kClaimingPod, "db", "one"));
  loop_.run_until_idle();
  EXPECT_THAT(events("FailedScheduling"), ElementsAre("running PreBind plugin \"VolumeBinding\": the disk is on fire"));
  refuses = false;
  client_->remove({"", "v1", "pods", "default", "db"}, {}, [](const kube::Answer<Value>&) {});
  apply(kClaims, fmt::format(kClaim, "two", "storageClassName: local,"));
  apply(kPods, fmt::format(kClaimingPod, "other", "two"));
  loop_.advance(Duration::seconds(2));
  EXPECT_THAT(pods(), ElementsAre(std::pair("Running on a", 1)));
}

TEST_F(VolumesTest, TheSchedulerChoosesAgainWhenTheNodeGoesBeforeTheVolumeIsMade) {
  bool refuses = true;
  start_picky({node("a"), node("b")},
              [&](const kube::ResourceReference& of) { return refuses && of.plural == "persistentvolumes"; });
  apply(kClaims, fmt::format(kClaim, "data", ""));
  apply(kPods, fmt::format(kClaimingPod, "db", "data"));
  loop_.run_until_idle();
  ASSERT_EQ(annotation(list(kClaims)[0], "volume.kubernetes.io/selected-node"), "a");
  client_->remove({"", "v1", "nodes", "", "a"}, {}, [](const kube::Answer<Value>&) {});
  refuses = false;
  loop_.advance(Duration::seconds(60));
  EXPECT_THAT(events("FailedScheduling"),
              Contains("running PreBind plugin \"VolumeBinding\": binding volumes: failed to get node \"a\": node "
                       "\"a\" not found"));
  EXPECT_THAT(events("ProvisioningFailed"), Contains("failed to get target node: nodes \"a\" not found"));
  EXPECT_THAT(pods(), ElementsAre(std::pair("Running on b", 1)));
}

/// Simulation seed 2758: the claim of a StatefulSet's first pod was deleted while its volume was being made. The pod
/// ran on, and the claim that took its place waited for its first consumer for ever.
TEST_F(VolumesTest, APodIsNotBoundToAClaimThatIsBeingDeleted) {
  const kube::ResourceReference claim{"", "v1", "persistentvolumeclaims", "default", "data"};
  bool refuses = true;
  start_picky({node("a")},
              [&](const kube::ResourceReference& of) { return refuses && of.plural == "persistentvolumes"; });
  apply(kClaims, fmt::format(kClaim, "data", ""));
  apply(kPods, fmt::format(kClaimingPod, "db", "data"));
  loop_.advance(Duration::seconds(1));
  client_->patch(claim, {kube::PatchType::kMerge, testing::yaml("{metadata: {finalizers: [example.com/stay]}}")},
                 [](const kube::Answer<Value>&) {});
  client_->remove(claim, {}, [](const kube::Answer<Value>&) {});
  refuses = false;
  loop_.advance(Duration::seconds(60));
  EXPECT_EQ(list(kClaims).size(), 1U);
  EXPECT_THAT(pods(), ElementsAre(std::pair("Pending on ", 1)));
  EXPECT_THAT(events("FailedScheduling"),
              Contains("running PreBind plugin \"VolumeBinding\": binding volumes: persistentvolumeclaim \"data\" is "
                       "being deleted"));
  client_->patch(claim, {kube::PatchType::kMerge, testing::yaml("{metadata: {finalizers: null}}")},
                 [](const kube::Answer<Value>&) {});
  loop_.run_until_idle();
  apply(kClaims, fmt::format(kClaim, "data", ""));
  loop_.advance(Duration::seconds(60));
  EXPECT_THAT(pods(), ElementsAre(std::pair("Running on a", 1)));
  EXPECT_EQ(document::text_at(list(kClaims)[0], {"status", "phase"}), "Bound");
}

/// Simulation seed 771409: while a pod's binding was under way its claim was deleted, which nothing protected yet, and
/// made anew. The pod ran on, and the new claim waited for its first consumer for ever.
TEST_F(VolumesTest, AClaimThatTakesThePlaceOfAnotherWhileThePodIsBeingBoundIsBoundToo) {
  bool refuses = true;
  start_picky({node("a")}, [&](const kube::ResourceReference& of) { return refuses && of.subresource == "binding"; },
              {500, "InternalError", "it may have been done", {}});
  apply(kClaims, fmt::format(kClaim, "data", ""));
  apply(kPods, fmt::format(kClaimingPod, "db", "data"));
  loop_.advance(Duration::seconds(5));
  ASSERT_EQ(document::text_at(list(kClaims)[0], {"status", "phase"}), "Bound");
  client_->remove({"", "v1", "persistentvolumeclaims", "default", "data"}, {}, [](const kube::Answer<Value>&) {});
  loop_.run_until_idle();
  ASSERT_THAT(list(kClaims), IsEmpty());
  apply(kClaims, fmt::format(kClaim, "data", ""));
  loop_.advance(Duration::seconds(5));
  EXPECT_EQ(document::text_at(list(kClaims)[0], {"status", "phase"}), "Pending");
  refuses = false;
  loop_.advance(Duration::seconds(60));
  EXPECT_THAT(pods(), ElementsAre(std::pair("Running on a", 1)));
  EXPECT_EQ(document::text_at(list(kClaims)[0], {"status", "phase"}), "Bound");
  EXPECT_EQ(annotation(list(kClaims)[0], "volume.kubernetes.io/selected-node"), "a");
}

TEST_F(VolumesTest, AnEphemeralVolumeLivesAsLongAsItsPod) {
  start_with_storage({node("a")});
  apply(kPods, R"(
apiVersion: v1
kind: Pod
metadata: {name: scratch, namespace: default}
spec:
  containers: [{name: app, image: db}]
  volumes:
  - name: v
    ephemeral: {volumeClaimTemplate: {spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}}}
)");
  loop_.advance(Duration::seconds(1));
  EXPECT_THAT(pods(), ElementsAre(std::pair("Running on a", 1)));
  EXPECT_EQ(list(kVolumes).size(), 1U);
  client_->remove({"", "v1", "pods", "default", "scratch"}, {}, [](const kube::Answer<Value>&) {});
  loop_.advance(Duration::seconds(60));
  EXPECT_THAT(list(kClaims), IsEmpty());
  EXPECT_THAT(list(kVolumes), IsEmpty());
}

}  // namespace
}  // namespace loadline::embedded
