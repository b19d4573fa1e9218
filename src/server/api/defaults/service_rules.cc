#include <array>
#include <string>
#include <utility>

#include "server/api/defaults/rules.h"

namespace loadline::api {
namespace {

using document::Value;

void fill_session_affinity(Draft& spec) {
  constexpr std::int64_t kThreeHours = 10800;
  if (spec.text("sessionAffinity") == "None") spec.erase("sessionAffinityConfig");
  if (spec.text("sessionAffinity") != "ClientIP") return;
  spec.edit("sessionAffinityConfig", [](Draft& config) {
    config.edit("clientIP", [](Draft& client) { client.set_missing("timeoutSeconds", Value(kThreeHours)); });
  });
}

/// The default target port is the port itself.
void fill_target_port(Draft& port) {
  const Value* target = port.find("targetPort");
  const bool is_told = target != nullptr && !(target->is_integer() && target->integer() == 0) &&
                       !(target->is_string() && target->string().empty());
  const Value* number = port.find("port");
  if (!is_told && number != nullptr) port.set("targetPort", Value(*number));
}

void fill_traffic_policies(Draft& spec, std::string_view type) {
  const bool is_external =
      type == "LoadBalancer" || type == "NodePort" || (type == "ClusterIP" && spec.count("externalIPs") > 0);
  if (is_external) spec.set_missing("externalTrafficPolicy", Value("Cluster"));
  if (type != "ExternalName" && (type == "LoadBalancer" || type == "NodePort" || type == "ClusterIP")) {
    spec.set_missing("internalTrafficPolicy", Value("Cluster"));
  }
}

void fill_load_balancer_status(Draft& status) {
  if (status.find("loadBalancer") == nullptr) return;
  status.edit("loadBalancer", [](Draft& balancer) {
    balancer.edit_elements("ingress", [](Draft& ingress) {
      if (!ingress.text("ip").empty()) ingress.set_missing("ipMode", Value("VIP"));
    });
  });
}

void fill_service(Draft& service, Instant) {
  std::string type;
  service.edit("spec", [&type](Draft& spec) {
    fill_session_affinity(spec);
    type = spec.text("type");
    spec.edit_elements("ports", fill_target_port);
    fill_traffic_policies(spec, type);
  });
  if (type == "LoadBalancer" && service.find("status") != nullptr) {
    service.edit("status", fill_load_balancer_status);
  }
}

void fill_network_policy(Draft& policy, Instant) {
  policy.edit("spec", [](Draft& spec) {
    if (spec.count("policyTypes") > 0) return;
    document::Array types = {Value("Ingress")};
    if (spec.count("egress") > 0) types.emplace_back("Egress");
    spec.set("policyTypes", Value(std::move(types)));
  });
}

constexpr std::array kServiceRules = {
    DefaultRule{"io.k8s.api.core.v1.Service", fill_service},
    DefaultRule{"io.k8s.api.networking.v1.NetworkPolicy", fill_network_policy},
};

}  // namespace

std::span<const DefaultRule> service_rules() { return kServiceRules; }

}  // namespace loadline::api
