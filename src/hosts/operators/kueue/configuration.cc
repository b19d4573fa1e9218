#include "hosts/operators/kueue/configuration.h"

#include <algorithm>
#include <memory>
#include <string>

#include "foundation/document/at.h"
#include "foundation/document/reader.h"
#include "foundation/document/same_document.h"
#include "hosts/watching/kind_name.h"
#include "objects/kube/core/service.h"
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
  const std::optional<Value> config_map =
      objects.find(watching::kind_name<kube::ConfigMap>(), kube::kKueueNamespace, kConfigMapName);
  if (!config_map) {
    is_read_ = false;
    return defaults_;
  }
  const Value data = document::value_at(*config_map, {"data"});
  if (!is_read_ || !(document::are_shared(data, source_) || data == source_)) {
    const std::optional<kube::KueueConfiguration> found = configuration_in(*config_map);
    read_ = found ? *found : defaults_;
    source_ = data;
    is_read_ = true;
  }
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
