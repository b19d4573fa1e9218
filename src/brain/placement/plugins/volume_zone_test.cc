#include "brain/placement/plugins/volume_zone.h"

#include "brain/placement/testing/random_objects.h"
#include "brain/placement/testing/volume_fixture.h"

namespace loadline::placement {
namespace {

constexpr char kRegion[] = "topology.kubernetes.io/region";
constexpr char kOldZone[] = "failure-domain.beta.kubernetes.io/zone";
constexpr std::string_view kConflict = "node(s) had no available volume zone (unresolvable)";

struct VolumeZoneTest : VolumeFixture {
  std::unique_ptr<Plugin> plugin = make_volume_zone({});

  cluster::PodId pod_with_volume(const std::string& id, kube::StringMap labels) {
    kube::PersistentVolume volume = make_volume("v" + id, "");
    volume.metadata.labels = std::move(labels);
    add_bound("c" + id, std::move(volume));
    return add_pod("p" + id, {uses_claim("c" + id)});
  }
};

TEST_F(VolumeZoneTest, ANodeMustBeInOneOfTheVolumesZones) {
  const struct {
    std::string_view name;
    kube::StringMap volume;
    kube::StringMap node;
    std::string_view answer;
  } cases[] = {
      {"the zone", {{testing::kZone, "a"}}, {{testing::kZone, "a"}}, "passes"},
      {"another zone", {{testing::kZone, "a"}}, {{testing::kZone, "b"}}, kConflict},
      {"one of several zones", {{testing::kZone, "a__b"}}, {{testing::kZone, "b"}}, "passes"},
      {"none of several zones", {{testing::kZone, "a__b"}}, {{testing::kZone, "c"}}, kConflict},
      {"white space around zones", {{testing::kZone, "a __ b"}}, {{testing::kZone, "b"}}, "passes"},
      {"an empty part voids the label", {{testing::kZone, "a__"}}, {{testing::kZone, "c"}}, "skipped"},
      {"a node that says nothing", {{testing::kZone, "a"}}, {{"disk", "ssd"}}, "passes"},
      {"a node that says its region only", {{testing::kZone, "a"}}, {{kRegion, "r"}}, kConflict},
      {"zone and region", {{testing::kZone, "a"}, {kRegion, "r"}}, {{testing::kZone, "a"}, {kRegion, "q"}}, kConflict},
      {"old label, new node", {{kOldZone, "a"}}, {{testing::kZone, "a"}}, "passes"},
      {"old label on both wins", {{kOldZone, "a"}}, {{kOldZone, "b"}, {testing::kZone, "a"}}, kConflict},
      {"new label, old node", {{testing::kZone, "a"}}, {{kOldZone, "a"}}, kConflict},
      {"a volume without labels", {}, {{testing::kZone, "a"}}, "skipped"},
  };
  int number = 0;
  for (const auto& test : cases) {
    const std::string id = std::to_string(++number);
    const cluster::NodeId node = add_node("n" + id, test.node);
    EXPECT_EQ(judge(*plugin, pod_with_volume(id, test.volume), node), test.answer) << test.name;
  }
}

TEST_F(VolumeZoneTest, AClaimWithoutAVolumeIsJudgedByItsClass) {
  add_class("late", "example.com/p", kube::VolumeBindingMode::kWaitForFirstConsumer);
  add_class("early", "example.com/p", kube::VolumeBindingMode::kImmediate);
  constexpr struct {
    const char* class_name;
    std::string_view answer;
  } kCases[] = {
      {"late", "skipped"},
      {"early", "anywhere: PersistentVolume had no name (unresolvable)"},
      {"", "anywhere: PersistentVolumeClaim had no pv name and storageClass name (unresolvable)"},
      {"missing", "anywhere: storageclass.storage.k8s.io \"missing\" not found (unresolvable)"},
  };
  const cluster::NodeId node = add_node("n");
  for (const auto& test : kCases) {
    const std::string claim = std::string("claim-") + test.class_name;
    cluster_.volumes().add(make_claim(claim, test.class_name));
    EXPECT_EQ(judge(*plugin, add_pod("p-" + claim, {uses_claim(claim)}), node), test.answer) << test.class_name;
  }
}

TEST_F(VolumeZoneTest, MissingObjectsRefuseThePod) {
  const cluster::NodeId node = add_node("n");
  kube::PersistentVolumeClaim claim = make_claim("dangling", "");
  claim.spec.volume_name = "gone";
  cluster_.volumes().add(std::move(claim));
  EXPECT_EQ(judge(*plugin, add_pod("a", {uses_claim("dangling")}), node),
            "anywhere: persistentvolume \"gone\" not found (unresolvable)");
  EXPECT_EQ(judge(*plugin, add_pod("b", {uses_claim("nothing")}), node),
            "anywhere: persistentvolumeclaim \"nothing\" not found (unresolvable)");
  EXPECT_EQ(judge(*plugin, add_pod("c", {uses_claim("")}), node),
            "anywhere: PersistentVolumeClaim had no name (unresolvable)");
}

TEST_F(VolumeZoneTest, AFilterWithoutPreFilterLooksForItself) {
  const cluster::NodeId a = add_node("a", {{testing::kZone, "a"}});
  const cluster::NodeId b = add_node("b", {{testing::kZone, "b"}});
  const auto filter = [&](cluster::PodId pod, cluster::NodeId node) {
    Cycle one = cycle(pod);
    const RejectionId rejection = plugin->filter(one, node);
    return rejection == kPassed ? "passes" : text(rejections_.at(rejection));
  };
  const cluster::PodId pod = pod_with_volume("1", {{testing::kZone, "a"}});
  EXPECT_EQ(filter(pod, a), "passes");
  EXPECT_EQ(filter(pod, b), kConflict);
  EXPECT_EQ(filter(add_pod("p2", {uses_claim("gone")}), a), "persistentvolumeclaim \"gone\" not found (unresolvable)");
}

}  // namespace
}  // namespace loadline::placement
