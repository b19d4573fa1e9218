#include "server/apiserver/admission/pod_topology_labels.h"

#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "foundation/document/at.h"
#include "server/apiserver/resources/selection.h"

namespace loadline::apiserver {

using document::Value;
using Operation = AdmissionRequest::Operation;

namespace {

/// A label of an object; null: it has none of that name. Labels are at hand, a document may have to be parsed.
Value label_of(const store::Object& object, std::string_view key) {
  if (object.derived() == nullptr) {
    const Value document = object.document();
    const Value* label = document::find_at(document, {"metadata", "labels", key});
    return label == nullptr ? Value() : *label;
  }
  const std::optional<std::string_view> label = static_cast<const Facts&>(*object.derived()).find_label(key);
  return label ? Value(*label) : Value();
}

}  // namespace

Answer<Value> PodTopologyLabels::complete(const AdmissionRequest& request, Value object) {
  const Call& call = request.call;
  if (call.served->store_name != "pods") return object;
  const bool creates = request.operation == Operation::kCreate && call.subresource.empty();
  const bool binds = request.operation == Operation::kUpdate && call.subresource == "binding";
  if (!creates && !binds) return object;
  const std::string_view node_name = document::text_at(object, {"spec", "nodeName"});
  if (node_name.empty()) return object;
  const store::ObjectPtr node = store_.get({"nodes", "", std::string(node_name)});
  if (node == nullptr) return object;
  for (const std::string_view key : {"topology.kubernetes.io/region", "topology.kubernetes.io/zone"}) {
    Value label = label_of(*node, key);
    if (!label.is_null()) object = document::with_at(std::move(object), {"metadata", "labels", key}, std::move(label));
  }
  return object;
}

}  // namespace loadline::apiserver
