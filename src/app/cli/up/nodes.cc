#include "app/cli/up/nodes.h"

#include <fmt/format.h>

#include <iterator>
#include <string_view>

#include "app/cli/up/demo.h"
#include "hosts/kubelet/node_shapes.h"

namespace loadline::cli {
namespace {

/// What a newcomer finds.
constexpr const char* kFirstNodes[] = {"2:cpu=32,memory=128Gi", "2:gpu=a100:8"};

}  // namespace

Result<void> choose_nodes(const UpArguments& arguments, const std::vector<document::Value>& of_files, Instant now,
                          embedded::ClusterOptions& options) {
  if (!options.runs_pods) {
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
    Result<kubelet::NodeShape> shape = kubelet::parse_node_shape(text);
    if (!shape) return tl::unexpected(shape.error());
    if (!arguments.gpu.empty() && shape->gpu == nullptr) {
      if (const Result<void> parsed = kubelet::parse_gpu(arguments.gpu, *shape); !parsed) return parsed;
    }
    generation.shapes.push_back(std::move(*shape));
  }
  options.nodes = kubelet::generate_nodes(generation);
  for (const document::Value& node : of_files) {
    options.nodes.push_back(kubelet::make_virtual(node, options.nodes.size(), generation.kubelet_version, now));
  }
  return {};
}

std::string describe_nodes(const controllers::Caches& caches) {
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
