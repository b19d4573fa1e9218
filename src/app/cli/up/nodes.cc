#include "app/cli/up/nodes.h"

#include <fmt/format.h>

#include <iterator>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "app/cli/up/demo.h"
#include "brain/capacity/node_template_text.h"
#include "hosts/kubelet/virtual_nodes.h"
#include "hosts/watching/observe.h"

namespace loadline::cli {
namespace {

/// What a newcomer finds.
constexpr const char* kFirstNodes[] = {"2:cpu=32,memory=128Gi", "2:gpu=a100:8"};

/// What --gpu says, for nodes of which it is not said whether they have any.
Result<void> add_gpu(const std::string& gpu, capacity::NodeTemplate& nodes) {
  auto* const shape = std::get_if<capacity::NodeShape>(&nodes.machine);
  if (gpu.empty() || shape == nullptr || shape->gpu != nullptr) return {};
  return capacity::parse_gpu(gpu, *shape);
}

}  // namespace

Result<void> choose_nodes(const UpArguments& arguments, const std::vector<document::Value>& of_files, Instant now,
                          embedded::ClusterOptions& options) {
  if (!options.runs_pods || !options.has_machines) {
    options.nodes = of_files;  // as they are: the kubelets outside write their status
    return {};
  }
  const bool is_left_to_us = arguments.nodes.empty() && of_files.empty() && arguments.snapshots.empty();
  options.nodes_only_if_empty = is_left_to_us;
  kubelet::NodeGeneration generation;
  generation.zones = arguments.zones;
  generation.now = now;
  const std::vector<std::string> first =
      arguments.demo ? demo_nodes() : std::vector<std::string>(std::begin(kFirstNodes), std::end(kFirstNodes));
  for (const std::string& text : is_left_to_us ? first : arguments.nodes) {
    Result<capacity::NodeTemplate> nodes = capacity::parse_node_template(text);
    if (!nodes) return tl::unexpected(nodes.error());
    if (const Result<void> parsed = add_gpu(arguments.gpu, *nodes); !parsed) return parsed;
    generation.templates.push_back(std::move(*nodes));
  }
  for (const document::Value& node : of_files) {
    generation.there.push_back(watching::read_view<kube::Node>(node));
  }
  Result<std::vector<document::Value>> made = kubelet::generate_nodes(generation);
  if (!made) {
    return failure(
        fmt::format("--nodes: {}; nodes can be like one of the files, or of a --nodes before", made.error().message));
  }
  options.nodes = std::move(*made);
  for (const document::Value& node : of_files) {
    options.nodes.push_back(kubelet::make_virtual(node, options.nodes.size(), generation.kubelet_version, now));
  }
  return {};
}

std::string describe_nodes(const watching::Caches& caches) {
  constexpr std::string_view kGpu = "nvidia.com/gpu";
  std::int64_t gpus = 0;
  for (const auto& [name, node] : caches.of<kube::Node>().in("")) {
    const auto found = node->view.allocatable.find(kGpu);
    if (found != node->view.allocatable.end()) gpus += found->second.value();
  }
  const std::size_t nodes = caches.of<kube::Node>().size();
  return fmt::format("nodes            {} virtual{}\n", nodes, gpus > 0 ? fmt::format(", {} {}", gpus, kGpu) : "");
}

}  // namespace loadline::cli
