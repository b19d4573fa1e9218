// Any bytes as the body of a KubeSchedulerConfiguration, alone and inside a ConfigMap.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "foundation/base/diagnostic.h"
#include "foundation/document/reader.h"
#include "foundation/document/value.h"
#include "objects/kube/codec.h"
#include "objects/kube/config/scheduler_configuration.h"

namespace {

using loadline::document::Object;
using loadline::document::Value;

loadline::kube::Decoding decode(Value document) { return loadline::kube::decode({{std::move(document), "fuzz"}}); }

Value config_map(const std::string& text) {
  Object data;
  data.push_back({"config.yaml", Value(text, {6, 16}), {6, 3}});
  Object object;
  object.push_back({"apiVersion", Value("v1"), {1, 1}});
  object.push_back({"kind", Value("ConfigMap"), {2, 1}});
  object.push_back({"data", Value(std::move(data), {6, 3}), {5, 1}});
  return Value(std::move(object), {1, 1});
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string text = "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n";
  text.append(reinterpret_cast<const char*>(data), size);
  for (Value& value : loadline::document::read(text, "fuzz").documents) {
    const loadline::kube::Decoding decoding = decode(std::move(value));
    // A configuration is kept exactly if nothing is wrong with it, and always has a profile.
    for (const auto& configuration : decoding.objects.of<loadline::kube::SchedulerConfiguration>()) {
      if (configuration.profiles.empty() || loadline::has_errors(decoding.diagnostics)) __builtin_trap();
    }
  }
  decode(config_map(text));
  return 0;
}
