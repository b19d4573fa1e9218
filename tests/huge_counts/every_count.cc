#include "huge_counts/every_count.h"

#include <string_view>
#include <utility>

namespace loadline::huge_counts {
namespace {

/// The texts with POD for a pod template's body, and NAME for the metadata.
std::string expanded(std::string text) {
  const std::pair<std::string, std::string> kParts[] = {
      {"NAME", "metadata: {name: huge, namespace: default}"},
      {"LABELLED", "metadata: {labels: {app: huge}}, SPEC"},
      {"ONCE", "spec: {restartPolicy: Never, containers: [CONTAINER]}"},
      {"SPEC", "spec: {containers: [CONTAINER]}"},
      {"CONTAINER", "{name: c, image: i, resources: {requests: {cpu: 1m}}}"},
      {"SELECTOR", "selector: {matchLabels: {app: huge}}"},
  };
  for (const auto& [name, part] : kParts) {
    for (std::size_t at = text.find(name); at != std::string::npos; at = text.find(name)) {
      text.replace(at, name.size(), part);
    }
  }
  return text;
}

CountedObject counted(std::string kind, std::string field, std::string text, std::int64_t most_valid = 0) {
  return {std::move(kind), std::move(field), expanded(std::move(text)), most_valid};
}

CountedObject training(const std::string& kind, const std::string& field, const std::string& role,
                       const std::string& container, const std::string& leader = "") {
  const std::string pod =
      "template: {spec: {containers: [{name: " + container + ", image: i, resources: {requests: {cpu: 1m}}}]}}";
  std::string roles = role + ": {replicas: COUNT, " + pod + "}";
  if (!leader.empty()) roles = leader + ": {replicas: 1, " + pod + "}, " + roles;
  return counted(kind, field + "[" + role + "].replicas",
                 "{apiVersion: kubeflow.org/v1, kind: " + kind + ", NAME, spec: {" + field + ": {" + roles + "}}}");
}

constexpr std::string_view kRayHead =
    "headGroupSpec: {rayStartParams: {}, template: {SPEC}}, workerGroupSpecs: [{groupName: g, rayStartParams: {}, "
    "template: {SPEC}, ";

std::string clique_set(const std::string& replicas, const std::string& groups, const std::string& pods) {
  return "{apiVersion: grove.io/v1alpha1, kind: PodCliqueSet, NAME, spec: {replicas: " + replicas +
         ", template: {cliques: [{name: a, spec: {roleName: a, replicas: " + pods +
         ", podSpec: {containers: [CONTAINER]}}}], podCliqueScalingGroups: [{name: g, replicas: " + groups +
         ", cliqueNames: [a]}]}}}";
}

}  // namespace

std::string CountedObject::with(std::int64_t count) const {
  std::string result = text;
  const std::string number = std::to_string(count);
  for (std::size_t at = result.find("COUNT"); at != std::string::npos; at = result.find("COUNT")) {
    result.replace(at, 5, number);
  }
  return result;
}

std::vector<CountedObject> every_count() {
  constexpr std::int64_t kMostIndexes = 100'000;
  return {
      counted("Deployment", "spec.replicas",
              "{apiVersion: apps/v1, kind: Deployment, NAME, spec: {replicas: COUNT, SELECTOR, template: {LABELLED}}}"),
      counted("ReplicaSet", "spec.replicas",
              "{apiVersion: apps/v1, kind: ReplicaSet, NAME, spec: {replicas: COUNT, SELECTOR, template: {LABELLED}}}"),
      counted("ReplicationController", "spec.replicas",
              "{apiVersion: v1, kind: ReplicationController, NAME, spec: {replicas: COUNT, selector: {app: huge}, "
              "template: {LABELLED}}}"),
      counted("StatefulSet", "spec.replicas",
              "{apiVersion: apps/v1, kind: StatefulSet, NAME, spec: {replicas: COUNT, serviceName: s, SELECTOR, "
              "template: {LABELLED}}}"),
      counted("Job", "spec.parallelism",
              "{apiVersion: batch/v1, kind: Job, NAME, spec: {parallelism: COUNT, template: {ONCE}}}"),
      counted("Job", "spec.parallelism",
              "{apiVersion: batch/v1, kind: Job, NAME, spec: {parallelism: COUNT, completions: COUNT, completionMode: "
              "Indexed, template: {ONCE}}}",
              kMostIndexes),
      counted("CronJob", "spec.jobTemplate.spec.parallelism",
              "{apiVersion: batch/v1, kind: CronJob, NAME, spec: {schedule: '0 * * * *', jobTemplate: {spec: "
              "{parallelism: COUNT, completions: COUNT, template: {ONCE}}}}}"),
      counted("JobSet", "spec.replicatedJobs[0].replicas",
              "{apiVersion: jobset.x-k8s.io/v1alpha2, kind: JobSet, NAME, spec: {replicatedJobs: [{name: a, replicas: "
              "COUNT, template: {spec: {parallelism: 1, completions: 1, template: {ONCE}}}}]}}"),
      counted("JobSet", "spec.replicatedJobs[0].replicas",
              "{apiVersion: jobset.x-k8s.io/v1alpha2, kind: JobSet, NAME, spec: {replicatedJobs: [{name: a, replicas: "
              "COUNT, template: {spec: {parallelism: 0, template: {ONCE}}}}]}}"),
      counted("JobSet", "spec.replicatedJobs[0].template.spec.parallelism",
              "{apiVersion: jobset.x-k8s.io/v1alpha2, kind: JobSet, NAME, spec: {replicatedJobs: [{name: a, replicas: "
              "2, template: {spec: {parallelism: COUNT, completions: COUNT, template: {ONCE}}}}]}}",
              kMostIndexes),
      counted("LeaderWorkerSet", "spec.replicas",
              "{apiVersion: leaderworkerset.x-k8s.io/v1, kind: LeaderWorkerSet, NAME, spec: {replicas: COUNT, "
              "leaderWorkerTemplate: {size: 1, workerTemplate: {LABELLED}}}}"),
      counted("LeaderWorkerSet", "spec.leaderWorkerTemplate.size",
              "{apiVersion: leaderworkerset.x-k8s.io/v1, kind: LeaderWorkerSet, NAME, spec: {replicas: 1, "
              "leaderWorkerTemplate: {size: COUNT, workerTemplate: {LABELLED}}}}"),
      training("PyTorchJob", "pytorchReplicaSpecs", "Worker", "pytorch", "Master"),
      training("TFJob", "tfReplicaSpecs", "Worker", "tensorflow"),
      training("XGBoostJob", "xgbReplicaSpecs", "Worker", "xgboost", "Master"),
      training("PaddleJob", "paddleReplicaSpecs", "Worker", "paddle"),
      training("JAXJob", "jaxReplicaSpecs", "Worker", "jax"),
      training("MPIJob", "mpiReplicaSpecs", "Worker", "mpi", "Launcher"),
      counted("RayCluster", "spec.workerGroupSpecs[0].replicas",
              "{apiVersion: ray.io/v1, kind: RayCluster, NAME, spec: {" + std::string(kRayHead) +
                  "replicas: COUNT, minReplicas: 0, maxReplicas: 2147483647}]}}"),
      counted("RayCluster", "spec.workerGroupSpecs[0].minReplicas",
              "{apiVersion: ray.io/v1, kind: RayCluster, NAME, spec: {" + std::string(kRayHead) +
                  "minReplicas: COUNT, maxReplicas: 2147483647}]}}"),
      counted("RayCluster", "spec.workerGroupSpecs[0].numOfHosts",
              "{apiVersion: ray.io/v1, kind: RayCluster, NAME, spec: {" + std::string(kRayHead) +
                  "replicas: 1, minReplicas: 0, maxReplicas: 2147483647, numOfHosts: COUNT}]}}"),
      counted("RayJob", "spec.rayClusterSpec.workerGroupSpecs[0].replicas",
              "{apiVersion: ray.io/v1, kind: RayJob, NAME, spec: {entrypoint: e, rayClusterSpec: {" +
                  std::string(kRayHead) + "replicas: COUNT, minReplicas: 0, maxReplicas: 2147483647}]}}}"),
      counted("RayCronJob", "spec.jobTemplate.rayClusterSpec.workerGroupSpecs[0].replicas",
              "{apiVersion: ray.io/v1, kind: RayCronJob, NAME, spec: {schedule: '0 * * * *', jobTemplate: {entrypoint: "
              "e, rayClusterSpec: {" +
                  std::string(kRayHead) + "replicas: COUNT, minReplicas: 0, maxReplicas: 2147483647}]}}}}"),
      counted("VolcanoJob", "spec.tasks[0].replicas",
              "{apiVersion: batch.volcano.sh/v1alpha1, kind: Job, NAME, spec: {minAvailable: 1, tasks: [{name: a, "
              "replicas: COUNT, template: {ONCE}}]}}"),
      counted("PodCliqueSet", "spec.replicas", clique_set("COUNT", "1", "1")),
      counted("PodCliqueSet", "spec.template.podCliqueScalingGroups[0].replicas", clique_set("1", "COUNT", "1")),
      counted("PodCliqueSet", "spec.template.cliques[0].spec.replicas", clique_set("1", "1", "COUNT")),
      counted(
          "PodCliqueScalingGroup", "spec.replicas",
          clique_set("1", "1", "1") +
              "\n---\n{apiVersion: grove.io/v1alpha1, kind: PodCliqueScalingGroup, metadata: {name: huge-0-g, "
              "namespace: default, ownerReferences: [{apiVersion: grove.io/v1alpha1, kind: PodCliqueSet, name: huge, "
              "uid: u, controller: true}]}, spec: {replicas: COUNT, cliqueNames: [a]}}"),
      counted("PodClique", "spec.replicas",
              "{apiVersion: grove.io/v1alpha1, kind: PodClique, NAME, spec: {roleName: a, replicas: COUNT, podSpec: "
              "{containers: [CONTAINER]}}}"),
      counted("Reservation", "spec.pods",
              "{apiVersion: loadline.dev/v1alpha1, kind: Reservation, NAME, spec: {pods: COUNT, template: {LABELLED}}}",
              100'000),
  };
}

std::vector<CountedObject> every_other_count() {
  const std::string pod = "\n---\n{apiVersion: v1, kind: Pod, NAME, SPEC}";
  const std::string member =
      "\n---\n{apiVersion: v1, kind: Pod, metadata: {name: huge, namespace: default, annotations: "
      "{scheduling.k8s.io/group-name: huge}}, spec: {schedulerName: volcano, containers: [CONTAINER]}}";
  return {
      counted("completions", "spec.completions",
              "{apiVersion: batch/v1, kind: Job, NAME, spec: {parallelism: 2, completions: COUNT, completionMode: "
              "Indexed, backoffLimit: COUNT, template: {ONCE}}}"),
      counted("limits of a Job by index", "spec.backoffLimitPerIndex",
              "{apiVersion: batch/v1, kind: Job, NAME, spec: {parallelism: 2, completions: 2, completionMode: Indexed, "
              "backoffLimitPerIndex: COUNT, maxFailedIndexes: COUNT, template: {ONCE}}}"),
      counted("first ordinal", "spec.ordinals.start",
              "{apiVersion: apps/v1, kind: StatefulSet, NAME, spec: {replicas: 2, serviceName: s, ordinals: {start: "
              "COUNT}, SELECTOR, template: {LABELLED}}}"),
      counted("minimum of a PodGroup", "spec.minMember",
              "{apiVersion: scheduling.volcano.sh/v1beta1, kind: PodGroup, NAME, spec: {minMember: COUNT, "
              "minTaskMember: {a: COUNT}}}" +
                  member),
      counted("minimum of a gang", "spec.schedulingPolicy.gang.minCount",
              "{apiVersion: scheduling.k8s.io/v1alpha2, kind: PodGroup, NAME, spec: {schedulingPolicy: {gang: "
              "{minCount: COUNT}}}}\n---\n{apiVersion: v1, kind: Pod, NAME, spec: {schedulingGroup: {podGroupName: "
              "huge}, containers: [CONTAINER]}}"),
      counted("subgroups", "spec.subGroupPolicy[0].subGroupSize",
              "{apiVersion: scheduling.volcano.sh/v1beta1, kind: PodGroup, NAME, spec: {minMember: 1, subGroupPolicy: "
              "[{name: a, subGroupSize: COUNT, minSubGroups: COUNT}]}}" +
                  member),
      counted("partitions of a task", "spec.tasks[0].partitionPolicy",
              "{apiVersion: batch.volcano.sh/v1alpha1, kind: Job, NAME, spec: {minAvailable: COUNT, tasks: [{name: a, "
              "replicas: 2, partitionPolicy: {totalPartitions: COUNT, partitionSize: COUNT, minPartitions: COUNT}, "
              "template: {ONCE}}]}}"),
      counted("least of a clique", "minAvailable",
              "{apiVersion: grove.io/v1alpha1, kind: PodCliqueSet, NAME, spec: {replicas: 1, template: {cliques: "
              "[{name: a, spec: {roleName: a, replicas: 2, minAvailable: COUNT, podSpec: {containers: [CONTAINER]}}}], "
              "podCliqueScalingGroups: [{name: g, replicas: 2, minAvailable: COUNT, cliqueNames: [a]}]}}}"),
      counted("least of a job", "spec.runPolicy.schedulingPolicy.minAvailable",
              "{apiVersion: kubeflow.org/v1, kind: PyTorchJob, NAME, spec: {runPolicy: {schedulingPolicy: "
              "{minAvailable: COUNT}}, pytorchReplicaSpecs: {Worker: {replicas: 2, template: {spec: {containers: "
              "[{name: pytorch, image: i}]}}}}}}"),
      counted("minimum by annotation", "metadata.annotations",
              "{apiVersion: apps/v1, kind: Deployment, metadata: {name: huge, namespace: default, annotations: "
              "{scheduling.volcano.sh/group-min-member: 'COUNT'}}, spec: {replicas: 2, SELECTOR, template: {metadata: "
              "{labels: {app: huge}}, spec: {schedulerName: volcano, containers: [CONTAINER]}}}}"),
      counted("budget", "spec.minAvailable",
              "{apiVersion: policy/v1, kind: PodDisruptionBudget, NAME, spec: {minAvailable: COUNT, SELECTOR}}" + pod),
      counted("skew", "maxSkew",
              "{apiVersion: v1, kind: Pod, NAME, spec: {topologySpreadConstraints: [{maxSkew: COUNT, minDomains: "
              "COUNT, topologyKey: kubernetes.io/hostname, whenUnsatisfiable: DoNotSchedule, labelSelector: "
              "{matchLabels: {app: huge}}}], containers: [CONTAINER]}}"),
      counted("quota", "spec.hard",
              "{apiVersion: v1, kind: ResourceQuota, NAME, spec: {hard: {pods: COUNT, requests.cpu: COUNT}}}" + pod),
      counted("surge", "spec.strategy",
              "{apiVersion: apps/v1, kind: Deployment, NAME, spec: {replicas: 2, strategy: {rollingUpdate: {maxSurge: "
              "COUNT, maxUnavailable: 0}}, SELECTOR, template: {LABELLED}}}"),
      counted("grace", "terminationGracePeriodSeconds",
              "{apiVersion: v1, kind: Pod, NAME, spec: {terminationGracePeriodSeconds: COUNT, containers: "
              "[CONTAINER]}}"),
      counted("guessed", "spec.replicas",
              "{apiVersion: example.com/v1, kind: Thing, NAME, spec: {replicas: COUNT, template: {SPEC}}}" + pod),
  };
}

std::string nodes() {
  std::string text;
  for (const char* name : {"n1", "n2"}) {
    text += "apiVersion: v1\nkind: Node\nmetadata: {name: " + std::string(name) +
            ", labels: {kubernetes.io/hostname: " + std::string(name) +
            "}}\nstatus: {capacity: {cpu: 64, memory: 256Gi, pods: 110}, allocatable: {cpu: 64, memory: 256Gi, pods: "
            "110}}\n---\n";
  }
  return text;
}

}  // namespace loadline::huge_counts
