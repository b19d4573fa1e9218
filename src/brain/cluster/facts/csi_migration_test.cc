#include "brain/cluster/facts/csi_migration.h"

#include <gtest/gtest.h>

namespace loadline::cluster {
namespace {

constexpr char kZone[] = "topology.kubernetes.io/zone";
constexpr char kOldZone[] = "failure-domain.beta.kubernetes.io/zone";
constexpr char kOldRegion[] = "failure-domain.beta.kubernetes.io/region";

kube::PersistentVolume in_tree(const char* source, const char* id, kube::StringMap labels = {}) {
  kube::PersistentVolume volume;
  volume.in_tree_plugin = source;
  volume.in_tree_volume_id = id;
  volume.metadata.labels = std::move(labels);
  return volume;
}

TEST(CsiMigration, TranslatesVolumesAsTheirDriversNameThem) {
  const struct {
    kube::PersistentVolume volume;
    const char* driver;
    const char* handle;
  } cases[] = {
      {in_tree("awsElasticBlockStore", "vol-1"), "ebs.csi.aws.com", "vol-1"},
      {in_tree("awsElasticBlockStore", "aws://us-east-1a/vol-1"), "ebs.csi.aws.com", "vol-1"},
      {in_tree("awsElasticBlockStore", "aws:///vol-1"), "ebs.csi.aws.com", "vol-1"},
      {in_tree("cinder", "id"), "cinder.csi.openstack.org", "id"},
      {in_tree("gcePersistentDisk", "pd"), "pd.csi.storage.gke.io", "projects/UNSPECIFIED/zones/UNSPECIFIED/disks/pd"},
      {in_tree("gcePersistentDisk", "pd", {{kZone, "us-central1-a"}}), "pd.csi.storage.gke.io",
       "projects/UNSPECIFIED/zones/us-central1-a/disks/pd"},
      {in_tree("gcePersistentDisk", "pd", {{kOldZone, "us-central1-a__us-central1-b"}}), "pd.csi.storage.gke.io",
       "projects/UNSPECIFIED/regions/us-central1/disks/pd"},
  };
  for (const auto& test : cases) {
    const Result<CsiVolume> translated = translate(test.volume);
    ASSERT_TRUE(translated) << translated.error().message;
    EXPECT_EQ(translated->driver, test.driver);
    EXPECT_EQ(translated->handle, test.handle);
  }
  EXPECT_FALSE(translate(in_tree("awsElasticBlockStore", "aws://us-east-1a/disk")));
  EXPECT_EQ(translate(in_tree("gcePersistentDisk", "pd", {{kZone, "us-central1-a__eu-west1-b"}})).error().message,
            "failed to get region from zones: multiple or no regions gotten from zones, got: map[eu-west1:{} "
            "us-central1:{}]");
}

TEST(CsiMigration, AnAzureDiskIsKnownByItsUriAndMustBeManaged) {
  kube::PersistentVolume volume = in_tree("azureDisk", "/disks/a");
  for (const char* kind : {"Managed", "managed", "MANAGED"}) {
    volume.in_tree_disk_kind = kind;
    EXPECT_EQ(translate(volume)->handle, "/disks/a") << kind;
  }
  for (const char* kind : {"Shared", "Dedicated", "", "manage"}) {
    volume.in_tree_disk_kind = kind;
    ASSERT_FALSE(translate(volume)) << kind;
    EXPECT_EQ(translate(volume).error().message, "kind(" + std::string(kind) + ") is not supported in csi migration");
  }
}

TEST(CsiMigration, OnlyMigratedPluginsAreKnown) {
  EXPECT_EQ(migrated_plugin_of(in_tree("nfs", "")), nullptr);
  EXPECT_EQ(driver_of_provisioner("kubernetes.io/gce-pd"), "pd.csi.storage.gke.io");
  EXPECT_EQ(driver_of_provisioner("example.com/own"), "example.com/own");
}

TEST(CsiMigration, ANodeListsThePluginsItMigrated) {
  const MigratedPlugin& ebs = *migrated_plugin_named("kubernetes.io/aws-ebs");
  kube::CsiNode node;
  EXPECT_FALSE(migrated_on_node(ebs, nullptr));
  EXPECT_FALSE(migrated_on_node(ebs, &node));
  std::string& list = node.metadata.annotations["storage.alpha.kubernetes.io/migrated-plugins"];
  list = "kubernetes.io/cinder,kubernetes.io/aws-ebs";
  EXPECT_TRUE(migrated_on_node(ebs, &node));
  list = "kubernetes.io/aws-ebs-2";
  EXPECT_FALSE(migrated_on_node(ebs, &node));
}

TEST(CsiMigration, AffinityMovesToTheDriversTopologyKey) {
  using kube::NodeSelectorOperator;
  constexpr char kKey[] = "topology.ebs.csi.aws.com/zone";
  kube::PersistentVolume volume = in_tree("awsElasticBlockStore", "vol-1", {{kZone, "c"}});
  volume.node_affinity = {
      {{{{kOldZone, NodeSelectorOperator::kIn, {"a"}}, {kOldRegion, NodeSelectorOperator::kIn, {"r"}}}, {}}}};
  const kube::NodeSelector moved = {
      {{{{kKey, NodeSelectorOperator::kIn, {"a"}}, {"topology.kubernetes.io/region", NodeSelectorOperator::kIn, {"r"}}},
        {}}}};
  EXPECT_EQ(translated_affinity(volume), moved);
  volume.node_affinity.reset();
  const kube::NodeSelector from_label = {{{{{kKey, NodeSelectorOperator::kIn, {"c"}}}, {}}}};
  EXPECT_EQ(translated_affinity(volume), from_label);
  volume.metadata.labels.clear();
  EXPECT_EQ(translated_affinity(volume), std::nullopt);
}

}  // namespace
}  // namespace loadline::cluster
