#include "hosts/advice/explain.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "bench/results/comparison.h"
#include "bench/results/row.h"
#include "bench/results/timing.h"
#include "foundation/document/reader.h"
#include "hosts/simulator/planning.h"
#include "objects/kube/codec.h"

// How long an explanation takes once the cluster is loaded: 5,000 nodes, 50,000 pods on them, and a few that wait, each
// for another reason. The bound beside it is the loading itself: filling the model from typed objects, and planning.

namespace {

using namespace loadline;

constexpr std::size_t kPodsPerNode = 10;

/// Three in five machines have CPUs only, one in three eight A100s behind a taint, the others four L4s.
enum class Make : std::uint8_t { kCpu, kA100, kL4 };

Make make_of(std::size_t node) {
  if (node % 15 < 9) return Make::kCpu;
  return node % 15 < 14 ? Make::kA100 : Make::kL4;
}

std::string node_yaml(std::size_t i) {
  const Make make = make_of(i);
  std::string text = fmt::format(
      "---\napiVersion: v1\nkind: Node\nmetadata:\n  name: node-{0}\n  labels:\n    kubernetes.io/hostname: node-{0}\n"
      "    topology.kubernetes.io/zone: zone-{1}\n    pool: pool-{2}\n",
      i, i % 3, i % 40);
  if (make != Make::kCpu) text += fmt::format("    gpu-type: {}\n", make == Make::kA100 ? "a100" : "l4");
  if (make == Make::kA100) {
    text += "spec:\n  taints:\n  - {key: nvidia.com/gpu, value: present, effect: NoSchedule}\n";
  }
  text += "status:\n  allocatable:\n    cpu: \"96\"\n    memory: 384Gi\n    pods: \"110\"\n";
  if (make != Make::kCpu) text += fmt::format("    nvidia.com/gpu: \"{}\"\n", make == Make::kA100 ? 8 : 4);
  return text;
}

std::string running_yaml(std::size_t node, std::size_t i) {
  const Make make = make_of(node);
  const bool holds_gpu = make == Make::kA100 ? i < 7 + node % 2 : make == Make::kL4 && i < 4;
  std::string text = fmt::format(
      "---\napiVersion: v1\nkind: Pod\nmetadata:\n  name: run-{0}-{1}\n  namespace: team-{2}\n"
      "  uid: u-{0}-{1}\n  labels: {{app: app-{3}}}\nspec:\n  nodeName: node-{0}\n  priority: {4}\n  containers:\n"
      "  - name: main\n    image: task\n    resources:\n      requests: {{cpu: \"{5}\", memory: {6}Gi}}\n",
      node, i, (node + i) % 50, (node * 7 + i) % 300, (node + i) % 3 * 100, 1 + (node + i) % 8,
      4 + (node * 3 + i) % 24);
  if (holds_gpu) text += "      limits: {nvidia.com/gpu: \"1\"}\n";
  return text;
}

std::string waiting_yaml(const std::string& name, const std::string& spec, const std::string& resources) {
  return fmt::format(
      "---\napiVersion: v1\nkind: Pod\nmetadata: {{name: {}, labels: {{app: {}}}}}\nspec:\n{}  containers:\n"
      "  - name: main\n    image: task\n    resources: {}\n",
      name, name, spec, resources);
}

std::string waiting_pods_yaml() {
  std::string text =
      "---\napiVersion: scheduling.k8s.io/v1\nkind: PriorityClass\nmetadata: {name: urgent}\nvalue: 1000\n";
  text += waiting_yaml("untolerated-taint", "  nodeSelector: {gpu-type: a100}\n", "{limits: {nvidia.com/gpu: 1}}");
  text += waiting_yaml("too-many-gpus", "  tolerations: [{operator: Exists}]\n", "{limits: {nvidia.com/gpu: 4}}");
  text += waiting_yaml("no-such-label", "  nodeSelector: {pool: pool-99}\n", "{requests: {cpu: 2}}");
  text += waiting_yaml("too-much-memory", "", "{requests: {memory: 500Gi}}");
  text +=
      waiting_yaml("no-affinity-match",
                   "  affinity:\n    podAffinity:\n      requiredDuringSchedulingIgnoredDuringExecution:\n"
                   "      - labelSelector: {matchLabels: {app: cache}}\n        topologyKey: kubernetes.io/hostname\n",
                   "{requests: {cpu: 1}}");
  return text;
}

kube::Objects world(std::size_t nodes) {
  std::vector<kube::SourceDocument> documents;
  const auto add = [&](const std::string& text) {
    for (document::Value& value : document::read(text, "bench.yaml").documents) {
      documents.push_back({std::move(value), "bench.yaml"});
    }
  };
  std::string text;
  for (std::size_t i = 0; i < nodes; ++i) text += node_yaml(i);
  add(text);
  for (std::size_t i = 0; i < nodes; ++i) {
    text.clear();
    for (std::size_t pod = 0; pod < kPodsPerNode; ++pod) text += running_yaml(i, pod);
    add(text);
  }
  add(waiting_pods_yaml());
  return std::move(kube::decode(documents).objects);
}

bench::Row row(const std::string& workload, std::size_t nodes, const std::vector<double>& times) {
  bench::Row result;
  result.workload = workload;
  result.nodes = nodes;
  result.pods = nodes * kPodsPerNode;
  result.seconds = bench::median(times);
  result.pods_per_s = 1 / *result.seconds;
  return result;
}

}  // namespace

int main(int argc, char** argv) {
  std::string output = "build/bench";
  std::size_t nodes = 5000;
  std::size_t repetitions = 5;
  CLI::App app("How long explanations take");
  app.add_option("--output", output, "Folder for explain.json");
  app.add_option("--nodes", nodes);
  app.add_option("--repetitions", repetitions)->check(CLI::PositiveNumber);
  CLI11_PARSE(app, argc, argv);

  const kube::Objects objects = world(nodes);
  std::vector<bench::Row> rows;
  std::unique_ptr<simulator::Planning> planning;
  const auto load = [&] { planning = std::move(*simulator::Planning::make(objects, {}, {})); };
  rows.push_back(row("(loading)", nodes, bench::seconds_of({repetitions}, load)));
  for (std::size_t subject = 0; subject < planning->pods().size(); ++subject) {
    if (planning->pods()[subject].outcome != simulator::PodOutcome::kPending) continue;
    const auto explain = [&] { advice::explain(*planning, subject, advice::trying_for(planning->pods().size())); };
    rows.push_back(row(planning->pods()[subject].pod.metadata.name, nodes, bench::seconds_of({repetitions}, explain)));
  }
  std::fputs(bench::format_table(rows).c_str(), stdout);
  const auto written = bench::write_rows(output, "explain", rows);
  if (!written) {
    std::fprintf(stderr, "%s\n", written.error().message.c_str());
    return 1;
  }
  std::printf("%s\n", written->c_str());
  return 0;
}
