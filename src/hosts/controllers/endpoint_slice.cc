#include "hosts/controllers/endpoint_slice.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "foundation/document/at.h"
#include "foundation/document/same_document.h"
#include "foundation/document/writer.h"
#include "hosts/controllers/ending_namespace.h"
#include "hosts/controllers/ownership.h"
#include "hosts/controllers/service_backends.h"
#include "objects/kube/core/node.h"
#include "objects/kube/core/pod_readiness.h"
#include "objects/kube/scalars.h"

namespace loadline::controllers {
namespace {

using document::Array;
using document::find_at;
using document::Object;
using document::text_at;
using document::Value;

constexpr std::string_view kEndpointSliceController = "endpoint-slice-controller";
constexpr std::string_view kServiceName = "kubernetes.io/service-name";
constexpr std::string_view kSliceManagedBy = "endpointslice.kubernetes.io/managed-by";
constexpr std::string_view kManager = "endpointslice-controller.k8s.io";
constexpr std::string_view kZone = "topology.kubernetes.io/zone";
constexpr std::size_t kMaxEndpoints = 100;

using Slices = std::vector<const Observed<EndpointSlice>*>;

Array list_at(const Value& object, std::string_view name) {
  const Value* found = object.find(name);
  return found != nullptr && found->is_array() ? found->array() : Array();
}

Array slice_ports(const ServiceBackends& backends, const kube::Pod& pod) {
  Array ports;
  for (const ServicePort& port : backends.ports) {
    const auto number = target_port(pod, port);
    if (!number) continue;
    Object members{
        {"name", Value(port.name), {}}, {"protocol", Value(port.protocol), {}}, {"port", Value(*number), {}}};
    if (!port.protocol_above.is_null()) members.push_back({"appProtocol", port.protocol_above, {}});
    ports.emplace_back(std::move(members));
  }
  return ports;
}

/// What tells sets of ports apart, whatever their order.
std::string key_of_ports(const Array& ports) {
  std::vector<std::string> texts;
  for (const Value& port : ports) {
    const Value* number = port.find("port");
    const Value* above = port.find("appProtocol");
    texts.push_back(fmt::format("{}/{}/{}/{}", text_at(port, {"name"}), text_at(port, {"protocol"}),
                                number == nullptr ? "" : document::write_json(*number),
                                above == nullptr ? "" : document::write_json(*above)));
  }
  std::sort(texts.begin(), texts.end());
  return fmt::format("{}", fmt::join(texts, ","));
}

/// What makes two versions of an endpoint the same endpoint.
std::string key_of_endpoint(const Value& endpoint) {
  std::string key;
  for (const Value& address : list_at(endpoint, "addresses")) {
    if (address.is_string()) key += address.string() + ',';
  }
  key += text_at(endpoint, {"targetRef", "uid"});
  return key;
}

Value endpoint_of(const ServiceBackends& backends, const Observed<kube::Pod>& pod,
                  const std::vector<std::string>& addresses, const Caches& caches) {
  const bool serving = is_ready(pod.view);
  const bool terminating = pod.is_being_deleted();
  const bool ready = backends.publishes_not_ready || (serving && !terminating);
  Array listed;
  for (const std::string& address : addresses) listed.emplace_back(address);
  Object conditions{
      {"ready", Value(ready), {}}, {"serving", Value(serving), {}}, {"terminating", Value(terminating), {}}};
  Object endpoint{{"addresses", Value(std::move(listed)), {}}, {"conditions", Value(std::move(conditions)), {}}};
  if (backends.names(pod)) endpoint.push_back({"hostname", Value(pod.view.spec->hostname), {}});
  endpoint.push_back({"targetRef", target_reference(pod), {}});
  const std::string& node_name = pod.view.spec->node_name;
  if (!node_name.empty()) endpoint.push_back({"nodeName", Value(node_name), {}});
  const auto node = caches.of<kube::Node>().find("", node_name);
  if (node != nullptr) {
    const auto zone = node->metadata().labels.find(kZone);
    if (zone != node->metadata().labels.end()) endpoint.push_back({"zone", Value(zone->second), {}});
  }
  return Value(std::move(endpoint));
}

/// A slice as it is to be.
struct Draft {
  const Observed<EndpointSlice>* existing = nullptr;  ///< null: a new one
  Array ports;
  Array endpoints;
  bool changed = false;
};

/// The endpoints of one set of ports.
struct Group {
  Array ports;
  std::map<std::string, Value> endpoints;  // by key
};

/// The slices of one family of addresses of a Service.
class FamilySync {
 public:
  FamilySync(const ServiceBackends& backends, std::string family, Slices existing, const Caches& caches)
      : backends_(backends), family_(std::move(family)), existing_(std::move(existing)), caches_(caches) {}

  void run(std::vector<Action>& actions) {
    std::map<std::string, Group> groups = wanted();
    std::map<std::string, Slices> by_ports;
    for (const auto* slice : existing_) by_ports[key_of_ports(list_at(slice->document, "ports"))].push_back(slice);
    for (auto& [key, group] : groups) fill(group, by_ports[key]);
    for (const auto& [key, slices] : by_ports) {
      if (!groups.contains(key)) surplus_.insert(surplus_.end(), slices.begin(), slices.end());
    }
    keep_one();
    // A slice that would go becomes one that would have to be made.
    for (Draft& draft : drafts_) {
      if (draft.existing != nullptr || surplus_.empty()) continue;
      draft.existing = surplus_.back();
      surplus_.pop_back();
    }
    for (const Draft& draft : drafts_) write(draft, actions);
    for (const auto* slice : surplus_) {
      actions.push_back(remove(kind_name<EndpointSlice>(), slice->key(), slice->metadata().uid));
    }
  }

 private:
  std::map<std::string, Group> wanted() const {
    std::map<std::string, Group> groups;
    for (const auto* pod : backends_.pods(caches_)) {
      if (!is_backend(*pod, true)) continue;
      const auto addresses = addresses_of(*pod, family_);
      if (addresses.empty()) continue;
      Array ports = slice_ports(backends_, pod->view);
      Group& group = groups[key_of_ports(ports)];
      group.ports = std::move(ports);
      Value endpoint = endpoint_of(backends_, *pod, addresses, caches_);
      std::string key = key_of_endpoint(endpoint);
      group.endpoints.insert_or_assign(std::move(key), std::move(endpoint));
    }
    return groups;
  }

  /// What stands in a slice stays there; the rest goes into slices that change anyway, then into one that has room for
  /// all of it, then into new ones.
  void fill(Group& group, const Slices& slices) {
    const std::size_t first = drafts_.size();
    for (const auto* slice : slices) {
      Draft draft = pruned(*slice, group);
      if (draft.endpoints.empty() && draft.changed) {
        surplus_.push_back(slice);
      } else {
        drafts_.push_back(std::move(draft));
      }
    }
    const auto add = [&](Draft& draft) {
      while (!group.endpoints.empty() && draft.endpoints.size() < kMaxEndpoints) {
        draft.endpoints.push_back(std::move(group.endpoints.begin()->second));
        group.endpoints.erase(group.endpoints.begin());
        draft.changed = true;
      }
    };
    for (std::size_t i = first; i < drafts_.size(); ++i) {
      if (drafts_[i].changed) add(drafts_[i]);
    }
    for (std::size_t i = first; i < drafts_.size() && !group.endpoints.empty(); ++i) {
      if (!drafts_[i].changed && drafts_[i].endpoints.size() + group.endpoints.size() <= kMaxEndpoints) add(drafts_[i]);
    }
    while (!group.endpoints.empty()) {
      Draft draft;
      draft.ports = group.ports;
      add(draft);
      drafts_.push_back(std::move(draft));
    }
  }

  static Draft pruned(const Observed<EndpointSlice>& slice, Group& group) {
    Draft draft{&slice, list_at(slice.document, "ports"), {}, false};
    for (const Value& endpoint : list_at(slice.document, "endpoints")) {
      const auto found = group.endpoints.find(key_of_endpoint(endpoint));
      if (found == group.endpoints.end()) {
        draft.changed = true;
        continue;
      }
      draft.changed = draft.changed || !document::same_document(found->second, endpoint);
      draft.endpoints.push_back(std::move(found->second));
      group.endpoints.erase(found);
    }
    return draft;
  }

  /// A Service without endpoints has one slice without any.
  void keep_one() {
    if (drafts_.empty()) drafts_.push_back({});
  }

  [[nodiscard]] Value labels() const {
    return labels_for(backends_, {{std::string(kServiceName), backends_.service.metadata().name},
                                  {std::string(kSliceManagedBy), std::string(kManager)}});
  }

  void write(const Draft& draft, std::vector<Action>& actions) const {
    const bool is_new = draft.existing == nullptr;
    Value document = is_new ? new_slice() : draft.existing->document;
    document = document::with_at(std::move(document), {"metadata", "labels"}, labels());
    if (is_new || !is_same(document.find("endpoints"), draft.endpoints)) {
      document = std::move(document).with("endpoints", Value(draft.endpoints));
    }
    if (is_new || !is_same(document.find("ports"), draft.ports))
      document = std::move(document).with("ports", Value(draft.ports));
    if (!is_new && document::same_document(document, draft.existing->document)) return;
    Action action = is_new ? create(kind_name<EndpointSlice>(), backends_.service.metadata().namespace_, document)
                           : update(kind_name<EndpointSlice>(), draft.existing->key(), document);
    action.said_if_failed =
        Event{reference_to(backends_.service), Event::Type::kWarning, "FailedToUpdateEndpointSlices",
              fmt::format("Error updating Endpoint Slices for Service {}: ", backends_.service.key().to_string())};
    actions.push_back(std::move(action));
  }

  /// Null and absent are an empty list.
  static bool is_same(const Value* found, const Array& wanted) {
    if (found == nullptr || !found->is_array()) return wanted.empty();
    return document::same_document(*found, Value(wanted));
  }

  [[nodiscard]] Value new_slice() const {
    const kube::ObjectMeta& service = backends_.service.metadata();
    Array owners{controller_reference(kind_name<kube::Service>(), service)};
    Object metadata{
        {"generateName", Value(service.name.size() < kube::kMaxSubdomain ? service.name + '-' : service.name), {}},
        {"ownerReferences", Value(std::move(owners)), {}}};
    return Value(Object{{"apiVersion", Value("discovery.k8s.io/v1"), {}},
                        {"kind", Value("EndpointSlice"), {}},
                        {"metadata", Value(std::move(metadata)), {}},
                        {"addressType", Value(family_), {}}});
  }

  const ServiceBackends& backends_;
  std::string family_;
  Slices existing_;
  const Caches& caches_;
  std::vector<Draft> drafts_;
  Slices surplus_;
};

bool is_ours(const Observed<EndpointSlice>& slice) {
  const auto found = slice.metadata().labels.find(kSliceManagedBy);
  return found != slice.metadata().labels.end() && found->second == kManager;
}

class EndpointSliceController final : public Controller {
 public:
  [[nodiscard]] std::string_view name() const override { return kEndpointSliceController; }

  [[nodiscard]] Duration pause() const override { return kEndpointsPause; }
  [[nodiscard]] bool pauses_first() const override { return true; }
  void subscribe(Subscriptions& to) override {
    to.on<kube::Service>(own_key<kube::Service>);
    to.on<EndpointSlice>([](const Change<EndpointSlice>& change, Keys& keys) {
      for (const ObjectPtr<EndpointSlice>& slice : {change.before, change.after}) {
        if (slice == nullptr || !is_ours(*slice)) continue;
        const auto service = slice->metadata().labels.find(kServiceName);
        if (service != slice->metadata().labels.end()) keys.insert({slice->metadata().namespace_, service->second});
      }
    });
    to.on<kube::Pod>(services_of_pods(to.caches()));
    to.reads<kube::Node>();
    to.reads<kube::Namespace>();
  }

  Reconciliation reconcile(const ObjectKey& key, const Context& context) override {
    Reconciliation result;
    const auto service = context.caches.of<kube::Service>().find(key);
    if (service == nullptr || service->is_being_deleted()) return result;  // the slices go with their owner
    const ServiceBackends backends(*service);
    if (!backends.has_pods() || is_ending(context.caches, key.name_space)) return result;
    std::map<std::string, Slices> by_family;
    for (const std::string& family : backends.families) by_family[family];
    std::vector<Action> actions;
    for (const auto& [slice_key, slice] : context.caches.of<EndpointSlice>().controlled_by(service->metadata().uid)) {
      if (!is_ours(*slice) || slice->is_being_deleted()) continue;
      const auto family = by_family.find(std::string(text_at(slice->document, {"addressType"})));
      if (family != by_family.end()) {
        family->second.push_back(slice.get());
      } else {
        actions.push_back(remove(kind_name<EndpointSlice>(), slice_key, slice->metadata().uid));
      }
    }
    for (auto& [family, slices] : by_family) {
      FamilySync(backends, family, std::move(slices), context.caches).run(actions);
    }
    result.then(std::move(actions));
    return result;
  }
};

}  // namespace

std::unique_ptr<Controller> make_endpoint_slice_controller() { return std::make_unique<EndpointSliceController>(); }

}  // namespace loadline::controllers
