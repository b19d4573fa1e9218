// What holds of every timeline, on inputs made by chance.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "foundation/base/rng.h"
#include "hosts/timeline/testing/play.h"

namespace loadline::timeline {
namespace {

using testing::digest;
using testing::text;

constexpr const char* kUrgent = R"(---
apiVersion: scheduling.k8s.io/v1
kind: PriorityClass
metadata: {name: urgent}
value: 1000
)";

struct Chance {
  std::string objects;
  std::map<std::string, int> gpus;  ///< of each pod of a workload
};

std::string random_deployment(const std::string& name, int replicas, int gpus) {
  return fmt::format(R"(---
apiVersion: apps/v1
kind: Deployment
metadata: {{name: {0}}}
spec:
  replicas: {1}
  selector: {{matchLabels: {{app: {0}}}}}
  template:
    metadata: {{labels: {{app: {0}}}}}
    spec:
      priorityClassName: urgent
      containers: [{{name: main, image: web, resources: {{requests: {{cpu: "1"}}, limits: {{nvidia.com/gpu: {2}}}}}}}]
)",
                     name, replicas, gpus);
}

/// Nodes, Jobs that end well, fail, take long and are stopped, and a Deployment that pushes them away.
Chance random_input(std::uint64_t seed) {
  Rng rng(seed);
  const auto pick = [&](std::uint64_t bound) { return static_cast<int>(rng.below(bound)); };
  Chance input{kUrgent, {}};
  for (int i = 0, count = 1 + pick(4); i < count; ++i) {
    input.objects += testing::node(fmt::format("node-{}", i), pick(9));
  }
  for (int i = 0, count = 3 + pick(8); i < count; ++i) {
    const std::string name = fmt::format("job-{}", i);
    std::string annotations = fmt::format("loadline.dev/run-time: {}s", 1 + pick(4000));
    if (pick(4) == 0) annotations += ", loadline.dev/failure-rate: '0.5'";
    if (pick(4) == 0) annotations += fmt::format(", loadline.dev/start-delay: {}s", pick(90));
    const std::string bound = pick(2) == 0 ? "ttlSecondsAfterFinished" : "activeDeadlineSeconds";
    const std::string spec = fmt::format("parallelism: {}\n  completions: {}\n  backoffLimit: {}\n  {}: {}",
                                         1 + pick(4), 1 + pick(6), pick(3), bound, 600 + pick(3000));
    input.gpus[name] = pick(4);
    input.objects += testing::job(name, annotations, spec, input.gpus[name]);
  }
  input.gpus["web"] = pick(3);
  input.objects += random_deployment("web", pick(6), input.gpus["web"]);
  return input;
}

/// How much there is at a time, by the lives of pods.
template <class AmountOf>
double recount(const Timeline& timeline, Duration at, AmountOf amount_of) {
  double sum = 0;
  for (const PodLife& pod : timeline.pods) sum += amount_of(pod, at);
  return sum;
}

bool is_on_node(const PodLife& pod, Duration at) {
  return pod.scheduled && *pod.scheduled <= at && (!pod.ended || at < *pod.ended);
}

double value_at(const std::vector<Step>& steps, Duration at) {
  double value = 0;
  for (const Step& step : steps) value = step.at <= at ? step.value : value;
  return value;
}

void expect_order(const Timeline& timeline) {
  for (const PodLife& pod : timeline.pods) {
    SCOPED_TRACE(pod.name);
    EXPECT_LE(Duration{}, pod.created);
    EXPECT_EQ(pod.scheduled.has_value(), !pod.node.empty());
    if (pod.scheduled) {
      EXPECT_LE(pod.created, *pod.scheduled);
    }
    if (pod.started) {
      EXPECT_TRUE(pod.scheduled && *pod.scheduled <= *pod.started);
    }
    if (pod.ended) {
      EXPECT_LE(pod.started.value_or(pod.scheduled.value_or(pod.created)), *pod.ended);
    }
    if (pod.ended) {
      EXPECT_LE(*pod.ended, timeline.end);
    }
    EXPECT_EQ(pod.ended.has_value(), pod.ending >= Ending::kCompleted);
    ASSERT_LT(pod.workload, timeline.workloads.size());
  }
  for (const WorkloadLife& life : timeline.workloads) {
    SCOPED_TRACE(life.name.name);
    if (life.started) {
      EXPECT_LE(life.arrived, *life.started);
    }
    if (life.all_started) {
      EXPECT_TRUE(life.started && *life.started <= *life.all_started);
    }
    if (life.started && life.ended) {
      EXPECT_LE(*life.started, *life.ended);
    }
    EXPECT_EQ(life.ended.has_value(), life.ending >= Ending::kCompleted);
  }
}

void expect_nothing_lost(const Timeline& timeline) {
  std::vector<std::size_t> pods(timeline.workloads.size());
  std::vector<std::size_t> failed(timeline.workloads.size());
  for (const PodLife& pod : timeline.pods) {
    ++pods[pod.workload];
    failed[pod.workload] += pod.ending == Ending::kFailed ? 1 : 0;
  }
  for (std::size_t i = 0; i < pods.size(); ++i) {
    EXPECT_EQ(timeline.workloads[i].pods, pods[i]) << timeline.workloads[i].name.name;
    EXPECT_EQ(timeline.workloads[i].failed_pods, failed[i]) << timeline.workloads[i].name.name;
  }
}

void expect_sums(const Timeline& timeline, const std::map<std::string, int>& gpus) {
  const auto gpus_of = [&](const PodLife& pod, Duration at) {
    return is_on_node(pod, at) ? gpus.at(timeline.workloads[pod.workload].name.name) : 0.0;
  };
  const auto cpus_of = [](const PodLife& pod, Duration at) { return is_on_node(pod, at) ? 1.0 : 0.0; };
  for (const ResourceUse& use : timeline.resources) {
    SCOPED_TRACE(use.resource);
    for (std::size_t i = 0; i < use.requested.size(); ++i) {
      const Step& step = use.requested[i];
      if (i > 0) {
        EXPECT_LT(use.requested[i - 1].at, step.at);
      }
      if (i > 0) {
        EXPECT_NE(use.requested[i - 1].value, step.value);
      }
      EXPECT_GE(step.value, 0);
      EXPECT_LE(step.value, value_at(use.allocatable, step.at));
      if (use.resource == "nvidia.com/gpu") {
        EXPECT_EQ(step.value, recount(timeline, step.at, gpus_of));
      }
      if (use.resource == "cpu") {
        EXPECT_EQ(step.value, recount(timeline, step.at, cpus_of));
      }
    }
  }
  for (const Step& step : timeline.pending_pods) {
    const auto waits = [](const PodLife& pod, Duration at) {
      const bool is_placed = pod.scheduled && *pod.scheduled <= at;
      return pod.created <= at && !is_placed && (!pod.ended || at < *pod.ended) ? 1.0 : 0.0;
    };
    EXPECT_EQ(step.value, recount(timeline, step.at, waits)) << text(step.at);
  }
}

TEST(TimelineProperty, NothingIsLostAndNothingComesTooEarly) {
  std::map<Ending, int> endings;
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    SCOPED_TRACE(fmt::format("seed {}", seed));
    const Chance input = random_input(seed);
    const Timeline timeline = testing::play(input.objects, {}, seed);
    EXPECT_TRUE(timeline.is_idle);
    expect_order(timeline);
    expect_nothing_lost(timeline);
    expect_sums(timeline, input.gpus);
    for (const WorkloadLife& life : timeline.workloads) ++endings[life.ending];
    EXPECT_EQ(digest(timeline), digest(testing::play(input.objects, {}, seed)));
    ASSERT_FALSE(::testing::Test::HasFailure()) << digest(timeline);
  }
  // All of it has come up.
  EXPECT_GT(endings[Ending::kCompleted], 0);
  EXPECT_GT(endings[Ending::kFailed], 0);
  EXPECT_GT(endings[Ending::kRunning], 0);
  EXPECT_GT(endings[Ending::kPending], 0);
}

}  // namespace
}  // namespace loadline::timeline
