#include "hosts/simulator/plan.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "bench/plan/dump.h"
#include "bench/results/comparison.h"
#include "bench/results/row.h"
#include "bench/results/timing.h"
#include "foundation/base/result.h"
#include "foundation/base/rng.h"
#include "foundation/document/reader.h"
#include "objects/kube/codec.h"

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

constexpr std::size_t kPodsOfOne = 8;

constexpr std::string_view kPodSpec =
    "{containers: [{name: pytorch, image: train, resources: {requests: {cpu: 500m, memory: 1Gi}}}]}";

/// Deployments of eight pods each.
std::string deployments_yaml(std::size_t count) {
  std::string text;
  for (std::size_t i = 0; i < count; ++i) {
    text += fmt::format(
        "---\napiVersion: apps/v1\nkind: Deployment\nmetadata: {{name: train-{0}}}\nspec: {{replicas: {1}, selector: "
        "{{matchLabels: {{app: train-{0}}}}}, template: {{metadata: {{labels: {{app: train-{0}}}}}, spec: {2}}}}}\n",
        i, kPodsOfOne, kPodSpec);
  }
  return text;
}

/// The same pods as PyTorchJobs of a master and seven workers.
std::string training_jobs_yaml(std::size_t count) {
  std::string text;
  for (std::size_t i = 0; i < count; ++i) {
    text += fmt::format(
        "---\napiVersion: kubeflow.org/v1\nkind: PyTorchJob\nmetadata: {{name: train-{0}}}\nspec: "
        "{{pytorchReplicaSpecs: {{Master: {{replicas: 1, template: {{spec: {2}}}}}, Worker: {{replicas: {1}, template: "
        "{{spec: {2}}}}}}}}}\n",
        i, kPodsOfOne - 1, kPodSpec);
  }
  return text;
}

/// How many machines, and pods that want a place on them.
struct Size {
  std::size_t nodes;
  std::size_t pods;
};

constexpr Size kSmall{100, 1000};
constexpr Size kOpenb{1523, 8152};
constexpr Size kDump{1000, 10000};
constexpr Size kTraining{5000, 80000};

std::vector<std::string> cluster_texts(const Size& size) {
  Rng rng(kSeed);
  std::string first = nodes_yaml(size.nodes, rng);
  return {std::move(first), pods_yaml(size.pods, rng)};
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

bench::Row row(std::string workload, const Size& size, const std::vector<double>& times) {
  bench::Row row;
  row.workload = std::move(workload);
  row.nodes = size.nodes;
  row.pods = size.pods;
  row.seconds = bench::median(times);
  row.pods_per_s = static_cast<double>(size.pods) / *row.seconds;
  return row;
}

bench::Row read_manifests(const Size& size, const bench::Repetitions& repetitions) {
  const std::vector<std::string> texts = cluster_texts(size);
  return row("ReadManifests", size, bench::seconds_of(repetitions, [&] { read_objects(texts); }));
}

/// A dump of a cluster, which is decoded while it is read.
Result<bench::Row> read_dump(const Size& size, const bench::Repetitions& repetitions) {
  const std::string text = bench::dump_text(size.nodes, size.pods);
  std::size_t decoded = 0;
  const std::vector<double> times = bench::seconds_of(repetitions, [&] {
    const auto decoding = kube::decode_item_by_item({{{}, "dump.json", text}}, kube::RetiredVersions::kRefused);
    decoded = decoding ? decoding->objects.of<kube::Pod>().size() : 0;
  });
  if (decoded != size.pods) return failure("the dump was not decoded item by item");
  return row("ReadDump", size, times);
}

Result<bench::Row> plan(std::string workload, const std::vector<std::string>& texts, const Size& size,
                        const bench::Repetitions& repetitions) {
  const kube::Objects objects = read_objects(texts);
  std::optional<Error> error;
  const std::vector<double> times = bench::seconds_of(repetitions, [&] {
    const Result<simulator::Plan> made = simulator::make_plan(objects, {}, {});
    if (!made) error = made.error();
  });
  if (error) return tl::unexpected(*error);
  return row(std::move(workload), size, times);
}

Result<std::vector<bench::Row>> measure(const bench::Repetitions& repetitions) {
  std::vector<bench::Row> rows{read_manifests(kOpenb, repetitions)};
  Result<bench::Row> dump = read_dump(kDump, repetitions);
  if (!dump) return tl::unexpected(dump.error());
  rows.push_back(*std::move(dump));
  Rng rng(kSeed);
  const std::string nodes = nodes_yaml(kTraining.nodes, rng);
  const std::size_t count = kTraining.pods / kPodsOfOne;
  Result<bench::Row> planned[] = {
      plan("Plan", cluster_texts(kSmall), kSmall, repetitions),
      plan("Plan", cluster_texts(kOpenb), kOpenb, repetitions),
      plan("PlanDeployments", {nodes, deployments_yaml(count)}, kTraining, repetitions),
      plan("PlanPyTorchJobs", {nodes, training_jobs_yaml(count)}, kTraining, repetitions),
  };
  for (Result<bench::Row>& each : planned) {
    if (!each) return tl::unexpected(each.error());
    rows.push_back(*std::move(each));
  }
  return rows;
}

int complain(const Error& error) {
  fmt::print(stderr, "bench: {}\n", error.message);
  return 1;
}

}  // namespace

int main(int argc, char** argv) {
  std::string output = ".";
  double seconds = 1;
  CLI::App app("How long a plan takes");
  app.add_option("--output", output, "The folder for the results");
  app.add_option("--seconds", seconds, "Measure each for so long, and at least once; the median is reported")
      ->check(CLI::NonNegativeNumber);
  CLI11_PARSE(app, argc, argv);

  const Result<std::vector<bench::Row>> rows = measure({.enough = std::chrono::duration<double>(seconds)});
  if (!rows) return complain(rows.error());
  fmt::print("{}", bench::format_table(*rows));
  const auto written = bench::write_rows(output, "plan", *rows);
  if (!written) return complain(written.error());
  fmt::print("\n{}\n", written->string());
  return 0;
}
