#include "brain/placement/plugins/volume_restrictions.h"

#include "brain/placement/testing/volume_fixture.h"

namespace loadline::placement {
namespace {

constexpr std::string_view kDisk = "node(s) had no available disk";
constexpr std::string_view kInUse =
    "node(s) unavailable due to PersistentVolumeClaim with ReadWriteOncePod access mode already in-use by another pod";

struct VolumeRestrictionsTest : VolumeFixture {
  std::unique_ptr<Plugin> plugin = make_volume_restrictions({});

  void add_exclusive_claim(const std::string& name) {
    kube::PersistentVolumeClaim claim = make_claim(name, "");
    claim.spec.access_modes = {kube::AccessMode::kReadWriteOncePod};
    cluster_.volumes().add(std::move(claim));
  }

  static kube::Volume gce(const std::string& id, bool read_only) {
    kube::Volume volume;
    volume.gce_persistent_disk = kube::DiskVolumeSource{id, read_only};
    return volume;
  }
  static kube::Volume ebs(const std::string& id, bool read_only) {
    kube::Volume volume;
    volume.aws_elastic_block_store = kube::DiskVolumeSource{id, read_only};
    return volume;
  }
  static kube::Volume iscsi(const std::string& iqn, std::int32_t lun, bool read_only) {
    kube::Volume volume;
    volume.iscsi = kube::IscsiVolumeSource{"127.0.0.1:3260", iqn, lun, read_only};
    return volume;
  }
  static kube::Volume rbd(std::vector<std::string> monitors, const std::string& image, bool read_only) {
    kube::Volume volume;
    volume.rbd = kube::RbdVolumeSource{std::move(monitors), image, "rbd", read_only};
    return volume;
  }
};

TEST_F(VolumeRestrictionsTest, APodWithoutDisksOrExclusiveClaimsIsSkipped) {
  cluster_.volumes().add(make_claim("data", ""));
  EXPECT_EQ(judge(*plugin, add_pod("p", {uses_claim("data")}), add_node("n")), "skipped");
}

TEST_F(VolumeRestrictionsTest, AMissingClaimRefusesThePod) {
  EXPECT_EQ(judge(*plugin, add_pod("p", {uses_claim("data")}), add_node("n")),
            "anywhere: persistentvolumeclaim \"data\" not found (unresolvable)");
}

TEST_F(VolumeRestrictionsTest, ADiskIsWrittenByOnePodOnANode) {
  const struct {
    std::string_view name;
    kube::Volume there;
    kube::Volume wanted;
    bool conflicts;
  } cases[] = {
      {"gce written", gce("d", false), gce("d", true), true},
      {"gce read by both", gce("d", true), gce("d", true), false},
      {"gce another disk", gce("e", false), gce("d", false), false},
      {"ebs even if read by both", ebs("d", true), ebs("d", true), true},
      {"ebs and gce of one name", ebs("d", false), gce("d", false), false},
      {"iscsi by iqn, not by lun", iscsi("iqn.a", 1, false), iscsi("iqn.a", 2, true), true},
      {"iscsi read by both", iscsi("iqn.a", 1, true), iscsi("iqn.a", 1, true), false},
      {"rbd with a monitor in common", rbd({"a", "b"}, "i", false), rbd({"b", "c"}, "i", true), true},
      {"rbd of other monitors", rbd({"a"}, "i", false), rbd({"c"}, "i", true), false},
      {"rbd of another image", rbd({"a"}, "i", false), rbd({"a"}, "j", true), false},
  };
  int number = 0;
  for (const auto& test : cases) {
    const std::string id = std::to_string(++number);
    const cluster::NodeId node = add_node("n" + id);
    const cluster::NodeId other = add_node("other" + id);
    cluster_.place(add_pod("there" + id, {test.there}), node);
    const cluster::PodId pod = add_pod("wanted" + id, {test.wanted});
    EXPECT_EQ(judge(*plugin, pod, node), test.conflicts ? kDisk : "passes") << test.name;
    EXPECT_EQ(judge(*plugin, pod, other), "passes") << test.name;
  }
}

TEST_F(VolumeRestrictionsTest, AnExclusiveClaimInUseRefusesEveryNode) {
  add_exclusive_claim("data");
  const cluster::NodeId node = add_node("n");
  const cluster::NodeId other = add_node("other");
  const cluster::PodId first = add_pod("first", {uses_claim("data")});
  EXPECT_EQ(judge(*plugin, first, node), "skipped") << "no pod uses the claim yet";
  cluster_.place(first, node);
  EXPECT_EQ(judge(*plugin, add_pod("second", {uses_claim("data")}), other), kInUse);
}

TEST_F(VolumeRestrictionsTest, AnExclusiveClaimOfAnotherNamespaceIsAnother) {
  add_exclusive_claim("data");
  const cluster::NodeId node = add_node("n");
  cluster_.place(add_pod("first", {uses_claim("data")}, "elsewhere"), node);
  EXPECT_EQ(judge(*plugin, add_pod("second", {uses_claim("data")}), node), "skipped");
}

TEST_F(VolumeRestrictionsTest, RemovingTheUserInADryRunFreesTheClaim) {
  add_exclusive_claim("data");
  const cluster::NodeId node = add_node("n");
  const cluster::PodId user = add_pod("user", {uses_claim("data")});
  cluster_.place(user, node);
  Cycle one = cycle(add_pod("p", {uses_claim("data")}));
  ASSERT_FALSE(plugin->pre_filter(one).skip);
  EXPECT_NE(plugin->filter(one, node), kPassed);
  plugin->pod_removed(one, user, node);
  EXPECT_EQ(plugin->filter(one, node), kPassed);
  plugin->pod_added(one, user, node);
  EXPECT_EQ(text(rejections_.at(plugin->filter(one, node))), kInUse);
}

}  // namespace
}  // namespace loadline::placement
