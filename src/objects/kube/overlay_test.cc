#include "objects/kube/overlay.h"

#include <gtest/gtest.h>

#include "objects/kube/apps/apps.h"
#include "objects/kube/batch/batch.h"
#include "objects/kube/config/scheduler_configuration.h"
#include "objects/kube/core/pod.h"
#include "objects/kube/core/service.h"

namespace loadline::kube {
namespace {

Deployment deployment(const char* name, std::int32_t replicas) {
  Deployment result;
  result.metadata.namespace_ = "default";
  result.metadata.name = name;
  result.replicas = replicas;
  return result;
}

TEST(ApplyOver, ReplacesByNameAndKeepsWhatOnlyTheClusterKnows) {
  Objects objects;
  objects.of<Deployment>() = {deployment("web", 2), deployment("api", 1)};
  objects.of<Deployment>()[0].metadata.uid = "u1";
  Objects added;
  added.of<Deployment>() = {deployment("web", 5), deployment("new", 1)};
  EXPECT_TRUE(apply_over(objects, std::move(added)).empty());
  ASSERT_EQ(objects.of<Deployment>().size(), 3U);
  EXPECT_EQ(objects.of<Deployment>()[0].replicas, 5);
  EXPECT_EQ(objects.of<Deployment>()[0].metadata.uid, "u1");
  EXPECT_EQ(objects.of<Deployment>()[2].metadata.name, "new");
}

/// A ConfigMap that is applied over another carries the configuration that counts.
TEST(ApplyOver, ReplacesTheConfigurationsThatAConfigMapCarries) {
  const auto objects_with = [](const char* map, const char* profile) {
    Objects objects;
    objects.of<ConfigMap>().resize(1);
    objects.of<ConfigMap>()[0].metadata.namespace_ = "kube-system";
    objects.of<ConfigMap>()[0].metadata.name = map;
    SchedulerConfiguration& configuration = objects.of<SchedulerConfiguration>().emplace_back();
    configuration.config_map = {"kube-system", map, std::nullopt, false};
    configuration.profiles[0].scheduler_name = profile;
    return objects;
  };
  Objects objects = objects_with("a", "old");
  apply_over(objects, objects_with("b", "other"));
  apply_over(objects, objects_with("a", "new"));
  ASSERT_EQ(objects.of<SchedulerConfiguration>().size(), 2U);
  EXPECT_EQ(objects.of<SchedulerConfiguration>()[0].profiles[0].scheduler_name, "other");
  EXPECT_EQ(objects.of<SchedulerConfiguration>()[1].profiles[0].scheduler_name, "new");
}

TEST(ApplyOver, MovesNoRunningPod) {
  Pod running;
  running.metadata.name = "web-0";
  auto spec = std::make_shared<PodSpec>();
  spec->node_name = "a";
  running.spec = spec;
  Objects objects;
  objects.of<Pod>() = {running};
  Objects added;
  added.of<Pod>().resize(1);
  added.of<Pod>()[0].metadata.name = "web-0";
  apply_over(objects, std::move(added));
  ASSERT_EQ(objects.of<Pod>().size(), 1U);
  EXPECT_EQ(objects.of<Pod>()[0].spec->node_name, "a");
}

TEST(ApplyOver, WarnsOfAnObjectThatIsDefinedTwice) {
  Objects objects;
  Objects added;
  added.of<Deployment>() = {deployment("web", 1), deployment("web", 7)};
  const Diagnostics warnings = apply_over(objects, std::move(added));
  ASSERT_EQ(warnings.size(), 1U);
  EXPECT_EQ(warnings[0].subject, "Deployment default/web");
  ASSERT_EQ(objects.of<Deployment>().size(), 1U);
  EXPECT_EQ(objects.of<Deployment>()[0].replicas, 7);
}

TEST(ApplyOver, KeepsEveryGeneratedName) {
  Job job;
  job.metadata.generate_name = "train-";
  job.metadata.name = "train-abcde";
  job.metadata.name_was_generated = true;
  Objects objects;
  objects.of<Job>() = {job};
  Objects added;
  added.of<Job>() = {job};
  EXPECT_TRUE(apply_over(objects, std::move(added)).empty());
  ASSERT_EQ(objects.of<Job>().size(), 2U);
  EXPECT_NE(objects.of<Job>()[0].metadata.name, objects.of<Job>()[1].metadata.name);
}

}  // namespace
}  // namespace loadline::kube
