#include "simulator/plan.h"

#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <string>
#include <vector>

#include "base/rng.h"
#include "document/reader.h"
#include "kube/codec.h"

// How long a plan takes from text to outcome, on a GPU cluster of about the size of the openb trace: machines with 0 to
// 8 GPUs, pods that want 0 to 8, more of them than fit. `pods/s` is the figure to compare.

namespace {

using namespace loadline;

constexpr std::uint64_t kSeed = 7;

std::string nodes_yaml(std::size_t count, Rng& rng) {
  constexpr int kGpus[] = {0, 2, 4, 8, 8};
  std::string text;
  for (std::size_t i = 0; i < count; ++i) {
    const int gpus = kGpus[rng.below(5)];
    text += fmt::format(
        "---\napiVersion: v1\nkind: Node\nmetadata:\n  name: node-{0}\n  labels:\n    kubernetes.io/hostname: "
        "node-{0}\n"
        "    topology.kubernetes.io/zone: zone-{1}\nstatus:\n  allocatable:\n    cpu: \"96\"\n    memory: 384Gi\n"
        "    pods: \"110\"\n    nvidia.com/gpu: \"{2}\"\n",
        i, i % 3, gpus);
  }
  return text;
}

std::string pods_yaml(std::size_t count, Rng& rng) {
  constexpr int kGpus[] = {0, 0, 1, 1, 1, 2, 4, 8};
  std::string text;
  for (std::size_t i = 0; i < count; ++i) {
    text += fmt::format(
        "---\napiVersion: v1\nkind: Pod\nmetadata:\n  name: pod-{}\nspec:\n  containers:\n  - name: main\n    image: "
        "task\n"
        "    resources:\n      requests:\n        cpu: \"{}\"\n        memory: {}Gi\n      limits:\n"
        "        nvidia.com/gpu: \"{}\"\n",
        i, 1 + rng.below(12), 4 + rng.below(28), kGpus[rng.below(8)]);
  }
  return text;
}

std::vector<std::string> cluster_texts(const benchmark::State& state) {
  Rng rng(kSeed);
  const auto nodes = static_cast<std::size_t>(state.range(0));
  const auto pods = static_cast<std::size_t>(state.range(1));
  std::string first = nodes_yaml(nodes, rng);
  return {std::move(first), pods_yaml(pods, rng)};
}

kube::Objects read_objects(const std::vector<std::string>& texts) {
  std::vector<kube::SourceDocument> documents;
  for (const std::string& text : texts) {
    for (document::Value& value : document::read(text, "bench.yaml").documents) {
      documents.push_back({std::move(value), "bench.yaml"});
    }
  }
  return std::move(kube::decode(documents).objects);
}

void count_pods(benchmark::State& state) {
  state.counters["pods/s"] =
      benchmark::Counter(static_cast<double>(state.range(1)), benchmark::Counter::kIsIterationInvariantRate);
}

void ReadManifests(benchmark::State& state) {
  const std::vector<std::string> texts = cluster_texts(state);
  for (auto _ : state) benchmark::DoNotOptimize(read_objects(texts));
  count_pods(state);
}

void Plan(benchmark::State& state) {
  const kube::Objects objects = read_objects(cluster_texts(state));
  for (auto _ : state) benchmark::DoNotOptimize(simulator::make_plan(objects, {}, {}));
  count_pods(state);
}

}  // namespace

BENCHMARK(ReadManifests)->Args({1523, 8152})->Unit(benchmark::kMillisecond);
BENCHMARK(Plan)->Args({100, 1000})->Args({1523, 8152})->Unit(benchmark::kMillisecond);
