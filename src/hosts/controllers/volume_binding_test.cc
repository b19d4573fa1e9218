#include "hosts/controllers/volume_binding.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "foundation/document/writer.h"
#include "hosts/controllers/ephemeral_volume.h"
#include "hosts/controllers/testing/test_cluster.h"
#include "hosts/controllers/volume_protection.h"
#include "objects/kube/core/volume.h"

namespace loadline::controllers {
namespace {

using document::Value;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

class VolumeBindingTest : public ::testing::Test {
 protected:
  VolumeBindingTest() {
    cluster_.add(make_claim_binding_controller());
    cluster_.add(make_volume_binding_controller());
    cluster_.apply(R"(
apiVersion: storage.k8s.io/v1
kind: StorageClass
metadata: {name: fast}
provisioner: ebs.csi.aws.com
reclaimPolicy: Delete
volumeBindingMode: Immediate
---
apiVersion: storage.k8s.io/v1
kind: StorageClass
metadata: {name: late}
provisioner: ebs.csi.aws.com
reclaimPolicy: Retain
volumeBindingMode: WaitForFirstConsumer
---
apiVersion: v1
kind: Node
metadata: {name: node-1, labels: {topology.ebs.csi.aws.com/zone: z1}}
---
apiVersion: storage.k8s.io/v1
kind: CSINode
metadata: {name: node-1}
spec: {drivers: [{name: ebs.csi.aws.com, nodeID: i-1, topologyKeys: [topology.ebs.csi.aws.com/zone]}]}
)");
  }

  void make_claim(const std::string& spec, const std::string& annotations = "{}") {
    cluster_.apply(
        "{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: data, uid: claim-uid, annotations: " +
        annotations + "}, spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 5Gi}}, " + spec +
        "}, status: {phase: Pending}}");
    cluster_.settle();
  }
  void make_volume(const std::string& name, const std::string& size, const std::string& more = "") {
    cluster_.apply("{apiVersion: v1, kind: PersistentVolume, metadata: {name: " + name +
                   "}, spec: {accessModes: [ReadWriteOnce], persistentVolumeReclaimPolicy: Retain, "
                   "storageClassName: manual, capacity: {storage: " +
                   size + "}" + more + "}}");
    cluster_.settle();
  }
  ObjectPtr<kube::PersistentVolumeClaim> claim() const { return cluster_.get<kube::PersistentVolumeClaim>("data"); }
  ObjectPtr<kube::PersistentVolume> volume(std::string_view name) const {
    return cluster_.caches.of<kube::PersistentVolume>().find("", name);
  }

  testing::TestCluster cluster_;
};

TEST_F(VolumeBindingTest, BindsTheSmallestVolumeThatFits) {
  make_volume("small", "1Gi");
  make_volume("large", "20Gi");
  make_volume("right", "10Gi");
  EXPECT_EQ(volume("right")->view.phase, "Available");
  make_claim("storageClassName: manual");
  EXPECT_EQ(claim()->view.phase, "Bound");
  EXPECT_EQ(claim()->view.spec.volume_name, "right");
  EXPECT_EQ(claim()->metadata().annotations.at("pv.kubernetes.io/bind-completed"), "yes");
  EXPECT_EQ(claim()->metadata().annotations.at("pv.kubernetes.io/bound-by-controller"), "yes");
  EXPECT_EQ(document::write_json(*document::find_at(claim()->document, {"status", "capacity"})),
            R"({"storage":"10Gi"})");
  EXPECT_EQ(volume("right")->view.phase, "Bound");
  EXPECT_EQ(volume("right")->view.claim_ref->uid, "claim-uid");
  EXPECT_EQ(volume("right")->metadata().annotations.at("pv.kubernetes.io/bound-by-controller"), "yes");
  EXPECT_EQ(volume("large")->view.phase, "Available");
}

TEST_F(VolumeBindingTest, AClaimWaitsForAVolumeAndGetsTheOneThatComes) {
  make_claim("storageClassName: ''");
  EXPECT_EQ(cluster_.events.back(),
            "Normal FailedBinding no persistent volumes available for this claim and no storage class is set");
  make_volume("of-another-class", "5Gi");
  EXPECT_EQ(claim()->view.phase, "Pending");
  cluster_.apply(
      "{apiVersion: v1, kind: PersistentVolume, metadata: {name: free}, spec: {accessModes: [ReadWriteOnce], "
      "capacity: {storage: 5Gi}}}");
  cluster_.settle();
  EXPECT_EQ(claim()->view.phase, "Bound");
}

TEST_F(VolumeBindingTest, ProvisionsAtOnceWithImmediateBinding) {
  make_claim("storageClassName: fast");
  EXPECT_EQ(claim()->view.phase, "Bound");
  EXPECT_EQ(claim()->view.spec.volume_name, "pvc-claim-uid");
  EXPECT_EQ(claim()->metadata().annotations.at("volume.kubernetes.io/storage-provisioner"), "ebs.csi.aws.com");
  const auto made = volume("pvc-claim-uid");
  ASSERT_NE(made, nullptr);
  EXPECT_EQ(made->view.phase, "Bound");
  EXPECT_EQ(made->view.csi_driver, "ebs.csi.aws.com");
  EXPECT_EQ(made->metadata().annotations.at("pv.kubernetes.io/provisioned-by"), "ebs.csi.aws.com");
  EXPECT_EQ(document::text_at(made->document, {"spec", "persistentVolumeReclaimPolicy"}), "Delete");
  EXPECT_EQ(document::text_at(made->document, {"spec", "capacity", "storage"}), "5Gi");
  EXPECT_THAT(cluster_.events, Contains("Normal ProvisioningSucceeded Successfully provisioned volume pvc-claim-uid"));
}

TEST_F(VolumeBindingTest, WaitsForTheFirstConsumerAndItsNode) {
  make_claim("storageClassName: late");
  EXPECT_EQ(cluster_.events.back(),
            "Normal WaitForFirstConsumer waiting for first consumer to be created before binding");
  cluster_.apply(
      "{apiVersion: v1, kind: Pod, metadata: {name: p}, spec: {volumes: [{name: v, persistentVolumeClaim: "
      "{claimName: data}}]}}");
  cluster_.wait(Duration::seconds(1));
  EXPECT_EQ(cluster_.events.back(), "Normal WaitForPodScheduled waiting for pod p to be scheduled");
  EXPECT_THAT(cluster_.done, Not(Contains(HasSubstr("create persistentvolumes"))));
  cluster_.set<kube::PersistentVolumeClaim>("data", {"metadata", "annotations", "volume.kubernetes.io/selected-node"},
                                            Value("node-1"));
  cluster_.settle();
  EXPECT_EQ(claim()->view.phase, "Bound");
  EXPECT_EQ(document::write_json(*document::find_at(volume("pvc-claim-uid")->document, {"spec", "nodeAffinity"})),
            R"({"required":{"nodeSelectorTerms":[{"matchExpressions":[{"key":"topology.ebs.csi.aws.com/zone",)"
            R"("operator":"In","values":["z1"]}]}]}})");
}

TEST_F(VolumeBindingTest, APodThatWasGivenItsNodeByHandIsNoConsumer) {
  make_claim("storageClassName: late");
  cluster_.apply(
      "{apiVersion: v1, kind: Pod, metadata: {name: p}, spec: {nodeName: node-1, volumes: [{name: v, "
      "persistentVolumeClaim: {claimName: data}}]}}");
  cluster_.wait(Duration::seconds(1));
  EXPECT_EQ(claim()->view.phase, "Pending");
  EXPECT_EQ(cluster_.events.back(),
            "Normal WaitForFirstConsumer waiting for first consumer to be created before binding");
}

TEST_F(VolumeBindingTest, AClaimThatWaitsGetsTheVolumeThatTheSchedulerReservedForIt) {
  cluster_.apply(R"(
apiVersion: storage.k8s.io/v1
kind: StorageClass
metadata: {name: manual}
provisioner: kubernetes.io/no-provisioner
volumeBindingMode: WaitForFirstConsumer
)");
  make_volume("small", "5Gi");
  make_volume("large", "8Gi");
  make_claim("storageClassName: manual");
  EXPECT_EQ(claim()->view.phase, "Pending");
  make_volume("large", "8Gi",
              ", claimRef: {kind: PersistentVolumeClaim, namespace: default, name: data, uid: claim-uid}");
  EXPECT_EQ(claim()->view.spec.volume_name, "large");
  EXPECT_EQ(claim()->view.phase, "Bound");
}

TEST_F(VolumeBindingTest, HasTheSchedulerChooseAgainIfTheNodeIsGone) {
  make_claim("storageClassName: late", "{volume.kubernetes.io/selected-node: lost}");
  EXPECT_EQ(claim()->metadata().annotations.count("volume.kubernetes.io/selected-node"), 0U);
  EXPECT_THAT(cluster_.events,
              Contains("Warning ProvisioningFailed failed to get target node: nodes \"lost\" not found"));
  EXPECT_EQ(claim()->view.phase, "Pending");
}

TEST_F(VolumeBindingTest, DeletesWhatItMadeAndKeepsTheRest) {
  make_claim("storageClassName: fast");
  cluster_.caches.of<kube::PersistentVolumeClaim>().erase({"default", "data"});
  cluster_.settle();
  EXPECT_EQ(volume("pvc-claim-uid"), nullptr);
  make_volume("kept", "5Gi");
  make_claim("storageClassName: manual");
  cluster_.caches.of<kube::PersistentVolumeClaim>().erase({"default", "data"});
  cluster_.settle();
  EXPECT_EQ(volume("kept")->view.phase, "Released");
}

TEST_F(VolumeBindingTest, AClaimWhoseVolumeIsGoneIsLost) {
  make_volume("v", "5Gi");
  make_claim("storageClassName: manual");
  cluster_.caches.of<kube::PersistentVolume>().erase({"", "v"});
  cluster_.settle();
  EXPECT_EQ(claim()->view.phase, "Lost");
  EXPECT_EQ(cluster_.events.back(),
            "Warning ClaimLost Bound claim has lost its PersistentVolume. Data on the volume is lost!");
}

TEST_F(VolumeBindingTest, AClaimMayNameItsVolume) {
  make_volume("v", "1Gi");
  make_claim("storageClassName: manual, volumeName: v");
  EXPECT_EQ(cluster_.events.back(),
            "Warning VolumeMismatch Cannot bind to requested volume \"v\": requested PV is too small");
  EXPECT_EQ(claim()->view.phase, "Pending");
  make_volume("v", "8Gi");
  cluster_.wait(Duration::seconds(1));
  EXPECT_EQ(claim()->view.phase, "Bound");
  EXPECT_EQ(claim()->metadata().annotations.count("pv.kubernetes.io/bound-by-controller"), 0U);
}

TEST_F(VolumeBindingTest, LeavesToOthersWhatTheyServe) {
  testing::TestCluster cluster;
  cluster.add(make_claim_binding_controller([](std::string_view) { return true; }));
  cluster.apply(
      "{apiVersion: storage.k8s.io/v1, kind: StorageClass, metadata: {name: fast}, provisioner: example.com/p}");
  cluster.apply(
      "{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: data}, spec: {storageClassName: fast}}");
  cluster.settle();
  EXPECT_THAT(cluster.done, Not(Contains(HasSubstr("create"))));
  EXPECT_THAT(cluster.events,
              Contains(HasSubstr("ExternalProvisioning Waiting for a volume to be created either by the "
                                 "external provisioner 'example.com/p'")));
}

TEST(EphemeralVolume, MakesTheClaimsOfAPod) {
  testing::TestCluster cluster;
  cluster.add(make_ephemeral_volume_controller());
  cluster.apply(
      R"({apiVersion: v1, kind: Pod, metadata: {name: p, uid: p-uid}, spec: {volumes: [{name: scratch, ephemeral: {
    volumeClaimTemplate: {metadata: {labels: {a: b}}, spec: {accessModes: [ReadWriteOnce],
    resources: {requests: {storage: 1Gi}}}}}}]}})");
  cluster.settle();
  const auto claim = cluster.get<kube::PersistentVolumeClaim>("p-scratch");
  ASSERT_NE(claim, nullptr);
  EXPECT_EQ(claim->metadata().controller()->uid, "p-uid");
  EXPECT_EQ(claim->metadata().labels.at("a"), "b");
  EXPECT_EQ(document::text_at(claim->document, {"spec", "resources", "requests", "storage"}), "1Gi");
  cluster.apply("{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: q-scratch}}");
  cluster.apply(R"({apiVersion: v1, kind: Pod, metadata: {name: q}, spec: {volumes: [{name: scratch, ephemeral: {
    volumeClaimTemplate: {spec: {}}}}]}})");
  cluster.settle();
  EXPECT_THAT(cluster.events,
              ElementsAre("Warning FailedBinding ephemeral volume scratch: PVC default/q-scratch was not "
                          "created for pod default/q (pod is not owner)"));
}

TEST(VolumeProtection, HoldsAClaimWhileAPodUsesIt) {
  testing::TestCluster cluster;
  cluster.finalizers_hold = true;
  cluster.add(make_claim_protection_controller());
  cluster.apply("{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: data}}");
  cluster.apply(
      "{apiVersion: v1, kind: Pod, metadata: {name: p}, spec: {nodeName: node-1, volumes: [{name: v, "
      "persistentVolumeClaim: {claimName: data}}]}}");
  cluster.settle();
  const auto claim = cluster.get<kube::PersistentVolumeClaim>("data");
  EXPECT_THAT(claim->metadata().finalizers, ElementsAre("kubernetes.io/pvc-protection"));
  cluster.set<kube::PersistentVolumeClaim>("data", {"metadata", "deletionTimestamp"}, Value("2026-01-01T00:00:00Z"));
  cluster.settle();
  EXPECT_NE(cluster.get<kube::PersistentVolumeClaim>("data"), nullptr);
  cluster.caches.of<kube::Pod>().erase({"default", "p"});
  cluster.settle();
  EXPECT_EQ(cluster.get<kube::PersistentVolumeClaim>("data"), nullptr);
}

/// The cache may not know yet that a pod was bound: those that would use the claim are looked at anew.
TEST(VolumeProtection, LooksAnewAtPodsThatMayHaveBeenBound) {
  testing::TestCluster cluster;
  Controller& controller = cluster.add(make_claim_protection_controller());
  cluster.apply(R"({apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: data,
      deletionTimestamp: '2026-01-01T00:00:00Z', finalizers: [kubernetes.io/pvc-protection]}})");
  cluster.apply(
      "{apiVersion: v1, kind: Pod, metadata: {name: p}, spec: {volumes: [{name: v, "
      "persistentVolumeClaim: {claimName: data}}]}}");
  cluster.apply("{apiVersion: v1, kind: Pod, metadata: {name: other}, spec: {}}");
  const Reconciliation result = controller.reconcile({"default", "data"}, {cluster.caches, Instant{}, {}});
  ASSERT_EQ(result.steps.size(), 1U);
  const Precondition& precondition = result.steps[0][0].precondition;
  ASSERT_EQ(precondition.objects.size(), 1U);
  EXPECT_EQ(precondition.objects[0].name, "p");
  const auto pod = cluster.get<kube::Pod>("p");
  EXPECT_FALSE(precondition.is_violated_by(pod->document));
  EXPECT_TRUE(precondition.is_violated_by(document::with_at(pod->document, {"spec", "nodeName"}, Value("node-1"))));
}

/// A pod that is deleted in the foreground waits for its claim, so the claim must not wait for the pod.
TEST(VolumeProtection, LetsTheClaimOfAnEphemeralVolumeGoOnceItsPodHasShutDown) {
  testing::TestCluster cluster;
  cluster.finalizers_hold = true;
  cluster.add(make_ephemeral_volume_controller());
  cluster.add(make_claim_protection_controller());
  cluster.apply(R"({apiVersion: v1, kind: Pod, metadata: {name: p, uid: u-p, finalizers: [foregroundDeletion]}, spec: {
    nodeName: node-1, volumes: [{name: scratch, ephemeral: {volumeClaimTemplate: {spec: {}}}}]}})");
  cluster.settle();
  const auto delete_pod = [&](std::int64_t grace) {
    cluster.set<kube::Pod>("p", {"metadata", "deletionGracePeriodSeconds"}, Value(grace));
    cluster.set<kube::Pod>("p", {"metadata", "deletionTimestamp"}, Value("2026-01-01T00:00:00Z"));
    cluster.settle();
  };
  delete_pod(30);
  cluster.set<kube::PersistentVolumeClaim>("p-scratch", {"metadata", "deletionTimestamp"},
                                           Value("2026-01-01T00:00:00Z"));
  cluster.settle();
  EXPECT_NE(cluster.get<kube::PersistentVolumeClaim>("p-scratch"), nullptr) << "the pod still stops";
  delete_pod(0);
  EXPECT_EQ(cluster.get<kube::PersistentVolumeClaim>("p-scratch"), nullptr);
}

TEST(VolumeProtection, HoldsAVolumeWhileItIsBound) {
  testing::TestCluster cluster;
  cluster.finalizers_hold = true;
  cluster.add(make_volume_protection_controller());
  cluster.apply(
      "{apiVersion: v1, kind: PersistentVolume, metadata: {name: v, deletionTimestamp: '2026-01-01T00:00:00Z', "
      "finalizers: [kubernetes.io/pv-protection]}, status: {phase: Bound}}");
  cluster.settle();
  EXPECT_THAT(cluster.done, IsEmpty());
  cluster.apply(
      "{apiVersion: v1, kind: PersistentVolume, metadata: {name: w, deletionTimestamp: '2026-01-01T00:00:00Z', "
      "finalizers: [kubernetes.io/pv-protection]}, status: {phase: Released}}");
  cluster.settle();
  EXPECT_THAT(cluster.done, ElementsAre("patch persistentvolumes w"));
  EXPECT_EQ(cluster.caches.of<kube::PersistentVolume>().find("", "w"), nullptr);
}

/// Upstream's end-to-end suite deletes one, and waits until it is gone.
TEST(VolumeProtection, HoldsAnAttributesClassWhileAClaimOrAVolumeNamesIt) {
  testing::TestCluster cluster;
  cluster.finalizers_hold = true;
  cluster.add(make_attributes_class_protection_controller());
  const auto gold = [&] { return cluster.caches.of<VolumeAttributesClass>().find("", "gold"); };
  cluster.apply("{apiVersion: storage.k8s.io/v1, kind: VolumeAttributesClass, metadata: {name: gold, uid: u-gold}}");
  cluster.settle();
  EXPECT_THAT(gold()->metadata().finalizers, ElementsAre("kubernetes.io/vac-protection"));
  cluster.apply(R"({apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: data}, spec: {
      volumeAttributesClassName: silver}, status: {currentVolumeAttributesClassName: silver,
      modifyVolumeStatus: {targetVolumeAttributesClassName: gold, status: InProgress}}})");
  cluster.apply(
      "{apiVersion: v1, kind: PersistentVolume, metadata: {name: v}, spec: {volumeAttributesClassName: gold}}");
  cluster.apply(
      "{apiVersion: storage.k8s.io/v1, kind: VolumeAttributesClass, metadata: {name: gold, uid: u-gold, finalizers: "
      "[kubernetes.io/vac-protection], deletionTimestamp: '2026-01-01T00:00:00Z'}}");
  cluster.settle();
  EXPECT_NE(gold(), nullptr);
  cluster.set<kube::PersistentVolumeClaim>("data", {"status", "modifyVolumeStatus"}, Value());
  cluster.settle();
  EXPECT_NE(gold(), nullptr) << "the volume still names it";
  cluster.caches.of<kube::PersistentVolume>().erase({"", "v"});
  cluster.settle();
  EXPECT_EQ(gold(), nullptr);
}

}  // namespace
}  // namespace loadline::controllers
