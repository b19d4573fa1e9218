#include "hosts/controllers/service_backends.h"

#include <algorithm>
#include <array>

#include "foundation/document/at.h"
#include "objects/kube/condition.h"

namespace loadline::controllers {
namespace {

using document::find_at;
using document::Object;
using document::text_at;
using document::Value;

constexpr std::string_view kHeadless = "service.kubernetes.io/headless";
constexpr std::array<std::string_view, 3> kProtocols = {"TCP", "UDP", "SCTP"};

bool is_true(const Value& object, document::Names names) {
  const Value* found = find_at(object, names);
  return found != nullptr && found->is_boolean() && found->boolean();
}

ServicePort read_port(const Value& port) {
  ServicePort result;
  result.name = text_at(port, {"name"});
  result.protocol = text_at(port, {"protocol"});
  if (result.protocol.empty()) result.protocol = kProtocols.front();
  const Value* target = port.find("targetPort");
  if (target == nullptr) target = port.find("port");
  if (target != nullptr) result.target = *target;
  if (const Value* above = port.find("appProtocol")) result.protocol_above = *above;
  return result;
}

}  // namespace

ServiceBackends::ServiceBackends(const Observed<kube::Service>& of) : service(of) {
  const std::string_view address = text_at(of.document, {"spec", "clusterIP"});
  is_headless = address.empty() || address == "None";
  publishes_not_ready = is_true(of.document, {"spec", "publishNotReadyAddresses"});
  if (const Value* listed = find_at(of.document, {"spec", "ports"}); listed != nullptr && listed->is_array()) {
    for (const Value& port : listed->array()) ports.push_back(read_port(port));
  }
  if (const Value* listed = find_at(of.document, {"spec", "ipFamilies"}); listed != nullptr && listed->is_array()) {
    for (const Value& family : listed->array()) {
      if (family.is_string()) families.push_back(family.string());
    }
  }
  if (families.empty()) families = {address.find(':') == std::string_view::npos ? "IPv4" : "IPv6"};
}

bool ServiceBackends::has_pods() const { return !service.view.selector.empty() && service.view.type != "ExternalName"; }

std::vector<const Observed<kube::Pod>*> ServiceBackends::pods(const Caches& caches) const {
  std::vector<const Observed<kube::Pod>*> selected;
  for (const auto& [name, pod] : caches.service_selections().pods_of(service.key())) selected.push_back(pod.get());
  return selected;
}

bool ServiceBackends::names(const Observed<kube::Pod>& pod) const {
  return !pod.view.spec->hostname.empty() && text_at(pod.document, {"spec", "subdomain"}) == service.metadata().name;
}

std::optional<std::int64_t> target_port(const kube::Pod& pod, const ServicePort& port) {
  if (port.target.is_integer()) return port.target.integer();
  if (!port.target.is_string()) return std::nullopt;
  const auto find_in = [&](const kube::Container& container) -> std::optional<std::int64_t> {
    for (const kube::ContainerPort& offered : container.ports) {
      const std::string_view protocol = kProtocols[static_cast<std::size_t>(offered.protocol)];
      if (offered.name == port.target.string() && protocol == port.protocol) return offered.container_port;
    }
    return std::nullopt;
  };
  for (const kube::Container& container : pod.spec->containers) {
    if (const auto found = find_in(container)) return found;
  }
  for (const kube::Container& container : pod.spec->init_containers) {
    if (!container.restartable_init()) continue;
    if (const auto found = find_in(container)) return found;
  }
  return std::nullopt;
}

std::vector<std::string> addresses_of(const Observed<kube::Pod>& pod, std::string_view family) {
  std::vector<std::string> addresses;
  const auto add = [&](std::string_view address) {
    const std::string_view its_family = address.find(':') == std::string_view::npos ? "IPv4" : "IPv6";
    if (!address.empty() && its_family == family) addresses.emplace_back(address);
  };
  const Value* listed = find_at(pod.document, {"status", "podIPs"});
  if (listed != nullptr && listed->is_array() && !listed->array().empty()) {
    for (const Value& address : listed->array()) add(text_at(address, {"ip"}));
  } else {
    add(pod.view.status.pod_ip);
  }
  return addresses;
}

bool is_backend(const Observed<kube::Pod>& pod, bool with_terminating) {
  if (pod.view.finished() || (pod.is_being_deleted() && !with_terminating)) return false;
  return !addresses_of(pod, "IPv4").empty() || !addresses_of(pod, "IPv6").empty();
}

Value target_reference(const Observed<kube::Pod>& pod) {
  const kube::ObjectMeta& metadata = pod.metadata();
  return Value(Object{{"kind", Value("Pod"), {}},
                      {"namespace", Value(metadata.namespace_), {}},
                      {"name", Value(metadata.name), {}},
                      {"uid", Value(metadata.uid), {}}});
}

Value labels_for(const ServiceBackends& backends, const kube::StringMap& more) {
  kube::StringMap labels = backends.service.metadata().labels;
  labels.erase(std::string(kHeadless));
  if (backends.is_headless) labels.emplace(kHeadless, "");
  for (const auto& [key, value] : more) labels.insert_or_assign(key, value);
  Object members;
  for (const auto& [key, value] : labels) members.push_back({key, Value(value), {}});
  return Value(std::move(members));
}

namespace {

bool may_stand_behind(const ObjectPtr<kube::Pod>& pod) {
  return pod != nullptr && !pod->view.finished() && !pod->view.status.pod_ip.empty();
}

/// Whether endpoints tell of the change. Most changes of pods are others: of pods that have no address yet, of counts.
/// Source: podEndpointsChanged in k8s.io/endpointslice/util, v1.36.
bool concerns_endpoints(const Change<kube::Pod>& change) {
  const ObjectPtr<kube::Pod>& before = change.before;
  const ObjectPtr<kube::Pod>& after = change.after;
  if (!may_stand_behind(before) && !may_stand_behind(after)) return false;
  if (may_stand_behind(before) != may_stand_behind(after)) return true;
  const auto is_ready = [](const auto& pod) { return kube::has_true_condition(pod->view.status.conditions, "Ready"); };
  return is_ready(before) != is_ready(after) || before->is_being_deleted() != after->is_being_deleted() ||
         before->metadata().labels != after->metadata().labels || before->metadata().uid != after->metadata().uid ||
         before->view.spec->node_name != after->view.spec->node_name ||
         document::value_at(before->document, {"status", "podIPs"}) !=
             document::value_at(after->document, {"status", "podIPs"});
}

}  // namespace

std::function<void(const Change<kube::Pod>&, Keys&)> services_of_pods(const Caches& caches) {
  return [&caches](const Change<kube::Pod>& change, Keys& keys) {
    if (!concerns_endpoints(change)) return;
    for (const ObjectPtr<kube::Pod>& version : {change.before, change.after}) {
      if (version == nullptr) continue;
      const kube::ObjectMeta& metadata = version->metadata();
      for (const auto* service : caches.service_selections().selecting(metadata.namespace_, metadata.labels)) {
        keys.insert(service->key());
      }
    }
  };
}

}  // namespace loadline::controllers
