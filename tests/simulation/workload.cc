#include "simulation/workload.h"

#include <fmt/format.h>

#include <array>
#include <utility>

#include "document/at.h"
#include "document/reader.h"
#include "document/writer.h"

namespace loadline::simulation {
namespace {

constexpr const char* kQuotaNamespace = "team";
constexpr std::size_t kQuota = 12;
constexpr std::size_t kMostNodes = 8;

document::Value read(const std::string& text) { return document::read_yaml(text, "simulation").documents.front(); }

/// One of the keys, or nothing.
template <class Map>
std::string pick(const Map& map, Rng& random) {
  if (map.empty()) return {};
  auto at = map.begin();
  std::advance(at, static_cast<std::ptrdiff_t>(random.below(map.size())));
  return at->first;
}

}  // namespace

Workload::Workload(kube::Client& client, Observer& observer, std::uint64_t seed)
    : client_(client), observer_(observer), random_(seed) {
  create({"", "v1", "namespaces"}, fmt::format("metadata: {{name: {}}}", kQuotaNamespace));
  create({"", "v1", "resourcequotas", kQuotaNamespace},
         fmt::format("{{metadata: {{name: all}}, spec: {{hard: {{pods: {}}}}}}}", kQuota));
  observer_.expect_quota(kQuotaNamespace, kQuota);
  create({"scheduling.k8s.io", "v1", "priorityclasses"}, "{metadata: {name: low}, value: 1}");
  create({"scheduling.k8s.io", "v1", "priorityclasses"}, "{metadata: {name: high}, value: 1000}");
}

void Workload::create(kube::ResourceReference of, const std::string& yaml) {
  client_.create(of, read(yaml), [this, of](const kube::Answer<document::Value>& answer) {
    // Quotas and names that are taken are part of the play.
    if (!answer && answer.error().code != 403 && answer.error().code != 409) {
      observer_.report(fmt::format("creating {}: {}", of.plural, answer.error().message));
    }
  });
}

void Workload::patch(kube::ResourceReference of, const std::string& merge) {
  client_.patch(of, {kube::PatchType::kMerge, read(merge)}, [](const kube::Answer<document::Value>&) {});
}

std::string Workload::name(const char* kind) { return fmt::format("{}-{}", kind, next_name_++); }

std::string Workload::pick_namespace() { return random_.below(3) == 0 ? kQuotaNamespace : "default"; }

void Workload::add_node() {
  const std::uint64_t cpus = 4U << random_.below(3);
  const std::string gpus = random_.below(3) == 0 ? ", nvidia.com/gpu: \"4\"" : "";
  const std::string has = fmt::format("{{cpu: \"{}\", memory: {}Gi, pods: \"{}\"{}}}", cpus, cpus * 4,
                                      random_.below(4) == 0 ? 5 : 110, gpus);
  create({"", "v1", "nodes"},
         fmt::format("{{metadata: {{name: {0}, labels: {{kubernetes.io/hostname: {0}, topology.kubernetes.io/zone: "
                     "zone-{1}}}, annotations: {{loadline.dev/node: virtual}}}}, status: {{capacity: {2}, "
                     "allocatable: {2}}}}}",
                     name("node"), random_.below(3), has));
}

/// "metadata: …, spec: …" of a pod.
std::string Workload::spec_of_pod(const std::string& app, bool is_job) {
  static constexpr std::array kCpu = {"250m", "1", "2", "3500m"};
  std::string requests = fmt::format("cpu: {}", kCpu.at(random_.below(kCpu.size())));
  if (random_.below(3) == 0) requests += ", memory: 3Gi";
  std::string limits;
  if (random_.below(5) == 0) limits = fmt::format(", limits: {{nvidia.com/gpu: {}}}", 1 + random_.below(2));
  std::string spec =
      fmt::format("containers: [{{name: app, image: app, resources: {{requests: {{{}}}{}}}}}]", requests, limits);
  const std::uint64_t priority = random_.below(4);
  if (priority < 2) spec += fmt::format(", priorityClassName: {}", priority == 0 ? "low" : "high");
  if (random_.below(2) == 0) spec += fmt::format(", terminationGracePeriodSeconds: {}", random_.below(40));
  if (random_.below(5) == 0) spec += ", tolerations: [{key: sim, operator: Exists}]";
  if (random_.below(6) == 0) {
    spec += fmt::format(
        ", topologySpreadConstraints: [{{maxSkew: 1, topologyKey: topology.kubernetes.io/zone, whenUnsatisfiable: "
        "DoNotSchedule, labelSelector: {{matchLabels: {{app: {}}}}}}}]",
        app);
  }
  if (random_.below(8) == 0) {
    spec += fmt::format(
        ", affinity: {{podAntiAffinity: {{requiredDuringSchedulingIgnoredDuringExecution: [{{topologyKey: "
        "kubernetes.io/hostname, labelSelector: {{matchLabels: {{app: {}}}}}}}]}}}}",
        app);
  }
  if (is_job) spec += fmt::format(", restartPolicy: {}", random_.below(2) == 0 ? "Never" : "OnFailure");
  std::string annotations;
  if (is_job) annotations = fmt::format("loadline.dev/run-time: {}s", 1 + random_.below(90));
  if (is_job && random_.below(3) == 0) annotations += ", loadline.dev/failure-rate: \"0.2\"";
  if (random_.below(4) == 0) annotations += ", loadline.dev/start-delay: 5s";
  if (annotations.starts_with(", ")) annotations.erase(0, 2);
  return fmt::format("metadata: {{labels: {{app: {}}}, annotations: {{{}}}}}, spec: {{{}}}", app, annotations, spec);
}

std::string Workload::add_application() {
  const std::string name_space = pick_namespace();
  const std::uint64_t kind = random_.below(5);
  if (kind == 4) {
    const std::string app = name("job");
    create(
        {"batch", "v1", "jobs", name_space},
        fmt::format("{{metadata: {{name: {}}}, spec: {{parallelism: {}, completions: {}, backoffLimit: {}, template: "
                    "{{{}}}}}}}",
                    app, 1 + random_.below(3), 1 + random_.below(5), random_.below(4), spec_of_pod(app, true)));
    applications_.push_back({{"batch", "v1", "jobs", name_space, app}, true});
    return "creates " + app;
  }
  static constexpr std::array kPlurals = {"deployments", "deployments", "replicasets", "statefulsets"};
  static constexpr std::array kNames = {"web", "web", "rs", "db"};
  const std::string app = name(kNames.at(kind));
  std::string more;
  if (kind == 3) more = ", serviceName: none";
  if (kind == 3 && random_.below(2) == 0) more += ", podManagementPolicy: Parallel";
  if (kind < 2 && random_.below(4) == 0) more += ", strategy: {type: Recreate}";
  create({"apps", "v1", kPlurals.at(kind), name_space},
         fmt::format("{{metadata: {{name: {0}}}, spec: {{replicas: {1}, selector: {{matchLabels: {{app: {0}}}}}{2}, "
                     "template: {{{3}}}}}}}",
                     app, random_.below(7), more, spec_of_pod(app, false)));
  applications_.push_back({{"apps", "v1", kPlurals.at(kind), name_space, app}});
  return "creates " + app;
}

std::string Workload::add_pod() {
  const std::string app = name("pod");
  std::string pod = spec_of_pod(app, random_.below(2) == 0);
  pod.insert(pod.find('{') + 1, fmt::format("name: {}, ", app));
  create({"", "v1", "pods", pick_namespace()}, fmt::format("{{{}}}", pod));
  return "creates " + app;
}

std::string Workload::add_budget() {
  if (applications_.empty()) return "rests";
  const Application& application = applications_[random_.below(applications_.size())];
  if (application.is_job) return "rests";
  const std::int64_t min_available = 1 + static_cast<std::int64_t>(random_.below(3));
  const std::string& app = application.of.name;
  create(
      {"policy", "v1", "poddisruptionbudgets", application.of.name_space},
      fmt::format("{{metadata: {{name: {0}}}, spec: {{minAvailable: {1}, selector: {{matchLabels: {{app: {0}}}}}}}}}",
                  app, min_available));
  for (const Budget& budget : budgets_) {
    if (budget.app == app) return "rests";
  }
  budgets_.push_back({application.of.name_space, app, min_available});
  return "protects " + app;
}

std::string Workload::change_node() {
  const std::string picked = pick(observer_.nodes(), random_);
  const std::uint64_t way = random_.below(10);
  if (picked.empty() || (way < 3 && observer_.nodes().size() < kMostNodes)) {
    add_node();
    return "adds a node";
  }
  const kube::ResourceReference of{"", "v1", "nodes", "", picked};
  if (way < 4) {
    client_.remove(of, {}, [](const kube::Answer<document::Value>&) {});
    return "removes " + picked;
  }
  if (way < 6) {
    const bool is_cordoned = random_.below(2) == 0;
    patch(of, fmt::format("{{spec: {{unschedulable: {}}}}}", is_cordoned));
    return fmt::format("{} {}", is_cordoned ? "cordons" : "uncordons", picked);
  }
  if (way < 8) {
    static constexpr std::array kTaints = {"[]", "[]", "[{key: sim, effect: NoSchedule}]",
                                           "[{key: sim, effect: NoExecute}]"};
    const std::string taints = kTaints.at(random_.below(kTaints.size()));
    patch(of, fmt::format("{{spec: {{taints: {}}}}}", taints));
    return fmt::format("taints {} with {}", picked, taints);
  }
  const bool is_broken = random_.below(2) == 0;
  patch(of,
        fmt::format("{{metadata: {{annotations: {{loadline.dev/unready: {}}}}}}}", is_broken ? "\"true\"" : "null"));
  return fmt::format("{} {}", is_broken ? "breaks" : "mends", picked);
}

void Workload::heal_nodes() {
  for (const auto& [node, object] : observer_.nodes()) {
    patch({"", "v1", "nodes", "", node}, "{metadata: {annotations: {loadline.dev/unready: null}}}");
  }
}

std::string Workload::change_application() {
  if (applications_.empty()) return add_application();
  const std::size_t at = random_.below(applications_.size());
  const Application application = applications_[at];
  const std::uint64_t way = random_.below(10);
  if (way < 3) {
    kube::DeleteOptions options;
    using Propagation = kube::DeleteOptions::Propagation;
    options.propagation = random_.below(3) == 0 ? Propagation::kForeground : Propagation::kBackground;
    client_.remove(application.of, options, [](const kube::Answer<document::Value>&) {});
    applications_.erase(applications_.begin() + static_cast<std::ptrdiff_t>(at));
    return "deletes " + application.of.name;
  }
  if (application.is_job) {
    const bool is_suspended = random_.below(3) == 0;
    patch(application.of, fmt::format("{{spec: {{suspend: {}}}}}", is_suspended));
    return fmt::format("{} {}", is_suspended ? "suspends" : "resumes", application.of.name);
  }
  if (way < 7) {
    const std::uint64_t replicas = random_.below(8);
    patch(application.of, fmt::format("{{spec: {{replicas: {}}}}}", replicas));
    return fmt::format("scales {} to {}", application.of.name, replicas);
  }
  patch(application.of,
        fmt::format("{{spec: {{template: {{metadata: {{annotations: {{version: v{}}}}}}}}}}}", random_.below(4)));
  return "changes " + application.of.name;
}

void Workload::evict(const std::string& name_space, const std::string& name) {
  client_.create({"", "v1", "pods", name_space, name, "eviction"},
                 read(fmt::format("{{apiVersion: policy/v1, kind: Eviction, metadata: {{name: {}, namespace: {}}}}}",
                                  name, name_space)),
                 [](const kube::Answer<document::Value>&) {});
}

std::string Workload::change_pod() {
  const std::string picked = pick(observer_.pods(), random_);
  if (picked.empty()) return "rests";
  const std::size_t slash = picked.find('/');
  const std::string name_space = picked.substr(0, slash);
  const std::string name = picked.substr(slash + 1);
  const kube::ResourceReference of{"", "v1", "pods", name_space, name};
  // What is to run for ever would end again and again.
  const bool may_end = name.starts_with("job-") || name.starts_with("pod-");
  switch (random_.below(4)) {
    case 0:
      if (!may_end) return "rests";
      patch(of, "{metadata: {annotations: {loadline.dev/run-time: 0s, loadline.dev/fail-times: \"1\"}}}");
      return "ends " + picked;
    case 1:
      evict(name_space, name);
      return "evicts " + picked;
    default:
      kube::DeleteOptions options;
      if (random_.below(3) == 0) options.grace_period_seconds = random_.below(2) == 0 ? 0 : 5;
      client_.remove(of, options, [](const kube::Answer<document::Value>&) {});
      return "deletes " + picked;
  }
}

std::string Workload::act() {
  const std::uint64_t what = random_.below(100);
  if (what < 25) return change_node();
  if (what < 45) return add_application();
  if (what < 55) return add_pod();
  if (what < 60) return add_budget();
  if (what < 85) return change_application();
  return change_pod();
}

}  // namespace loadline::simulation
