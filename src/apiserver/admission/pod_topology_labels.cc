#include "apiserver/admission/pod_topology_labels.h"

#include <string>
#include <string_view>

#include "document/at.h"

namespace loadline::apiserver {

using document::Value;
using Operation = AdmissionRequest::Operation;

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
  const Value document = node->document();
  for (const std::string_view key : {"topology.kubernetes.io/region", "topology.kubernetes.io/zone"}) {
    const Value* label = document::find_at(document, {"metadata", "labels", key});
    if (label != nullptr) object = document::with_at(object, {"metadata", "labels", key}, *label);
  }
  return object;
}

}  // namespace loadline::apiserver
