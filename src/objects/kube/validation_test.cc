#include "objects/kube/validation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "objects/kube/apps/apps.h"
#include "objects/kube/batch/batch.h"
#include "objects/kube/config/scheduler_configuration.h"
#include "objects/kube/core/namespace.h"
#include "objects/kube/core/node.h"
#include "objects/kube/core/pod.h"
#include "objects/kube/core/quota.h"
#include "objects/kube/core/service.h"
#include "objects/kube/core/volume.h"
#include "objects/kube/node/runtime_class.h"
#include "objects/kube/policy/pod_disruption_budget.h"
#include "objects/kube/scheduling/priority_class.h"
#include "objects/kube/testing/decoding.h"

namespace loadline::kube {
namespace {

/// A document, and what is wrong with it: "path: message", in any order: the codec sorts by position.
struct Mistake {
  std::string text;
  std::vector<std::string> errors;
};

void expect_errors(const std::vector<Mistake>& mistakes) {
  for (const Mistake& mistake : mistakes) {
    const Decoding decoding = decode_text(mistake.text);
    std::vector<std::string> errors;
    for (const Diagnostic& diagnostic : decoding.diagnostics)
      errors.push_back(diagnostic.path + ": " + diagnostic.message);
    EXPECT_THAT(errors, testing::UnorderedElementsAreArray(mistake.errors)) << mistake.text;
  }
}

/// A pod whose spec says this besides one container.
std::string pod(std::string_view spec) {
  return "{apiVersion: v1, kind: Pod, metadata: {name: p}, spec: {containers: [{name: c, image: i}], " +
         std::string(spec) + "}}";
}

/// A pod whose only container says this besides name and image.
std::string container(std::string_view fields) {
  return "{apiVersion: v1, kind: Pod, metadata: {name: p}, spec: {containers: [{name: c, image: i, " +
         std::string(fields) + "}]}}";
}

void expect_pod_errors(const std::vector<Mistake>& mistakes) {
  for (const Mistake& mistake : mistakes) expect_errors({{pod(mistake.text), mistake.errors}});
}

void expect_container_errors(const std::vector<Mistake>& mistakes) {
  for (const Mistake& mistake : mistakes) expect_errors({{container(mistake.text), mistake.errors}});
}

constexpr std::string_view kSubdomain =
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and "
    "end with an alphanumeric character (e.g. 'example.com', regex used for validation is "
    "'[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";
constexpr std::string_view kLabelWord =
    "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character "
    "(e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is "
    "'([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";
constexpr std::string_view kLabelValue =
    "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and "
    "end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is "
    "'(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')";
constexpr std::string_view kDnsLabel =
    "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with "
    "an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is "
    "'[a-z0-9]([-a-z0-9]*[a-z0-9])?')";

TEST(ValidationTest, ChecksMetadata) {
  expect_errors({
      {"{apiVersion: v1, kind: Namespace, metadata: {name: a.b}}",
       {"metadata.name: Invalid value: \"a.b\": must not contain dots"}},
      {"{apiVersion: v1, kind: Namespace, metadata: {name: A}}",
       {"metadata.name: Invalid value: \"A\": " + std::string(kDnsLabel)}},
      {"{apiVersion: v1, kind: ConfigMap, metadata: {name: a_b}}",
       {"metadata.name: Invalid value: \"a_b\": " + std::string(kSubdomain)}},
      {"{apiVersion: v1, kind: ConfigMap, metadata: {labels: {a: b}}}",
       {"metadata.name: Required value: name or generateName is required"}},
      {"{apiVersion: v1, kind: ConfigMap, metadata: {name: a, labels: {-x: \"b c\"}, annotations: {a/b/c: d}}}",
       {"metadata.labels: Invalid value: \"-x\": name part " + std::string(kLabelWord),
        "metadata.labels: Invalid value: \"b c\": " + std::string(kLabelValue),
        "metadata.annotations: Invalid value: \"a/b/c\": a valid label key " + std::string(kLabelWord) +
            " with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')"}},
  });
}

TEST(ValidationTest, ChecksResources) {
  const std::string limit_required = "Required value: Limit must be set for non overcommitable resources";
  expect_container_errors({
      {"resources: {requests: {cpu: 2}, limits: {cpu: 1}}",
       {"spec.containers[0].resources.requests: Invalid value: \"2\": must be less than or equal to cpu limit of 1"}},
      {"resources: {requests: {nvidia.com/gpu: 1}}", {"spec.containers[0].resources.limits: " + limit_required}},
      {"resources: {requests: {nvidia.com/gpu: 1}, limits: {nvidia.com/gpu: 2}}",
       {"spec.containers[0].resources.requests: Invalid value: \"1\": must be equal to nvidia.com/gpu limit of 2"}},
      {"resources: {limits: {nvidia.com/gpu: 1500m}}",
       {"spec.containers[0].resources.limits[nvidia.com/gpu]: Invalid value: \"1500m\": must be an integer",
        "spec.containers[0].resources.requests[nvidia.com/gpu]: Invalid value: \"1500m\": must be an integer"}},
      {"resources: {requests: {cpu: -1}}",
       {"spec.containers[0].resources.requests[cpu]: Invalid value: \"-1\": must be greater than or equal to 0"}},
      {"resources: {requests: {gpu: 1}}",
       {"spec.containers[0].resources.requests[gpu]: Invalid value: \"gpu\": must be a standard resource type or fully "
        "qualified",
        "spec.containers[0].resources.requests[gpu]: Invalid value: \"gpu\": must be a standard resource for "
        "containers"}},
      {"resources: {limits: {hugepages-2Mi: 4Mi}}",
       {"spec.containers[0].resources: Forbidden: HugePages require cpu or memory"}},
      {"resources: {requests: {cpu: 1, hugepages-2Mi: 3Mi}, limits: {hugepages-2Mi: 3Mi}}",
       {"spec.containers[0].resources.limits[hugepages-2Mi]: Invalid value: \"3Mi\": 3Mi is not positive integer "
        "multiple of hugepages-2Mi",
        "spec.containers[0].resources.requests[hugepages-2Mi]: Invalid value: \"3Mi\": 3Mi is not positive integer "
        "multiple of hugepages-2Mi"}},
      {"resources: {claims: [{name: gpu}]}",
       {"spec.containers[0].resources.claims[0]: Not found: \"gpu\": must be one of the names in "
        "pod.spec.resourceClaims which is empty"}},
  });
}

TEST(ValidationTest, ChecksPodLevelResources) {
  expect_errors({
      {"{apiVersion: v1, kind: Pod, metadata: {name: p}, spec: {resources: {requests: {cpu: 1}, limits: {cpu: 1}}, "
       "containers: [{name: c, image: i, resources: {requests: {cpu: 2}, limits: {cpu: 3}}}]}}",
       {"spec.resources.requests[cpu]: Invalid value: \"1\": must be greater than or equal to aggregate container "
        "requests of 2",
        "spec.resources.containers[0][cpu].limits: Invalid value: \"3\": must be less than or equal to pod limits of "
        "1"}},
      {pod("resources: {limits: {nvidia.com/gpu: 1}}"),
       {"spec.resources.limits[nvidia.com/gpu]: Unsupported value: \"nvidia.com/gpu\": supported values: \"cpu\", "
        "\"hugepages-\", \"memory\""}},
  });
}

TEST(ValidationTest, ChecksContainers) {
  expect_errors({
      {"{apiVersion: v1, kind: Pod, metadata: {name: p}, spec: {containers: [{name: c, image: i}, {name: c, image: "
       "i}], "
       "initContainers: [{name: c, image: i}]}}",
       {"spec.containers[1].name: Duplicate value: \"c\"", "spec.initContainers[0].name: Duplicate value: \"c\""}},
      {"{apiVersion: v1, kind: Pod, metadata: {name: p}, spec: {containers: [{name: c}]}}",
       {"spec.containers[0].image: Required value"}},
      {container("ports: [{containerPort: 70000}, {containerPort: 1, hostPort: 2}, {containerPort: 3, hostPort: 2}]"),
       {"spec.containers[0].ports[0].containerPort: Invalid value: 70000: must be between 1 and 65535, inclusive",
        "spec.containers[0].ports[2].hostPort: Duplicate value: \"TCP//2\""}},
      {"{apiVersion: v1, kind: Pod, metadata: {name: p}, spec: {hostNetwork: true, containers: [{name: c, image: i, "
       "ports: [{containerPort: 1, hostPort: 2}]}]}}",
       {"spec.containers[0].ports[0].hostPort: Invalid value: 2: must match `containerPort` when `hostNetwork` is "
        "true"}},
      {"{apiVersion: v1, kind: Pod, metadata: {name: p}, spec: {containers: [{name: c, image: \" i\"}]}}",
       {"spec.containers[0].image: Invalid value: \" i\": must not have leading or trailing whitespace"}},
  });
}

TEST(ValidationTest, ChecksTolerations) {
  expect_pod_errors({
      {"tolerations: [{operator: Equal, value: x}]",
       {"spec.tolerations[0].operator: Invalid value: \"Equal\": operator must be Exists when `key` is empty, which "
        "means \"match all values and all keys\""}},
      {"tolerations: [{key: a, operator: Exists, value: x}]",
       {"spec.tolerations[0].operator: Invalid value: \"x\": value must be empty when `operator` is 'Exists'"}},
      {"tolerations: [{key: a, operator: Exists, effect: NoSchedule, tolerationSeconds: 3}]",
       {"spec.tolerations[0].effect: Invalid value: \"NoSchedule\": effect must be 'NoExecute' when "
        "`tolerationSeconds` "
        "is set"}},
      {"tolerations: [{key: a, operator: Gt, value: \"3\"}]",
       {"spec.tolerations[0].operator: Unsupported value: \"Gt\": supported values: \"Equal\", \"Exists\", \"Lt\", "
        "\"Gt\""}},
  });
}

TEST(ValidationTest, ChecksAffinity) {
  const std::string node =
      "spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms";
  const auto node_term = [](std::string_view term) {
    return pod("affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: [" +
               std::string(term) + "]}}}");
  };
  const std::string pods = "spec.affinity.podAffinity.requiredDuringSchedulingIgnoredDuringExecution[0]";
  const auto pod_term = [](std::string_view term) {
    return pod("affinity: {podAffinity: {requiredDuringSchedulingIgnoredDuringExecution: [" + std::string(term) +
               "]}}");
  };
  expect_errors({
      {node_term("{matchExpressions: [{key: a, operator: In}]}"),
       {node + "[0].matchExpressions[0].values: Required value: must be specified when `operator` is 'In' or 'NotIn'"}},
      {node_term("{matchExpressions: [{key: a, operator: Exists, values: [b]}]}"),
       {node + "[0].matchExpressions[0].values: Forbidden: may not be specified when `operator` is 'Exists' or "
               "'DoesNotExist'"}},
      {node_term("{matchExpressions: [{key: a, operator: Gt, values: [\"1\", \"2\"]}]}"),
       {node + "[0].matchExpressions[0].values: Required value: must be specified single value when `operator` is 'Lt' "
               "or 'Gt'"}},
      {node_term("{matchFields: [{key: spec.x, operator: In, values: [a]}]}"),
       {node + "[0].matchFields[0].key: Invalid value: \"spec.x\": not a valid field selector key"}},
      {node_term("{matchFields: [{key: metadata.name, operator: Exists}]}"),
       {node + "[0].matchFields[0].operator: Invalid value: \"Exists\": not a valid selector operator"}},
      {node_term(""), {node + ": Required value: must have at least one node selector term"}},
      {pod("affinity: {nodeAffinity: {preferredDuringSchedulingIgnoredDuringExecution: [{weight: 101, preference: "
           "{matchExpressions: [{key: a, operator: Exists}]}}]}}"),
       {"spec.affinity.nodeAffinity.preferredDuringSchedulingIgnoredDuringExecution[0].weight: Invalid value: 101: "
        "must "
        "be in the range 1-100"}},
      {pod_term("{labelSelector: {}, topologyKey: \"\"}"),
       {pods + ".topologyKey: Required value: can not be empty",
        pods + ".topologyKey: Invalid value: \"\": name part must be non-empty",
        pods + ".topologyKey: Invalid value: \"\": name part " + std::string(kLabelWord)}},
      {pod_term("{topologyKey: z, matchLabelKeys: [a]}"),
       {pods + ".matchLabelKeys: Forbidden: must not be specified when labelSelector is not set"}},
      {pod_term("{topologyKey: z, labelSelector: {}, matchLabelKeys: [a], mismatchLabelKeys: [a]}"),
       {pods + ".matchLabelKeys[0]: Invalid value: \"a\": exists in both matchLabelKeys and mismatchLabelKeys"}},
      {pod_term("{topologyKey: z, labelSelector: {matchLabels: {a: b}}, matchLabelKeys: [a]}"),
       {pods + "[0]: Invalid value: \"a\": exists in both matchLabelKeys and labelSelector"}},
  });
}

TEST(ValidationTest, ChecksSpreadConstraints) {
  expect_pod_errors({
      {"topologySpreadConstraints: [{maxSkew: 0, topologyKey: z, whenUnsatisfiable: DoNotSchedule}]",
       {"spec.topologySpreadConstraints[0].maxSkew: Invalid value: 0: must be greater than zero"}},
      {"topologySpreadConstraints: [{maxSkew: 1, topologyKey: z, whenUnsatisfiable: ScheduleAnyway, minDomains: 2}]",
       {"spec.topologySpreadConstraints[0].minDomains: Invalid value: 2: can only use minDomains if "
        "whenUnsatisfiable=DoNotSchedule, not ScheduleAnyway"}},
      {"topologySpreadConstraints: [{maxSkew: 1, topologyKey: z, whenUnsatisfiable: DoNotSchedule}, {maxSkew: 2, "
       "topologyKey: z, whenUnsatisfiable: DoNotSchedule}]",
       {"spec.topologySpreadConstraints[0].{topologyKey, whenUnsatisfiable}: Duplicate value: \"{z, DoNotSchedule}\""}},
  });
}

TEST(ValidationTest, ChecksTheRestOfAPod) {
  expect_pod_errors({
      {"schedulingGates: [{name: a}, {name: a}], nodeName: node",
       {"spec.schedulingGates[1]: Duplicate value: \"a\"",
        "spec.nodeName: Forbidden: cannot be set until all schedulingGates have been cleared"}},
      {"priorityClassName: Big", {"spec.priorityClassName: Invalid value: \"Big\": " + std::string(kSubdomain)}},
      {"activeDeadlineSeconds: 0",
       {"spec.activeDeadlineSeconds: Invalid value: 0: must be between 1 and 2147483647, inclusive"}},
      {"volumes: [{name: a, emptyDir: {}}, {name: a, emptyDir: {}, hostPath: {path: /}}]",
       {"spec.volumes[1].hostPath: Forbidden: may not specify more than 1 volume type",
        "spec.volumes[1].name: Duplicate value: \"a\""}},
      {"resourceClaims: [{name: gpu}]",
       {"spec.resourceClaims[0]: Invalid value: {\"Name\":\"gpu\",\"ResourceClaimName\":null,"
        "\"ResourceClaimTemplateName\":null}: must specify one of: `resourceClaimName`, `resourceClaimTemplateName`"}},
  });
}

TEST(ValidationTest, ChecksNodes) {
  expect_errors({
      {"{apiVersion: v1, kind: Node, metadata: {name: node}, spec: {taints: [{key: a, effect: NoSchedule}, {key: a, "
       "value: "
       "b, effect: NoSchedule}]}, status: {capacity: {cpu: -1}}}",
       {"spec.taints[1]: Duplicate value: "
        "{\"Key\":\"a\",\"Value\":\"b\",\"Effect\":\"NoSchedule\",\"TimeAdded\":null}: "
        "taints must be unique by key and effect pair",
        "status.capacity.cpu: Invalid value: \"-1\": must be greater than or equal to 0",
        "status.allocatable.cpu: Invalid value: \"-1\": must be greater than or equal to 0"}},
  });
}

TEST(ValidationTest, ChecksControllers) {
  const std::string pod_template =
      "template: {metadata: {labels: {app: x}}, spec: {containers: [{name: c, image: i}]}}";
  const std::string mismatch =
      "spec.template.metadata.labels: Invalid value: {\"app\":\"x\"}: `selector` does not match template `labels`";
  const auto of_kind = [&](std::string_view kind, std::string_view fields) {
    return "{apiVersion: apps/v1, kind: " + std::string(kind) + ", metadata: {name: d}, spec: {" + std::string(fields) +
           ", " + pod_template + "}}";
  };
  expect_errors({
      {of_kind("Deployment", "selector: {matchLabels: {app: other}}"), {mismatch}},
      {of_kind("Deployment", "selector: {}"),
       {"spec.selector: Invalid value: {}: empty selector is invalid for deployment"}},
      {of_kind("Deployment", "replicas: -1, selector: {matchLabels: {app: x}}"),
       {"spec.replicas: Invalid value: -1: must be greater than or equal to 0"}},
      {of_kind("Deployment",
               "selector: {matchLabels: {app: x}}, strategy: {rollingUpdate: {maxSurge: 0, maxUnavailable: 0%}}"),
       {"spec.strategy.rollingUpdate.maxUnavailable: Invalid value: \"0%\": may not be 0 when `maxSurge` is 0"}},
      {of_kind("StatefulSet", "selector: {matchLabels: {app: other}}"), {mismatch}},
      {of_kind("DaemonSet", "selector: {matchLabels: {app: other}}"), {mismatch}},
      {"{apiVersion: apps/v1, kind: ReplicaSet, metadata: {name: d}, spec: {selector: {matchLabels: {app: x}}, "
       "template: "
       "{metadata: {labels: {app: x}}, spec: {restartPolicy: Never, containers: [{name: c, image: i}]}}}}",
       {"spec.template.spec.restartPolicy: Unsupported value: \"Never\": supported values: \"Always\""}},
  });
}

TEST(ValidationTest, SaysOnceThatADeploymentLacksASelectorAndSuggestsOne) {
  Deployment deployment;
  deployment.metadata.name = "web";
  deployment.metadata.namespace_ = "default";
  deployment.template_.metadata.labels = {{"app", "web"}};
  const FieldErrors errors = validate(deployment);
  ASSERT_GE(errors.size(), 1U);
  EXPECT_EQ(errors[0].path, "spec.selector");
  EXPECT_EQ(errors[0].message, "Required value");
  EXPECT_EQ(errors[0].hint, "add selector: {matchLabels: {app: web}}, as in template.metadata.labels");
  for (const FieldError& error : errors) EXPECT_NE(error.path, "spec.template.metadata.labels") << error.message;
}

TEST(ValidationTest, ChecksJobs) {
  const auto job = [](std::string_view fields, std::string_view policy) {
    return "{apiVersion: batch/v1, kind: Job, metadata: {name: j}, spec: {" + std::string(fields) +
           "template: {spec: {" + std::string(policy) + "containers: [{name: c, image: i}]}}}}";
  };
  expect_errors({
      {job("", ""), {"spec.template.spec.restartPolicy: Required value: valid values: \"OnFailure\", \"Never\""}},
      {job("completionMode: Indexed, parallelism: 2, ", "restartPolicy: Never, "),
       {"spec.completions: Required value: when completion mode is Indexed"}},
      {job("parallelism: -1, ", "restartPolicy: Never, "),
       {"spec.parallelism: Invalid value: -1: must be greater than or equal to 0"}},
  });
}

TEST(ValidationTest, ChecksCronSchedules) {
  const auto cron = [](std::string_view schedule) {
    return "{apiVersion: batch/v1, kind: CronJob, metadata: {name: j}, spec: {schedule: \"" + std::string(schedule) +
           "\", jobTemplate: {spec: {template: {spec: {restartPolicy: Never, containers: [{name: c, image: i}]}}}}}}";
  };
  expect_errors({
      {cron("*/5 0-6 1,15 jan-DEC mon"), {}},
      {cron("@every 1h30m"), {}},
      {cron("* * * *"), {"spec.schedule: Invalid value: \"* * * *\": expected exactly 5 fields, found 4: [* * * *]"}},
      {cron("60 * * * *"), {"spec.schedule: Invalid value: \"60 * * * *\": end of range (60) above maximum (59): 60"}},
      {cron("* * * * 7"), {"spec.schedule: Invalid value: \"* * * * 7\": end of range (7) above maximum (6): 7"}},
      {cron("* * 0 * *"), {"spec.schedule: Invalid value: \"* * 0 * *\": beginning of range (0) below minimum (1): 0"}},
      {cron("x * * * *"),
       {"spec.schedule: Invalid value: \"x * * * *\": failed to parse int from x: strconv.Atoi: parsing \"x\": invalid "
        "syntax"}},
      {cron("@often"), {"spec.schedule: Invalid value: \"@often\": unrecognized descriptor: @often"}},
      {cron("TZ=UTC 0 0 * * *"),
       {"spec.schedule: Invalid value: \"TZ=UTC 0 0 * * *\": cannot use TZ or CRON_TZ in schedule, use timeZone field "
        "instead"}},
  });
}

TEST(ValidationTest, ChecksQuotas) {
  const auto quota = [](std::string_view spec) {
    return "{apiVersion: v1, kind: ResourceQuota, metadata: {name: q}, spec: {" + std::string(spec) + "}}";
  };
  expect_errors({
      {quota("hard: {cpu: 4, requests.nvidia.com/gpu: 8, pods: 10}, scopes: [NotBestEffort]"), {}},
      {quota("hard: {foo: 1}"),
       {"spec.hard[foo]: Invalid value: \"foo\": must be a standard resource type or fully qualified",
        "spec.hard[foo]: Invalid value: \"foo\": must be a standard resource for quota"}},
      {quota("hard: {pods: 1500m}"), {"spec.hard[pods]: Invalid value: \"1500m\": must be an integer"}},
      {quota("hard: {cpu: 1}, scopes: [BestEffort]"),
       {"spec.scopes: Invalid value: [\"BestEffort\"]: unsupported scope applied to resource"}},
      {quota("hard: {pods: 1}, scopes: [Terminating, NotTerminating]"),
       {"spec.scopes: Invalid value: [\"Terminating\",\"NotTerminating\"]: conflicting scopes"}},
      {quota("hard: {pods: 1}, scopeSelector: {matchExpressions: [{scopeName: PriorityClass, operator: In}]}"),
       {"spec.scopeSelector.matchExpressions.values: Required value: must be at least one value when `operator` is "
        "'In' "
        "or 'NotIn' for scope selector"}},
  });
}

TEST(ValidationTest, ChecksLimitRanges) {
  const auto range = [](std::string_view item) {
    return "{apiVersion: v1, kind: LimitRange, metadata: {name: l}, spec: {limits: [{" + std::string(item) + "}]}}";
  };
  expect_errors({
      {range("type: Container, min: {cpu: 100m}, max: {cpu: 2}, default: {cpu: 1}"), {}},
      {range("type: Pod, min: {cpu: 3}, max: {cpu: 2}"),
       {"spec.limits[0].min[cpu]: Invalid value: \"3\": min value 3 is greater than max value 2"}},
      {range("type: Container, default: {cpu: 1}, defaultRequest: {cpu: 2}"),
       {"spec.limits[0].defaultRequest[cpu]: Invalid value: \"2\": default request value 2 is greater than default "
        "limit value 1"}},
      {range("type: Pod, min: {cpu: 1}, max: {cpu: 2}, maxLimitRequestRatio: {cpu: 3}"),
       {"spec.limits[0].maxLimitRequestRatio[cpu]: Invalid value: \"3\": ratio 3 is greater than max/min = 2.000000"}},
      {range("type: PersistentVolumeClaim"),
       {"spec.limits[0].limits: Required value: either minimum or maximum storage value is required, but neither was "
        "provided"}},
  });
}

TEST(ValidationTest, ChecksStorage) {
  expect_errors({
      {"{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: c}, spec: {}}",
       {"spec.accessModes: Required value: at least 1 access mode is required",
        "spec.resources[storage]: Required value"}},
      {"{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: c}, spec: {accessModes: [ReadWriteOncePod, "
       "ReadWriteOnce], resources: {requests: {storage: 0}}}}",
       {"spec.accessModes: Forbidden: may not use ReadWriteOncePod with other access modes",
        "spec.resources[storage]: Invalid value: \"0\": must be greater than zero"}},
      {"{apiVersion: v1, kind: PersistentVolume, metadata: {name: v}, spec: {accessModes: [ReadWriteOnce], capacity: "
       "{cpu: 1}, hostPath: {path: /x}}}",
       {"spec.capacity: Unsupported value: {\"cpu\":\"1\"}: supported values: \"storage\""}},
      {"{apiVersion: storage.k8s.io/v1, kind: CSINode, metadata: {name: node}, spec: {drivers: [{name: d, nodeID: x}, "
       "{name: "
       "d, nodeID: x}]}}",
       {"spec.drivers[1].name: Duplicate value: \"d\""}},
  });
}

TEST(ValidationTest, ChecksPriorityClassesAndBudgets) {
  expect_errors({
      {"{apiVersion: scheduling.k8s.io/v1, kind: PriorityClass, metadata: {name: p}, value: 1000000001}",
       {"value: Forbidden: maximum allowed value of a user defined priority is 1000000000"}},
      {"{apiVersion: scheduling.k8s.io/v1, kind: PriorityClass, metadata: {name: system-x}, value: 1}",
       {"metadata.name: Forbidden: priority class names with 'system-' prefix are reserved for system use only. error: "
        "system-x is not a known system priority class"}},
      {"{apiVersion: scheduling.k8s.io/v1, kind: PriorityClass, metadata: {name: system-node-critical}, value: "
       "2000001000}",
       {}},
      {"{apiVersion: policy/v1, kind: PodDisruptionBudget, metadata: {name: b}, spec: {minAvailable: 1, "
       "maxUnavailable: "
       "101%}}",
       {"spec: Invalid value: {\"MinAvailable\":1,\"Selector\":null,\"MaxUnavailable\":\"101%\","
        "\"UnhealthyPodEvictionPolicy\":null}: minAvailable and maxUnavailable cannot be both set",
        "spec.maxUnavailable: Invalid value: \"101%\": must not be greater than 100%"}},
  });
}

TEST(ValidationTest, ChecksRuntimeClasses) {
  const auto with = [](std::string_view fields) {
    return "{apiVersion: node.k8s.io/v1, kind: RuntimeClass, metadata: {name: r}, handler: runc, " +
           std::string(fields) + "}";
  };
  expect_errors({
      {with("overhead: {podFixed: {cpu: -1, gpu: 1}}"),
       {"overhead.podFixed[cpu]: Invalid value: \"-1\": must be greater than or equal to 0",
        "overhead.podFixed[gpu]: Invalid value: \"gpu\": must be a standard resource type or fully qualified",
        "overhead.podFixed[gpu]: Invalid value: \"gpu\": must be a standard resource for containers"}},
      {with("overhead: {podFixed: {hugepages-2Mi: 2Mi}}"),
       {"overhead.podFixed: Forbidden: HugePages require cpu or memory"}},
      {with("scheduling: {tolerations: [{key: a, operator: Exists, value: x}, {key: b, effect: NoExecute}, {key: b, "
            "effect: NoExecute, tolerationSeconds: 3}]}"),
       {"scheduling.tolerations[0].operator: Invalid value: \"x\": value must be empty when `operator` is 'Exists'",
        "scheduling.tolerations[2]: Duplicate value: "
        "{\"Key\":\"b\",\"Operator\":\"Equal\",\"Value\":\"\",\"Effect\":\"NoExecute\",\"TolerationSeconds\":3}"}},
      {pod("overhead: {cpu: -1}"), {"spec.overhead[cpu]: Invalid value: \"-1\": must be greater than or equal to 0"}},
  });
}

TEST(ValidationTest, ChecksSchedulerConfigurations) {
  SchedulerConfiguration configuration;
  configuration.percentage_of_nodes_to_score = 101;
  configuration.pod_max_backoff_seconds = 0;
  configuration.profiles.resize(2);
  PluginArgs& args = configuration.profiles[0].args;
  args.fit.strategy = ScoringStrategyType::kRequestedToCapacityRatio;
  args.fit.shape = {{50, 1}, {40, 11}};
  args.fit.resources = {{"cpu", 101}};
  args.inter_pod_affinity.hard_pod_affinity_weight = -1;
  args.preemption = {0, 0};
  std::vector<std::string> errors;
  for (const FieldError& error : validate(configuration)) errors.push_back(error.path + ": " + error.message);
  const std::string config = "profiles[0].pluginConfig";
  EXPECT_THAT(
      errors,
      testing::ElementsAre(
          config + "[DefaultPreemption].args.minCandidateNodesPercentage: Invalid value: 0: cannot be zero at the same "
                   "time as minCandidateNodesAbsolute",
          config +
              "[DefaultPreemption].args.minCandidateNodesAbsolute: Invalid value: 0: cannot be zero at the same time "
              "as minCandidateNodesPercentage",
          config + "[InterPodAffinity].args.hardPodAffinityWeight: Invalid value: -1: not in valid range [0, 100]",
          config +
              "[NodeResourcesFit].args.scoringStrategy.resources[0].weight: Invalid value: 101: resource weight of "
              "cpu not in valid range (0, 100]",
          config + "[NodeResourcesFit].args.scoringStrategy.requestedToCapacityRatio.shape[1].utilization: Invalid "
                   "value: 40: values must be sorted in increasing order",
          config +
              "[NodeResourcesFit].args.scoringStrategy.requestedToCapacityRatio.shape[1].score: Invalid value: 11: "
              "not in valid range [0, 10]",
          "profiles[1].schedulerName: Duplicate value: {}",
          "percentageOfNodesToScore: Invalid value: 101: not in valid range [0-100]",
          "podMaxBackoffSeconds: Invalid value: 0: must be greater than or equal to PodInitialBackoffSeconds"));
}

}  // namespace
}  // namespace loadline::kube
