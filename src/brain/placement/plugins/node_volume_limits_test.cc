#include "brain/placement/plugins/node_volume_limits.h"

#include "brain/placement/testing/volume_fixture.h"

namespace loadline::placement {
namespace {

constexpr std::string_view kExceeded = "node(s) exceed max volume count";

struct NodeVolumeLimitsTest : VolumeFixture {
  std::unique_ptr<Plugin> plugin = make_node_volume_limits({});

  cluster::NodeId node_with_limit(const std::string& name, const std::string& driver, std::int32_t limit) {
    cluster_.volumes().add(kube::CsiNode{named(name), {{driver, name, {}, limit}}});
    return add_node(name);
  }

  void add_csi(const std::string& claim, const std::string& driver, const std::string& handle) {
    kube::PersistentVolume volume = make_volume("pv-" + claim, "");
    volume.csi_driver = driver;
    volume.csi_volume_handle = handle;
    add_bound(claim, std::move(volume));
  }

  static kube::Volume ebs(const std::string& id) {
    kube::Volume volume;
    volume.aws_elastic_block_store = kube::DiskVolumeSource{id, false};
    return volume;
  }
};

TEST_F(NodeVolumeLimitsTest, APodWithoutVolumesIsSkipped) {
  EXPECT_EQ(judge(*plugin, add_pod("p", {}), node_with_limit("n", "d", 0)), "skipped");
}

TEST_F(NodeVolumeLimitsTest, VolumesOfPodsAndOfThePodMayNotExceedTheLimit) {
  const cluster::NodeId node = node_with_limit("n", "d", 2);
  const cluster::NodeId unlimited = add_node("unlimited");
  for (const char* name : {"a", "b", "c"}) add_csi(name, "d", name);
  add_csi("other", "another-driver", "x");
  cluster_.place(add_pod("there", {uses_claim("a")}), node);
  EXPECT_EQ(judge(*plugin, add_pod("1", {uses_claim("b")}), node), "passes");
  EXPECT_EQ(judge(*plugin, add_pod("2", {uses_claim("a"), uses_claim("b")}), node), "passes") << "`a` counts once";
  EXPECT_EQ(judge(*plugin, add_pod("3", {uses_claim("b"), uses_claim("c")}), node), kExceeded);
  EXPECT_EQ(judge(*plugin, add_pod("4", {uses_claim("b"), uses_claim("c")}), unlimited), "passes");
  EXPECT_EQ(judge(*plugin, add_pod("5", {uses_claim("b"), uses_claim("other")}), node), "passes");
}

TEST_F(NodeVolumeLimitsTest, AttachedVolumesCountUnlessAPodThereUsesThem) {
  const cluster::NodeId node = node_with_limit("n", "d", 2);
  for (const char* name : {"a", "b", "c"}) add_csi(name, "d", name);
  cluster_.volumes().add(kube::VolumeAttachment{named("va-a"), "d", "n", "pv-a"});
  cluster_.place(add_pod("there", {uses_claim("a")}), node);
  const cluster::PodId pod = add_pod("p", {uses_claim("c")});
  EXPECT_EQ(judge(*plugin, pod, node), "passes");
  cluster_.volumes().add(kube::VolumeAttachment{named("va-b"), "d", "n", "pv-b"});
  EXPECT_EQ(judge(*plugin, pod, node), kExceeded);
}

TEST_F(NodeVolumeLimitsTest, AnUnboundClaimCountsForItsProvisioner) {
  const cluster::NodeId node = node_with_limit("n", "d", 1);
  add_class("late", "d", kube::VolumeBindingMode::kWaitForFirstConsumer);
  cluster_.volumes().add(make_claim("a", "late"));
  cluster_.volumes().add(make_claim("b", "late"));
  cluster_.place(add_pod("there", {uses_claim("a")}), node);
  EXPECT_EQ(judge(*plugin, add_pod("1", {uses_claim("a")}), node), "passes");
  EXPECT_EQ(judge(*plugin, add_pod("2", {uses_claim("b")}), node), kExceeded);
}

TEST_F(NodeVolumeLimitsTest, InTreeVolumesCountForTheDriverTheyWereMigratedTo) {
  const cluster::NodeId node = node_with_limit("n", "ebs.csi.aws.com", 1);
  kube::PersistentVolume volume = make_volume("pv", "");
  volume.in_tree_plugin = "awsElasticBlockStore";
  volume.in_tree_volume_id = "aws://us-east-1a/vol-1";
  add_bound("claim", std::move(volume));
  cluster_.place(add_pod("there", {uses_claim("claim")}), node);
  EXPECT_EQ(judge(*plugin, add_pod("1", {ebs("vol-1")}), node), "passes") << "the same disk, named inline";
  EXPECT_EQ(judge(*plugin, add_pod("2", {ebs("vol-2")}), node), kExceeded);
  EXPECT_EQ(judge(*plugin, add_pod("3", {ebs("aws://us-east-1a/disk-3")}), node),
            "running \"NodeVolumeLimits\" filter plugin: converting volume() from inline to csi: failed to translate "
            "Kubernetes ID to EBS Volume ID Invalid format for AWS volume (aws://us-east-1a/disk-3) (error)");
}

TEST_F(NodeVolumeLimitsTest, AnAzureDiskIsKnownByItsUriAndMustBeManaged) {
  const cluster::NodeId node = node_with_limit("n", "disk.csi.azure.com", 1);
  const auto disk = [](const std::string& uri, const std::string& kind) {
    kube::Volume volume;
    volume.name = "v";
    volume.azure_disk = kube::AzureDiskVolumeSource{"disk", uri, kind, false};
    return volume;
  };
  cluster_.place(add_pod("there", {disk("/disks/a", "Managed")}), node);
  EXPECT_EQ(judge(*plugin, add_pod("1", {disk("/disks/a", "managed")}), node), "passes") << "the same disk";
  EXPECT_EQ(judge(*plugin, add_pod("2", {disk("/disks/b", "Managed")}), node), kExceeded)
      << "only its name is the same";
  EXPECT_EQ(judge(*plugin, add_pod("3", {disk("/disks/a", "Shared")}), node),
            "running \"NodeVolumeLimits\" filter plugin: converting volume(v) from inline to csi: kind(Shared) is not "
            "supported in csi migration (error)");
}

TEST_F(NodeVolumeLimitsTest, OfTheOtherInlineSourcesThatWereMigratedOnlyPortworxCounts) {
  const cluster::NodeId node = node_with_limit("n", "pxd.portworx.com", 1);
  const auto portworx = [](const std::string& id) {
    kube::Volume volume;
    volume.portworx_volume = kube::DiskVolumeSource{id, false};
    return volume;
  };
  cluster_.place(add_pod("there", {portworx("a")}), node);
  EXPECT_EQ(judge(*plugin, add_pod("1", {portworx("b")}), node), kExceeded);
  kube::Volume azure_file, vsphere;
  azure_file.azure_file = true;
  vsphere.vsphere_volume = true;
  EXPECT_EQ(judge(*plugin, add_pod("2", {azure_file}), node), "passes") << "looked at, though it never counts";
  EXPECT_EQ(judge(*plugin, add_pod("3", {vsphere}), node), "passes");
}

TEST_F(NodeVolumeLimitsTest, AMissingClaimRefusesANewPodOnly) {
  const cluster::NodeId node = node_with_limit("n", "d", 1);
  add_csi("a", "d", "a");
  cluster_.place(add_pod("there", {uses_claim("missing")}), node);
  EXPECT_EQ(judge(*plugin, add_pod("1", {uses_claim("a")}), node), "passes");
  EXPECT_EQ(judge(*plugin, add_pod("2", {uses_claim("missing")}), node),
            "looking up PVC default/missing: persistentvolumeclaim \"missing\" not found (unresolvable)");
}

TEST_F(NodeVolumeLimitsTest, EphemeralClaimsCountAndMustBeThePodsOwn) {
  const cluster::NodeId node = node_with_limit("n", "d", 1);
  add_class("late", "d", kube::VolumeBindingMode::kWaitForFirstConsumer);
  const cluster::PodId there = add_pod("there", {uses_ephemeral("scratch", "late")});
  cluster_.volumes().add_ephemeral_claims(last_pod_);
  EXPECT_EQ(judge(*plugin, there, node), "passes");
  cluster_.place(there, node);
  const cluster::PodId next = add_pod("next", {uses_ephemeral("scratch", "late")});
  cluster_.volumes().add_ephemeral_claims(last_pod_);
  EXPECT_EQ(judge(*plugin, next, node), kExceeded);
  cluster_.volumes().add(make_claim("thief-scratch", "late"));
  EXPECT_EQ(judge(*plugin, add_pod("thief", {uses_ephemeral("scratch", "late")}), node),
            "running \"NodeVolumeLimits\" filter plugin: PVC default/thief-scratch was not created for pod "
            "default/thief (pod is not owner) (error)");
}

}  // namespace
}  // namespace loadline::placement
