#include "traces/openb.h"

#include <cstdlib>
#include <filesystem>
#include <optional>
#include <utility>

#include "hosts/trace/openb.h"

namespace loadline::traces {

kube::Objects openb_objects(const std::string& folder) {
  kube::Objects objects;
  if (auto nodes = trace::read_openb_nodes(folder + "/openb_node_list_all_node.csv")) {
    objects.of<kube::Node>() = *std::move(nodes);
  }
  const auto works =
      trace::open_openb(folder + "/openb_pod_list_default.csv", {trace::GpuShares::kWhole, trace::OpenbTimes::kNone});
  if (!works) return objects;
  while (auto work = (*works)->next().value()) {
    kube::Pod pod = *work->pods.front().pod;
    pod.metadata.name = work->name;
    objects.of<kube::Pod>().push_back(std::move(pod));
  }
  return objects;
}

std::string openb_folder() {
  if (const char* named = std::getenv("LOADLINE_OPENB")) return named;
  return (std::filesystem::path(LOADLINE_SOURCE_DIR).parent_path() / "shared/data/openb").string();
}

}  // namespace loadline::traces
