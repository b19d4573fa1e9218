#include "hosts/watching/kueue_configuration.h"

#include <fmt/format.h>

#include <algorithm>

#include "objects/kube/codec.h"
#include "objects/kube/kueue/configuration_reader.h"

namespace loadline::watching {
namespace {

std::string problems_text(const Diagnostics& problems) {
  std::string text;
  for (const Diagnostic& problem : problems) {
    if (!text.empty()) text += "; ";
    text += problem.path.empty() ? problem.message : fmt::format("{}: {}", problem.path, problem.message);
  }
  return text;
}

}  // namespace

bool ClustersKueueConfiguration::may_be_of(const Observed<kube::ConfigMap>& config_map) {
  if (config_map.metadata().namespace_ != kube::kKueueNamespace) return false;
  const document::Value* data = config_map.document.find("data");
  if (data == nullptr || !data->is_object()) return false;
  return std::ranges::any_of(data->object(), [](const document::Member& entry) {
    return entry.value.is_string() && kube::mentions_kueue_configuration(entry.value.string());
  });
}

bool ClustersKueueConfiguration::is_concerned_by(const Change<kube::ConfigMap>& change) {
  return (change.before != nullptr && may_be_of(*change.before)) ||
         (change.after != nullptr && may_be_of(*change.after));
}

const kube::KueueConfiguration& ClustersKueueConfiguration::read(const Caches& caches) {
  const auto& config_maps = caches.of<kube::ConfigMap>().in(kube::kKueueNamespace);
  std::erase_if(read_, [&](const auto& entry) { return !config_maps.contains(entry.first); });
  const Read* counts = nullptr;
  for (const auto& [name, config_map] : config_maps) {
    if (!may_be_of(*config_map)) continue;
    Read& known = read_[name];
    std::string version = fmt::format("{} {}", config_map->metadata().uid, config_map->revision);
    if (known.version != version) known = read_one(config_map, std::move(version));
    if (counts == nullptr && known.configuration) counts = &known;
  }
  const std::string version = counts == nullptr ? std::string() : counts->version;
  if (std::exchange(version_, version) != version) {
    configuration_ = counts == nullptr ? kube::KueueConfiguration{} : *counts->configuration;
  }
  return configuration_;
}

ClustersKueueConfiguration::Read ClustersKueueConfiguration::read_one(const ObjectPtr<kube::ConfigMap>& config_map,
                                                                      std::string version) {
  Read it{std::move(version), std::nullopt};
  kube::Decoding decoding = kube::decode({{config_map->document, "ConfigMap " + config_map->key().to_string()}});
  std::vector<kube::KueueConfiguration>& found = decoding.objects.of<kube::KueueConfiguration>();
  if (!found.empty()) it.configuration = std::move(found.front());
  if (!decoding.diagnostics.empty()) problems_.emplace_back(config_map, problems_text(decoding.diagnostics));
  return it;
}

}  // namespace loadline::watching
