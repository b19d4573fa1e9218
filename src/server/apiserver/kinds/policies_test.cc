#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "server/apiserver/kinds/strategies.h"
#include "server/apiserver/testing/kind_under_test.h"

namespace loadline::apiserver {
namespace {

using document::Value;
using testing::ElementsAreArray;
using testing::IsEmpty;

using Texts = std::vector<std::string>;

/// A kind, a new object of it, and what upstream says of it.
struct PolicyCreation {
  const char* group;
  const char* plural;
  const char* object;
  Texts refusals;
};

/// The same for a change of an object that was fine.
struct PolicyChange {
  const char* group;
  const char* plural;
  const char* object;
  const char* patch;
  Texts refusals;
};

constexpr const char* kRbac = "rbac.authorization.k8s.io";
constexpr const char* kStorage = "storage.k8s.io";
constexpr const char* kResource = "resource.k8s.io";
constexpr const char* kScheduling = "scheduling.k8s.io";
constexpr const char* kNetworking = "networking.k8s.io";
constexpr const char* kAutoscaling = "autoscaling";

constexpr const char* kBinding =
    "{metadata: {name: b}, roleRef: {apiGroup: rbac.authorization.k8s.io, kind: Role, name: r}, subjects: [{kind: "
    "User, "
    "apiGroup: rbac.authorization.k8s.io, name: u}]}";
constexpr const char* kStorageClass = "{metadata: {name: s}, provisioner: x.io/y, parameters: {a: b}}";
constexpr const char* kClaim =
    "{metadata: {name: c}, spec: {devices: {requests: [{name: g, exactly: {deviceClassName: gpu}}]}}}";
constexpr const char* kSlice =
    "{metadata: {name: s}, spec: {driver: gpu.io, nodeName: n-1, pool: {name: p, resourceSliceCount: 1}, devices: "
    "[{name: d}]}}";
constexpr const char* kPodGroup = "{metadata: {name: g}, spec: {schedulingPolicy: {gang: {minCount: 2}}}}";
constexpr const char* kAutoscaler =
    "{metadata: {name: h}, spec: {maxReplicas: 3, scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: d}}}";
constexpr const char* kEndpoints =
    "{metadata: {name: e}, addressType: IPv4, endpoints: [{addresses: [10.0.0.1]}], ports: [{name: a, port: 80}]}";

TEST(KindsTest, TakesWhatUpstreamTakes) {
  const std::vector<PolicyCreation> table = {
      {"policy",
       "poddisruptionbudgets",
       "{metadata: {name: b}, spec: {minAvailable: 1, selector: {matchLabels: {x: z}}}}",
       {}},
      {kScheduling, "priorityclasses", "{metadata: {name: hi}, value: 5}", {}},
      {kRbac, "rolebindings", kBinding, {}},
      {kStorage, "storageclasses", kStorageClass, {}},
      {kResource, "resourceclaims", kClaim, {}},
      {kResource, "resourceslices", kSlice, {}},
      {kScheduling, "podgroups", kPodGroup, {}},
      {kAutoscaling, "horizontalpodautoscalers", kAutoscaler, {}},
      {"discovery.k8s.io", "endpointslices", kEndpoints, {}},
      {kNetworking, "networkpolicies", "{metadata: {name: n-1}, spec: {podSelector: {}}}", {}},
      {"node.k8s.io", "runtimeclasses", "{metadata: {name: r}, handler: runc}", {}},
      {"coordination.k8s.io", "leases", "{metadata: {name: l}, spec: {leaseDurationSeconds: 15}}", {}},
  };
  for (const PolicyCreation& row : table) {
    EXPECT_THAT(KindUnderTest(row.group, row.plural).refusals(row.object), IsEmpty()) << row.plural << row.object;
  }
}

TEST(KindsTest, RefusesNewObjectsInUpstreamsWords) {
  const std::vector<PolicyCreation> table = {
      {"policy",
       "poddisruptionbudgets",
       "{metadata: {name: b}, spec: {minAvailable: -1, unhealthyPodEvictionPolicy: Maybe}}",
       {"spec.minAvailable: Invalid value: -1: must be greater than or equal to 0",
        "spec.unhealthyPodEvictionPolicy: Unsupported value: \"Maybe\": supported values: \"AlwaysAllow\", "
        "\"IfHealthyBudget\""}},
      {"coordination.k8s.io",
       "leases",
       "{metadata: {name: l}, spec: {leaseDurationSeconds: 0, leaseTransitions: -1}}",
       {"spec.leaseDurationSeconds: Invalid value: 0: must be greater than 0",
        "spec.leaseTransitions: Invalid value: -1: must be greater than or equal to 0"}},
      {kRbac,
       "roles",
       "{metadata: {name: r}, rules: [{}, {verbs: [get], nonResourceURLs: [/x]}]}",
       {"rules[0].verbs: Required value: verbs must contain at least one value",
        "rules[0].apiGroups: Required value: resource rules must supply at least one api group",
        "rules[0].resources: Required value: resource rules must supply at least one resource",
        "rules[1].nonResourceURLs: Invalid value: [\"/x\"]: namespaced rules cannot apply to non-resource URLs"}},
      {kRbac,
       "clusterroles",
       "{metadata: {name: r}, aggregationRule: {}}",
       {"aggregationRule.clusterRoleSelectors: Required value: at least one clusterRoleSelector required if "
        "aggregationRule is non-nil"}},
      {kRbac,
       "clusterrolebindings",
       "{metadata: {name: b}, roleRef: {apiGroup: rbac.authorization.k8s.io, kind: Role, name: ''}, subjects: [{kind: "
       "ServiceAccount, name: s}, {kind: Robot, name: u}]}",
       {"roleRef.kind: Unsupported value: \"Role\": supported values: \"ClusterRole\"", "roleRef.name: Required value",
        "subjects[0].namespace: Required value",
        "subjects[1].kind: Unsupported value: \"Robot\": supported values: \"ServiceAccount\", \"User\", \"Group\""}},
      {kStorage,
       "volumeattachments",
       "{metadata: {name: a}, spec: {attacher: x.io, nodeName: n-1, source: {}}}",
       {"spec.source: Required value: must specify exactly one of inlineVolumeSpec and persistentVolumeName"}},
      {kStorage,
       "csidrivers",
       "{metadata: {name: d.io}, spec: {nodeAllocatableUpdatePeriodSeconds: 5, tokenRequests: [{audience: a, "
       "expirationSeconds: 5}]}}",
       {"spec.tokenRequests[0].expirationSeconds: Invalid value: 5: may not specify a duration less than 10 minutes",
        "spec.nodeAllocatableUpdatePeriodSeconds: Invalid value: 5: must be greater than or equal to 10 seconds"}},
      {kResource,
       "resourceclaims",
       "{metadata: {name: c}, spec: {devices: {requests: [{name: g}], config: [{requests: [h], opaque: {driver: d.io, "
       "parameters: {a: b}}}]}}}",
       {"spec.devices.requests[0]: Required value: exactly one of `exactly` or `firstAvailable` is required",
        "spec.devices.config[0].requests[0]: Invalid value: \"h\": must be the name of a request in the claim or the "
        "name of a request and a subrequest separated by '/'"}},
      {kResource,
       "resourceslices",
       "{metadata: {name: s}, spec: {driver: gpu.io, nodeName: n-1, allNodes: true, pool: {name: p}}}",
       {"spec.pool.resourceSliceCount: Invalid value: 0: must be greater than zero",
        "spec: Invalid value: \"{`nodeName`, `allNodes`}\": exactly one of `nodeName`, `nodeSelector`, `allNodes`, "
        "`perDeviceNodeSelection` is required, but multiple fields are set"}},
      {kScheduling,
       "podgroups",
       "{metadata: {name: g}, spec: {schedulingPolicy: {}}}",
       {"spec.schedulingPolicy: Invalid value: \"\": must specify one of: `basic`, `gang`"}},
      {kAutoscaling,
       "horizontalpodautoscalers",
       "{metadata: {name: h}, spec: {minReplicas: 0, maxReplicas: 3, scaleTargetRef: {kind: Deployment, name: d}}}",
       {"spec.minReplicas: Invalid value: 0: must be greater than or equal to 1",
        "spec.scaleTargetRef.apiVersion: Invalid value: \"\": apiVersion must specify API group",
        "spec.metrics: Forbidden: must specify at least one Object or External metric to support scaling to zero "
        "replicas"}},
      {"discovery.k8s.io",
       "endpointslices",
       "{metadata: {name: e}, addressType: IPv4, endpoints: [{addresses: []}], ports: [{name: a}, {name: a}]}",
       {"ports[1].name: Duplicate value: \"a\"",
        "endpoints[0].addresses: Required value: must contain at least 1 address"}},
      {kNetworking,
       "networkpolicies",
       "{metadata: {name: n-1}, spec: {podSelector: {}, ingress: [{from: [{}], ports: [{port: 0}]}], policyTypes: "
       "[X]}}",
       {"spec.ingress[0].ports[0].port: Invalid value: 0: must be between 1 and 65535, inclusive",
        "spec.ingress[0].from[0]: Required value: must specify a peer",
        "spec.policyTypes[0]: Unsupported value: \"X\": supported values: \"Ingress\", \"Egress\""}},
      {kNetworking,
       "ingresses",
       "{metadata: {name: i}, spec: {rules: [{host: 10.0.0.1, http: {paths: [{path: x, pathType: Exact, backend: "
       "{}}]}}]}}",
       {"spec.rules[0].host: Invalid value: \"10.0.0.1\": must be a DNS name, not an IP address",
        "spec.rules[0].http.paths[0].path: Invalid value: \"x\": must be an absolute path",
        "spec.rules[0].http.paths[0].backend: Invalid value: \"\": resource or service backend is required"}},
      {"node.k8s.io", "runtimeclasses", "{metadata: {name: r}}", {"handler: Required value"}},
      {"node.k8s.io",
       "runtimeclasses",
       "{metadata: {name: r}, handler: runc, overhead: {podFixed: {cpu: -1}}, scheduling: {nodeSelector: {-x: z}, "
       "tolerations: [{key: a, operator: Exists, value: x}, {key: b, operator: Exists}, {key: b, operator: Exists}]}}",
       {"overhead.podFixed[cpu]: Invalid value: \"-1\": must be greater than or equal to 0",
        "scheduling.nodeSelector: Invalid value: \"-x\": name part must consist of alphanumeric characters, '-', '_' "
        "or "
        "'.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', "
        "regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')",
        "scheduling.tolerations[0].operator: Invalid value: \"x\": value must be empty when `operator` is 'Exists'",
        "scheduling.tolerations[2]: Duplicate value: "
        "{\"Key\":\"b\",\"Operator\":\"Exists\",\"Value\":\"\",\"Effect\":\"\",\"TolerationSeconds\":null}"}},
  };
  for (const PolicyCreation& row : table) {
    EXPECT_THAT(KindUnderTest(row.group, row.plural).refusals(row.object), ElementsAreArray(row.refusals))
        << row.plural << row.object;
  }
}

TEST(KindsTest, RefusesChangesInUpstreamsWords) {
  const std::vector<PolicyChange> table = {
      // As a kube-apiserver answered.
      {kScheduling,
       "priorityclasses",
       "{metadata: {name: hi}, value: 5}",
       "{value: 6}",
       {"value: Forbidden: may not be changed in an update."}},
      {kScheduling,
       "priorityclasses",
       "{metadata: {name: hi}, value: 5}",
       "{preemptionPolicy: Never}",
       {"preemptionPolicy: Invalid value: \"Never\": field is immutable"}},
      {kScheduling, "priorityclasses", "{metadata: {name: hi}, value: 5}", "{globalDefault: true, description: x}", {}},
      {"policy",
       "poddisruptionbudgets",
       "{metadata: {name: b}, spec: {minAvailable: 1}}",
       "{spec: {minAvailable: 2}}",
       {}},
      {kRbac,
       "rolebindings",
       kBinding,
       "{roleRef: {name: q}}",
       {"roleRef: Invalid value: {\"APIGroup\":\"rbac.authorization.k8s.io\",\"Kind\":\"Role\",\"Name\":\"q\"}: cannot "
        "change roleRef"}},
      {kRbac, "rolebindings", kBinding, "{subjects: []}", {}},
      {kStorage,
       "storageclasses",
       kStorageClass,
       "{parameters: {a: c}, reclaimPolicy: Retain}",
       {"parameters: Invalid value: {\"a\":\"c\"}: field is immutable",
        "reclaimPolicy: Invalid value: \"Retain\": field is immutable"}},
      {kStorage, "storageclasses", kStorageClass, "{allowVolumeExpansion: true}", {}},
      {kStorage,
       "volumeattachments",
       "{metadata: {name: a}, spec: {attacher: x.io, nodeName: n-1, source: {persistentVolumeName: p}}}",
       "{spec: {nodeName: m}}",
       {"spec: Invalid value: {\"attacher\":\"x.io\",\"source\":{\"persistentVolumeName\":\"p\"},\"nodeName\":\"m\"}: "
        "field is immutable"}},
      {"node.k8s.io",
       "runtimeclasses",
       "{metadata: {name: r}, handler: runc}",
       "{handler: kata}",
       {"handler: Invalid value: \"kata\": field is immutable"}},
      {kResource,
       "resourceclaims",
       kClaim,
       "{spec: {devices: {requests: []}}}",
       {"spec: Invalid value: {\"devices\":{\"requests\":[]}}: field is immutable"}},
      {kResource,
       "resourceslices",
       kSlice,
       "{spec: {driver: tpu.io}}",
       {"spec.driver: Invalid value: \"tpu.io\": field is immutable"}},
      {kScheduling, "podgroups", kPodGroup, "{spec: {schedulingPolicy: {gang: {minCount: 3}}}}", {}},
      {kScheduling,
       "podgroups",
       kPodGroup,
       "{spec: {schedulingPolicy: {gang: null, basic: {}}}}",
       {"spec.schedulingPolicy: Invalid value: {\"basic\":{}}: field is immutable"}},
      {"discovery.k8s.io",
       "endpointslices",
       kEndpoints,
       "{addressType: IPv6, endpoints: []}",
       {"addressType: Invalid value: \"IPv6\": field is immutable"}},
  };
  for (const PolicyChange& row : table) {
    KindUnderTest kind(row.group, row.plural);
    EXPECT_THAT(kind.change_refusals(kind.create(row.object), row.patch), ElementsAreArray(row.refusals))
        << row.plural << row.patch;
  }
}

TEST(KindsTest, RefusesChangesOfStatusInUpstreamsWords) {
  const std::vector<PolicyChange> table = {
      {"policy",
       "poddisruptionbudgets",
       "{metadata: {name: b}, spec: {minAvailable: 1}}",
       "{status: {disruptionsAllowed: -1}}",
       {"status.disruptionsAllowed: Invalid value: -1: must be greater than or equal to 0"}},
      {kResource,
       "resourceclaims",
       kClaim,
       "{status: {reservedFor: [{resource: pods, name: p, uid: u}]}}",
       {"status.reservedFor: Forbidden: may not be specified when `allocated` is not set"}},
      {kAutoscaling,
       "horizontalpodautoscalers",
       kAutoscaler,
       "{status: {desiredReplicas: -1}}",
       {"status.desiredReplicas: Invalid value: -1: must be greater than or equal to 0"}},
  };
  for (const PolicyChange& row : table) {
    KindUnderTest kind(row.group, row.plural);
    EXPECT_THAT(kind.status_refusals(kind.create(row.object), row.patch), ElementsAreArray(row.refusals))
        << row.plural << row.patch;
  }
}

TEST(KindsTest, SurvivesObjectsThatSayNothing) {
  for (const StrategyMaker& maker : own_strategies()) {
    const std::string_view name = maker.group_resource;
    const std::size_t dot = name.find('.');
    const std::string_view group = dot == std::string_view::npos ? std::string_view() : name.substr(dot + 1);
    KindUnderTest kind(group, name.substr(0, dot));
    const Value created = kind.create("{metadata: {name: x}}");
    EXPECT_EQ(name_of(created), "x") << name;
    EXPECT_EQ(name_of(kind.change(created, "{spec: null, status: null}")), "x") << name;
    EXPECT_EQ(name_of(kind.change_status(created, "{spec: null, status: null}")), "x") << name;
  }
}

TEST(KindsTest, PriorityClassesAreNotCounted) {
  KindUnderTest kind(kScheduling, "priorityclasses");
  const Value created = kind.create("{metadata: {name: hi}, value: 5}");
  EXPECT_EQ(generation_of(created), 1);
  EXPECT_EQ(generation_of(kind.change(created, "{description: x}")), 1);
}

TEST(KindsTest, StatusRequestsOfClaimsTouchNoLabels) {
  KindUnderTest kind(kResource, "resourceclaims");
  const Value changed = kind.change_status(kind.create(kClaim), "{metadata: {labels: {a: b}}, spec: {devices: null}}");
  EXPECT_EQ(document::find_at(changed, {"metadata", "labels"}), nullptr);
  EXPECT_NE(document::find_at(changed, {"spec", "devices", "requests"}), nullptr);
}

// ---- certificates --------------------------------------------------------------------------------------------------

// "-----BEGIN CERTIFICATE REQUEST-----\nMIIB\n-----END CERTIFICATE REQUEST-----\n"
constexpr const char* kRequest =
    "LS0tLS1CRUdJTiBDRVJUSUZJQ0FURSBSRVFVRVNULS0tLS0KTUlJQgotLS0tLUVORCBDRVJUSUZJQ0FURSBSRVFVRVNULS0tLS0K";

std::string signing_request(std::string_view spec) {
  return "{metadata: {name: c}, spec: {request: " + std::string(kRequest) + ", " + std::string(spec) + "}}";
}

TEST(CertificateSigningRequestTest, SaysWhoAsked) {
  KindUnderTest kind("certificates.k8s.io", "certificatesigningrequests");
  kind.user = {"jane", "7", {"devs"}, {{"scopes", {"a"}}}};
  const Value created =
      kind.create(signing_request("signerName: example.com/s, usages: [client auth], username: root, groups: [gods]"));
  EXPECT_EQ(document::text_at(created, {"spec", "username"}), "jane");
  EXPECT_EQ(document::text_at(created, {"spec", "uid"}), "7");
  EXPECT_EQ(document::write_json(*document::find_at(created, {"spec", "groups"})), "[\"devs\"]");
  EXPECT_EQ(document::write_json(*document::find_at(created, {"spec", "extra"})), "{\"scopes\":[\"a\"]}");
  const Value changed = kind.change(created, "{spec: {signerName: example.com/t}}");
  EXPECT_EQ(document::text_at(changed, {"spec", "signerName"}), "example.com/s");
}

TEST(CertificateSigningRequestTest, RefusesWhatNoSignerSigns) {
  KindUnderTest kind("certificates.k8s.io", "certificatesigningrequests");
  EXPECT_THAT(kind.refusals(signing_request("signerName: example.com/s, usages: [client auth]")), IsEmpty());
  EXPECT_THAT(kind.refusals(signing_request("signerName: s, expirationSeconds: 5")),
              testing::ElementsAre("spec.usages: Required value",
                                   "spec.signerName: Invalid value: \"s\": must be a fully qualified domain and path "
                                   "of the form 'example.com/signer-name'",
                                   "spec.expirationSeconds: Invalid value: 5: may not specify a duration less than 600 "
                                   "seconds (10 minutes)"));
  const Value created = kind.create(signing_request("signerName: example.com/s, usages: [client auth]"));
  EXPECT_THAT(
      kind.status_refusals(created, "{status: {conditions: [{type: Approved, status: 'True'}]}}"),
      testing::ElementsAre("status.conditions: Forbidden: updates may not add a condition of type \"Approved\""));
}

}  // namespace
}  // namespace loadline::apiserver
