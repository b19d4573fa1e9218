#include "server/api/defaults/pod_level_resources.h"

#include <memory>
#include <string>
#include <string_view>

#include "foundation/base/contract.h"
#include "foundation/base/diagnostic.h"
#include "objects/kube/core/pod_schema.h"
#include "objects/kube/decoder.h"
#include "objects/kube/defaults.h"
#include "objects/schema/defaults/missing_fields.h"

namespace loadline::api {
namespace {

using document::Value;

Value amounts(const kube::ResourceList& list) {
  document::Object object;
  for (const auto& [name, amount] : list) object.push_back({name, Value(amount.to_string()), {}});
  return Value(std::move(object));
}

/// Adds what the document does not say; what it says keeps its text.
void add_missing(Draft& resources, std::string_view field, const kube::ResourceList& list) {
  const Value filled = amounts(list);
  if (auto merged = schema::with_missing_entries(resources.find(field), &filled))
    resources.set(field, std::move(*merged));
}

}  // namespace

void fill_pod_level_resources(Draft& spec) {
  REQUIRES(spec.find("resources") != nullptr);
  // Defaulting is done before validation: what cannot be decoded is reported there.
  Diagnostics diagnostics;
  kube::Decoder decoder(diagnostics, std::make_shared<const std::string>(), {}, Severity::kError);
  auto decoded = std::make_shared<kube::PodSpec>();
  kube::decode_object(decoder, spec.copy(), kube::Path(&kube::kPodSpecSchema), kube::kPodSpecSchema, decoded.get());
  kube::Pod pod;
  pod.spec = decoded;
  kube::set_defaults(pod);
  if (!pod.spec->resources) return;
  spec.edit("resources", [&pod](Draft& resources) {
    add_missing(resources, "limits", pod.spec->resources->limits);
    add_missing(resources, "requests", pod.spec->resources->requests);
  });
}

}  // namespace loadline::api
