#include "hosts/operators/kueue/configuration.h"

#include <algorithm>
#include <memory>
#include <string>
#include <utility>

#include "foundation/document/at.h"
#include "foundation/document/reader.h"
#include "foundation/document/same_document.h"
#include "objects/kube/decoder.h"
#include "objects/kube/kueue/configuration_reader.h"
#include "objects/kube/kueue/frameworks.h"

namespace loadline::operators::kueue {
namespace {

using document::Value;

std::optional<kube::KueueConfiguration> read_configuration(const Value& document) {
  if (!kube::is_kueue_configuration(document::text_at(document, {"apiVersion"}),
                                    document::text_at(document, {"kind"}))) {
    return std::nullopt;
  }
  Diagnostics problems;
  kube::Decoder decoder(problems, std::make_shared<const std::string>(), {}, Severity::kError);
  kube::KueueConfiguration configuration;
  kube::read_kueue_configuration(decoder, document, configuration);
  if (decoder.failed() || !kube::validate(configuration).empty()) return std::nullopt;
  configuration.is_of_config_map = true;
  return configuration;
}

}  // namespace

ConfigurationInForce::ConfigurationInForce() {
  defaults_.frameworks.clear();
  for (const kube::KueueFramework& each : kube::kueue_frameworks()) defaults_.frameworks.emplace_back(each.name);
}

const kube::KueueConfiguration& ConfigurationInForce::of(const KnownObjects& objects) {
  const std::vector<Value> config_maps = objects.config_maps_in(kube::kKueueNamespace);
  std::vector<Value> sources;
  for (const Value& each : config_maps) sources.push_back(document::value_at(each, {"data"}));
  const auto is_same = [](const Value& a, const Value& b) { return document::are_shared(a, b) || a == b; };
  if (std::ranges::equal(sources, sources_, is_same)) return sources.empty() ? defaults_ : read_;
  read_ = defaults_;
  for (const Value& each : config_maps) {
    if (auto found = configuration_in(each)) {
      read_ = std::move(*found);
      break;
    }
  }
  sources_ = std::move(sources);
  return read_;
}

std::optional<kube::KueueConfiguration> configuration_in(const Value& config_map) {
  const Value* data = config_map.find("data");
  if (data == nullptr || !data->is_object()) return std::nullopt;
  for (const document::Member& entry : data->object()) {
    if (!entry.value.is_string() || !kube::mentions_kueue_configuration(entry.value.string())) continue;
    for (const Value& document : document::read_yaml(entry.value.string(), "ConfigMap").documents) {
      if (!document.is_object()) continue;
      if (auto found = read_configuration(document)) return found;
    }
  }
  return std::nullopt;
}

bool manages(const kube::KueueConfiguration& configuration, std::string_view framework) {
  return std::ranges::find(configuration.frameworks, framework) != configuration.frameworks.end();
}

}  // namespace loadline::operators::kueue
