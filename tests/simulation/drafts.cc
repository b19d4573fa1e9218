#include "simulation/drafts.h"

#include <fmt/format.h>

#include <array>

#include "foundation/document/reader.h"

namespace loadline::simulation {
namespace {

std::string draft_resources(Rng& random, Purpose purpose) {
  if (purpose == Purpose::kDaemon) return "{requests: {cpu: 100m}}";
  static constexpr std::array kCpu = {"250m", "1", "2", "3500m"};
  std::string requests = fmt::format("cpu: {}", kCpu.at(random.below(kCpu.size())));
  if (random.below(3) == 0) requests += ", memory: 3Gi";
  std::string limits;
  if (random.below(5) == 0) limits = fmt::format(", limits: {{nvidia.com/gpu: {}}}", 1 + random.below(2));
  return fmt::format("{{requests: {{{}}}{}}}", requests, limits);
}

std::string draft_placement(Rng& random, const std::string& app) {
  std::string text;
  if (random.below(6) == 0) {
    text += fmt::format(
        ", topologySpreadConstraints: [{{maxSkew: 1, topologyKey: topology.kubernetes.io/zone, whenUnsatisfiable: "
        "DoNotSchedule, labelSelector: {{matchLabels: {{app: {}}}}}}}]",
        app);
  }
  if (random.below(8) == 0) {
    const char* kind = random.below(3) == 0 ? "podAffinity" : "podAntiAffinity";
    text += fmt::format(
        ", affinity: {{{}: {{requiredDuringSchedulingIgnoredDuringExecution: [{{topologyKey: "
        "kubernetes.io/hostname, labelSelector: {{matchLabels: {{app: {}}}}}}}]}}}}",
        kind, app);
  }
  return text;
}

std::string draft_scratch_space() {
  return fmt::format(
      ", volumes: [{{name: scratch, ephemeral: {{volumeClaimTemplate: {{spec: {{accessModes: [ReadWriteOnce], "
      "storageClassName: {}, resources: {{requests: {{storage: 1Gi}}}}}}}}}}}}]",
      kLateClass);
}

std::string draft_tolerations(Rng& random, Purpose purpose, bool tolerates_taints) {
  if (tolerates_taints) return ", tolerations: [{key: sim, operator: Exists}]";
  if (purpose == Purpose::kDaemon || random.below(6) != 0) return {};
  return fmt::format(", tolerations: [{{key: sim, operator: Exists, effect: NoExecute, tolerationSeconds: {}}}]",
                     5 + random.below(60));
}

std::string draft_annotations(Rng& random, Purpose purpose) {
  std::string text;
  if (purpose == Purpose::kTask) text = fmt::format(", loadline.dev/run-time: {}s", 1 + random.below(45));
  if (purpose == Purpose::kTask && random.below(3) == 0) text += ", loadline.dev/failure-rate: \"0.2\"";
  if (random.below(4) == 0) text += ", loadline.dev/start-delay: 5s";
  return text.empty() ? text : text.substr(2);
}

}  // namespace

std::string draft_profile() {
  return fmt::format(
      R"({{metadata: {{name: {0}}}, data: {{config.yaml: '{{"apiVersion": "kubescheduler.config.k8s.io/v1", "kind": )"
      R"("KubeSchedulerConfiguration", "profiles": [{{"schedulerName": "{0}", "pluginConfig": [{{"name": )"
      R"("NodeResourcesFit", "args": {{"scoringStrategy": {{"type": "MostAllocated", "resources": [{{"name": "cpu", )"
      R"("weight": 1}}]}}}}}}]}}]}}'}}}})",
      kProfile);
}

document::Value read(const std::string& text) { return document::read_yaml(text, "simulation").documents.front(); }

std::string draft_node(Rng& random, const std::string& name) {
  const std::uint64_t cpus = 4U << random.below(3);
  const std::string gpus = random.below(3) == 0 ? ", nvidia.com/gpu: \"4\"" : "";
  const std::string has = fmt::format("{{cpu: \"{}\", memory: {}Gi, pods: \"{}\"{}}}", cpus, cpus * 4,
                                      random.below(4) == 0 ? 5 : 110, gpus);
  return fmt::format(
      "{{metadata: {{name: {0}, labels: {{kubernetes.io/hostname: {0}, topology.kubernetes.io/zone: zone-{1}}}, "
      "annotations: {{loadline.dev/node: virtual}}}}, status: {{capacity: {2}, allocatable: {2}}}}}",
      name, random.below(3), has);
}

PodDraft draft_pod(Rng& random, const std::string& app, Purpose purpose) {
  PodDraft draft;
  std::string spec =
      fmt::format("containers: [{{name: app, image: app, resources: {}}}]", draft_resources(random, purpose));
  const std::uint64_t priority = random.below(4);
  if (priority < 2) spec += fmt::format(", priorityClassName: {}", priority == 0 ? "low" : "high");
  if (random.below(2) == 0) spec += fmt::format(", terminationGracePeriodSeconds: {}", random.below(40));
  if (random.below(8) == 0) spec += fmt::format(", schedulerName: {}", kProfile);
  draft.tolerates_taints = random.below(5) == 0;
  spec += draft_tolerations(random, purpose, draft.tolerates_taints);
  if (purpose != Purpose::kDaemon && random.below(10) == 0) spec += draft_scratch_space();
  if (purpose != Purpose::kDaemon) spec += draft_placement(random, app);
  if (purpose == Purpose::kTask)
    spec += fmt::format(", restartPolicy: {}", random.below(2) == 0 ? "Never" : "OnFailure");
  draft.text = fmt::format("metadata: {{labels: {{app: {}}}, annotations: {{{}}}}}, spec: {{{}}}", app,
                           draft_annotations(random, purpose), spec);
  return draft;
}

std::string draft_job(Rng& random, const std::string& app) {
  const std::string pod = draft_pod(random, app, Purpose::kTask).text;
  std::string more;
  if (random.below(4) == 0) more += ", completionMode: Indexed";
  if (random.below(4) == 0) more += ", podReplacementPolicy: Failed";
  if (random.below(5) == 0) more += fmt::format(", ttlSecondsAfterFinished: {}", random.below(60));
  if (random.below(6) == 0) more += fmt::format(", activeDeadlineSeconds: {}", 10 + random.below(200));
  if (pod.find("restartPolicy: Never") != std::string::npos && random.below(3) == 0 &&
      more.find("podReplacementPolicy") == std::string::npos) {
    more += ", podFailurePolicy: {rules: [{action: Ignore, onPodConditions: [{type: DisruptionTarget}]}]}";
  }
  return fmt::format("spec: {{parallelism: {}, completions: {}, backoffLimit: {}{}, template: {{{}}}}}",
                     1 + random.below(3), 1 + random.below(5), random.below(4), more, pod);
}

std::string draft_group(Rng& random, const std::string& name, std::uint64_t size) {
  std::uint64_t min_count = size;
  if (random.below(3) == 0) min_count = 1 + random.below(size);
  if (random.below(10) == 0) min_count = size + 1;
  const std::string policy = random.below(8) == 0 ? "basic: {}" : fmt::format("gang: {{minCount: {}}}", min_count);
  return fmt::format("{{metadata: {{name: {}}}, spec: {{schedulingPolicy: {{{}}}}}}}", name, policy);
}

std::string in_group(std::string manifest, const std::string& group) {
  manifest.insert(manifest.find("containers:"), fmt::format("schedulingGroup: {{podGroupName: {}}}, ", group));
  return manifest;
}

std::string draft_rollout(Rng& random, std::string_view plural) {
  const std::uint64_t way = random.below(8);
  if (plural == "deployments") {
    static constexpr std::array kWays = {
        ", strategy: {type: Recreate}",
        ", strategy: {type: Recreate}",
        ", strategy: {rollingUpdate: {maxSurge: 0, maxUnavailable: 1}}",
        ", strategy: {rollingUpdate: {maxSurge: 100%, maxUnavailable: 0}}",
        ", minReadySeconds: 7",
    };
    return way < kWays.size() ? kWays.at(way) : "";
  }
  if (plural == "statefulsets") {
    static constexpr std::array kWays = {", updateStrategy: {type: OnDelete}",
                                         ", updateStrategy: {rollingUpdate: {partition: 2}}", ", minReadySeconds: 7"};
    return way < kWays.size() ? kWays.at(way) : "";
  }
  if (plural == "daemonsets") {
    static constexpr std::array kWays = {", updateStrategy: {type: OnDelete}",
                                         ", updateStrategy: {rollingUpdate: {maxSurge: 1, maxUnavailable: 0}}",
                                         ", updateStrategy: {rollingUpdate: {maxUnavailable: 50%}}"};
    return way < kWays.size() ? kWays.at(way) : "";
  }
  return {};
}

std::string draft_claims(Rng& random) {
  const char* storage_class = random.below(2) == 0 ? kImmediateClass : kLateClass;
  std::string text = fmt::format(
      ", volumeClaimTemplates: [{{metadata: {{name: data}}, spec: {{accessModes: [ReadWriteOnce], storageClassName: "
      "{}, "
      "resources: {{requests: {{storage: 1Gi}}}}}}}}]",
      storage_class);
  if (random.below(3) == 0) {
    text += ", persistentVolumeClaimRetentionPolicy: {whenScaled: Delete, whenDeleted: Delete}";
  }
  return text;
}

}  // namespace loadline::simulation
