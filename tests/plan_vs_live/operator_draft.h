#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <string>
#include <vector>

#include "foundation/base/rng.h"

namespace loadline::plan_vs_live {

/// Objects of operators, drawn from a seed; racks and nodes are enough for all of them.
class OperatorDraft {
 public:
  explicit OperatorDraft(std::uint64_t seed) : random_(seed) {}

  std::string leader_worker_set() {
    const std::uint64_t size = 1 + random_.below(4);
    std::string group = fmt::format("size: {}, workerTemplate: {{{}}}", size, pods("worker"));
    if (chance(2)) group += fmt::format(", leaderTemplate: {{{}}}", pods("leader"));
    if (size > 1 && chance(3)) {
      group += fmt::format(", subGroupPolicy: {{subGroupSize: {}}}", chance(2) ? size : size - 1);
    }
    std::string spec = fmt::format("replicas: {}, leaderWorkerTemplate: {{{}}}", random_.below(4), group);
    if (chance(2)) spec += ", startupPolicy: LeaderReady";
    if (chance(2)) spec += ", networkConfig: {subdomainPolicy: UniquePerReplica}";
    return object("leaderworkerset.x-k8s.io/v1", "LeaderWorkerSet", "llm",
                  "leaderworkerset.sigs.k8s.io/exclusive-topology", spec);
  }

  std::string job_set() {
    std::string jobs;
    for (std::uint64_t i = 0; i <= random_.below(2); ++i) {
      const std::uint64_t pods_at_once = 1 + random_.below(3);
      jobs += fmt::format(
          "{{name: r{0}, replicas: {1}, template: {{spec: {{parallelism: {2}, completions: {2}, template: "
          "{{{3}}}}}}}}},",
          i, 1 + random_.below(3), pods_at_once, pods("job"));
    }
    std::string spec = fmt::format("replicatedJobs: [{}]", jobs);
    if (chance(2)) spec += ", startupPolicy: {startupPolicyOrder: InOrder}";
    return object("jobset.x-k8s.io/v1alpha2", "JobSet", "js", "alpha.jobset.sigs.k8s.io/exclusive-topology", spec);
  }

  std::string pytorch_job() { return training_job("PyTorchJob", "pytorch", {"Master", "Worker"}); }
  std::string paddle_job() { return training_job("PaddleJob", "paddle", {"Master", "Worker"}); }
  std::string jax_job() { return training_job("JAXJob", "jax", {"Worker"}); }

  std::string mpi_job() {
    return object("kubeflow.org/v2beta1", "MPIJob", "mpi", "",
                  fmt::format("mpiReplicaSpecs: {{Launcher: {{replicas: 1, template: {{{}}}}}, Worker: {{replicas: {}, "
                              "template: {{{}}}}}}}",
                              pods("launcher"), 1 + random_.below(4), pods("worker")));
  }

  std::string cron_job() {
    return object(
        "batch/v1", "CronJob", "cron", "",
        fmt::format("schedule: '* * * * *', concurrencyPolicy: Forbid, jobTemplate: {{spec: {{parallelism: {}, "
                    "template: {{{}}}}}}}",
                    1 + random_.below(3), pods("run", "c", "restartPolicy: Never, ")));
  }

  std::string volcano_job() {
    std::string tasks;
    for (std::uint64_t i = 0; i <= random_.below(2); ++i) {
      tasks += fmt::format("{{name: t{}, replicas: {}, template: {{{}}}}}, ", i, 1 + random_.below(3), pods("task"));
    }
    return object("batch.volcano.sh/v1alpha1", "Job", "vc", "", fmt::format("tasks: [{}]", tasks));
  }

  std::string ray_cluster() { return object("ray.io/v1", "RayCluster", "ray", "", ray_spec()); }
  std::string ray_job() {
    return object("ray.io/v1", "RayJob", "ray", "", fmt::format("entrypoint: go, rayClusterSpec: {{{}}}", ray_spec()));
  }

  std::string pod_clique_set() {
    std::string cliques;
    for (const char* name : {"a", "b"}) {
      cliques += fmt::format(
          "{{name: {0}, labels: {{role: {0}}}, spec: {{roleName: {0}, replicas: {1}, minAvailable: 1, podSpec: "
          "{{containers: [{{name: c, image: i, resources: {{requests: {{cpu: 100m}}}}}}]}}}}}}, ",
          name, 1 + random_.below(3));
    }
    const std::string groups =
        chance(2) ? fmt::format("podCliqueScalingGroups: [{{name: g, replicas: {}, cliqueNames: [b]}}], ",
                                1 + random_.below(3))
                  : "";
    return object("grove.io/v1alpha1", "PodCliqueSet", "llm", "",
                  fmt::format("replicas: {}, template: {{{}cliques: [{}]}}", 1 + random_.below(2), groups, cliques));
  }

 private:
  bool chance(std::uint64_t one_in) { return random_.below(one_in) == 0; }

  /// A training job of Kubeflow; the container that its operator looks for is named like the framework, as its field
  /// is.
  std::string training_job(const char* kind, const char* prefix, const std::vector<const char*>& roles) {
    std::string specs;
    for (const char* role : roles) {
      const bool is_first = role == roles.front();
      if (!is_first && chance(2)) continue;
      const std::uint64_t replicas = is_first && roles.size() > 1 ? 1 : 1 + random_.below(3);
      specs += fmt::format("{}: {{replicas: {}, restartPolicy: OnFailure, template: {{{}}}}}, ", role, replicas,
                           pods("train", prefix));
    }
    return object("kubeflow.org/v1", kind, "train", "", fmt::format("{}ReplicaSpecs: {{{}}}", prefix, specs));
  }

  std::string ray_spec() {
    std::string groups;
    for (std::uint64_t i = 0; i <= random_.below(2); ++i) {
      groups += fmt::format(
          "{{groupName: g{}, replicas: {}, minReplicas: 0, maxReplicas: 5, numOfHosts: {}, rayStartParams: {{}}, "
          "template: {{{}}}}}, ",
          i, random_.below(3), 1 + random_.below(2), pods("ray"));
    }
    return fmt::format("headGroupSpec: {{rayStartParams: {{}}, template: {{{}}}}}, workerGroupSpecs: [{}]", pods("ray"),
                       groups);
  }

  std::string pods(const char* role, const char* container = "c", const char* more = "") {
    return fmt::format(
        "metadata: {{labels: {{role: {}}}, annotations: {{loadline.dev/run-time: forever}}}}, spec: {{{}containers: "
        "[{{name: {}, image: i, resources: {{requests: {{cpu: {}m}}}}}}]}}",
        role, more, container, 100 * (1 + random_.below(5)));
  }

  std::string object(const char* version, const char* kind, const char* name, const char* topology,
                     const std::string& spec) {
    const bool is_exclusive = *topology != '\0' && chance(3);
    const std::string annotations = is_exclusive ? fmt::format("{}: rack", topology) : "";
    return fmt::format(
        "{{apiVersion: {}, kind: {}, metadata: {{name: {}, namespace: default, annotations: {{{}}}}}, "
        "spec: {{{}}}}}",
        version, kind, name, annotations, spec);
  }

  Rng random_;
};

}  // namespace loadline::plan_vs_live
