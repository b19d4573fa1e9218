#include "objects/kube/nvidia/device_plugin.h"

#include "foundation/document/at.h"

namespace loadline::kube {

std::vector<std::string> mounted_config_maps(const document::Value& pod_spec) {
  std::vector<std::string> names;
  const auto add = [&](const document::Value& source) {
    const std::string_view name = document::text_at(source, {"configMap", "name"});
    if (!name.empty()) names.emplace_back(name);
  };
  for (const document::Value& volume : document::items_at(pod_spec, {"volumes"})) {
    add(volume);
    for (const document::Value& source : document::items_at(volume, {"projected", "sources"})) add(source);
  }
  return names;
}

}  // namespace loadline::kube
