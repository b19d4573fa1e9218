#include <fmt/format.h>

#include <string>
#include <vector>

#include "foundation/base/text.h"
#include "foundation/document/at.h"
#include "server/apiserver/metadata.h"
#include "server/apiserver/subresources/handlers.h"

namespace loadline::apiserver {
namespace {

using document::Value;

// Nothing runs on the nodes of this server, and it never opens a connection to a kubelet: what upstream asks of a
// kubelet is answered here, and what needs one is refused.

/// Upstream's clients retry what is refused as "not found" or "unavailable" for a long time, but not this.
StatusError not_implemented(std::string message) {
  StatusError failure;
  failure.code = 501;
  failure.reason = "NotImplemented";
  failure.message = std::move(message);
  return failure;
}

/// The names of all containers of a pod, in upstream's order: those that run first, first.
std::vector<std::string> container_names(const Value& pod) {
  std::vector<std::string> names;
  for (const std::string_view member : {"initContainers", "containers", "ephemeralContainers"}) {
    const Value* containers = document::find_at(pod, {"spec", member});
    if (containers == nullptr || !containers->is_array()) continue;
    for (const Value& container : containers->array()) names.emplace_back(document::text_at(container, {"name"}));
  }
  return names;
}

std::size_t count_of_containers(const Value& pod) {
  const Value* containers = document::find_at(pod, {"spec", "containers"});
  return containers != nullptr && containers->is_array() ? containers->array().size() : 0;
}

/// A request about one container must be clear about which. Source: validateContainer of pkg/registry/core/pod, v1.36.
Answer<void> check_container(const Value& pod, std::string_view wanted) {
  const std::vector<std::string> names = container_names(pod);
  if (wanted.empty()) {
    const std::size_t count = count_of_containers(pod);
    if (count == 1) return {};
    std::string text = fmt::format("a container name must be specified for pod {}", name_of(pod));
    if (count > 1) text += fmt::format(", choose one of: [{}]", joined(names, " "));
    return refuse(bad_request(std::move(text)));
  }
  for (const std::string& name : names) {
    if (name == wanted) return {};
  }
  return refuse(bad_request(fmt::format("container {} is not valid for pod {}", wanted, name_of(pod))));
}

/// The pod, if it is there and its node is.
Answer<Value> find_pod(const ServerContext& context, const Call& call) {
  const store::ObjectPtr object = context.store.get(call.key(call.name));
  if (object == nullptr) return refuse(not_found(call.group_resource(), call.name));
  return object->document();
}

/// Upstream looks the node up on behalf of the request, and so calls it what the request is about.
Answer<void> check_node(const ServerContext& context, const Call& call, std::string_view node) {
  if (context.store.get({"nodes", "", std::string(node)}) != nullptr) return {};
  return refuse(not_found(call.group_resource(), node));
}

}  // namespace

/// Upstream gives an empty log for a pod without a node. Where it would ask the kubelet, one line says why there is
/// nothing. Clients repeat what is refused for as long as they follow, so it is no failure.
/// Source: LogLocation of pkg/registry/core/pod/strategy.go, v1.36.
Answer<Written> read_log(const ServerContext& context, Call& call, const RequestInfo& info, const Body& /*body*/) {
  const Answer<Value> pod = find_pod(context, call);
  if (!pod) return refuse(pod.error());
  if (const Answer<void> verdict = check_container(*pod, info.query.get("container")); !verdict) {
    return refuse(verdict.error());
  }
  const std::string_view node = document::text_at(*pod, {"spec", "nodeName"});
  if (node.empty()) return Written{{}, nullptr, 200, false, std::string()};
  if (const Answer<void> verdict = check_node(context, call, node); !verdict) return refuse(verdict.error());
  return Written{{},
                 nullptr,
                 200,
                 false,
                 fmt::format("No log: containers do not run on node {} of this simulated cluster.\n", node)};
}

/// Source: streamLocation of pkg/registry/core/pod/strategy.go, v1.36, up to where it would dial.
Answer<Written> open_stream(const ServerContext& context, Call& call, const RequestInfo& info, const Body& /*body*/) {
  const Answer<Value> pod = find_pod(context, call);
  if (!pod) return refuse(pod.error());
  const bool is_about_container = info.subresource != "portforward";
  if (is_about_container) {
    if (const Answer<void> verdict = check_container(*pod, info.query.get("container")); !verdict) {
      return refuse(verdict.error());
    }
  }
  const std::string_view node = document::text_at(*pod, {"spec", "nodeName"});
  if (node.empty()) return refuse(bad_request(fmt::format("pod {} does not have a host assigned", call.name)));
  if (const Answer<void> verdict = check_node(context, call, node); !verdict) return refuse(verdict.error());
  return refuse(not_implemented(fmt::format(
      "pods/{} is not available: containers do not run on node {} of this simulated cluster", info.subresource, node)));
}

Answer<Written> proxy(const ServerContext& context, Call& call, const RequestInfo& /*info*/, const Body& /*body*/) {
  // "http:web:80" and "https:web:443" name the service web, "node:10250" the node.
  const std::vector<std::string_view> names = words(call.name, ":");
  const bool has_scheme = names.size() == 3 || (names.size() == 2 && (names[0] == "http" || names[0] == "https"));
  const std::string name(names.empty() ? std::string_view() : names[has_scheme ? 1 : 0]);
  if (context.store.get(call.key(name)) == nullptr) return refuse(not_found(call.group_resource(), name));
  return refuse(not_implemented(
      fmt::format("{}/proxy is not available: this server opens no connections", call.resource().plural)));
}

}  // namespace loadline::apiserver
