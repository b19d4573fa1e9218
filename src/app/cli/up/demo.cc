#include "app/cli/up/demo.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "foundation/document/at.h"
#include "foundation/document/reader.h"
#include "hosts/kubelet/annotations.h"
#include "objects/kube/batch/batch.h"

namespace loadline::cli {
namespace {

using document::Value;

constexpr Duration kMeasuredFor = Duration::seconds(30);
// Of a hundred things that happen, so many are a Job, or the end of a spot machine; the others, services scaled.
constexpr std::uint64_t kJobPercent = 71;
constexpr std::uint64_t kInterruptionPercent = 4;
constexpr std::string_view kSpot = "spot";
constexpr std::string_view kCapacityType = "karpenter.sh/capacity-type";

/// `most_percent`: how many replicas it may have, in hundredths of the pods that find room, or of the GPUs if there are
/// any. On average half of that.
struct Service {
  std::string_view name;
  int gpus;
  std::int64_t most_percent;
};
constexpr std::array kServices = {Service{"chat", 1, 28}, Service{"embed", 1, 17}, Service{"rerank", 0, 20}};

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

std::string service_yaml(const Service& service, const DemoRoom& room) {
  return fmt::format(R"(
apiVersion: apps/v1
kind: Deployment
metadata: {{name: {0}, namespace: demo-serving}}
spec:
  replicas: 1
  selector: {{matchLabels: {{app: {0}}}}}
  template:
    metadata: {{labels: {{app: {0}}}}}
    spec:
      priorityClassName: inference
      {2}
      containers:
      - name: server
        image: registry.example.com/{0}:1.0
        resources: {{requests: {{cpu: "{3}", memory: {4}Gi}}, limits: {{nvidia.com/gpu: "{1}"}}}}
)",
                     service.name, room.gpus > 0 ? service.gpus : 0, kTolerations, kWorkerCpus, kWorkerGibibytes);
}

/// What tells training from experiments, beside their size.
struct JobKind {
  std::string_view name_space;
  std::string_view priority;
  std::string_view failure_rate;
  std::string_view affinity;
};
constexpr JobKind kTraining = {"demo-training", "training", "0.05", ""};
constexpr JobKind kExperiment = {
    "demo-experiments", "experiment", "0.15",
    "affinity: {nodeAffinity: {preferredDuringSchedulingIgnoredDuringExecution: [{weight: 100, preference: "
    "{matchExpressions: [{key: karpenter.sh/capacity-type, operator: In, values: [spot]}]}}]}}"};

std::string job_yaml(const JobKind& kind, const DemoJob& job, std::string_view name) {
  return fmt::format(R"(
apiVersion: batch/v1
kind: Job
metadata: {{name: {0}, namespace: {1}}}
spec:
  completions: {2}
  parallelism: {2}
  completionMode: Indexed
  backoffLimit: 4
  ttlSecondsAfterFinished: {9}
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
        resources: {{requests: {{cpu: "{10}", memory: {11}Gi}}, limits: {{nvidia.com/gpu: "{8}"}}}}
)",
                     name, kind.name_space, job.pods, job.seconds, kind.failure_rate, kind.priority, kTolerations,
                     kind.affinity, job.gpus, kFinishedSeconds, kWorkerCpus, kWorkerGibibytes);
}

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

/// Refusals are ignored: an object that is there already stays as it is, and a full quota has room another time.
void Demo::create(const kube::ResourceReference& of, const std::string& yaml) {
  client_->create(of, parsed(yaml), [](const kube::Answer<Value>&) {});
}

void Demo::start() { turn(); }

/// What everything else is created in, as many as there is room for.
void Demo::begin() {
  for (const std::string_view name_space : kDemoNamespaces) {
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
    create({"apps", "v1", "deployments", "demo-serving"}, service_yaml(service, room_));
  }
}

template <class Question, class Then>
void Demo::look(Question question, Then then) {
  cluster_.look(std::move(question), [then = std::move(then), alive = std::weak_ptr<int>(alive_)](auto seen) mutable {
    if (!alive.expired()) then(std::move(seen));
  });
}

/// From half to one and a half of what is usual.
void Demo::wait() {
  const auto usual = static_cast<std::uint64_t>(pace_.between_jobs.nanoseconds) * kJobPercent / 100;
  timer_ = clock_.after({static_cast<std::int64_t>(usual / 2 + rng_.below(usual))}, [this] { turn(); });
}

/// The room in the cluster changes slowly and costs something to count, so it is counted only now and then.
void Demo::turn() {
  const bool is_due = measured_ + kMeasuredFor <= clock_.now() || room_.workers == 0;
  const auto measure = [is_due](const watching::Caches& caches) {
    std::size_t jobs = 0;
    for (const JobKind& kind : {kTraining, kExperiment}) jobs += caches.of<kube::Job>().in(kind.name_space).size();
    return std::pair(jobs, is_due ? std::optional(demo_room(caches)) : std::nullopt);
  };
  look(measure, [this](const auto& measured) {
    if (measured && measured->second) {
      room_ = *measured->second;
      measured_ = clock_.now();
      pace_ = demo_pace(room_);
    }
    wait();
    if (!measured) return;
    jobs_ = measured->first;
    if (!std::exchange(has_begun_, true)) begin();
    act();
  });
}

void Demo::act() {
  bring_back();
  const std::uint64_t drawn = rng_.below(100);
  if (drawn < kJobPercent) return add_job();
  if (drawn < kJobPercent + kInterruptionPercent) return interrupt();
  scale();
}

void Demo::add_job() {
  if (jobs_ >= pace_.most_jobs) return;
  constexpr std::array<std::string_view, 4> kModels = {"llama", "whisper", "vision", "ranker"};
  DemoJob job = draw_job(rng_, room_);
  job.pods *= pace_.width;
  const bool trains = job.kind == DemoJob::Kind::kTraining;
  const JobKind& kind = trains ? kTraining : kExperiment;
  const std::string name =
      fmt::format("{}-{:05x}", trains ? kModels[rng_.below(kModels.size())] : "sweep", rng_.below(1U << 20));
  create({"batch", "v1", "jobs", std::string(kind.name_space)}, job_yaml(kind, job, name));
}

void Demo::scale() {
  const Service& service = kServices[rng_.below(kServices.size())];
  const std::int64_t places = room_.gpus > 0 ? std::min(room_.gpus, room_.workers) : room_.workers;
  const auto most = static_cast<std::uint64_t>(std::max<std::int64_t>(places * service.most_percent / 100, 1));
  const auto replicas = static_cast<std::int64_t>(1 + rng_.below(most));
  kube::Patch patch;
  patch.document = document::with_at(Value(document::Object()), {"spec", "replicas"}, Value(replicas));
  client_->patch({"apps", "v1", "deployments", "demo-serving", std::string(service.name)}, std::move(patch),
                 [](const kube::Answer<Value>&) {});
}

/// Gives a spot machine its notice. Its node goes by itself when that is over.
void Demo::interrupt() {
  const auto find_spot = [](const watching::Caches& caches) {
    std::vector<std::pair<std::string, Value>> spot;
    for (const auto& [name, node] : caches.of<kube::Node>().in("")) {
      const auto type = node->metadata().labels.find(kCapacityType);
      const bool is_spot = type != node->metadata().labels.end() && type->second == kSpot;
      if (is_spot) spot.emplace_back(name, node->document);
    }
    return spot;
  };
  look(find_spot, [this](std::optional<std::vector<std::pair<std::string, Value>>> seen) {
    std::vector<std::pair<std::string, Value>> spot =
        std::move(seen).value_or(std::vector<std::pair<std::string, Value>>());
    std::erase_if(spot, [&](const auto& node) { return taken_away_.contains(node.first); });
    if (spot.size() < 2) return;  // the last one stays
    auto& [name, node] = spot[rng_.below(spot.size())];
    kube::Patch patch;
    patch.document =
        document::with_at(Value(document::Object()), {"metadata", "annotations", kubelet::kInterruption}, Value("30s"));
    client_->patch({"", "v1", "nodes", "", name}, std::move(patch), [](const kube::Answer<Value>&) {});
    taken_away_[name] = std::move(node);
  });
}

/// A machine that is gone is replaced by one like it.
void Demo::bring_back() {
  if (taken_away_.empty()) return;
  std::vector<std::string> names;
  for (const auto& [name, node] : taken_away_) names.push_back(name);
  const auto find_gone = [names = std::move(names)](const watching::Caches& caches) {
    std::vector<std::string> gone;
    for (const std::string& name : names) {
      if (caches.of<kube::Node>().find({"", name}) == nullptr) gone.push_back(name);
    }
    return gone;
  };
  look(find_gone, [this](const std::optional<std::vector<std::string>>& gone) {
    if (!gone) return;
    for (const std::string& name : *gone) {
      auto taken = taken_away_.extract(name);
      if (taken.empty()) continue;
      Value node = std::move(taken.mapped());
      for (const std::string_view member : {"resourceVersion", "uid", "creationTimestamp", "managedFields"}) {
        node = document::without_at(std::move(node), {"metadata", member});
      }
      client_->create({"", "v1", "nodes"}, std::move(node), [](const kube::Answer<Value>&) {});
    }
  });
}

}  // namespace loadline::cli
