#include "objects/kube/kueue/configuration.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "objects/kube/kueue/frameworks.h"
#include "objects/kube/overlay.h"
#include "objects/kube/testing/decoding.h"

namespace loadline::kube {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;
using ::testing::SizeIs;

Decoding decode_kueue(std::string_view version, const std::string& fields) {
  return decode_text("apiVersion: config.kueue.x-k8s.io/" + std::string(version) + "\nkind: Configuration\n" + fields);
}

KueueConfiguration read_configuration(std::string_view version, const std::string& fields) {
  const Decoding decoding = decode_kueue(version, fields);
  EXPECT_THAT(lines_of(decoding.diagnostics), IsEmpty()) << fields;
  const auto& found = decoding.objects.of<KueueConfiguration>();
  EXPECT_THAT(found, SizeIs(1)) << fields;
  return found.empty() ? KueueConfiguration() : found.front();
}

std::vector<std::string> told_by(const std::string& fields, std::string_view version = "v1beta2") {
  return lines_of(decode_kueue(version, fields).diagnostics);
}

constexpr std::string_view kConfigVersions[] = {"v1beta1", "v1beta2"};

TEST(KueueConfiguration, ThatSaysNothingIsThatOfAManagerWithoutAFile) {
  const KueueConfiguration defaults;
  const KueueConfiguration read = read_configuration("v1beta2", "");
  EXPECT_EQ(read.namespace_, defaults.namespace_);
  EXPECT_FALSE(read.manage_jobs_without_queue_name);
  EXPECT_EQ(read.managed_jobs_namespace_selector, defaults.managed_jobs_namespace_selector);
  ASSERT_TRUE(read.wait_for_pods_ready && defaults.wait_for_pods_ready);
  EXPECT_EQ(read.wait_for_pods_ready->timeout, defaults.wait_for_pods_ready->timeout);
  EXPECT_FALSE(read.fair_sharing || defaults.fair_sharing);
  EXPECT_EQ(read.frameworks, defaults.frameworks);
  EXPECT_THAT(validate(defaults), IsEmpty());
}

// ---- waiting for pods ----------------------------------------------------------------------------------------------

TEST(KueueConfiguration, WaitsForPodsAsItsVersionDoes) {
  const auto now = read_configuration("v1beta2", "waitForPodsReady: {}\n").wait_for_pods_ready;
  ASSERT_TRUE(now) << "on, unless it is switched off";
  EXPECT_EQ(now->timeout, Duration::seconds(1800));
  EXPECT_EQ(now->recovery_timeout, Duration::seconds(1800));
  EXPECT_FALSE(now->block_admission);
  EXPECT_EQ(now->requeuing_strategy.timestamp, RequeuingTimestamp::kEviction);
  EXPECT_EQ(now->requeuing_strategy.backoff_limit_count, std::nullopt);
  EXPECT_EQ(now->requeuing_strategy.backoff_base_seconds, 60);
  EXPECT_EQ(now->requeuing_strategy.backoff_max_seconds, 3600);
  EXPECT_FALSE(read_configuration("v1beta1", "").wait_for_pods_ready);
  EXPECT_FALSE(read_configuration("v1beta1", "waitForPodsReady: {timeout: 1m}\n").wait_for_pods_ready);
  const auto old = read_configuration("v1beta1", "waitForPodsReady: {enable: true}\n").wait_for_pods_ready;
  ASSERT_TRUE(old);
  EXPECT_EQ(old->timeout, Duration::seconds(300));
  EXPECT_EQ(old->recovery_timeout, Duration::seconds(300));
  EXPECT_TRUE(old->block_admission);
  EXPECT_EQ(old->requeuing_strategy.backoff_base_seconds, 60);
}

TEST(KueueConfiguration, WaitsForPodsAsItSays) {
  for (const bool blocks : {true, false}) {
    for (const std::string_view version : kConfigVersions) {
      const std::string enable = version == "v1beta1" ? "enable: true, " : "";
      const auto wait = read_configuration(version, "waitForPodsReady: {" + enable +
                                                        "timeout: 10m, recoveryTimeout: 0s, blockAdmission: " +
                                                        (blocks ? "true" : "false") +
                                                        ", requeuingStrategy: {timestamp: Creation, "
                                                        "backoffLimitCount: 5, backoffBaseSeconds: 0, "
                                                        "backoffMaxSeconds: 90}}\n")
                            .wait_for_pods_ready;
      ASSERT_TRUE(wait);
      EXPECT_EQ(wait->timeout, Duration::seconds(600));
      EXPECT_EQ(wait->recovery_timeout, Duration{});
      EXPECT_EQ(wait->block_admission, blocks);
      EXPECT_EQ(wait->requeuing_strategy.timestamp, RequeuingTimestamp::kCreation);
      EXPECT_EQ(wait->requeuing_strategy.backoff_limit_count, 5);
      EXPECT_EQ(wait->requeuing_strategy.backoff_base_seconds, 0);
      EXPECT_EQ(wait->requeuing_strategy.backoff_max_seconds, 90);
    }
  }
}

TEST(KueueConfiguration, RecoveryTakesAsLongAsTheStartUnlessItSaysOtherwise) {
  EXPECT_EQ(read_configuration("v1beta2", "waitForPodsReady: {timeout: 90s}\n").wait_for_pods_ready->recovery_timeout,
            Duration::seconds(90));
  EXPECT_EQ(read_configuration("v1beta2", "waitForPodsReady: {timeout: 0s}\n").wait_for_pods_ready->timeout,
            Duration::seconds(1800));
}

TEST(KueueConfiguration, WaitingForPodsCanBeSwitchedOff) {
  EXPECT_FALSE(read_configuration("v1beta2", "featureGates: {DisableWaitForPodsReady: true}\n").wait_for_pods_ready);
  EXPECT_TRUE(read_configuration("v1beta2", "featureGates: {DisableWaitForPodsReady: false}\n").wait_for_pods_ready);
}

TEST(KueueConfiguration, SpansAreNotNegative) {
  EXPECT_THAT(
      told_by("waitForPodsReady: {timeout: -1m, recoveryTimeout: -1s}\n"),
      ElementsAre("3:29 error waitForPodsReady.timeout: Invalid value: \"-1m0s\": must be greater than or equal "
                  "to 0",
                  "3:51 error waitForPodsReady.recoveryTimeout: Invalid value: \"-1s\": must be greater than "
                  "or equal to 0"));
  EXPECT_THAT(told_by("waitForPodsReady: {enable: true, timeout: 0s}\n", "v1beta1"),
              ElementsAre(HasSubstr("error waitForPodsReady.timeout: Required value: must be specified")));
  EXPECT_THAT(told_by("waitForPodsReady: {requeuingStrategy: {backoffLimitCount: -1, backoffBaseSeconds: -2, "
                      "backoffMaxSeconds: -3}}\n"),
              ElementsAre(HasSubstr("requeuingStrategy.backoffLimitCount: Invalid value: -1: must be greater than or"),
                          HasSubstr("requeuingStrategy.backoffBaseSeconds: Invalid value: -2: must be greater than or"),
                          HasSubstr("requeuingStrategy.backoffMaxSeconds: Invalid value: -3: must be greater than")));
  EXPECT_THAT(told_by("waitForPodsReady: {requeuingStrategy: {timestamp: Start}}\n"),
              ElementsAre(HasSubstr("requeuingStrategy.timestamp: Unsupported value: \"Start\": supported values: "
                                    "\"Creation\", \"Eviction\"")));
  EXPECT_THAT(told_by("objectRetentionPolicies: {workloads: {afterFinished: -1h, afterDeactivatedByKueue: -1s}}\n"),
              ElementsAre(HasSubstr("objectRetentionPolicies.workloads.afterFinished: Invalid value: \"-1h0m0s\""),
                          HasSubstr("objectRetentionPolicies.workloads.afterDeactivatedByKueue: Invalid value: "
                                    "\"-1s\": must be greater than or equal to 0")));
}

// ---- fair sharing --------------------------------------------------------------------------------------------------

TEST(KueueConfiguration, SharesFairlyIfItIsTold) {
  using enum FairSharingStrategy;
  const auto strategies = [](std::string_view version, const std::string& fields) {
    const auto sharing = read_configuration(version, "fairSharing: {" + fields + "}\n").fair_sharing;
    return sharing ? sharing->preemption_strategies : std::vector<FairSharingStrategy>();
  };
  EXPECT_THAT(strategies("v1beta2", "preemptionStrategies: [LessThanInitialShare]"),
              ElementsAre(kLessThanInitialShare));
  EXPECT_THAT(strategies("v1beta2", "preemptionStrategies: [LessThanOrEqualToFinalShare, LessThanInitialShare]"),
              ElementsAre(kLessThanOrEqualToFinalShare, kLessThanInitialShare));
  EXPECT_THAT(strategies("v1beta1", "enable: true"), ElementsAre(kLessThanOrEqualToFinalShare, kLessThanInitialShare));
  EXPECT_THAT(strategies("v1beta1", "enable: true, preemptionStrategies: [LessThanOrEqualToFinalShare]"),
              ElementsAre(kLessThanOrEqualToFinalShare));
  EXPECT_FALSE(
      read_configuration("v1beta1", "fairSharing: {preemptionStrategies: [LessThanInitialShare]}\n").fair_sharing)
      << "not enabled";
  EXPECT_FALSE(read_configuration("v1beta2", "").fair_sharing);
}

TEST(KueueConfiguration, StrategiesAreOneOrBothInTheirOrder) {
  EXPECT_THAT(told_by("fairSharing: {}\n"),
              ElementsAre(HasSubstr("error fairSharing.preemptionStrategies: Required value: must be specified")));
  EXPECT_THAT(told_by("fairSharing: {preemptionStrategies: [LessThanInitialShare, LessThanOrEqualToFinalShare]}\n"),
              ElementsAre("3:37 error fairSharing.preemptionStrategies: Unsupported value: "
                          "[\"LessThanInitialShare\",\"LessThanOrEqualToFinalShare\"]: supported values: "
                          "\"LessThanOrEqualToFinalShare\", \"LessThanInitialShare\", "
                          "\"LessThanOrEqualToFinalShare,LessThanInitialShare\""));
  EXPECT_THAT(told_by("fairSharing: {preemptionStrategies: [Fast]}\n"),
              ElementsAre(HasSubstr("Unsupported value: [\"Fast\"]: supported values:")));
  EXPECT_THAT(told_by("fairSharing: {preemptionStrategies: [LessThanInitialShare, LessThanInitialShare]}\n"),
              ElementsAre(HasSubstr("Unsupported value: [\"LessThanInitialShare\",\"LessThanInitialShare\"]")));
}

TEST(KueueConfiguration, SharesByUsageOverTime) {
  for (const std::string_view version : kConfigVersions) {
    const auto sharing =
        read_configuration(version, "admissionFairSharing: {usageHalfLifeTime: 1h, resourceWeights: {cpu: 2.5}}\n")
            .admission_fair_sharing;
    ASSERT_TRUE(sharing);
    EXPECT_EQ(sharing->usage_half_life_time, Duration::seconds(3600));
    EXPECT_EQ(sharing->usage_sampling_interval, Duration::seconds(300));
    EXPECT_THAT(sharing->resource_weights, ElementsAre(Pair("cpu", 2.5)));
  }
  EXPECT_THAT(told_by("admissionFairSharing: {usageHalfLifeTime: -1h, usageSamplingInterval: -1s, resourceWeights: "
                      "{cpu: -1, memory: 2}}\n"),
              ElementsAre(HasSubstr("admissionFairSharing.usageHalfLifeTime: Invalid value: \"-1h0m0s\": must be"),
                          HasSubstr("admissionFairSharing.usageSamplingInterval: Invalid value: \"-1s\": must be "
                                    "greater than 0"),
                          HasSubstr("admissionFairSharing.resourceWeights[cpu]: Invalid value: {\"cpu\":-1,"
                                    "\"memory\":2}: must be greater than or equal to 0")));
}

// ---- resources -----------------------------------------------------------------------------------------------------

TEST(KueueConfiguration, CountsResourcesAsItIsTold) {
  const KueueResources resources = read_configuration("v1beta2", R"(
resources:
  quotaCheckStrategy: IgnoreUndeclared
  transformations:
  - {input: nvidia.com/mig-1g.5gb, strategy: Replace, multiplyBy: x, outputs: {gpu-memory: 5Gi, credits: 500m}}
  - {input: cpu, outputs: {credits: 1}}
  deviceClassMappings:
  - {name: gpus, deviceClassNames: [gpu.example.com]}
  - name: gpu-memory
    deviceClassNames: [gpu.example.com/memory]
    sources: [{counter: {name: memory, driver: gpu.example.com, deviceSelector: {cel: {expression: "true"}}}}]
)")
                                       .resources;
  EXPECT_EQ(resources.quota_check_strategy, QuotaCheckStrategy::kIgnoreUndeclared);
  ASSERT_THAT(resources.transformations, SizeIs(2));
  EXPECT_EQ(resources.transformations[0].input, "nvidia.com/mig-1g.5gb");
  EXPECT_EQ(resources.transformations[0].strategy, TransformationStrategy::kReplace);
  EXPECT_EQ(resources.transformations[0].multiply_by, "x");
  EXPECT_THAT(resources.transformations[0].outputs, ElementsAre(Pair("credits", Quantity::parse("500m").value()),
                                                                Pair("gpu-memory", Quantity::parse("5Gi").value())));
  EXPECT_EQ(resources.transformations[1].strategy, TransformationStrategy::kRetain);
  ASSERT_THAT(resources.device_class_mappings, SizeIs(2));
  EXPECT_EQ(resources.device_class_mappings[0].name, "gpus");
  EXPECT_FALSE(resources.device_class_mappings[0].has_sources);
  EXPECT_THAT(resources.device_class_mappings[1].device_class_names, ElementsAre("gpu.example.com/memory"));
  EXPECT_TRUE(resources.device_class_mappings[1].has_sources);
  const KueueResources old = read_configuration("v1beta1", R"(
resources: {excludeResourcePrefixes: [example.com/], transformations: [{input: cpu}]}
)")
                                 .resources;
  EXPECT_EQ(old.quota_check_strategy, QuotaCheckStrategy::kBlockUndeclared);
  EXPECT_THAT(old.exclude_resource_prefixes, ElementsAre("example.com/"));
  EXPECT_EQ(old.transformations.at(0).strategy, TransformationStrategy::kRetain);
}

TEST(KueueConfiguration, ResourcesAreCountedOnce) {
  EXPECT_THAT(told_by("resources: {transformations: [{input: cpu}, {input: cpu}]}\n"),
              ElementsAre("3:53 error resources.transformations[1].input: Duplicate value: \"cpu\""));
  EXPECT_THAT(told_by("resources: {transformations: [{input: cpu, strategy: Drop}]}\n"),
              ElementsAre(HasSubstr("resources.transformations[0].strategy: Unsupported value: \"Drop\": supported "
                                    "values: \"Retain\", \"Replace\"")));
  EXPECT_THAT(told_by("resources: {quotaCheckStrategy: IgnoreUndeclared, excludeResourcePrefixes: [a]}\n"),
              ElementsAre("3:33 error resources.quotaCheckStrategy: Invalid value: \"IgnoreUndeclared\": "
                          "excludeResourcePrefixes is not allowed when quotaCheckStrategy is IgnoreUndeclared"));
  EXPECT_THAT(told_by("resources: {quotaCheckStrategy: Ignore}\n"),
              ElementsAre(HasSubstr("resources.quotaCheckStrategy: Unsupported value: \"Ignore\"")));
}

TEST(KueueConfiguration, DeviceClassesAreMappedOnce) {
  EXPECT_THAT(
      told_by(R"(resources:
  deviceClassMappings:
  - {name: "@", deviceClassNames: []}
  - {name: a, deviceClassNames: [c, c, d]}
  - {name: a, deviceClassNames: [e]}
  - {name: b, deviceClassNames: [d]}
)"),
      ElementsAre(HasSubstr("5:12 error resources.deviceClassMappings[0].name: Invalid value: \"@\": name part must"),
                  "5:17 error resources.deviceClassMappings[0].deviceClassNames: Required value: at least one device "
                  "class name is required",
                  "6:37 error resources.deviceClassMappings[1].deviceClassNames[1]: Duplicate value: \"c\"",
                  "7:12 error resources.deviceClassMappings[2].name: Duplicate value: \"a\"",
                  "8:34 error resources.deviceClassMappings[3].deviceClassNames[0]: Invalid value: \"d\": device class "
                  "already mapped to resource a"));
  KueueConfiguration many;
  for (int i = 0; i < 17; ++i) {
    many.resources.device_class_mappings.push_back({"a" + std::to_string(i), {"c" + std::to_string(i)}, false});
  }
  for (int i = 0; i < 8; ++i)
    many.resources.device_class_mappings[0].device_class_names.push_back("d" + std::to_string(i));
  EXPECT_THAT(validate(many),
              ElementsAre(FieldError{"resources.deviceClassMappings", "Too many: 17: must have at most 16 items", {}},
                          FieldError{"resources.deviceClassMappings[0].deviceClassNames",
                                     "Too many: 9: must have at most 8 items",
                                     {}}));
}

// ---- what is managed -----------------------------------------------------------------------------------------------

TEST(KueueConfiguration, SaysWhatIsManaged) {
  for (const std::string_view version : kConfigVersions) {
    const KueueConfiguration configuration = read_configuration(version, R"(
manageJobsWithoutQueueName: true
managedJobsNamespaceSelector: {matchLabels: {kueue: "yes"}}
integrations:
  frameworks: [batch/job, pod, ray.io/rayjob]
  externalFrameworks: [Foo.v1.example.com]
  labelKeysToCopy: [team]
objectRetentionPolicies: {workloads: {afterFinished: 1h}}
)");
    EXPECT_TRUE(configuration.manage_jobs_without_queue_name);
    EXPECT_EQ(configuration.managed_jobs_namespace_selector, (LabelSelector{{{"kueue", "yes"}}, {}}));
    EXPECT_THAT(configuration.frameworks, ElementsAre("batch/job", "pod", "ray.io/rayjob"));
    EXPECT_THAT(configuration.external_frameworks, ElementsAre("Foo.v1.example.com"));
    EXPECT_THAT(configuration.label_keys_to_copy, ElementsAre("team"));
    EXPECT_EQ(configuration.retention.after_finished, Duration::seconds(3600));
    EXPECT_EQ(configuration.retention.after_deactivated_by_kueue, std::nullopt);
  }
}

TEST(KueueConfiguration, ItsOwnNamespaceIsNotManaged) {
  const KueueConfiguration configuration = read_configuration("v1beta2", "namespace: queues\n");
  EXPECT_FALSE(matches(configuration.managed_jobs_namespace_selector, {{"kubernetes.io/metadata.name", "queues"}}));
  EXPECT_FALSE(
      matches(configuration.managed_jobs_namespace_selector, {{"kubernetes.io/metadata.name", "kube-system"}}));
  EXPECT_TRUE(matches(configuration.managed_jobs_namespace_selector, {{"kubernetes.io/metadata.name", "default"}}));
  EXPECT_THAT(
      told_by("namespace: queues\nmanagedJobsNamespaceSelector: {}\n"),
      ElementsAre("4:1 error managedJobsNamespaceSelector: Invalid value: {}: should not match the \"kube-system\" "
                  "namespace",
                  "4:1 error managedJobsNamespaceSelector: Invalid value: {}: should not match the \"queues\" "
                  "namespace"));
  EXPECT_THAT(told_by("managedJobsNamespaceSelector: {matchExpressions: [{key: a, operator: In}]}\n"),
              ElementsAre(HasSubstr("managedJobsNamespaceSelector.matchExpressions[0].values: Required value")));
}

TEST(KueueConfiguration, FrameworksAreKnownAndNamedOnce) {
  EXPECT_THAT(told_by("integrations: {frameworks: [batch/job, batch/jobs, batch/job]}\n"),
              ElementsAre(HasSubstr("3:40 error integrations.frameworks[1]: Unsupported value: \"batch/jobs\": "
                                    "supported values: \"batch/job\", \"deployment\", \"jobset.x-k8s.io/jobset\", "),
                          "3:52 error integrations.frameworks[2]: Duplicate value: \"batch/job\""));
  EXPECT_THAT(told_by("integrations: {externalFrameworks: [Job.v1.batch, Foo.example, A.b.c, A.b.c]}\n"),
              ElementsAre("3:37 error integrations.externalFrameworks[0]: Duplicate value: \"Job.v1.batch\"",
                          "3:51 error integrations.externalFrameworks[1]: Invalid value: \"Foo.example\": must be "
                          "format, 'Kind.version.group.com'",
                          "3:71 error integrations.externalFrameworks[3]: Duplicate value: \"A.b.c\""));
  EXPECT_THAT(read_configuration("v1beta1", "integrations: {frameworks: []}\n").frameworks, ElementsAre("batch/job"));
  EXPECT_TRUE(std::ranges::is_sorted(kueue_frameworks(), {}, &KueueFramework::name)) << "as messages list them";
}

// ---- feature gates -------------------------------------------------------------------------------------------------

TEST(KueueGates, AreThoseOf0_19_2) {
  EXPECT_THAT(kueue_gates(), SizeIs(89));
  EXPECT_EQ(find_kueue_gate("NoSuchGate"), nullptr);
  const KueueGate* partial = find_kueue_gate("PartialAdmission");
  ASSERT_NE(partial, nullptr);
  EXPECT_TRUE(partial->is_on);
  EXPECT_EQ(partial->stage, GateStage::kBeta);
  const KueueGate* cohorts = find_kueue_gate("HierarchicalCohorts");
  ASSERT_NE(cohorts, nullptr);
  EXPECT_TRUE(cohorts->is_locked);
  EXPECT_EQ(cohorts->stage, GateStage::kGa);
  EXPECT_FALSE(find_kueue_gate("RecomputeAssignmentUponPreemptionTargetsOverlap")->is_on);
  EXPECT_FALSE(find_kueue_gate("UnadmittedWorkloadsObservability")->is_on);
}

TEST(KueueGates, AreOnAsTheyAreSet) {
  EXPECT_TRUE(enables({}, "FlavorFungibility"));
  EXPECT_FALSE(enables({{"FlavorFungibility", false}}, "FlavorFungibility"));
  EXPECT_FALSE(enables({}, "ConcurrentAdmission"));
  EXPECT_FALSE(enables({{"AllBeta", false}}, "FlavorFungibility"));
  EXPECT_TRUE(enables({{"AllBeta", false}, {"FlavorFungibility", true}}, "FlavorFungibility"));
  EXPECT_TRUE(enables({{"AllBeta", false}}, "HierarchicalCohorts")) << "no beta feature any more";
  EXPECT_TRUE(read_configuration("v1beta2", "featureGates: {UnadmittedWorkloadsObservability: true}\n")
                  .enables("UnadmittedWorkloadsObservability"));
}

TEST(KueueGates, OfAnotherVersionAreRefused) {
  EXPECT_THAT(told_by("featureGates: {NoSuchGate: true}\n"),
              ElementsAre("3:1 error featureGates: Invalid value: {\"NoSuchGate\":true}: unrecognized feature gate: "
                          "NoSuchGate"));
  EXPECT_THAT(told_by("featureGates: {HierarchicalCohorts: false}\n"),
              ElementsAre("3:1 error featureGates: Invalid value: {\"HierarchicalCohorts\":false}: cannot set feature "
                          "gate HierarchicalCohorts to false, feature is locked to true"));
  EXPECT_THAT(told_by("featureGates: {HierarchicalCohorts: true}\n"), IsEmpty());
}

TEST(KueueGates, OfAlphaFeaturesAreRefusedByName) {
  EXPECT_THAT(told_by("featureGates: {ConcurrentAdmission: true, PriorityBoost: false}\n"),
              ElementsAre("3:37 error featureGates[ConcurrentAdmission]: Forbidden: alpha features of Kueue 0.19.2 "
                          "that are off by default are not supported"));
  EXPECT_THAT(told_by("featureGates: {AllAlpha: true}\n"), ElementsAre(HasSubstr("error featureGates[AllAlpha]: ")));
  EXPECT_THAT(told_by("featureGates: {AllAlpha: false}\n"), IsEmpty());
}

TEST(KueueGates, NeedOthers) {
  EXPECT_THAT(told_by("featureGates: {KueueDRAIntegration: false}\n"),
              ElementsAre(HasSubstr("error featureGates: Invalid value: \"KueueDRAIntegrationExtendedResource\": "
                                    "KueueDRAIntegrationExtendedResource requires KueueDRAIntegration to be enabled"),
                          HasSubstr("KueueDRAIntegrationPartitionableDevices requires KueueDRAIntegration to be")));
  EXPECT_THAT(told_by("featureGates: {UnadmittedWorkloadsExplicitStatus: true}\n"),
              ElementsAre(HasSubstr("requires UnadmittedWorkloadsObservability to be enabled")));
  EXPECT_THAT(told_by("featureGates: {TopologyAwareScheduling: false}\n"),
              Contains(HasSubstr("Invalid value: 1: cannot use a TAS profile with TAS disabled")));
  EXPECT_THAT(told_by("featureGates: {TASFailedNodeReplacement: false}\n"), SizeIs(2));
}

// ---- where it is read ----------------------------------------------------------------------------------------------

TEST(KueueConfiguration, IsReadStrictly) {
  EXPECT_THAT(told_by("fairSharring: {}\n"), ElementsAre(HasSubstr("3:1 error fairSharring: unknown field")));
  EXPECT_THAT(told_by("queueVisibility: {}\n"), ElementsAre(HasSubstr("error queueVisibility: unknown field")));
  EXPECT_THAT(told_by("queueVisibility: {updateIntervalSeconds: 5}\n", "v1beta1"), IsEmpty());
  EXPECT_THAT(told_by("", "v1alpha1"),
              ElementsAre("1:13 error apiVersion: no kind \"Configuration\" is registered for version "
                          "\"config.kueue.x-k8s.io/v1alpha1\""));
}

TEST(KueueConfiguration, IsNotSkipped) {
  const Decoding decoding = decode_kueue("v1beta2", "");
  EXPECT_THAT(decoding.objects.skipped, IsEmpty());
  EXPECT_THAT(decoding.objects.of<KueueConfiguration>(), SizeIs(1));
}

std::string config_map(const std::string& name_space, const std::string& fields) {
  return "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: kueue-manager-config, namespace: " + name_space +
         "}\ndata:\n  controller_manager_config.yaml: |\n    apiVersion: config.kueue.x-k8s.io/v1beta1\n    kind: "
         "Configuration\n    " +
         fields + "\n";
}

TEST(KueueConfiguration, IsReadFromTheConfigMapOfItsManager) {
  const Decoding decoding = decode_text(config_map("kueue-system", "waitForPodsReady: {enable: true}"));
  EXPECT_THAT(lines_of(decoding.diagnostics), IsEmpty());
  EXPECT_THAT(decoding.objects.skipped, IsEmpty());
  ASSERT_THAT(decoding.objects.of<KueueConfiguration>(), SizeIs(1));
  const KueueConfiguration& configuration = decoding.objects.of<KueueConfiguration>()[0];
  EXPECT_EQ(configuration.wait_for_pods_ready->timeout, Duration::seconds(300));
  EXPECT_EQ(configuration.source.line, 6U);
  EXPECT_THAT(decode_text(config_map("default", "waitForPodsReady: {enable: true}")).objects.of<KueueConfiguration>(),
              IsEmpty())
      << "whoever may write there may not decide for all";
}

TEST(KueueConfiguration, OfAConfigMapMayBeOfAnotherVersion) {
  const Decoding decoding = decode_text(config_map("kueue-system", "newer: 1"));
  EXPECT_THAT(lines_of(decoding.diagnostics), ElementsAre(HasSubstr("8:5 warning newer: unknown field")));
  EXPECT_THAT(decoding.objects.of<KueueConfiguration>(), SizeIs(1));
}

TEST(KueueConfiguration, ThereIsOne) {
  const std::string file = "apiVersion: config.kueue.x-k8s.io/v1beta2\nkind: Configuration\nnamespace: ";
  const Decoding two = decode_text(file + "a\n---\n" + file + "b\n");
  EXPECT_THAT(lines_of(two.diagnostics),
              ElementsAre("5:1 error Kueue has one configuration, and another one was read before"));
  EXPECT_EQ(two.objects.of<KueueConfiguration>().at(0).namespace_, "a");
  for (const std::string& text : {file + "a\n---\n" + config_map("kueue-system", "namespace: b"),
                                  config_map("kueue-system", "namespace: b") + "---\n" + file + "a\n"}) {
    const Decoding both = decode_text(text);
    EXPECT_THAT(lines_of(both.diagnostics), IsEmpty());
    ASSERT_THAT(both.objects.of<KueueConfiguration>(), SizeIs(1));
    EXPECT_EQ(both.objects.of<KueueConfiguration>()[0].namespace_, "a") << "the file counts";
  }
}

TEST(KueueConfiguration, OfTheInputTakesThePlaceOfTheClusters) {
  Objects objects = decode_kueue("v1beta2", "namespace: a\n").objects;
  EXPECT_THAT(apply_over(objects, decode_text("").objects), IsEmpty());
  EXPECT_EQ(objects.of<KueueConfiguration>().at(0).namespace_, "a");
  EXPECT_THAT(apply_over(objects, decode_kueue("v1beta2", "namespace: b\n").objects), IsEmpty());
  ASSERT_THAT(objects.of<KueueConfiguration>(), SizeIs(1));
  EXPECT_EQ(objects.of<KueueConfiguration>()[0].namespace_, "b");
}

}  // namespace
}  // namespace loadline::kube
