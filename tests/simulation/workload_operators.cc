#include <fmt/format.h>

#include <array>
#include <string_view>

#include "simulation/drafts.h"
#include "simulation/workload.h"

// What is made of custom resources: by operators that are built in.
namespace loadline::simulation {

using Kind = Application::Kind;

namespace {

/// A JobSet makes a Job anew that is gone once it has ended, again and again.
std::string lasting(std::string job) {
  constexpr std::string_view kTtl = ", ttlSecondsAfterFinished: ";
  const std::size_t at = job.find(kTtl);
  if (at == std::string::npos) return job;
  return job.erase(at, job.find(',', at + kTtl.size()) - at);
}

}  // namespace

std::string Workload::add_leader_worker_set() {
  static constexpr std::array kPolicies = {"RecreateGroupOnPodRestart", "RecreateGroupAfterStart", "None"};
  const std::string name_space = pick_namespace();
  const std::string app = name("llm");
  const PodDraft pod = draft_pod(random_, app, Purpose::kService);
  Application application{{"leaderworkerset.x-k8s.io", "v1", "leaderworkersets", name_space, app},
                          Kind::kLeaderWorkerSet,
                          pod.tolerates_taints};
  const std::string rollout =
      fmt::format(", rolloutStrategy: {{rollingUpdateConfiguration: {{maxUnavailable: {}, maxSurge: {}}}}}",
                  1 + random_.below(2), random_.below(2));
  application.manifest = fmt::format(
      "{{metadata: {{name: {}}}, spec: {{replicas: {}, startupPolicy: {}, networkConfig: {{subdomainPolicy: {}}}{}, "
      "leaderWorkerTemplate: {{size: {}, restartPolicy: {}, workerTemplate: {{{}}}}}}}}}",
      app, random_.below(4), random_.below(3) == 0 ? "LeaderReady" : "LeaderCreated",
      random_.below(3) == 0 ? "UniquePerReplica" : "Shared", rollout, 1 + random_.below(3),
      kPolicies.at(random_.below(kPolicies.size())), pod.text);
  ever_.push_back(application);
  launch(application);
  return "creates " + app;
}

std::string Workload::add_job_set() {
  const std::string name_space = pick_namespace();
  const std::string app = name("set");
  Application application{{"jobset.x-k8s.io", "v1alpha2", "jobsets", name_space, app}, Kind::kJobSet};
  // A suspended Job of which enough pods have succeeded counts as started, and is not resumed where the order counts.
  const bool is_in_order = random_.below(3) == 0;
  if (!is_in_order) application.suspended_in = kSuspended;
  std::string jobs;
  for (std::uint64_t i = 0; i <= random_.below(2); ++i) {
    jobs += fmt::format("{{name: r{}, replicas: {}, template: {{{}}}}}, ", i, 1 + random_.below(2),
                        lasting(draft_job(random_, app)));
  }
  application.manifest = fmt::format(
      "{{metadata: {{name: {}}}, spec: {{startupPolicy: {{startupPolicyOrder: {}}}, failurePolicy: {{maxRestarts: "
      "{}}}, "
      "replicatedJobs: [{}]}}}}",
      app, is_in_order ? "InOrder" : "AnyOrder", random_.below(3), jobs);
  ever_.push_back(application);
  launch(application);
  return "creates " + app;
}

namespace {

constexpr const char* kSuspendedRun = "{{spec: {{runPolicy: {{suspend: {}}}}}}}";

/// A task whose container has the name by which the training operator knows it.
std::string draft_torch_pod(Rng& random, const std::string& app) {
  std::string pod = draft_pod(random, app, Purpose::kTask).text;
  return pod.replace(pod.find("{name: app,"), std::string_view("{name: app,").size(), "{name: pytorch,");
}

/// Jobs, and what goes on. Pods of theirs have the label app=NAME.
Application draft_training_job(Rng& random, const std::string& name_space, const std::string& app) {
  Application job{{"kubeflow.org", "v1", "pytorchjobs", name_space, app}, Kind::kEnding};
  job.suspended_in = kSuspendedRun;
  job.manifest = fmt::format(
      "{{metadata: {{name: {}}}, spec: {{runPolicy: {{backoffLimit: {}, cleanPodPolicy: {}}}, pytorchReplicaSpecs: "
      "{{Master: {{replicas: 1, restartPolicy: {}, template: {{{}}}}}, Worker: {{replicas: {}, restartPolicy: {}, "
      "template: {{{}}}}}}}}}}}",
      app, random.below(4), random.below(2) == 0 ? "All" : "None", random.below(2) == 0 ? "Never" : "OnFailure",
      draft_torch_pod(random, app), 1 + random.below(3), random.below(2) == 0 ? "Never" : "OnFailure",
      draft_torch_pod(random, app));
  return job;
}

Application draft_mpi_job(Rng& random, const std::string& name_space, const std::string& app) {
  Application job{{"kubeflow.org", "v2beta1", "mpijobs", name_space, app}, Kind::kEnding};
  job.suspended_in = kSuspendedRun;
  job.manifest = fmt::format(
      "{{metadata: {{name: {}}}, spec: {{slotsPerWorker: 1, runPolicy: {{backoffLimit: {}, cleanPodPolicy: Running}}, "
      "mpiReplicaSpecs: {{Launcher: {{replicas: 1, template: {{{}}}}}, Worker: {{replicas: {}, template: "
      "{{{}}}}}}}}}}}",
      app, random.below(4), draft_pod(random, app, Purpose::kTask).text, 1 + random.below(3),
      draft_pod(random, app, Purpose::kTask).text);
  return job;
}

Application draft_volcano_job(Rng& random, const std::string& name_space, const std::string& app) {
  Application job{{"batch.volcano.sh", "v1alpha1", "jobs", name_space, app}, Kind::kEnding};
  const bool is_in_turn = random.below(3) == 0;
  const std::string depends = is_in_turn ? ", dependsOn: {name: [first]}" : "";
  // By default all pods start together, which those that wait for others to run never do.
  const std::string least = is_in_turn || random.below(2) == 0 ? "minAvailable: 1, " : "";
  job.manifest = fmt::format(
      "{{metadata: {{name: {}}}, spec: {{{}tasks: [{{name: first, replicas: {}, template: {{{}}}}}, {{name: second, "
      "replicas: 1{}, template: {{{}}}}}]}}}}",
      app, least, 1 + random.below(3), draft_pod(random, app, Purpose::kTask).text, depends,
      draft_pod(random, app, Purpose::kTask).text);
  return job;
}

std::string draft_ray(Rng& random, const std::string& app, bool may_suspend) {
  const std::string suspension = may_suspend && random.below(4) == 0 ? "suspend: true, " : "";
  return fmt::format(
      "{{{}headGroupSpec: {{rayStartParams: {{}}, template: {{{}}}}}, workerGroupSpecs: [{{groupName: w, "
      "rayStartParams: {{}}, replicas: {}, minReplicas: 0, maxReplicas: 5, template: {{{}}}}}]}}",
      suspension, draft_pod(random, app, Purpose::kService).text, random.below(3),
      draft_pod(random, app, Purpose::kService).text);
}

Application draft_ray_cluster(Rng& random, const std::string& name_space, const std::string& app) {
  Application cluster{{"ray.io", "v1", "rayclusters", name_space, app}, Kind::kRayCluster};
  cluster.suspended_in = kSuspended;
  cluster.manifest = fmt::format("{{metadata: {{name: {}}}, spec: {}}}", app, draft_ray(random, app, true));
  return cluster;
}

Application draft_ray_job(Rng& random, const std::string& name_space, const std::string& app) {
  Application job{{"ray.io", "v1", "rayjobs", name_space, app}, Kind::kEnding};
  job.suspended_in = kSuspended;
  job.manifest = fmt::format(
      "{{metadata: {{name: {}}}, spec: {{entrypoint: python train.py, shutdownAfterJobFinishes: true, "
      "ttlSecondsAfterFinished: {}, backoffLimit: {}, rayClusterSpec: {}}}}}",
      app, random.below(30), random.below(2), draft_ray(random, app, false));
  return job;
}

Application draft_pod_clique_set(Rng& random, const std::string& name_space, const std::string& app) {
  Application set{{"grove.io", "v1alpha1", "podcliquesets", name_space, app}, Kind::kPodCliqueSet};
  std::string cliques;
  for (const char* clique : {"front", "back"}) {
    const std::uint64_t pods = 1 + random.below(2);
    cliques += fmt::format(
        "{{name: {0}, labels: {{app: {1}}}, spec: {{roleName: {0}, replicas: {2}, minAvailable: {3}, podSpec: "
        "{{containers: [{{name: app, image: app, resources: {{requests: {{cpu: 500m}}}}}}]}}}}}}, ",
        clique, app, pods, 1 + random.below(pods));
  }
  const std::string groups =
      random.below(2) == 0 ? fmt::format("podCliqueScalingGroups: [{{name: g, replicas: {}, cliqueNames: [back]}}], ",
                                         1 + random.below(2))
                           : "";
  set.manifest = fmt::format(
      "{{metadata: {{name: {}}}, spec: {{replicas: {}, template: {{cliqueStartupType: {}, {}cliques: [{}]}}}}}}", app,
      random.below(3), random.below(2) == 0 ? "CliqueStartupTypeInOrder" : "CliqueStartupTypeAnyOrder", groups,
      cliques);
  return set;
}

}  // namespace

std::string Workload::add_of_operator() {
  struct Draft {
    const char* prefix;
    Application (*draft)(Rng&, const std::string& name_space, const std::string& app);
  };
  static constexpr std::array kDrafts = {
      Draft{"train", draft_training_job}, Draft{"mpi", draft_mpi_job}, Draft{"vc", draft_volcano_job},
      Draft{"ray", draft_ray_cluster},    Draft{"rj", draft_ray_job},  Draft{"pcs", draft_pod_clique_set},
  };
  const auto& [prefix, draft] = kDrafts.at(random_.below(kDrafts.size()));
  const std::string app = name(prefix);
  const Application application = draft(random_, pick_namespace(), app);
  ever_.push_back(application);
  launch(application);
  return "creates " + app;
}

}  // namespace loadline::simulation
