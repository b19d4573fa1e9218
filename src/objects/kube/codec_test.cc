#include "objects/kube/codec.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>
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
#include "objects/kube/policy/pod_disruption_budget.h"
#include "objects/kube/scheduling/priority_class.h"
#include "objects/kube/storage/storage.h"
#include "objects/kube/testing/decoding.h"

namespace loadline::kube {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;

TEST(Codec, ReadsAPodWithAllThatBearsOnItsPlace) {
  const Decoding decoding = decode_text(R"(
apiVersion: v1
kind: Pod
metadata:
  name: train
  namespace: ml
  labels: {app: train}
  ownerReferences: [{apiVersion: batch/v1, kind: Job, name: j, uid: u, controller: true}]
spec:
  schedulerName: loadline
  priorityClassName: high
  nodeSelector: {gpu: h100}
  affinity:
    nodeAffinity:
      requiredDuringSchedulingIgnoredDuringExecution:
        nodeSelectorTerms:
        - matchExpressions: [{key: zone, operator: NotIn, values: [a]}]
      preferredDuringSchedulingIgnoredDuringExecution:
      - {weight: 7, preference: {matchExpressions: [{key: fast, operator: Exists}]}}
    podAntiAffinity:
      requiredDuringSchedulingIgnoredDuringExecution:
      - {topologyKey: kubernetes.io/hostname, labelSelector: {matchLabels: {app: train}}}
  tolerations: [{key: gpu, operator: Exists, effect: NoExecute, tolerationSeconds: 30}]
  topologySpreadConstraints:
  - {maxSkew: 2, topologyKey: zone, whenUnsatisfiable: ScheduleAnyway, labelSelector: {matchLabels: {app: train}}}
  schedulingGates: [{name: example.com/wait}]
  volumes:
  - {name: data, persistentVolumeClaim: {claimName: data, readOnly: true}}
  - {name: disk, gcePersistentDisk: {pdName: pd, readOnly: true}}
  - {name: scratch, ephemeral: {volumeClaimTemplate: {spec: {accessModes: [ReadWriteOnce],
      resources: {requests: {storage: 1Gi}}}}}}
  - {name: host, hostPath: {path: /tmp}}
  containers:
  - name: main
    image: train:1
    ports: [{containerPort: 80, hostPort: 8080, protocol: UDP}]
    resources: {limits: {nvidia.com/gpu: 8}, requests: {cpu: 0.5, memory: 1Gi, nvidia.com/gpu: "8"}}
)");
  EXPECT_THAT(lines_of(decoding.diagnostics), IsEmpty());
  ASSERT_EQ(decoding.objects.of<Pod>().size(), 1U);
  const Pod& pod = decoding.objects.of<Pod>()[0];
  EXPECT_EQ(pod.metadata.namespace_, "ml");
  EXPECT_EQ(pod.metadata.source.line, 2U);
  ASSERT_EQ(pod.metadata.owner_references.size(), 1U);
  EXPECT_TRUE(pod.metadata.owner_references[0].controller);
  const PodSpec& spec = *pod.spec;
  EXPECT_EQ(spec.scheduler_name, "loadline");
  ASSERT_TRUE(spec.affinity && spec.affinity->node && spec.affinity->node->required && spec.affinity->pod_anti);
  EXPECT_EQ(spec.affinity->node->required->terms[0].match_expressions[0].op, NodeSelectorOperator::kNotIn);
  EXPECT_EQ(spec.affinity->node->preferred[0].weight, 7);
  EXPECT_EQ(spec.affinity->pod_anti->required[0].topology_key, "kubernetes.io/hostname");
  EXPECT_EQ(spec.tolerations[0].effect, TaintEffect::kNoExecute);
  EXPECT_EQ(spec.tolerations[0].toleration_seconds, 30);
  EXPECT_EQ(spec.topology_spread_constraints[0].when_unsatisfiable, UnsatisfiableAction::kScheduleAnyway);
  EXPECT_THAT(spec.scheduling_gates, ElementsAre("example.com/wait"));
  ASSERT_EQ(spec.volumes.size(), 4U);
  EXPECT_TRUE(spec.volumes[0].persistent_volume_claim->read_only);
  EXPECT_EQ(spec.volumes[1].gce_persistent_disk->id, "pd");
  EXPECT_EQ(spec.volumes[2].ephemeral_claim->spec.requests.at("storage").value(), 1 << 30);
  EXPECT_TRUE(spec.volumes[3].host_path);
  const Container& container = spec.containers.at(0);
  EXPECT_EQ(container.ports[0].protocol, Protocol::kUdp);
  EXPECT_EQ(container.resources.limits.at("nvidia.com/gpu").value(), 8);
  EXPECT_EQ(container.resources.requests.at("cpu").milli_value(), 500);
}

constexpr std::string_view kTemplate =
    "template: {metadata: {labels: {a: b}}, spec: {containers: [{name: c, image: i}]}}";

/// One object of every kind, as short as it can be.
std::string one_of_each() {
  const std::string workload = "selector: {matchLabels: {a: b}}, " + std::string(kTemplate);
  const std::string job = "template: {spec: {restartPolicy: Never, containers: [{name: c, image: i}]}}";
  return R"(
{apiVersion: v1, kind: Node, metadata: {name: n1}, spec: {unschedulable: true},
 status: {capacity: {cpu: 4}, images: [{names: [a], sizeBytes: 3}], declaredFeatures: [f]}}
---
{apiVersion: v1, kind: Namespace, metadata: {name: team}}
---
{apiVersion: v1, kind: Pod, metadata: {name: p}, spec: {containers: [{name: c, image: i}]}}
---
{apiVersion: scheduling.k8s.io/v1, kind: PriorityClass, metadata: {name: high}, value: 9, preemptionPolicy: Never}
---
{apiVersion: v1, kind: ResourceQuota, metadata: {name: q}, spec: {hard: {pods: 3}, scopes: [NotTerminating]},
 status: {used: {pods: 1}}}
---
{apiVersion: v1, kind: LimitRange, metadata: {name: l},
 spec: {limits: [{type: Container, default: {cpu: 2}, defaultRequest: {cpu: 1}}]}}
---
{apiVersion: policy/v1, kind: PodDisruptionBudget, metadata: {name: b},
 spec: {minAvailable: 50%, selector: {matchLabels: {a: b}}}, status: {disruptionsAllowed: 2, currentHealthy: 3,
 desiredHealthy: 1, expectedPods: 3}}
---
{apiVersion: apps/v1, kind: Deployment, metadata: {name: d}, spec: {replicas: 3, strategy: {type: RollingUpdate,
 rollingUpdate: {maxSurge: 1}}, )" +
         workload + R"(}}
---
{apiVersion: apps/v1, kind: ReplicaSet, metadata: {name: r}, spec: {replicas: 2, )" +
         workload + R"(}}
---
{apiVersion: apps/v1, kind: StatefulSet, metadata: {name: s}, spec: {serviceName: s, podManagementPolicy: Parallel,
 ordinals: {start: 5}, volumeClaimTemplates: [{metadata: {name: data}, spec: {accessModes: [ReadWriteOnce],
 resources: {requests: {storage: 1Gi}}}}], )" +
         workload + R"(}}
---
{apiVersion: apps/v1, kind: DaemonSet, metadata: {name: a}, spec: {)" +
         workload + R"(}}
---
{apiVersion: batch/v1, kind: Job, metadata: {name: j}, spec: {completions: 4, parallelism: 2, completionMode: Indexed,
 )" + job +
         R"(}, status: {succeeded: 1, completedIndexes: "0"}}
---
{apiVersion: batch/v1, kind: CronJob, metadata: {name: c}, spec: {schedule: "* * * * *",
 jobTemplate: {metadata: {labels: {x: z}}, spec: {parallelism: 3, )" +
         job + R"(}}}}
---
{apiVersion: v1, kind: Service, metadata: {name: s}, spec: {selector: {a: b}, ports: [{port: 80}, {port: 81, name: b}]}}
---
{apiVersion: v1, kind: ReplicationController, metadata: {name: rc}, spec: {replicas: 1, selector: {a: b}, )" +
         std::string(kTemplate) + R"(}}
---
{apiVersion: v1, kind: PersistentVolume, metadata: {name: v}, spec: {capacity: {storage: 1Gi},
 accessModes: [ReadWriteOnce], storageClassName: fast, awsElasticBlockStore: {volumeID: vol-1},
 nodeAffinity: {required: {nodeSelectorTerms: [{matchExpressions: [{key: zone, operator: In, values: [a]}]}]}}}}
---
{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: data}, spec: {accessModes: [ReadWriteOncePod],
 storageClassName: "", resources: {requests: {storage: 1Gi}}}, status: {phase: Pending}}
---
{apiVersion: storage.k8s.io/v1, kind: StorageClass, metadata: {name: fast}, provisioner: example.com/disk,
 volumeBindingMode: WaitForFirstConsumer,
 allowedTopologies: [{matchLabelExpressions: [{key: zone, values: [a, b]}]}]}
---
{apiVersion: storage.k8s.io/v1, kind: CSINode, metadata: {name: n1},
 spec: {drivers: [{name: d, nodeID: n1, topologyKeys: [zone], allocatable: {count: 25}}]}}
---
{apiVersion: storage.k8s.io/v1, kind: CSIDriver, metadata: {name: d}, spec: {storageCapacity: true,
 attachRequired: false}}
---
{apiVersion: storage.k8s.io/v1, kind: CSIStorageCapacity, metadata: {name: c}, storageClassName: fast, capacity: 10Gi,
 nodeTopology: {matchLabels: {zone: a}}}
---
{apiVersion: storage.k8s.io/v1, kind: VolumeAttachment, metadata: {name: a}, spec: {attacher: d, nodeName: n1,
 source: {persistentVolumeName: v}}}
---
{apiVersion: v1, kind: ConfigMap, metadata: {name: m}, data: {k: v}, binaryData: {b: aGk=}}
---
{apiVersion: kubescheduler.config.k8s.io/v1, kind: KubeSchedulerConfiguration}
)";
}

TEST(Codec, ReadsEveryKind) {
  const Decoding decoding = decode_text(one_of_each());
  EXPECT_THAT(lines_of(decoding.diagnostics), IsEmpty());
  const Objects& objects = decoding.objects;
  ASSERT_EQ(objects.of<Node>().size(), 1U);
  EXPECT_TRUE(objects.of<Node>()[0].unschedulable);
  EXPECT_EQ(objects.of<Node>()[0].images[0].size_bytes, 3);
  EXPECT_THAT(objects.of<Node>()[0].declared_features, ElementsAre("f"));
  ASSERT_EQ(objects.of<Namespace>().size(), 1U);
  EXPECT_EQ(objects.of<Namespace>()[0].metadata.name, "team");
  ASSERT_EQ(objects.of<Pod>().size(), 1U);
  EXPECT_EQ(objects.of<Pod>()[0].metadata.namespace_, "default");
  ASSERT_EQ(objects.of<PriorityClass>().size(), 1U);
  EXPECT_EQ(objects.of<PriorityClass>()[0].value, 9);
  EXPECT_EQ(objects.of<PriorityClass>()[0].preemption_policy, PreemptionPolicy::kNever);
  ASSERT_EQ(objects.of<ResourceQuota>().size(), 1U);
  EXPECT_THAT(objects.of<ResourceQuota>()[0].scopes, ElementsAre(ResourceQuotaScope::kNotTerminating));
  EXPECT_EQ(objects.of<ResourceQuota>()[0].status_used.at("pods").value(), 1);
  ASSERT_EQ(objects.of<LimitRange>().size(), 1U);
  EXPECT_EQ(objects.of<LimitRange>()[0].limits[0].default_request.at("cpu").value(), 1);
  ASSERT_EQ(objects.of<PodDisruptionBudget>().size(), 1U);
  EXPECT_EQ(objects.of<PodDisruptionBudget>()[0].min_available->text, "50%");
  EXPECT_EQ(objects.of<PodDisruptionBudget>()[0].disruptions_allowed, 2);
}

TEST(Codec, ReadsEveryWorkload) {
  const Objects objects = decode_text(one_of_each()).objects;
  ASSERT_EQ(objects.of<Deployment>().size(), 1U);
  EXPECT_EQ(objects.of<Deployment>()[0].replicas, 3);
  EXPECT_EQ(objects.of<Deployment>()[0].max_surge->integer, 1);
  EXPECT_EQ(objects.of<Deployment>()[0].template_.spec->containers.size(), 1U);
  ASSERT_EQ(objects.of<ReplicaSet>().size(), 1U);
  EXPECT_EQ(objects.of<ReplicaSet>()[0].replicas, 2);
  ASSERT_EQ(objects.of<StatefulSet>().size(), 1U);
  EXPECT_TRUE(objects.of<StatefulSet>()[0].parallel);
  EXPECT_EQ(objects.of<StatefulSet>()[0].ordinals_start, 5);
  EXPECT_EQ(objects.of<StatefulSet>()[0].volume_claim_templates.at(0).metadata.name, "data");
  ASSERT_EQ(objects.of<DaemonSet>().size(), 1U);
  EXPECT_EQ(objects.of<DaemonSet>()[0].selector->match_labels.at("a"), "b");
  ASSERT_EQ(objects.of<Job>().size(), 1U);
  EXPECT_TRUE(objects.of<Job>()[0].spec.indexed);
  EXPECT_EQ(objects.of<Job>()[0].status.succeeded, 1);
  ASSERT_EQ(objects.of<CronJob>().size(), 1U);
  EXPECT_EQ(objects.of<CronJob>()[0].job_spec.parallelism, 3);
  EXPECT_EQ(objects.of<CronJob>()[0].job_metadata.labels.at("x"), "z");
  ASSERT_EQ(objects.of<Service>().size(), 1U);
  EXPECT_EQ(objects.of<Service>()[0].port_count, 2);
  ASSERT_EQ(objects.of<ReplicationController>().size(), 1U);
  EXPECT_EQ(objects.of<ReplicationController>()[0].selector.at("a"), "b");
}

TEST(Codec, AnAzureDiskIsSharedUnlessSaidOtherwise) {
  const Objects objects = decode_text(R"(
apiVersion: v1
kind: PersistentVolume
metadata: {name: v}
spec:
  capacity: {storage: 1Gi}
  accessModes: [ReadWriteOnce]
  azureDisk: {diskName: disk, diskURI: /disks/v}
---
apiVersion: v1
kind: Pod
metadata: {name: p}
spec:
  containers: [{name: c, image: i}]
  volumes:
  - {name: plain, azureDisk: {diskName: disk, diskURI: /disks/p}}
  - {name: managed, azureDisk: {diskName: disk, diskURI: /disks/q, kind: Managed}}
  - {name: px, portworxVolume: {volumeID: id}}
  - {name: file, azureFile: {secretName: s, shareName: t}}
)")
                              .objects;
  ASSERT_EQ(objects.of<PersistentVolume>().size(), 1U);
  EXPECT_EQ(objects.of<PersistentVolume>()[0].in_tree_volume_id, "/disks/v");
  EXPECT_EQ(objects.of<PersistentVolume>()[0].in_tree_disk_kind, "Shared");
  ASSERT_EQ(objects.of<Pod>().size(), 1U);
  const std::vector<Volume>& volumes = objects.of<Pod>()[0].spec->volumes;
  EXPECT_EQ(volumes[0].azure_disk->disk_uri, "/disks/p");
  EXPECT_EQ(volumes[0].azure_disk->kind, "Shared");
  EXPECT_EQ(volumes[1].azure_disk->kind, "Managed");
  EXPECT_EQ(volumes[2].portworx_volume->id, "id");
  EXPECT_TRUE(volumes[3].azure_file);
  EXPECT_FALSE(volumes[3].vsphere_volume);
}

TEST(Codec, ReadsEveryKindOfStorage) {
  const Objects objects = decode_text(one_of_each()).objects;
  ASSERT_EQ(objects.of<PersistentVolume>().size(), 1U);
  EXPECT_EQ(objects.of<PersistentVolume>()[0].in_tree_plugin, "awsElasticBlockStore");
  EXPECT_EQ(objects.of<PersistentVolume>()[0].in_tree_volume_id, "vol-1");
  EXPECT_EQ(objects.of<PersistentVolume>()[0].node_affinity->terms.size(), 1U);
  ASSERT_EQ(objects.of<PersistentVolumeClaim>().size(), 1U);
  EXPECT_THAT(objects.of<PersistentVolumeClaim>()[0].spec.access_modes, ElementsAre(AccessMode::kReadWriteOncePod));
  EXPECT_EQ(objects.of<PersistentVolumeClaim>()[0].spec.storage_class_name, "");
  ASSERT_EQ(objects.of<StorageClass>().size(), 1U);
  EXPECT_EQ(objects.of<StorageClass>()[0].volume_binding_mode, VolumeBindingMode::kWaitForFirstConsumer);
  EXPECT_THAT(objects.of<StorageClass>()[0].allowed_topologies.at(0).match_expressions.at(0).values,
              ElementsAre("a", "b"));
  ASSERT_EQ(objects.of<CsiNode>().size(), 1U);
  EXPECT_EQ(objects.of<CsiNode>()[0].drivers[0].allocatable_count, 25);
  ASSERT_EQ(objects.of<CsiDriver>().size(), 1U);
  EXPECT_TRUE(objects.of<CsiDriver>()[0].storage_capacity);
  EXPECT_EQ(objects.of<CsiDriver>()[0].attach_required, false);
  ASSERT_EQ(objects.of<CsiStorageCapacity>().size(), 1U);
  EXPECT_EQ(objects.of<CsiStorageCapacity>()[0].capacity->value(), 10LL << 30);
  ASSERT_EQ(objects.of<VolumeAttachment>().size(), 1U);
  EXPECT_EQ(objects.of<VolumeAttachment>()[0].persistent_volume_name, "v");
  ASSERT_EQ(objects.of<ConfigMap>().size(), 1U);
  EXPECT_EQ(objects.of<ConfigMap>()[0].data.at("k"), "v");
  EXPECT_EQ(objects.of<SchedulerConfiguration>().size(), 1U);
}

TEST(Codec, FlattensLists) {
  const Decoding decoding = decode_text(R"(
apiVersion: v1
kind: List
items:
- {apiVersion: v1, kind: Node, metadata: {name: a}}
- apiVersion: v1
  kind: NodeList
  items: [{metadata: {name: b}}, {metadata: {name: c}}]
)");
  EXPECT_THAT(lines_of(decoding.diagnostics), IsEmpty());
  ASSERT_EQ(decoding.objects.of<Node>().size(), 3U);
  EXPECT_EQ(decoding.objects.of<Node>()[2].metadata.name, "c");
}

TEST(Codec, CountsTheKindsItSkips) {
  const Decoding decoding = decode_text(
      "{apiVersion: v1, kind: Secret}\n---\n{apiVersion: example.com/v1, kind: Queue}\n---\n"
      "{apiVersion: v1, kind: Secret}\n");
  EXPECT_THAT(lines_of(decoding.diagnostics), IsEmpty());
  ASSERT_EQ(decoding.objects.skipped.size(), 2U);
  EXPECT_EQ(decoding.objects.skipped[0].kind, "Secret");
  EXPECT_EQ(decoding.objects.skipped[0].count, 2U);
  EXPECT_EQ(decoding.objects.skipped[1].api_version, "example.com/v1");
  EXPECT_EQ(decoding.objects.skipped[1].first.line, 3U);
}

TEST(Codec, KeepsWhatIsRightBesideWhatIsWrong) {
  const Decoding decoding = decode_text(
      "{apiVersion: v1, kind: Node, metadata: {name: a}, spec: {podCIDRS: []}}\n---\n"
      "{apiVersion: v1, kind: Node, metadata: {name: b}}\n");
  EXPECT_THAT(lines_of(decoding.diagnostics), ElementsAre("1:58 error spec.podCIDRS: unknown field \"spec.podCIDRS\""));
  ASSERT_EQ(decoding.objects.of<Node>().size(), 1U);
  EXPECT_EQ(decoding.objects.of<Node>()[0].metadata.name, "b");
}

TEST(Codec, WarnsOfProblemsInObjectsThatAClusterHasAccepted) {
  const Decoding decoding =
      decode_text("{apiVersion: v1, kind: Node, metadata: {name: a, uid: u}, spec: {novelty: 1, podCIDR: 10}}\n");
  EXPECT_THAT(lines_of(decoding.diagnostics),
              ElementsAre("1:66 warning spec.novelty: unknown field \"spec.novelty\"",
                          "1:87 warning spec.podCIDR: expected a string, got number 10"));
  EXPECT_EQ(decoding.objects.of<Node>().size(), 1U);
}

TEST(Codec, TellsWhereTheTermsOfANodeAffinityBelong) {
  const Decoding decoding = decode_text(
      "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec:\n  affinity:\n    nodeAffinity:\n"
      "      requiredDuringSchedulingIgnoredDuringExecution:\n        matchExpressions: []\n"
      "  containers: [{name: c, image: i}]\n");
  ASSERT_FALSE(decoding.diagnostics.empty());
  EXPECT_THAT(hints_of(decoding.diagnostics),
              Contains("\"matchExpressions\" belongs to "
                       "\"spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution."
                       "nodeSelectorTerms[]\""));
  EXPECT_THAT(decoding.objects.of<Pod>(), IsEmpty());
}

TEST(Codec, AddsTheBrokenRulesWithTheirPlaces) {
  const Decoding decoding = decode_text(
      "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: d}\nspec:\n"
      "  template: {metadata: {labels: {app: x}}, spec: {containers: [{name: c, image: i}]}}\n");
  EXPECT_THAT(lines_of(decoding.diagnostics), Contains("4:1 error spec.selector: Required value"));
  EXPECT_THAT(decoding.objects.of<Deployment>(), IsEmpty());
}

TEST(Codec, DrawsNoConclusionsFromAnAmountThatItCouldNotRead) {
  const Decoding decoding = decode_text(R"(
apiVersion: v1
kind: Pod
metadata: {name: p}
spec:
  containers:
  - name: main
    image: web:1
    resources:
      requests: {memory: 8Gi, nvidia.com/gpu: 1, hugepages-2Mi: 2Mi}
      limits: {memory: 16GB, nvidia.com/gpu: 1x, hugepages-2Mi: 2Mi}
)");
  ASSERT_EQ(decoding.diagnostics.size(), 2U);
  EXPECT_EQ(decoding.diagnostics[0].path, "spec.containers[0].resources.limits[memory]");
  EXPECT_EQ(decoding.diagnostics[1].path, "spec.containers[0].resources.limits[nvidia.com/gpu]");
}

}  // namespace
}  // namespace loadline::kube
