#include "cli/up/demo.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "document/at.h"
#include "document/reader.h"
#include "kubelet/annotations.h"

namespace loadline::cli {
namespace {

using document::Value;

constexpr std::int64_t kSecond = 1'000'000'000;
constexpr std::string_view kSpot = "spot";
constexpr std::string_view kCapacityType = "karpenter.sh/capacity-type";

struct Service {
  std::string_view name;
  int gpus;
  int most_replicas;
};
constexpr std::array kServices = {Service{"chat", 1, 10}, Service{"embed", 1, 6}, Service{"rerank", 0, 8}};

struct Priority {
  std::string_view name;
  int value;
  std::string_view policy;
};
constexpr std::array kPriorities = {Priority{"inference", 100000, "PreemptLowerPriority"},
                                    Priority{"training", 10000, "PreemptLowerPriority"},
                                    Priority{"experiment", 1000, "Never"}};

/// Anywhere, whatever a pool is reserved for: the demonstration runs on whatever nodes there are.
constexpr std::string_view kTolerations = "tolerations: [{operator: Exists, effect: NoSchedule}]";

std::string service_yaml(const Service& service) {
  return fmt::format(R"(
apiVersion: apps/v1
kind: Deployment
metadata: {{name: {0}, namespace: demo-serving}}
spec:
  replicas: 2
  selector: {{matchLabels: {{app: {0}}}}}
  template:
    metadata: {{labels: {{app: {0}}}}}
    spec:
      priorityClassName: inference
      {2}
      containers:
      - name: server
        image: registry.example.com/{0}:1.0
        resources: {{requests: {{cpu: "2", memory: 8Gi}}, limits: {{nvidia.com/gpu: "{1}"}}}}
)",
                     service.name, service.gpus, kTolerations);
}

struct JobShape {
  std::string name;
  std::string_view name_space;
  std::string_view priority;
  std::uint64_t pods = 1;
  std::uint64_t gpus = 0;
  std::uint64_t seconds = 60;
  std::string_view failure_rate;
  std::string_view affinity;
};

std::string job_yaml(const JobShape& job) {
  return fmt::format(R"(
apiVersion: batch/v1
kind: Job
metadata: {{name: {0}, namespace: {1}}}
spec:
  completions: {2}
  parallelism: {2}
  completionMode: Indexed
  backoffLimit: 4
  ttlSecondsAfterFinished: 60
  podFailurePolicy:
    rules: [{{action: Ignore, onPodConditions: [{{type: DisruptionTarget}}]}}]
  template:
    metadata: {{annotations: {{loadline.dev/run-time: {3}s, loadline.dev/failure-rate: "{4}"}}}}
    spec:
      restartPolicy: Never
      priorityClassName: {5}
      {6}
      {7}
      containers:
      - name: worker
        image: registry.example.com/worker:2.3
        resources: {{requests: {{cpu: "2", memory: 8Gi}}, limits: {{nvidia.com/gpu: "{8}"}}}}
)",
                     job.name, job.name_space, job.pods, job.seconds, job.failure_rate, job.priority, kTolerations,
                     job.affinity, job.gpus);
}

constexpr std::string_view kPrefersSpot =
    "affinity: {nodeAffinity: {preferredDuringSchedulingIgnoredDuringExecution: [{weight: 100, preference: "
    "{matchExpressions: [{key: karpenter.sh/capacity-type, operator: In, values: [spot]}]}}]}}";

Value parsed(const std::string& yaml) {
  document::Reading reading = document::read_yaml(yaml, "demo");
  return reading.documents.empty() ? Value() : std::move(reading.documents.front());
}

}  // namespace

std::vector<std::string> demo_nodes() {
  return {"4:cpu=32,memory=128Gi", "3:gpu=a100:8", "3:gpu=l4:4",
          "4:name=spot,cpu=16,memory=64Gi,capacity-type=spot,taint=instance-type=spot:NoSchedule"};
}

Demo::Demo(embedded::Cluster& cluster, EventLoop& clock, std::uint64_t seed)
    : cluster_(cluster), clock_(clock), rng_(seed), client_(cluster.client("demo")) {}

/// Nobody hears of refusals: what is there already stays as it is, and what a full quota refuses comes another time.
void Demo::create(const kube::ResourceReference& of, const std::string& yaml) {
  client_->create(of, parsed(yaml), [](const kube::Answer<Value>&) {});
}

void Demo::start() {
  for (const std::string_view name_space : {"demo-serving", "demo-training", "demo-experiments"}) {
    create({"", "v1", "namespaces"},
           fmt::format("{{apiVersion: v1, kind: Namespace, metadata: {{name: {}}}}}", name_space));
  }
  for (const Priority& priority : kPriorities) {
    create({"scheduling.k8s.io", "v1", "priorityclasses"},
           fmt::format("{{apiVersion: scheduling.k8s.io/v1, kind: PriorityClass, metadata: {{name: {}}}, value: {}, "
                       "preemptionPolicy: {}}}",
                       priority.name, priority.value, priority.policy));
  }
  for (const Service& service : kServices) {
    create({"apps", "v1", "deployments", "demo-serving"}, service_yaml(service));
  }
  turn();
}

void Demo::wait() {
  const auto seconds = static_cast<std::int64_t>(2 + rng_.below(8));
  timer_ = clock_.after({seconds * kSecond}, [this] { turn(); });
}

void Demo::turn() {
  wait();
  if (cluster_.caches() == nullptr) return;  // a snapshot is being loaded
  bring_back();
  const std::uint64_t drawn = rng_.below(100);
  if (drawn < 25) return scale();
  if (drawn < 29) return interrupt();
  if (jobs() >= kMostJobs) return;
  return drawn < 41 ? train() : experiment();
}

std::size_t Demo::jobs() const {
  const auto& all = cluster_.caches()->of<kube::Job>();
  return all.in("demo-training").size() + all.in("demo-experiments").size();
}

std::string Demo::new_name(std::string_view base) { return fmt::format("{}-{:05x}", base, rng_.below(1U << 20)); }

void Demo::train() {
  constexpr std::array<std::string_view, 4> kModels = {"llama", "whisper", "vision", "ranker"};
  JobShape job;
  job.name = new_name(kModels[rng_.below(kModels.size())]);
  job.name_space = "demo-training";
  job.priority = "training";
  constexpr std::array<std::uint64_t, 6> kPods = {1, 1, 1, 2, 2, 4};
  job.pods = kPods[rng_.below(kPods.size())];
  job.gpus = std::uint64_t{1} << rng_.below(4);
  job.seconds = 40 + rng_.below(180);
  job.failure_rate = "0.05";
  create({"batch", "v1", "jobs", std::string(job.name_space)}, job_yaml(job));
}

void Demo::experiment() {
  JobShape job;
  job.name = new_name("sweep");
  job.name_space = "demo-experiments";
  job.priority = "experiment";
  job.pods = 1 + rng_.below(6);
  job.gpus = rng_.below(3) == 0 ? 1 : 0;
  job.seconds = 10 + rng_.below(60);
  job.failure_rate = "0.15";
  job.affinity = kPrefersSpot;
  create({"batch", "v1", "jobs", std::string(job.name_space)}, job_yaml(job));
}

void Demo::scale() {
  const Service& service = kServices[rng_.below(kServices.size())];
  const auto replicas = static_cast<std::int64_t>(1 + rng_.below(static_cast<std::uint64_t>(service.most_replicas)));
  kube::Patch patch;
  patch.document = document::with_at(Value(document::Object()), {"spec", "replicas"}, Value(replicas));
  client_->patch({"apps", "v1", "deployments", "demo-serving", std::string(service.name)}, std::move(patch),
                 [](const kube::Answer<Value>&) {});
}

/// Gives a spot machine its notice. Its node goes by itself when that is over.
void Demo::interrupt() {
  std::vector<const document::Value*> spot;
  for (const auto& [name, node] : cluster_.caches()->of<kube::Node>().in("")) {
    const auto type = node->metadata().labels.find(kCapacityType);
    if (type != node->metadata().labels.end() && type->second == kSpot && !taken_away_.contains(name)) {
      spot.push_back(&node->document);
    }
  }
  if (spot.size() < 2) return;  // the last one stays
  const Value& node = *spot[rng_.below(spot.size())];
  const std::string name(document::text_at(node, {"metadata", "name"}));
  taken_away_[name] = node;
  kube::Patch patch;
  patch.document =
      document::with_at(Value(document::Object()), {"metadata", "annotations", kubelet::kInterruption}, Value("30s"));
  client_->patch({"", "v1", "nodes", "", name}, std::move(patch), [](const kube::Answer<Value>&) {});
}

/// A machine that is gone is replaced by one like it.
void Demo::bring_back() {
  for (auto each = taken_away_.begin(); each != taken_away_.end();) {
    if (cluster_.caches()->of<kube::Node>().find({"", each->first}) != nullptr) {
      ++each;
      continue;
    }
    Value node = std::move(each->second);
    for (const std::string_view member : {"resourceVersion", "uid", "creationTimestamp", "managedFields"}) {
      node = document::without_at(std::move(node), {"metadata", member});
    }
    client_->create({"", "v1", "nodes"}, std::move(node), [](const kube::Answer<Value>&) {});
    each = taken_away_.erase(each);
  }
}

}  // namespace loadline::cli
