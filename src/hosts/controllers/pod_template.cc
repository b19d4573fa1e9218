#include "hosts/controllers/pod_template.h"

#include <string>
#include <utility>

#include "foundation/document/at.h"
#include "objects/kube/scalars.h"

namespace loadline::controllers {
namespace {

using document::Array;
using document::Object;
using document::Value;

/// "web-", unless no name could begin like that.
std::string name_prefix(std::string_view controller) {
  std::string prefix(controller);
  if (prefix.size() < kube::kMaxSubdomain) prefix += '-';
  return prefix;
}

}  // namespace

Value pod_from_template(const Value& pod_template, std::string_view controller, Value owner_reference) {
  Object metadata{{"generateName", Value(name_prefix(controller)), {}}};
  for (const std::string_view name : {"labels", "annotations", "finalizers"}) {
    const Value* copied = document::find_at(pod_template, {"metadata", name});
    if (copied != nullptr && !copied->is_null()) metadata.push_back({std::string(name), *copied, {}});
  }
  metadata.push_back({"ownerReferences", Value(Array{std::move(owner_reference)}), {}});
  const Value* spec = pod_template.find("spec");
  return Value(Object{{"apiVersion", Value("v1"), {}},
                      {"kind", Value("Pod"), {}},
                      {"metadata", Value(std::move(metadata)), {}},
                      {"spec", spec == nullptr ? Value(Object()) : *spec, {}}});
}

}  // namespace loadline::controllers
