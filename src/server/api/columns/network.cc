#include <algorithm>
#include <array>
#include <set>
#include <string>
#include <vector>

#include "foundation/base/text.h"
#include "server/api/columns/columns.h"
#include "server/api/columns/formatting.h"
#include "server/api/columns/reading.h"

namespace loadline::api {
namespace {

using document::Value;

/// Addresses of a load balancer, each once, sorted.
std::string load_balancer_addresses(const Value& object) {
  std::set<std::string_view> addresses;
  for (const Value& ingress : elements_at(object, "status", "loadBalancer", "ingress")) {
    const std::string_view ip = text_at(ingress, "ip");
    const std::string_view address = ip.empty() ? text_at(ingress, "hostname") : ip;
    if (!address.empty()) addresses.insert(address);
  }
  return joined(addresses, ",");
}

std::vector<std::string_view> texts(std::span<const Value> values) {
  std::vector<std::string_view> found;
  for (const Value& value : values) found.push_back(value.is_string() ? std::string_view(value.string()) : "");
  return found;
}

constexpr std::array kServiceColumns = {
    kName,
    TableColumn{"Type", "string", "", "How the service is exposed."},
    TableColumn{"Cluster-IP", "string", "", "The service's address inside of the cluster."},
    TableColumn{"External-IP", "string", "", "The service's addresses outside of the cluster."},
    TableColumn{"Port(s)", "string", "", "The ports: port, node port and protocol."},
    kAge,
    kSelector,
};

std::string external_ip(const Value& service) {
  const std::string_view type = text_at(service, "spec", "type");
  const auto external = texts(elements_at(service, "spec", "externalIPs"));
  if (type == "ClusterIP" || type == "NodePort") return external.empty() ? "<none>" : joined(external, ",");
  if (type == "ExternalName") return std::string(text_at(service, "spec", "externalName"));
  if (type != "LoadBalancer") return "<unknown>";
  std::string addresses = load_balancer_addresses(service);
  if (!external.empty()) {
    if (!addresses.empty()) addresses += ',';
    return addresses + joined(external, ",");
  }
  return addresses.empty() ? "<pending>" : addresses;
}

std::string ports(const Value& service) {
  std::string text;
  for (const Value& port : elements_at(service, "spec", "ports")) {
    if (!text.empty()) text += ',';
    text += std::to_string(integer_at(port, "port"));
    const std::int64_t node_port = integer_at(port, "nodePort");
    if (node_port > 0) text += ":" + std::to_string(node_port);
    text.append("/").append(text_at(port, "protocol"));
  }
  return text;
}

std::string_view cluster_ip(const Value& service) {
  const auto ips = texts(elements_at(service, "spec", "clusterIPs"));
  const std::string_view ip = ips.empty() ? text_at(service, "spec", "clusterIP") : ips.front();
  return ips.empty() && ip.empty() ? "<none>" : ip;
}

void write_service(const Value& object, CellWriter& cells) {
  cells.text(name_of(object));
  cells.text(text_at(object, "spec", "type"));
  cells.text(cluster_ip(object));
  cells.text(external_ip(object));
  cells.text_or(ports(object), "<none>");
  cells.age(object);
  cells.text(formatted_labels(members_at(object, "spec", "selector")));
}

constexpr std::array kEndpointsColumns = {
    kName,
    TableColumn{"Endpoints", "string", "", "The addresses and ports behind the service."},
    kAge,
};

/// "10.0.0.1:80", "[::1]:80"; the address alone if there is no port.
std::string with_port(std::string_view address, const Value* port) {
  if (port == nullptr) return std::string(address);
  std::string text(address);
  if (address.find(':') != std::string_view::npos) text = "[" + text + "]";
  return text + ":" + std::to_string(integer_at(*port, "port"));
}

std::string endpoints(const Value& object) {
  ShortList list;
  for (const Value& subset : elements_at(object, "subsets")) {
    const auto ports = elements_at(subset, "ports");
    for (std::size_t i = 0; i < std::max<std::size_t>(ports.size(), 1); ++i) {
      for (const Value& address : elements_at(subset, "addresses")) {
        list.add(with_port(text_at(address, "ip"), ports.empty() ? nullptr : &ports[i]));
      }
    }
  }
  return list.text(elements_at(object, "subsets").empty() ? "<none>" : "");
}

void write_endpoints(const Value& object, CellWriter& cells) {
  cells.text(name_of(object));
  cells.text(endpoints(object));
  cells.age(object);
}

constexpr std::array kEndpointSliceColumns = {
    kName,
    TableColumn{"AddressType", "string", "", "What kind of addresses the endpoints have."},
    TableColumn{"Ports", "string", "", "The ports of the endpoints."},
    TableColumn{"Endpoints", "string", "", "The addresses of the endpoints."},
    kAge,
};

void write_endpoint_slice(const Value& object, CellWriter& cells) {
  ShortList ports;
  for (const Value& port : elements_at(object, "ports")) {
    const std::string name = scalar_text(at(port, "name"), "*");
    ports.add(scalar_text(at(port, "port"), name));
  }
  ShortList addresses;
  for (const Value& endpoint : elements_at(object, "endpoints")) {
    for (const std::string_view address : texts(elements_at(endpoint, "addresses"))) addresses.add(address);
  }
  cells.text(name_of(object));
  cells.text(text_at(object, "addressType"));
  cells.text(ports.text("<unset>"));
  cells.text(addresses.text("<unset>"));
  cells.age(object);
}

constexpr std::array kIngressColumns = {
    kName,
    TableColumn{"Class", "string", "", "The name of its IngressClass."},
    TableColumn{"Hosts", "string", "", "The hosts that it has rules for."},
    TableColumn{"Address", "string", "", "The addresses of the load balancer."},
    TableColumn{"Ports", "string", "", "The ports that it opens."},
    kAge,
};

std::string hosts(const Value& ingress) {
  const auto rules = elements_at(ingress, "spec", "rules");
  std::vector<std::string_view> hosts;
  bool has_more = false;
  for (const Value& rule : rules) {
    if (hosts.size() == 3) has_more = true;
    const std::string_view host = text_at(rule, "host");
    if (!has_more && !host.empty()) hosts.push_back(host);
  }
  if (hosts.empty()) return "*";
  // As upstream, rules without a host count among those left out.
  return has_more ? joined(hosts, ",") + " + " + std::to_string(rules.size() - 3) + " more..." : joined(hosts, ",");
}

void write_ingress(const Value& object, CellWriter& cells) {
  cells.text(name_of(object));
  cells.text(scalar_text(at(object, "spec", "ingressClassName"), "<none>"));
  cells.text(hosts(object));
  cells.text(load_balancer_addresses(object));
  cells.text(elements_at(object, "spec", "tls").empty() ? "80" : "80, 443");
  cells.age(object);
}

constexpr std::array kIngressClassColumns = {
    kName,
    TableColumn{"Controller", "string", "", "The controller that serves the class."},
    TableColumn{"Parameters", "string", "", "The object that configures the class."},
    kAge,
};

void write_ingress_class(const Value& object, CellWriter& cells) {
  std::string name(name_of(object));
  if (text_at(object, "metadata", "annotations", "ingressclass.kubernetes.io/is-default-class") == "true") {
    name += " (default)";
  }
  std::string parameters = "<none>";
  if (const Value* reference = at(object, "spec", "parameters")) {
    parameters = text_at(*reference, "kind");
    if (const Value* group = at(*reference, "apiGroup")) parameters += "." + scalar_text(group, "");
    parameters.append("/").append(text_at(*reference, "name"));
  }
  cells.text(name);
  cells.text(text_at(object, "spec", "controller"));
  cells.text(parameters);
  cells.age(object);
}

constexpr std::array kNetworkPolicyColumns = {
    kName,
    TableColumn{"Pod-Selector", "string", "", "The pods that the policy is for."},
    kAge,
};

void write_network_policy(const Value& object, CellWriter& cells) {
  cells.text(name_of(object));
  cells.text(formatted_selector(at(object, "spec", "podSelector")));
  cells.age(object);
}

constexpr std::array kServiceCidrColumns = {
    kName,
    TableColumn{"CIDRs", "string", "", "The ranges that addresses of services come from."},
    kAge,
};

void write_service_cidr(const Value& object, CellWriter& cells) {
  cells.text(name_of(object));
  cells.text(joined(texts(elements_at(object, "spec", "cidrs")), ","));
  cells.age(object);
}

constexpr std::array kNetworkKinds = {
    KindColumns{"", "Service", kServiceColumns, write_service},
    KindColumns{"", "Endpoints", kEndpointsColumns, write_endpoints},
    KindColumns{"discovery.k8s.io", "EndpointSlice", kEndpointSliceColumns, write_endpoint_slice},
    KindColumns{"networking.k8s.io", "Ingress", kIngressColumns, write_ingress},
    KindColumns{"networking.k8s.io", "IngressClass", kIngressClassColumns, write_ingress_class},
    KindColumns{"networking.k8s.io", "NetworkPolicy", kNetworkPolicyColumns, write_network_policy},
    KindColumns{"networking.k8s.io", "ServiceCIDR", kServiceCidrColumns, write_service_cidr},
};

}  // namespace

std::span<const KindColumns> network_columns() { return kNetworkKinds; }

}  // namespace loadline::api
