#include "simulator/plan.h"

#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/rng.h"
#include "bench/results/row.h"
#include "document/reader.h"
#include "kube/codec.h"

// How long a plan takes from text to outcome, on a GPU cluster of about the size of the openb trace: machines with 0 to
// 8 GPUs, pods that want 0 to 8, more of them than fit. Pods per second is the figure to compare.

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
  state.counters["nodes"] = static_cast<double>(state.range(0));
  state.counters["pods"] = static_cast<double>(state.range(1));
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

/// Makes a row of each benchmark's run.
class Rows final : public benchmark::BenchmarkReporter {
 public:
  bool ReportContext(const Context&) override { return true; }

  void ReportRuns(const std::vector<Run>& runs) override {
    for (const Run& run : runs) {
      bench::Row row;
      row.workload = run.run_name.function_name;
      row.nodes = static_cast<std::size_t>(run.counters.at("nodes").value);
      row.pods = static_cast<std::size_t>(run.counters.at("pods").value);
      row.pods_per_s = run.counters.at("pods/s").value;
      row.seconds = run.real_accumulated_time / static_cast<double>(run.iterations);
      rows_.push_back(std::move(row));
    }
  }

  [[nodiscard]] const std::vector<bench::Row>& rows() const { return rows_; }

 private:
  std::vector<bench::Row> rows_;
};

}  // namespace

BENCHMARK(ReadManifests)->Args({1523, 8152})->UseRealTime();
BENCHMARK(Plan)->Args({100, 1000})->Args({1523, 8152})->UseRealTime();

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  std::string output = ".";
  if (argc == 3 && std::string_view(argv[1]) == "--output") output = argv[2];
  Rows rows;
  benchmark::RunSpecifiedBenchmarks(&rows);
  fmt::print("{}", bench::format_table(rows.rows()));
  const auto written = bench::write_rows(output, "plan", rows.rows());
  if (!written) {
    fmt::print(stderr, "bench: {}\n", written.error().message);
    return 1;
  }
  fmt::print("\n{}\n", written->string());
  return 0;
}
