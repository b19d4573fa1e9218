// Any bytes as a description of nodes, COUNT[:KEY=VALUE,…]. What is read is written as text that reads the same, and
// nodes can be made of it.

#include "brain/capacity/node_template.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "brain/capacity/node_template_text.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace loadline::capacity;
  auto nodes = parse_node_template(std::string_view(reinterpret_cast<const char*>(data), size));
  if (!nodes) return 0;
  const std::string settings = settings_text(*nodes);
  const std::string text = std::to_string(nodes->count) + (settings.empty() ? "" : ":" + settings);
  const auto again = parse_node_template(text);
  if (!again || *again != *nodes) std::abort();
  nodes->count = std::min<std::size_t>(nodes->count, 3);
  std::vector<loadline::kube::Node> there(1);
  there[0].metadata.name = nodes->like() != nullptr ? *nodes->like() : "node-2";
  const auto made = make_nodes({&*nodes, 1}, there, {});
  if (!made || made->size() != nodes->count) std::abort();
  return 0;
}
