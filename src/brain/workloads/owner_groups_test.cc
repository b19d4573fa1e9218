#include "brain/workloads/owner_groups.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "brain/workloads/expansion.h"
#include "brain/workloads/testing/objects.h"
#include "objects/kube/testing/decoding.h"
#include "objects/kube/workload_names.h"

namespace loadline::workloads {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using testing::kNow;
using testing::kSeed;

/// "MINIMUM: pods that name it", of each PodGroup that is made for a Deployment of three.
std::vector<std::string> groups(const std::string& annotation, const std::string& scheduler = "volcano",
                                const std::string& of_pods = "") {
  const kube::Objects objects =
      kube::decode_text(
          "{apiVersion: apps/v1, kind: Deployment, metadata: {name: web, namespace: default, "
          "annotations: {" +
          annotation +
          "}}, spec: {replicas: 3, selector: {matchLabels: {app: web}}, template: {metadata: {labels: "
          "{app: web}, annotations: {" +
          of_pods + "}}, spec: {schedulerName: " + scheduler + ", containers: [{name: c, image: i}]}}}}")
          .objects;
  Expansion expansion = expand(objects, kNow, kSeed);
  group_pods_of_owners(objects, expansion);
  std::vector<std::string> texts;
  for (const kube::VolcanoPodGroup& group : expansion.made.of<kube::VolcanoPodGroup>()) {
    int pods = 0;
    for (const CreatedPod& created : expansion.pods) {
      const auto name = created.pod.metadata.annotations.find(kube::kGroupNameAnnotation);
      if (name != created.pod.metadata.annotations.end() && name->second == group.metadata.name) ++pods;
      EXPECT_EQ(group.metadata.name, owner_group_name(created.pod.metadata.controller()->uid));
    }
    texts.push_back(std::to_string(group.min_member) + ": " + std::to_string(pods));
  }
  return texts;
}

TEST(OwnerGroups, AreMadeWhereAnAnnotationAsksForAMinimum) {
  EXPECT_THAT(groups("scheduling.volcano.sh/group-min-member: '3'"), ElementsAre("3: 3"));
  EXPECT_THAT(groups("scheduling.volcano.sh/group-min-member: '2'"), ElementsAre("2: 3"));
}

TEST(OwnerGroups, AreMadeForTheLeastWorkersOfAnElasticRun) {
  EXPECT_THAT(groups("elastic.pytorch.org/min-replicas: '2', elastic.pytorch.org/max-replicas: '9'"),
              ElementsAre("2: 3"));
  EXPECT_THAT(groups("elastic.pytorch.org/min-replicas: '2', scheduling.volcano.sh/group-min-member: '3'"),
              ElementsAre("3: 3"));
}

TEST(OwnerGroups, AreNotMadeWhereTheyMakeNoDifference) {
  EXPECT_THAT(groups(""), IsEmpty());
  EXPECT_THAT(groups("scheduling.volcano.sh/group-min-member: '1'"), IsEmpty());
  EXPECT_THAT(groups("scheduling.volcano.sh/group-min-member: some"), IsEmpty());
  EXPECT_THAT(groups("scheduling.volcano.sh/group-min-member: '3'", "default-scheduler"), IsEmpty());
  EXPECT_THAT(groups("scheduling.volcano.sh/group-min-member: '3'", "volcano", "scheduling.k8s.io/group-name: own"),
              IsEmpty());
}

}  // namespace
}  // namespace loadline::workloads
