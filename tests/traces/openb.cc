#include "traces/openb.h"

#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>

namespace loadline::traces {
namespace {

using Row = std::map<std::string, std::string>;

std::vector<std::string> split(const std::string& line, char separator) {
  std::vector<std::string> cells(1);
  for (const char c : line) {
    if (c == separator) {
      cells.emplace_back();
    } else if (c != '\r') {
      cells.back() += c;
    }
  }
  return cells;
}

std::vector<Row> read_csv(const std::string& path) {
  std::ifstream file(path);
  std::string line;
  std::vector<Row> rows;
  if (!std::getline(file, line)) return rows;
  const std::vector<std::string> header = split(line, ',');
  while (std::getline(file, line)) {
    const std::vector<std::string> cells = split(line, ',');
    Row row;
    for (std::size_t i = 0; i < header.size() && i < cells.size(); ++i) row[header[i]] = cells[i];
    rows.push_back(std::move(row));
  }
  return rows;
}

std::string node_manifest(Row row) {
  std::string text = fmt::format(
      "---\napiVersion: v1\nkind: Node\nmetadata:\n  name: {0}\n  labels:\n    kubernetes.io/hostname: {0}\n",
      row["sn"]);
  if (!row["model"].empty()) text += fmt::format("    gpu-model: {}\n", row["model"]);
  text += fmt::format("status:\n  allocatable:\n    cpu: {}m\n    memory: {}Mi\n    pods: \"110\"\n", row["cpu_milli"],
                      row["memory_mib"]);
  if (row["gpu"] != "0") text += fmt::format("    nvidia.com/gpu: \"{}\"\n", row["gpu"]);
  return text;
}

std::string pod_manifest(Row row) {
  std::string text = fmt::format("---\napiVersion: v1\nkind: Pod\nmetadata:\n  name: {}\nspec:\n", row["name"]);
  if (!row["gpu_spec"].empty()) {
    text +=
        "  affinity:\n    nodeAffinity:\n      requiredDuringSchedulingIgnoredDuringExecution:\n"
        "        nodeSelectorTerms:\n        - matchExpressions:\n          - key: gpu-model\n"
        "            operator: In\n            values:\n";
    for (const std::string& model : split(row["gpu_spec"], '|')) text += "            - " + model + "\n";
  }
  text += fmt::format(
      "  containers:\n  - name: task\n    image: task\n    resources:\n      requests:\n        cpu: {}m\n"
      "        memory: {}Mi\n",
      row["cpu_milli"], row["memory_mib"]);
  if (row["num_gpu"] != "0") text += fmt::format("      limits:\n        nvidia.com/gpu: {}\n", row["num_gpu"]);
  return text;
}

}  // namespace

OpenbManifests openb_manifests(const std::string& folder) {
  OpenbManifests manifests;
  for (Row& row : read_csv(folder + "/openb_node_list_all_node.csv")) manifests.nodes += node_manifest(std::move(row));
  for (Row& row : read_csv(folder + "/openb_pod_list_default.csv")) manifests.pods += pod_manifest(std::move(row));
  return manifests;
}

std::string openb_folder() {
  if (const char* named = std::getenv("LOADLINE_OPENB")) return named;
  return (std::filesystem::path(LOADLINE_SOURCE_DIR).parent_path() / "shared/data/openb").string();
}

}  // namespace loadline::traces
