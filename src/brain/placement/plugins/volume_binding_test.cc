#include "brain/placement/plugins/volume_binding.h"

#include "brain/placement/testing/random_objects.h"
#include "brain/placement/testing/volume_fixture.h"

namespace loadline::placement {
namespace {

using kube::VolumeBindingMode;

constexpr std::string_view kNoMatch = "node(s) didn't find available persistent volumes to bind (unresolvable)";
constexpr std::string_view kAffinity = "node(s) didn't match PersistentVolume's node affinity (unresolvable)";
constexpr std::string_view kNoSpace = "node(s) did not have enough free storage (unresolvable)";

struct VolumeBindingTest : VolumeFixture {
  std::unique_ptr<Plugin> plugin = make_volume_binding({});
  cluster::NodeId n1 = add_node("n1", {{testing::kHostname, "n1"}, {testing::kZone, "a"}});
  cluster::NodeId n2 = add_node("n2", {{testing::kHostname, "n2"}, {testing::kZone, "b"}});

  void SetUp() override {
    add_class("local", "kubernetes.io/no-provisioner", VolumeBindingMode::kWaitForFirstConsumer);
    add_class("csi", "d", VolumeBindingMode::kWaitForFirstConsumer);
    add_class("early", "d", VolumeBindingMode::kImmediate);
  }

  cluster::VolumeCatalog& volumes() { return cluster_.volumes(); }

  void add_local(const std::string& name, const std::string& host, const std::string& amount) {
    kube::PersistentVolume volume = make_volume(name, "local", amount);
    volume.node_affinity = in_values(testing::kHostname, {host});
    volumes().add(std::move(volume));
  }

  std::string volume_of(const std::string& claim) { return volumes().claim("default", claim)->spec.volume_name; }

  void count_storage(std::optional<std::string> maximum, const std::string& amount) {
    kube::CsiDriver driver;
    driver.metadata = named("d");
    driver.storage_capacity = true;
    volumes().add(std::move(driver));
    kube::CsiStorageCapacity capacity;
    capacity.metadata = named("pool", "kube-system");
    capacity.storage_class_name = "csi";
    capacity.node_topology = kube::LabelSelector{{{testing::kZone, "a"}}, {}};
    capacity.capacity = size(amount);
    if (maximum) capacity.maximum_volume_size = size(*maximum);
    volumes().add(std::move(capacity));
  }
};

TEST_F(VolumeBindingTest, APodWithoutClaimsIsSkipped) { EXPECT_EQ(judge(*plugin, add_pod("p", {}), n1), "skipped"); }

TEST_F(VolumeBindingTest, AClaimThatCannotBeUsedRefusesThePod) {
  kube::PersistentVolumeClaim lost = make_claim("lost", "early");
  lost.spec.volume_name = "gone";
  lost.phase = "Lost";
  volumes().add(std::move(lost));
  kube::PersistentVolumeClaim deleted = make_claim("deleted", "early");
  deleted.metadata.deletion_timestamp.emplace();
  volumes().add(std::move(deleted));
  volumes().add(make_claim("unbound", "early"));
  volumes().add(make_claim("no-class", ""));
  kube::PersistentVolumeClaim named_volume = make_claim("half-bound", "csi");
  named_volume.spec.volume_name = "somewhere";
  volumes().add(std::move(named_volume));
  constexpr struct {
    const char* claim;
    std::string_view answer;
  } kCases[] = {
      {"nothing", "anywhere: persistentvolumeclaim \"nothing\" not found (unresolvable)"},
      {"lost",
       "anywhere: persistentvolumeclaim \"lost\" bound to non-existent persistentvolume \"gone\" (unresolvable)"},
      {"deleted", "anywhere: persistentvolumeclaim \"deleted\" is being deleted (unresolvable)"},
      {"unbound", "anywhere: pod has unbound immediate PersistentVolumeClaims (unresolvable)"},
      {"no-class", "anywhere: pod has unbound immediate PersistentVolumeClaims (unresolvable)"},
      {"half-bound", "anywhere: pod has unbound immediate PersistentVolumeClaims (unresolvable)"},
  };
  for (const auto& test : kCases) {
    EXPECT_EQ(judge(*plugin, add_pod(std::string("p-") + test.claim, {uses_claim(test.claim)}), n1), test.answer);
  }
}

TEST_F(VolumeBindingTest, AnEphemeralClaimMustExistAndBeThePodsOwn) {
  const cluster::PodId early = add_pod("early", {uses_ephemeral("scratch", "csi")});
  EXPECT_EQ(judge(*plugin, early, n1),
            "anywhere: waiting for ephemeral volume controller to create the persistentvolumeclaim \"early-scratch\" "
            "(unresolvable)");
  volumes().add_ephemeral_claims(last_pod_);
  EXPECT_EQ(judge(*plugin, early, n1), "passes");
  volumes().add(make_claim("thief-scratch", "csi"));
  EXPECT_EQ(judge(*plugin, add_pod("thief", {uses_ephemeral("scratch", "csi")}), n1),
            "anywhere: PVC default/thief-scratch was not created for pod default/thief (pod is not owner) "
            "(unresolvable)");
}

TEST_F(VolumeBindingTest, ABoundVolumeMustBeInReach) {
  kube::PersistentVolume volume = make_volume("v", "local");
  volume.node_affinity = in_values(testing::kHostname, {"n1"});
  add_bound("data", std::move(volume));
  const cluster::PodId pod = add_pod("p", {uses_claim("data")});
  EXPECT_EQ(judge(*plugin, pod, n1), "passes");
  EXPECT_EQ(judge(*plugin, pod, n2), kAffinity);
}

TEST_F(VolumeBindingTest, AnAffinityWithoutTermsOrOnTheNodesNameReachesNothing) {
  kube::PersistentVolume empty = make_volume("empty", "local");
  empty.node_affinity.emplace();
  add_bound("a", std::move(empty));
  kube::PersistentVolume by_name = make_volume("by-name", "local");
  by_name.node_affinity = {{{{}, {{"metadata.name", kube::NodeSelectorOperator::kIn, {"n1"}}}}}};
  add_bound("b", std::move(by_name));
  EXPECT_EQ(judge(*plugin, add_pod("p", {uses_claim("a")}), n1), kAffinity);
  EXPECT_EQ(judge(*plugin, add_pod("q", {uses_claim("b")}), n1), kAffinity);
}

TEST_F(VolumeBindingTest, AMigratedVolumeIsLookedForWhereTheDriverSays) {
  kube::CsiNode csi_node;
  csi_node.metadata = named("n3");
  csi_node.metadata.annotations["storage.alpha.kubernetes.io/migrated-plugins"] =
      "kubernetes.io/cinder,kubernetes.io/aws-ebs";
  volumes().add(std::move(csi_node));
  const cluster::NodeId n3 = add_node("n3", {{"topology.ebs.csi.aws.com/zone", "a"}});
  kube::PersistentVolume volume = make_volume("v", "");
  volume.in_tree_plugin = "awsElasticBlockStore";
  volume.in_tree_volume_id = "vol-1";
  volume.node_affinity = in_values(testing::kZone, {"a"});
  add_bound("data", std::move(volume));
  const cluster::PodId pod = add_pod("p", {uses_claim("data")});
  EXPECT_EQ(judge(*plugin, pod, n1), "passes") << "not migrated there: by the zone label";
  EXPECT_EQ(judge(*plugin, pod, n2), kAffinity);
  EXPECT_EQ(judge(*plugin, pod, n3), "passes") << "migrated there: by the driver's label";
}

TEST_F(VolumeBindingTest, AMigratedVolumeThatCannotBeTranslatedIsAnError) {
  kube::CsiNode csi_node;
  csi_node.metadata = named("n1");
  csi_node.metadata.annotations["storage.alpha.kubernetes.io/migrated-plugins"] = "kubernetes.io/azure-disk";
  volumes().add(std::move(csi_node));
  kube::PersistentVolume volume = make_volume("v", "");
  volume.in_tree_plugin = "azureDisk";
  volume.in_tree_volume_id = "/disks/v";
  volume.in_tree_disk_kind = "Dedicated";
  add_bound("data", std::move(volume));
  const cluster::PodId pod = add_pod("p", {uses_claim("data")});
  EXPECT_EQ(judge(*plugin, pod, n1),
            "running \"VolumeBinding\" filter plugin: could not translate pv: kind(Dedicated) is not supported in csi "
            "migration (error)");
  EXPECT_EQ(judge(*plugin, pod, n2), "passes") << "not migrated there";
}

TEST_F(VolumeBindingTest, ABoundVolumeThatIsGoneRefusesTheNode) {
  kube::PersistentVolumeClaim claim = make_claim("data", "csi");
  claim.spec.volume_name = "gone";
  claim.metadata.annotations["pv.kubernetes.io/bind-completed"] = "yes";
  volumes().add(std::move(claim));
  EXPECT_EQ(judge(*plugin, add_pod("p", {uses_claim("data")}), n1),
            "node(s) unavailable due to one or more pvc(s) bound to non-existent pv(s) (unresolvable)");
}

TEST_F(VolumeBindingTest, TheSmallestVolumeThatFitsIsBound) {
  add_local("big", "n1", "20Gi");
  add_local("fits", "n1", "10Gi");
  add_local("small", "n1", "1Gi");
  add_local("elsewhere", "n2", "1Gi");
  volumes().add(make_claim("data", "local", "5Gi"));
  const cluster::PodId pod = add_pod("p", {uses_claim("data")});
  EXPECT_EQ(judge(*plugin, pod, n2), kNoMatch);
  reserve(*plugin, pod, n1);
  EXPECT_EQ(volume_of("data"), "fits");
  EXPECT_EQ(volumes().volume("fits")->phase, "Bound");
  EXPECT_EQ(judge(*plugin, add_pod("q", {uses_claim("data")}), n2), kAffinity) << "the volume holds the next pod";
}

TEST_F(VolumeBindingTest, ThePodsSmallestClaimChoosesFirst) {
  add_local("ten", "n1", "10Gi");
  add_local("five", "n1", "5Gi");
  volumes().add(make_claim("large", "local", "6Gi"));
  volumes().add(make_claim("little", "local", "2Gi"));
  volumes().add(make_claim("third", "local", "1Gi"));
  reserve(*plugin, add_pod("p", {uses_claim("large"), uses_claim("little")}), n1);
  EXPECT_EQ(volume_of("little"), "five");
  EXPECT_EQ(volume_of("large"), "ten");
  EXPECT_EQ(judge(*plugin, add_pod("q", {uses_claim("third")}), n1), kNoMatch) << "both are taken";
}

TEST_F(VolumeBindingTest, AReservedVolumeIsTheOnlyOneThatWillDo) {
  add_local("free", "n2", "1Gi");
  kube::PersistentVolume reserved = make_volume("reserved", "local", "50Gi");
  reserved.node_affinity = in_values(testing::kHostname, {"n1"});
  reserved.claim_ref = kube::ObjectReference{"PersistentVolumeClaim", "default", "data", ""};
  volumes().add(std::move(reserved));
  volumes().add(make_claim("data", "local"));
  const cluster::PodId pod = add_pod("p", {uses_claim("data")});
  EXPECT_EQ(judge(*plugin, pod, n2), kNoMatch);
  reserve(*plugin, pod, n1);
  EXPECT_EQ(volume_of("data"), "reserved");
}

TEST_F(VolumeBindingTest, AMadeVolumeIsReachableAsTheDriversTopologySays) {
  volumes().add(kube::CsiNode{named("n1"), {{"d", "n1", {testing::kZone}, {}}}});
  volumes().add(make_claim("data", "csi"));
  const cluster::PodId pod = add_pod("p", {uses_claim("data")});
  EXPECT_EQ(judge(*plugin, pod, n2), "passes") << "not made yet, so it can be made anywhere";
  reserve(*plugin, pod, n1);
  const kube::PersistentVolume* made = volumes().volume(volume_of("data"));
  ASSERT_NE(made, nullptr);
  EXPECT_EQ(made->metadata.name, "pvc-default-data");
  EXPECT_EQ(made->csi_driver, "d");
  EXPECT_EQ(made->node_affinity, in_values(testing::kZone, {"a"}));
  EXPECT_EQ(judge(*plugin, add_pod("q", {uses_claim("data")}), n2), kAffinity);
}

TEST_F(VolumeBindingTest, AClassAllowsNodesAndItsVolumesStayWhereTheyWereMade) {
  add_class("zonal", "d", VolumeBindingMode::kWaitForFirstConsumer, in_values(testing::kZone, {"b", "c"}).terms);
  volumes().add(make_claim("data", "zonal"));
  const cluster::PodId pod = add_pod("p", {uses_claim("data")});
  EXPECT_EQ(judge(*plugin, pod, n1), kNoMatch);
  reserve(*plugin, pod, n2);
  EXPECT_EQ(volumes().volume(volume_of("data"))->node_affinity, in_values(testing::kZone, {"b"}));
}

TEST_F(VolumeBindingTest, ADriverThatCountsMustHaveEnoughStorageInReach) {
  count_storage(std::nullopt, "10Gi");
  volumes().add(make_claim("a", "csi", "6Gi"));
  volumes().add(make_claim("b", "csi", "6Gi"));
  volumes().add(make_claim("huge", "csi", "11Gi"));
  const cluster::PodId pod = add_pod("p", {uses_claim("a")});
  EXPECT_EQ(judge(*plugin, pod, n2), kNoSpace) << "the pool is in zone a";
  EXPECT_EQ(judge(*plugin, add_pod("q", {uses_claim("huge")}), n1), kNoSpace);
  reserve(*plugin, pod, n1);
  EXPECT_EQ(judge(*plugin, add_pod("r", {uses_claim("b")}), n1), kNoSpace) << "4Gi are left";
}

TEST_F(VolumeBindingTest, TheMaximumVolumeSizeCountsBeforeTheCapacity) {
  count_storage("2Gi", "10Gi");
  volumes().add(make_claim("a", "csi", "3Gi"));
  EXPECT_EQ(judge(*plugin, add_pod("p", {uses_claim("a")}), n1), kNoSpace);
}

TEST_F(VolumeBindingTest, AClaimWithASelectedNodeGoesNowhereElse) {
  kube::PersistentVolumeClaim claim = make_claim("data", "csi");
  claim.metadata.annotations["volume.kubernetes.io/selected-node"] = "n2";
  volumes().add(std::move(claim));
  const cluster::PodId pod = add_pod("p", {uses_claim("data")});
  EXPECT_EQ(judge(*plugin, pod, n1), kNoMatch);
  EXPECT_EQ(judge(*plugin, pod, n2), "passes");
}

TEST_F(VolumeBindingTest, ClaimsWithASelectedNodeAreLookedAtInThePodsOrder) {
  count_storage(std::nullopt, "10Gi");
  for (kube::PersistentVolumeClaim claim : {make_claim("huge", "csi", "11Gi"), make_claim("tiny", "local")}) {
    claim.metadata.annotations["volume.kubernetes.io/selected-node"] = "n1";
    volumes().add(std::move(claim));
  }
  EXPECT_EQ(judge(*plugin, add_pod("p", {uses_claim("huge"), uses_claim("tiny")}), n1), kNoSpace);
  EXPECT_EQ(judge(*plugin, add_pod("q", {uses_claim("tiny"), uses_claim("huge")}), n1), kNoMatch)
      << "no provisioner makes volumes of that class";
}

TEST_F(VolumeBindingTest, SeveralTroublesAreToldTogether) {
  kube::PersistentVolume volume = make_volume("v", "local");
  volume.node_affinity = in_values(testing::kHostname, {"n1"});
  add_bound("bound", std::move(volume));
  volumes().add(make_claim("open", "local"));
  EXPECT_EQ(judge(*plugin, add_pod("p", {uses_claim("bound"), uses_claim("open")}), n2),
            "node(s) didn't match PersistentVolume's node affinity, node(s) didn't find available persistent volumes "
            "to bind (unresolvable)");
}

TEST_F(VolumeBindingTest, ItNeverScores) {
  Cycle one = cycle(add_pod("p", {}));
  EXPECT_FALSE(plugin->pre_score(one, FeasibleNodes({}, {})));
}

}  // namespace
}  // namespace loadline::placement
