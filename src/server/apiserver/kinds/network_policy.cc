#include <string>

#include "objects/kube/scalars.h"
#include "server/apiserver/kinds/ip_address.h"
#include "server/apiserver/kinds/ruled_strategy.h"
#include "server/apiserver/kinds/strategies.h"

namespace loadline::apiserver {
namespace {

void check_port_number(const CheckedField& port) {
  for (const std::string& problem : kube::port_number_problems(port.number())) port.invalid(problem);
}

void check_port(const CheckedField& port) {
  if (port.at("protocol").is_set()) port.at("protocol").one_of({"TCP", "UDP", "SCTP"});
  const CheckedField number = port.at("port");
  const CheckedField end = port.at("endPort");
  if (!number.is_set()) {
    if (end.is_set()) end.invalid("may not be specified when `port` is not specified");
    return;
  }
  if (!number.value().is_integer()) {
    if (end.is_set()) end.invalid("may not be specified when `port` is non-numeric");
    number.keeps(kube::port_name_problems);
    return;
  }
  check_port_number(number);
  if (!end.is_set()) return;
  if (end.number() < number.number()) end.invalid(number.value(), "must be greater than or equal to `port`");
  check_port_number(end);
}

void check_block(const CheckedField& block) {
  const CheckedField cidr = block.at("cidr");
  if (cidr.text().empty()) {
    cidr.required();
    return;
  }
  for (const std::string& problem : cidr_problems(cidr.text())) cidr.invalid(problem);
  for (const CheckedField& except : block.at("except").elements()) {
    for (const std::string& problem : cidr_problems(except.text())) except.invalid(problem);
  }
}

void check_peer(const CheckedField& peer) {
  int selectors = 0;
  for (const std::string_view name : {"podSelector", "namespaceSelector"}) {
    if (!peer.at(name).is_set()) continue;
    ++selectors;
    peer.at(name).label_selector();
  }
  const CheckedField block = peer.at("ipBlock");
  if (block.is_set()) check_block(block);
  if (selectors == 0 && !block.is_set()) peer.required("must specify a peer");
  if (selectors > 0 && block.is_set()) peer.forbidden("may not specify both ipBlock and another peer");
}

void check_direction(const CheckedField& rules, std::string_view peers) {
  for (const CheckedField& rule : rules.elements()) {
    for (const CheckedField& port : rule.at("ports").elements()) check_port(port);
    for (const CheckedField& peer : rule.at(peers).elements()) check_peer(peer);
  }
}

void check_network_policy(const CheckedField& object) {
  const CheckedField spec = object.at("spec");
  spec.at("podSelector").label_selector();
  check_direction(spec.at("ingress"), "from");
  check_direction(spec.at("egress"), "to");
  const CheckedField types = spec.at("policyTypes");
  if (types.size() > 2) {
    types.invalid("may not specify more than two policyTypes");
    return;
  }
  for (const CheckedField& type : types.elements()) type.one_of({"Ingress", "Egress"});
}

}  // namespace

// Source: pkg/registry/networking/networkpolicy and pkg/apis/networking/validation, v1.36.
std::unique_ptr<const Strategy> make_network_policy_strategy(Traits traits) {
  return std::make_unique<RuledStrategy>(traits, Rules{nullptr, check_network_policy, nullptr, nullptr});
}

}  // namespace loadline::apiserver
