#include "server/apiserver/resources/selectable_fields.h"

#include <array>

#include "foundation/document/at.h"

namespace loadline::apiserver {
namespace {

using document::Value;

struct SelectableFields {
  std::string_view group_resource;
  std::array<std::string_view, 11> paths;  // empty ones at the end
};

constexpr SelectableFields kBuiltinFields[] = {
    {"pods",
     {"spec.nodeName", "spec.restartPolicy", "spec.schedulerName", "spec.serviceAccountName", "spec.hostNetwork",
      "status.phase", "status.podIP", "status.podIPs", "status.nominatedNodeName"}},
    {"nodes", {"spec.unschedulable"}},
    {"namespaces", {"status.phase"}},
    {"secrets", {"type"}},
    {"services", {"spec.clusterIP", "spec.type"}},
    {"replicationcontrollers", {"status.replicas"}},
    {"jobs.batch", {"status.successful"}},
    {"certificatesigningrequests.certificates.k8s.io", {"spec.signerName"}},
    {"resourceslices.resource.k8s.io", {"spec.nodeName", "spec.driver"}},
    {"events",
     {"involvedObject.kind", "involvedObject.namespace", "involvedObject.name", "involvedObject.uid",
      "involvedObject.apiVersion", "involvedObject.resourceVersion", "involvedObject.fieldPath", "reason",
      "reportingComponent", "source", "type"}},
    {"events.events.k8s.io",
     {"regarding.kind", "regarding.namespace", "regarding.name", "regarding.uid", "regarding.apiVersion",
      "regarding.resourceVersion", "regarding.fieldPath", "reason", "reportingController", "source", "type"}},
};

/// Where a selectable field stands in the stored document, which for events is the core version's.
std::string stored_path(std::string_view group_resource, const std::string& path) {
  if (group_resource == "pods") return path;
  if (group_resource == "jobs.batch" && path == "status.successful") return "status.succeeded";
  if (group_resource != "events" && group_resource != "events.events.k8s.io") return path;
  if (path.starts_with("regarding.")) return "involvedObject" + path.substr(path.find('.'));
  if (path == "reportingController") return "reportingComponent";
  if (path == "source") return "source.component";
  return path;
}

std::string selectable_text(const Value* value) {
  if (value == nullptr || value->is_null()) return {};
  if (value->is_string()) return value->string();
  if (value->is_boolean()) return value->boolean() ? "true" : "false";
  if (value->is_integer()) return std::to_string(value->integer());
  return {};
}

const Value* at_path(const Value& document, std::string_view path) {
  const Value* found = &document;
  while (found != nullptr) {
    const std::size_t dot = path.find('.');
    found = found->find(path.substr(0, dot));
    if (dot == std::string_view::npos) break;
    path.remove_prefix(dot + 1);
  }
  return found;
}

}  // namespace

std::vector<std::string> selectable_fields(const schema::Resource& resource) {
  if (resource.is_custom) {
    std::vector<std::string> paths;
    paths.reserve(resource.selectable_fields.size());
    for (const std::string& path : resource.selectable_fields) {
      paths.push_back(path.starts_with('.') ? path.substr(1) : path);
    }
    return paths;
  }
  const std::string name = resource.group_resource();
  std::vector<std::string> paths;
  for (const SelectableFields& fields : kBuiltinFields) {
    if (fields.group_resource != name) continue;
    for (const std::string_view path : fields.paths) {
      if (!path.empty()) paths.emplace_back(path);
    }
  }
  return paths;
}

std::string field_value(const Value& document, std::string_view store_name, const std::string& path) {
  if (store_name == "pods" && path == "status.podIPs") {
    // A pod is found by any of its addresses; upstream joins them as well.
    const Value* addresses = at_path(document, path);
    std::string joined_addresses;
    if (addresses != nullptr && addresses->is_array()) {
      for (const Value& address : addresses->array()) {
        joined_addresses += (joined_addresses.empty() ? "" : ",") + std::string(document::text_at(address, {"ip"}));
      }
    }
    return joined_addresses;
  }
  std::string text = selectable_text(at_path(document, stored_path(store_name, path)));
  // Booleans and counts that are not written are what Go's zero value says.
  if (!text.empty()) return text;
  if (path == "spec.hostNetwork" || path == "spec.unschedulable") return "false";
  if (path == "status.replicas" || path == "status.successful") return "0";
  return text;
}

}  // namespace loadline::apiserver
