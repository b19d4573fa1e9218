#include "objects/kube/member_defaults.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "foundation/document/reader.h"
#include "foundation/document/writer.h"
#include "objects/kube/apps/apps_schema.h"
#include "objects/kube/batch/batch_schema.h"
#include "objects/kube/core/node_schema.h"
#include "objects/kube/core/pod_schema.h"
#include "objects/kube/core/quota_schema.h"
#include "objects/kube/core/service_schema.h"
#include "objects/kube/core/volume_schema.h"
#include "objects/kube/core/volume_source_schema.h"
#include "objects/kube/decoder.h"
#include "objects/kube/defaults.h"
#include "objects/kube/encoder.h"
#include "objects/kube/storage/storage_schema.h"
#include "objects/kube/view.h"

namespace loadline::kube {
namespace {

using document::Value;

Value json(std::string_view text) { return document::read_json(text, "test").documents.at(0); }

template <class Kind>
Kind decoded(std::string_view text, const Schema& schema) {
  return view<Kind>(json(text), schema).object;
}

Quantity quantity(std::string_view text) { return Quantity::parse(text).value(); }

TEST(MemberDefaults, FillInWhatIsAbsent) {
  const auto deployment = decoded<Deployment>(R"({"spec":{"progressDeadlineSeconds":5}})", kDeploymentSchema);
  EXPECT_EQ(deployment.max_surge->text, "25%");
  EXPECT_EQ(deployment.revision_history_limit, 10);
  EXPECT_EQ(deployment.progress_deadline_seconds, 5);
  const auto recreated = decoded<Deployment>(R"({"spec":{"strategy":{"type":"Recreate"}}})", kDeploymentSchema);
  EXPECT_FALSE(recreated.max_surge);
}

TEST(MemberDefaults, FillInObjectsThatAreAbsent) {
  const auto deployment = decoded<Deployment>("{}", kDeploymentSchema);
  EXPECT_EQ(deployment.max_unavailable->text, "25%");
  EXPECT_EQ(deployment.template_.spec->termination_grace_period_seconds, 30);
  EXPECT_EQ(decoded<PersistentVolume>("{}", kPersistentVolumeSchema).phase, "Pending");
  EXPECT_EQ(decoded<StatefulSet>("{}", kStatefulSetSchema).claims_when_scaled, "Retain");
}

TEST(MemberDefaults, FollowTheirConditions) {
  const auto job = [](std::string_view spec) {
    return decoded<Job>(R"({"spec":)" + std::string(spec) + "}", kJobSchema).spec;
  };
  EXPECT_EQ(job("{}").completions, 1);
  EXPECT_EQ(job("{}").parallelism, 1);
  EXPECT_FALSE(job(R"({"parallelism":3})").completions);
  EXPECT_EQ(job("{}").backoff_limit, 6);
  EXPECT_EQ(job(R"({"backoffLimitPerIndex":1})").backoff_limit, 2147483647);
  const auto partition = [](std::string_view strategy) {
    const std::string text = R"({"spec":{"updateStrategy":)" + std::string(strategy) + "}}";
    return decoded<StatefulSet>(text, kStatefulSetSchema).partition;
  };
  EXPECT_EQ(partition("{}"), 0);
  EXPECT_EQ(partition(R"({"type":"RollingUpdate","rollingUpdate":{}})"), 0);
  EXPECT_FALSE(partition(R"({"type":"RollingUpdate"})"));
}

TEST(MemberDefaults, LeaveTheTemplateOfACronJobAsItIs) {
  const auto cron_job = decoded<CronJob>(R"({"spec":{}})", kCronJobSchema);
  EXPECT_EQ(cron_job.failed_jobs_history_limit, 1);
  EXPECT_FALSE(cron_job.job_spec.completions);
  EXPECT_EQ(cron_job.job_spec.template_.spec->termination_grace_period_seconds, 30);
}

TEST(MemberDefaults, TakeOverWhatOtherFieldsSay) {
  const auto controller = decoded<ReplicationController>(R"({"spec":{"template":{"metadata":{"labels":{"app":"x"}}}}})",
                                                         kReplicationControllerSchema);
  EXPECT_EQ(controller.selector, (StringMap{{"app", "x"}}));
  EXPECT_EQ(controller.metadata.labels, (StringMap{{"app", "x"}}));
  const auto node = decoded<Node>(R"({"status":{"capacity":{"cpu":"4"}}})", kNodeSchema);
  EXPECT_EQ(node.allocatable.at("cpu"), quantity("4"));
  const auto range = decoded<LimitRange>(
      R"({"spec":{"limits":[{"type":"Container","max":{"cpu":"4"},"min":{"memory":"1Mi"}}]}})", kLimitRangeSchema);
  EXPECT_EQ(range.limits[0].default_limit.at("cpu"), quantity("4"));
  EXPECT_EQ(range.limits[0].default_request.at("cpu"), quantity("4"));
  EXPECT_EQ(range.limits[0].default_request.at("memory"), quantity("1Mi"));
  EXPECT_FALSE(range.limits[0].default_limit.contains("memory"));
}

TEST(MemberDefaults, TheOldNameOfTheServiceAccountSaysTheSame) {
  const auto names = [](std::string_view spec) {
    const auto decoded_spec = decoded<PodSpec>(spec, kPodSpecSchema);
    return decoded_spec.service_account_name + " " + decoded_spec.service_account;
  };
  EXPECT_EQ(names(R"({"serviceAccount":"robot"})"), "robot robot");
  EXPECT_EQ(names(R"({"serviceAccountName":"robot"})"), "robot robot");
  EXPECT_EQ(names(R"({"serviceAccountName":"robot","serviceAccount":"other"})"), "robot robot");
  EXPECT_EQ(names("{}"), " ");
}

TEST(MemberDefaults, AmountsAreRoundedUpToMilliUnits) {
  const auto node = decoded<Node>(R"({"status":{"capacity":{"cpu":"1500u"}}})", kNodeSchema);
  EXPECT_EQ(node.capacity.at("cpu"), quantity("2m"));
  EXPECT_EQ(node.allocatable.at("cpu"), quantity("2m"));
  // Requests of a pod as a whole are sums of what was written: set_defaults rounds these.
  const auto spec = decoded<PodSpec>(R"({"containers":[{"resources":{"requests":{"cpu":"100u"}}}]})", kPodSpecSchema);
  EXPECT_EQ(spec.containers[0].resources.requests.at("cpu"), quantity("100u"));
}

/// An object of a cluster is kept with what of it cannot be read; code that reads it relies on the defaults.
TEST(MemberDefaults, StandInForWhatCannotBeRead) {
  const auto job = decoded<Job>(R"({"spec":{"backoffLimit":"many","parallelism":3}})", kJobSchema);
  EXPECT_EQ(job.spec.backoff_limit, 6);
  EXPECT_EQ(job.spec.parallelism, 3);
  EXPECT_EQ(decoded<Deployment>(R"({"spec":[]})", kDeploymentSchema).revision_history_limit, 10);
  const auto spec =
      decoded<PodSpec>(R"({"dnsPolicy":"None of these","terminationGracePeriodSeconds":5})", kPodSpecSchema);
  EXPECT_EQ(spec.termination_grace_period_seconds, 5);
}

// ---- members that structs made by hand begin with ----------------------------------------------------------------

/// Every field that a struct made by hand says is what decoding nothing makes of it.
void expect_same(const Value& by_hand, const Value& from_nothing, const std::string& path) {
  if (!by_hand.is_object()) {
    EXPECT_EQ(document::write_json(by_hand), document::write_json(from_nothing)) << path;
    return;
  }
  for (const document::Member& member : by_hand.object()) {
    const Value* other = from_nothing.find(member.key);
    // Enumerations that are not published with a default begin with a word, too; what Go writes always is no default.
    if (other != nullptr) expect_same(member.value, *other, path + "." + member.key);
  }
}

template <class Kind>
void expect_made_by_hand(const Schema& schema) {
  const Kind by_hand;
  const auto from_nothing = decoded<Kind>("{}", schema);
  expect_same(encode_object(schema, &by_hand), encode_object(schema, &from_nothing), std::string(schema.name));
}

TEST(MemberDefaults, StructsMadeByHandSayTheSame) {
  expect_made_by_hand<Pod>(kPodSchema);
  expect_made_by_hand<Deployment>(kDeploymentSchema);
  expect_made_by_hand<ReplicaSet>(kReplicaSetSchema);
  expect_made_by_hand<StatefulSet>(kStatefulSetSchema);
  expect_made_by_hand<DaemonSet>(kDaemonSetSchema);
  expect_made_by_hand<ReplicationController>(kReplicationControllerSchema);
  expect_made_by_hand<CronJob>(kCronJobSchema);
  expect_made_by_hand<StorageClass>(kStorageClassSchema);
  expect_made_by_hand<PersistentVolume>(kPersistentVolumeSchema);
  expect_made_by_hand<PersistentVolumeClaim>(kPersistentVolumeClaimSchema);
  expect_made_by_hand<AzureDiskVolumeSource>(kAzureDiskVolumeSourceSchema);
  const auto spec = decoded<PodSpec>(R"({"containers":[{"ports":[{}]}],"volumes":[{"rbd":{}}]})", kPodSpecSchema);
  EXPECT_EQ(spec.containers[0].ports[0].protocol, ContainerPort().protocol);
  EXPECT_EQ(spec.volumes[0].rbd->pool, RbdVolumeSource().pool);
  EXPECT_EQ(spec.termination_grace_period_seconds, kDefaultGracePeriodSeconds);
  const auto balancer = decoded<Service>(R"({"spec":{"type":"LoadBalancer"}})", kServiceSchema);
  EXPECT_EQ(balancer.allocate_load_balancer_node_ports, Service().allocate_load_balancer_node_ports);
}

}  // namespace
}  // namespace loadline::kube
