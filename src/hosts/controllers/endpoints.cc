#include "hosts/controllers/endpoints.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include "foundation/document/at.h"
#include "foundation/document/same_document.h"
#include "foundation/document/writer.h"
#include "hosts/controllers/ending_namespace.h"
#include "hosts/controllers/service_backends.h"
#include "objects/kube/core/pod_readiness.h"

namespace loadline::controllers {
namespace {

using document::Array;
using document::Object;
using document::Value;

constexpr std::string_view kEndpointsController = "endpoint-controller";
constexpr std::string_view kEndpointsManagedBy = "endpoints.kubernetes.io/managed-by";
constexpr std::string_view kOverCapacity = "endpoints.kubernetes.io/over-capacity";
constexpr std::size_t kMaxAddresses = 1000;

struct Subset {
  Array ports;
  std::map<std::string, Value> ready;  // by address
  std::map<std::string, Value> not_ready;
};

/// By their ports, as text. Pods may differ in them: what a name means is up to each.
using Subsets = std::map<std::string, Subset>;

Value address_of(const ServiceBackends& backends, const Observed<kube::Pod>& pod, const std::string& ip) {
  Object address;
  address.reserve(4);
  address.push_back({"ip", Value(ip), {}});
  if (backends.names(pod)) address.push_back({"hostname", Value(pod.view.spec->hostname), {}});
  if (!pod.view.spec->node_name.empty()) address.push_back({"nodeName", Value(pod.view.spec->node_name), {}});
  address.push_back({"targetRef", target_reference(pod), {}});
  return Value(std::move(address));
}

Array endpoint_ports(const ServiceBackends& backends, const kube::Pod& pod) {
  Array ports;
  for (const ServicePort& port : backends.ports) {
    const auto number = target_port(pod, port);
    if (!number) continue;
    Object members;
    if (!port.name.empty()) members.push_back({"name", Value(port.name), {}});
    members.push_back({"port", Value(*number), {}});
    members.push_back({"protocol", Value(port.protocol), {}});
    if (!port.protocol_above.is_null()) members.push_back({"appProtocol", port.protocol_above, {}});
    ports.emplace_back(std::move(members));
  }
  return ports;
}

Subsets subsets_of(const ServiceBackends& backends, const Caches& caches) {
  Subsets subsets;
  for (const auto* pod : backends.pods(caches)) {
    if (!is_backend(*pod, backends.publishes_not_ready)) continue;
    const auto addresses = addresses_of(*pod, backends.families.front());
    if (addresses.empty()) continue;
    Array ports = endpoint_ports(backends, pod->view);
    const bool needs_none = backends.ports.empty() && backends.is_headless;
    if (ports.empty() && !needs_none) continue;
    Value text{ports};
    Subset& subset = subsets[document::write_json(text)];
    subset.ports = std::move(ports);
    const bool counts = backends.publishes_not_ready || is_ready(pod->view);
    (counts ? subset.ready : subset.not_ready)
        .insert_or_assign(addresses.front(), address_of(backends, *pod, addresses.front()));
  }
  return subsets;
}

/// Takes away what is too much: first of those that are not ready. True if anything was.
bool truncate(Subsets& subsets) {
  std::size_t left = kMaxAddresses;
  bool cut = false;
  const auto limit = [&](std::map<std::string, Value>& addresses) {
    cut = cut || addresses.size() > left;
    while (addresses.size() > left) addresses.erase(std::prev(addresses.end()));
    left -= addresses.size();
  };
  for (auto& [ports, subset] : subsets) limit(subset.ready);
  for (auto& [ports, subset] : subsets) limit(subset.not_ready);
  return cut;
}

Value subsets_document(const Subsets& subsets) {
  Array result;
  for (const auto& [text, subset] : subsets) {
    Object members;
    const auto add = [&](std::string_view name, const std::map<std::string, Value>& addresses) {
      Array listed;
      for (const auto& [ip, address] : addresses) listed.push_back(address);
      if (!listed.empty()) members.push_back({std::string(name), Value(std::move(listed)), {}});
    };
    add("addresses", subset.ready);
    add("notReadyAddresses", subset.not_ready);
    if (members.empty()) continue;
    if (!subset.ports.empty()) members.push_back({"ports", Value(subset.ports), {}});
    result.emplace_back(std::move(members));
  }
  return Value(std::move(result));
}

/// `document` with the labels, subsets and annotation it ought to have.
Value with_backends(Value document, const ServiceBackends& backends, Subsets subsets) {
  const bool is_cut = truncate(subsets);
  document =
      document::with_at(std::move(document), {"metadata", "labels"},
                        labels_for(backends, {{std::string(kEndpointsManagedBy), std::string(kEndpointsController)}}));
  document =
      is_cut ? document::with_at(std::move(document), {"metadata", "annotations", kOverCapacity}, Value("truncated"))
             : document::without_at(std::move(document), {"metadata", "annotations", kOverCapacity});
  Value listed = subsets_document(subsets);
  if (listed.array().empty()) return std::move(document).without("subsets");
  return std::move(document).with("subsets", std::move(listed));
}

class EndpointsController final : public Controller {
 public:
  [[nodiscard]] std::string_view name() const override { return kEndpointsController; }

  [[nodiscard]] Duration pause() const override { return kEndpointsPause; }
  [[nodiscard]] bool pauses_first() const override { return true; }
  void subscribe(Subscriptions& to) override {
    to.on<kube::Service>(own_key<kube::Service>);
    to.on<Endpoints>(own_key<Endpoints>);
    to.on<kube::Pod>(services_of_pods(to.caches()));
    to.reads<kube::Namespace>();
  }

  Reconciliation reconcile(const ObjectKey& key, const Context& context) override {
    Reconciliation result;
    const auto service = context.caches.of<kube::Service>().find(key);
    const auto existing = context.caches.of<Endpoints>().find(key);
    if (service == nullptr) {
      if (existing != nullptr && is_ours(*existing) && !existing->is_being_deleted()) {
        result.then(remove(kind_name<Endpoints>(), key, existing->metadata().uid));
      }
      return result;
    }
    const ServiceBackends backends(*service);
    if (!backends.has_pods() || service->is_being_deleted()) return result;
    Subsets subsets = subsets_of(backends, context.caches);
    if (existing == nullptr) {
      if (is_ending(context.caches, key.name_space)) return result;
      result.then(creation(backends, std::move(subsets)));
      return result;
    }
    Value wanted = with_backends(existing->document, backends, std::move(subsets));
    if (document::same_document(wanted, existing->document)) return result;
    Action action = update(kind_name<Endpoints>(), key, std::move(wanted));
    action.said_if_failed = Event{reference_to(*existing), Event::Type::kWarning, "FailedToUpdateEndpoint",
                                  fmt::format("Failed to update endpoint {}: ", key.to_string())};
    result.then(std::move(action));
    return result;
  }

 private:
  static bool is_ours(const Observed<Endpoints>& endpoints) {
    const auto found = endpoints.metadata().labels.find(kEndpointsManagedBy);
    return found != endpoints.metadata().labels.end() && found->second == kEndpointsController;
  }

  static Action creation(const ServiceBackends& backends, Subsets subsets) {
    const ObjectKey key = backends.service.key();
    Value document(Object{{"apiVersion", Value("v1"), {}},
                          {"kind", Value("Endpoints"), {}},
                          {"metadata", Value(Object{{"name", Value(key.name), {}}}), {}}});
    Action action = create(kind_name<Endpoints>(), key.name_space,
                           with_backends(std::move(document), backends, std::move(subsets)));
    action.said_if_failed = Event{reference_to(backends.service), Event::Type::kWarning, "FailedToCreateEndpoint",
                                  fmt::format("Failed to create endpoint for service {}: ", key.to_string())};
    return action;
  }
};

}  // namespace

std::unique_ptr<Controller> make_endpoints_controller() { return std::make_unique<EndpointsController>(); }

}  // namespace loadline::controllers
