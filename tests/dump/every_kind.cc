#include "dump/every_kind.h"

#include <fmt/format.h>

#include <array>
#include <utility>

namespace loadline::dump {
namespace {

/// Secret texts that a dump must not hold, in all places that have such.
constexpr const char* kSecretVariables = "env: [{name: TOKEN, value: hush-hush}, {name: MODE, value: train}]";

class Author {
 public:
  explicit Author(Rng& random) : random_(random) {}

  std::vector<std::string> write() {
    add_rules();
    add_storage();
    add_texts();
    add_gpu_policy();
    add_topologies();
    add_queues();
    add_groups();
    add_rooms();
    add_work();
    add_work_of_operators();
    return std::move(objects_);
  }

  std::string application() {
    std::string text;
    for (int i = 0; i < 3; ++i) text += fmt::format("{}\n---\n", workload(fmt::format("new-{}", i)));
    text += fmt::format("{}\n---\n", config_map("new", "a: b"));
    text += fmt::format(
        "{{apiVersion: v1, kind: Pod, metadata: {{name: unknown-account}}, spec: {{serviceAccountName: nobody, {}}}}}\n"
        "---\n",
        containers());
    text += fmt::format(
        "{{apiVersion: v1, kind: Pod, metadata: {{name: unknown-runtime}}, spec: {{runtimeClassName: nowhere, {}}}}}\n",
        containers());
    return text;
  }

 private:
  bool chance(std::uint64_t one_in) { return random_.below(one_in) == 0; }
  std::uint64_t between(std::uint64_t least, std::uint64_t most) { return least + random_.below(most - least + 1); }

  template <class... Arguments>
  void add(fmt::format_string<Arguments...> text, Arguments&&... arguments) {
    objects_.push_back(fmt::format(text, std::forward<Arguments>(arguments)...));
  }
  /// Half of the time.
  template <class... Arguments>
  void may(fmt::format_string<Arguments...> text, Arguments&&... arguments) {
    if (chance(2)) add(text, std::forward<Arguments>(arguments)...);
  }

  std::string containers(const char* name = "app") {
    const std::string gpus = chance(3) ? fmt::format(", limits: {{nvidia.com/gpu: {}}}", between(1, 3)) : "";
    return fmt::format("containers: [{{name: {}, image: app, {}, resources: {{requests: {{cpu: {}m}}{}}}}}]", name,
                       kSecretVariables, 250 * between(1, 12), gpus);
  }

  std::string pod_template(const std::string& app, const char* container = "app") {
    return fmt::format("template: {{metadata: {{labels: {{app: {}}}}}, spec: {{{}}}}}", app, containers(container));
  }

  std::string config_map(const char* name, const std::string& text, const char* name_space = "default") {
    return fmt::format(
        "{{apiVersion: v1, kind: ConfigMap, metadata: {{name: {}, namespace: {}}}, data: {{config.yaml: '{}'}}}}", name,
        name_space, text);
  }
  /// Where scheduler configurations count, or where they do not.
  const char* some_namespace() { return chance(3) ? "default" : "kube-system"; }

  /// One of those that pods come of, and nobody's operator has to be there for.
  std::string workload(const std::string& name) {
    const std::uint64_t pods = between(1, 4);
    switch (random_.below(4)) {
      case 0:
        return fmt::format(
            "{{apiVersion: apps/v1, kind: Deployment, metadata: {{name: {0}}}, spec: {{replicas: {1}, selector: "
            "{{matchLabels: {{app: {0}}}}}, {2}}}}}",
            name, pods, pod_template(name));
      case 1:
        return fmt::format(
            "{{apiVersion: jobset.x-k8s.io/v1alpha2, kind: JobSet, metadata: {{name: {0}}}, spec: {{replicatedJobs: "
            "[{{name: w, replicas: {1}, template: {{spec: {{template: {{spec: {{restartPolicy: Never, "
            "{2}}}}}}}}}}}]}}}}",
            name, pods, containers());
      case 2:
        return fmt::format(
            "{{apiVersion: leaderworkerset.x-k8s.io/v1, kind: LeaderWorkerSet, metadata: {{name: {0}}}, spec: "
            "{{replicas: 1, leaderWorkerTemplate: {{size: {1}, workerTemplate: {{spec: {{{2}}}}}}}}}}}",
            name, pods, containers());
      default:
        return fmt::format(
            "{{apiVersion: batch/v1, kind: Job, metadata: {{name: {0}}}, spec: {{parallelism: {1}, template: {{spec: "
            "{{restartPolicy: Never, {2}}}}}}}}}",
            name, pods, containers());
    }
  }

  void add_rules() {
    may("{{apiVersion: v1, kind: LimitRange, metadata: {{name: bounds}}, spec: {{limits: [{{type: Container, "
        "defaultRequest: {{memory: {}Mi}}}}]}}}}",
        64 * between(1, 8));
    may("{{apiVersion: v1, kind: ResourceQuota, metadata: {{name: few}}, spec: {{hard: {{configmaps: {}, services: {}, "
        "requests.nvidia.com/gpu: {}, count/jobs.batch: {}}}}}}}",
        between(4, 9), between(1, 9), between(2, 20), between(3, 12));
    may("{{apiVersion: node.k8s.io/v1, kind: RuntimeClass, metadata: {{name: heavy}}, handler: heavy, overhead: "
        "{{podFixed: {{cpu: {}m}}}}}}",
        100 * between(1, 5));
    may("{{apiVersion: v1, kind: ServiceAccount, metadata: {{name: robot}}}}");
    may("{{apiVersion: policy/v1, kind: PodDisruptionBudget, metadata: {{name: calm}}, spec: {{maxUnavailable: {}, "
        "selector: {{matchLabels: {{app: plain}}}}}}}}",
        between(0, 1));
    may("{{apiVersion: v1, kind: Pod, metadata: {{name: heavy, labels: {{app: plain}}}}, spec: {{runtimeClassName: "
        "heavy, {}}}}}",
        containers());
    may("{{apiVersion: v1, kind: Pod, metadata: {{name: robot, labels: {{app: plain}}}}, spec: {{serviceAccountName: "
        "robot, {}}}}}",
        containers());
    may("{{apiVersion: loadline.dev/v1alpha1, kind: Policy, metadata: {{name: default}}, spec: {{base: {}}}}}",
        chance(2) ? "Parity" : "Recommended");
  }

  void add_storage() {
    may("{{apiVersion: v1, kind: PersistentVolume, metadata: {{name: old}}, spec: {{capacity: {{storage: {}Gi}}, "
        "accessModes: [ReadWriteOnce], storageClassName: by-hand, hostPath: {{path: /data}}, nodeAffinity: {{required: "
        "{{nodeSelectorTerms: [{{matchExpressions: [{{key: topology.kubernetes.io/zone, operator: In, values: "
        "[zone-{}]}}]}}]}}}}}}}}",
        between(1, 4), random_.below(3));
    may("{{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {{name: data}}, spec: {{accessModes: "
        "[ReadWriteOnce], "
        "storageClassName: by-hand, resources: {{requests: {{storage: 2Gi}}}}}}}}");
    may("{{apiVersion: v1, kind: Pod, metadata: {{name: keeper}}, spec: {{volumes: [{{name: d, persistentVolumeClaim: "
        "{{claimName: data}}}}], {}}}}}",
        containers());
    may("{{apiVersion: storage.k8s.io/v1, kind: CSIDriver, metadata: {{name: disk.example}}, spec: {{storageCapacity: "
        "{}}}}}",
        chance(2));
    may("{{apiVersion: storage.k8s.io/v1, kind: CSIStorageCapacity, metadata: {{name: here}}, storageClassName: late, "
        "capacity: {}Gi, nodeTopology: {{}}}}",
        between(0, 3));
    may("{{apiVersion: storage.k8s.io/v1, kind: CSINode, metadata: {{name: node-{}}}, spec: {{drivers: [{{name: "
        "disk.example, nodeID: a, allocatable: {{count: 1}}}}]}}}}",
        random_.below(4));
    may("{{apiVersion: storage.k8s.io/v1, kind: VolumeAttachment, metadata: {{name: held}}, spec: {{attacher: "
        "disk.example, nodeName: node-0, source: {{persistentVolumeName: old}}}}}}");
  }

  void add_texts() {
    add("{{apiVersion: v1, kind: Secret, metadata: {{name: s}}, stringData: {{password: hush-hush}}}}");
    add("{}", config_map("settings", "password: hush-hush"));
    if (chance(2)) {
      add("{}", config_map("second",
                           R"({"apiVersion": "kubescheduler.config.k8s.io/v1", "kind": "KubeSchedulerConfiguration", )"
                           R"("profiles": [{"schedulerName": "spreading"}], "extenders": [{"urlPrefix": )"
                           R"("http://127.0.0.1:9", "filterVerb": "filter"}]})",
                           some_namespace()));
      add("{{apiVersion: v1, kind: Pod, metadata: {{name: of-second}}, spec: {{schedulerName: spreading, {}}}}}",
          containers());
    }
    if (chance(2)) {
      add("{}", config_map("third",
                           R"({"apiVersion": "kubescheduler.config.k8s.io/v1", "kind": "KubeSchedulerConfiguration", )"
                           R"("profiles": [{"schedulerName": "strange", "plugins": {"score": {"enabled": [{"name": )"
                           R"("NobodyHasIt"}]}}}]})",
                           some_namespace()));
      add("{{apiVersion: v1, kind: Pod, metadata: {{name: of-third}}, spec: {{schedulerName: strange, {}}}}}",
          containers());
    }
    may("{}", config_map("fourth",
                         R"({"apiVersion": "kubescheduler.config.k8s.io/v1", "kind": )"
                         R"("KubeSchedulerConfiguration", "profils": []})",
                         some_namespace()));
    may("{}", config_map("nvidia-device-plugin-config",
                         "{\"version\": \"v1\", \"sharing\": {\"timeSlicing\": {\"resources\": [{\"name\": "
                         "\"nvidia.com/gpu\", \"replicas\": 2}]}}}"));
  }

  void add_gpu_policy() {
    may("{{apiVersion: nvidia.com/v1, kind: ClusterPolicy, metadata: {{name: cluster-policy}}, spec: {{devicePlugin: "
        "{{config: {{name: nvidia-device-plugin-config, default: config.yaml}}}}}}}}");
  }

  void add_topologies() {
    const char* levels =
        "spec: {levels: [{nodeLabel: topology.kubernetes.io/zone}, {nodeLabel: kubernetes.io/hostname}]}";
    may("{{apiVersion: kueue.x-k8s.io/v1beta2, kind: Topology, metadata: {{name: fabric}}, {}}}", levels);
    may("{{apiVersion: kai.scheduler/v1alpha1, kind: Topology, metadata: {{name: wires}}, {}}}", levels);
    may("{{apiVersion: topology.volcano.sh/v1alpha1, kind: HyperNode, metadata: {{name: leaf}}, spec: {{tier: 1, "
        "members: [{{type: Node, selector: {{regexMatch: {{pattern: \"^node-[0{}]$\"}}}}}}]}}}}",
        between(1, 3));
    may("{{apiVersion: grove.io/v1alpha1, kind: ClusterTopologyBinding, metadata: {{name: racks}}, spec: {{levels: "
        "[{{domain: zone, key: topology.kubernetes.io/zone}}]}}}}");
  }

  void add_queues() {
    may("{{apiVersion: kueue.x-k8s.io/v1beta2, kind: ClusterQueue, metadata: {{name: gpus}}, spec: "
        "{{namespaceSelector: "
        "{{}}, resourceGroups: [{{coveredResources: [cpu], flavors: [{{name: any, resources: [{{name: cpu, "
        "nominalQuota: 8}}]}}]}}]}}}}");
    may("{{apiVersion: kueue.x-k8s.io/v1beta2, kind: Workload, metadata: {{name: queued}}, spec: {{queueName: q, "
        "podSets: "
        "[{{name: main, count: 1, template: {{spec: {{restartPolicy: Never, {}}}}}}}]}}}}",
        containers());
    add_parts_of_queues();
    may("{{apiVersion: scheduling.k8s.io/v1alpha2, kind: Workload, metadata: {{name: planned}}, spec: "
        "{{podGroupTemplates: [{{name: workers, schedulingPolicy: {{gang: {{minCount: {}}}}}}}]}}}}",
        between(1, 3));
  }

  /// What Kueue's queues are made of.
  void add_parts_of_queues() {
    constexpr const char* kQueueParts[] = {
        "kind: ResourceFlavor, metadata: {name: any}",
        "kind: Cohort, metadata: {name: all}, spec: {}",
        "kind: LocalQueue, metadata: {name: q}, spec: {clusterQueue: gpus}",
        "kind: WorkloadPriorityClass, metadata: {name: urgent}, value: 100",
        "kind: AdmissionCheck, metadata: {name: budget}, spec: {controllerName: example.com/budget}",
        "kind: ProvisioningRequestConfig, metadata: {name: nodes}, spec: {provisioningClassName: check-capacity}",
        "kind: MultiKueueConfig, metadata: {name: clusters}, spec: {clusters: [west]}",
        "kind: MultiKueueCluster, metadata: {name: west}, spec: {clusterSource: {kubeConfig: {location: west}}}"};
    for (const char* part : kQueueParts) may("{{apiVersion: kueue.x-k8s.io/v1beta2, {}}}", part);
  }

  /// A group of a spelling, and pods that name it.
  void add_group(const std::string& group, const std::string& name, const std::string& membership) {
    if (!chance(2)) return;
    objects_.push_back(group);
    const std::uint64_t pods = between(1, 3);
    for (std::uint64_t i = 0; i < pods; ++i) {
      add("{{apiVersion: v1, kind: Pod, metadata: {{name: {0}-{1}, {2}}}, spec: {{{3}}}}}", name, i, membership,
          containers());
    }
  }

  void add_groups() {
    const std::uint64_t least = between(1, 3);
    add_group(fmt::format("{{apiVersion: scheduling.x-k8s.io/v1alpha1, kind: PodGroup, metadata: {{name: co}}, spec: "
                          "{{minMember: {}}}}}",
                          least),
              "co", "labels: {scheduling.x-k8s.io/pod-group: co}");
    add_group(fmt::format("{{apiVersion: scheduling.volcano.sh/v1beta1, kind: PodGroup, metadata: {{name: vol}}, spec: "
                          "{{minMember: {}}}}}",
                          least),
              "vol", "annotations: {scheduling.k8s.io/group-name: vol}");
    add_group(fmt::format("{{apiVersion: scheduling.run.ai/v2alpha2, kind: PodGroup, metadata: {{name: kai}}, spec: "
                          "{{minMember: {}}}}}",
                          least),
              "kai", "annotations: {pod-group-name: kai}");
  }

  void add_rooms() {
    may("{{apiVersion: loadline.dev/v1alpha1, kind: Reservation, metadata: {{name: room}}, spec: {{pods: {}, template: "
        "{{metadata: {{labels: {{app: new-0}}}}, spec: {{{}}}}}}}}}",
        between(1, 3), containers());
    may("{{apiVersion: scheduling.koordinator.sh/v1alpha1, kind: Reservation, metadata: {{name: hold}}, spec: "
        "{{owners: "
        "[{{labelSelector: {{matchLabels: {{app: new-1}}}}}}], ttl: 1h, template: {{spec: {{{}}}}}}}}}",
        containers());
  }

  void add_work() {
    may("{{apiVersion: v1, kind: ReplicationController, metadata: {{name: older}}, spec: {{replicas: {}, selector: "
        "{{app: older}}, {}}}}}",
        between(1, 3), pod_template("older"));
    may("{{apiVersion: batch/v1, kind: CronJob, metadata: {{name: often}}, spec: {{schedule: \"*/5 * * * *\", "
        "jobTemplate: {{spec: {{template: {{spec: {{restartPolicy: Never, {}}}}}}}}}}}}}",
        containers());
    for (std::uint64_t i = 0; i < between(0, 2); ++i) objects_.push_back(workload(fmt::format("plain-{}", i)));
  }

  void add_training_job(const char* kind, const char* roles, const char* role, const char* container,
                        std::uint64_t most = 3) {
    may("{{apiVersion: kubeflow.org/v1, kind: {}, metadata: {{name: {}}}, spec: {{{}: {{{}: {{replicas: {}, "
        "restartPolicy: Never, template: {{spec: {{{}}}}}}}}}}}}}",
        kind, std::string("of-") + container, roles, role, between(1, most), containers(container));
  }

  void add_work_of_operators() {
    add_training_job("TFJob", "tfReplicaSpecs", "Worker", "tensorflow");
    add_training_job("XGBoostJob", "xgbReplicaSpecs", "Master", "xgboost", 1);
    add_training_job("PaddleJob", "paddleReplicaSpecs", "Worker", "paddle");
    for (const char* version : {"v1", "v2beta1"}) {
      may("{{apiVersion: kubeflow.org/{0}, kind: MPIJob, metadata: {{name: mpi-{0}}}, spec: {{mpiReplicaSpecs: "
          "{{Launcher: "
          "{{replicas: 1, template: {{spec: {{{1}}}}}}}, Worker: {{replicas: {2}, template: {{spec: {{{1}}}}}}}}}}}}}",
          version, containers("mpi"), between(1, 3));
    }
    add_training_job("JAXJob", "jaxReplicaSpecs", "Worker", "jax");
    may("{{apiVersion: ray.io/v1, kind: RayCronJob, metadata: {{name: nightly}}, spec: {{schedule: \"*/9 * * * *\", "
        "jobTemplate: {{entrypoint: python a.py, rayClusterSpec: {{headGroupSpec: {{rayStartParams: {{}}, template: "
        "{{spec: {{{}}}}}}}}}}}}}}}",
        containers("head"));
  }

  Rng& random_;
  std::vector<std::string> objects_;
};

}  // namespace

std::vector<std::string> draft_surroundings(Rng& random) { return Author(random).write(); }

std::string draft_application(Rng& random) { return Author(random).application(); }

}  // namespace loadline::dump
