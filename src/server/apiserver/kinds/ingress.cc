#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "foundation/document/at.h"
#include "objects/kube/scalars.h"
#include "server/apiserver/kinds/ip_address.h"
#include "server/apiserver/kinds/ruled_strategy.h"
#include "server/apiserver/kinds/strategies.h"

namespace loadline::apiserver {
namespace {

using document::Value;

constexpr std::string_view kIngressClassAnnotation = "kubernetes.io/ingress.class";
constexpr std::size_t kLongestController = 250;

/// IsWildcardDNS1123Subdomain.
kube::NameProblems wildcard_problems(std::string_view name) {
  if (name.starts_with("*.") && kube::dns_subdomain_problems(name.substr(2)).empty()) return {};
  return {
      "a wildcard DNS-1123 subdomain must start with '*.', followed by a valid DNS subdomain, which must consist of "
      "lower case alphanumeric characters, '-' or '.' and end with an alphanumeric character (e.g. '*.example.com', "
      "regex used for validation is '\\*\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')"};
}

void check_host(const CheckedField& host) {
  host.keeps(host.text().find('*') == std::string_view::npos ? kube::dns_subdomain_problems : wildcard_problems);
}

void check_reference(const CheckedField& reference) {
  if (reference.at("apiGroup").is_set()) reference.at("apiGroup").keeps(kube::dns_subdomain_problems);
  reference.at("kind").is_required_name(path_segment_problems);
  reference.at("name").is_required_name(path_segment_problems);
}

void check_service(const CheckedField& service, const CheckedField& backend) {
  service.at("name").is_required_name(kube::dns_label_problems);
  const CheckedField name = service.at({"port", "name"});
  const CheckedField number = service.at({"port", "number"});
  const bool has_name = !name.text().empty();
  const bool has_number = number.number() != 0;
  if (has_name && has_number) {
    backend.invalid(Value(""), "cannot set both port name & port number");
  } else if (has_name) {
    name.keeps(kube::port_name_problems);
  } else if (has_number) {
    for (const std::string& problem : kube::port_number_problems(number.number())) number.invalid(problem);
  } else {
    backend.required("port name or number is required");
  }
}

void check_backend(const CheckedField& backend) {
  const CheckedField resource = backend.at("resource");
  const CheckedField service = backend.at("service");
  if (resource.is_set() && service.is_set()) {
    backend.invalid(Value(""), "cannot set both resource and service backends");
  } else if (resource.is_set()) {
    check_reference(resource);
  } else if (service.is_set()) {
    check_service(service, backend);
  } else {
    backend.invalid(Value(""), "resource or service backend is required");
  }
}

void check_plain_path(const CheckedField& path) {
  const std::string_view text = path.text();
  for (const std::string_view part : {"//", "/./", "/../", "%2f", "%2F"}) {
    if (text.find(part) != std::string_view::npos) path.invalid(fmt::format("must not contain '{}'", part));
  }
  for (const std::string_view end : {"/..", "/."}) {
    if (text.ends_with(end)) path.invalid(fmt::format("cannot end with '{}'", end));
  }
}

void check_path(const CheckedField& entry) {
  const CheckedField type = entry.at("pathType");
  if (!type.is_set()) {
    type.required("pathType must be specified");
    return;
  }
  const CheckedField path = entry.at("path");
  const bool is_plain = type.text() == "Exact" || type.text() == "Prefix";
  if (!is_plain && type.text() != "ImplementationSpecific") {
    type.unsupported({"Exact", "ImplementationSpecific", "Prefix"});
  } else {
    if ((is_plain || !path.text().empty()) && !path.text().starts_with('/')) {
      path.invalid(Value(path.text()), "must be an absolute path");
    }
    if (is_plain) check_plain_path(path);
  }
  check_backend(entry.at("backend"));
}

void check_rule(const CheckedField& rule) {
  const CheckedField host = rule.at("host");
  if (!host.text().empty()) {
    if (family_of_address(host.text()) != IpFamily::kNone) host.invalid("must be a DNS name, not an IP address");
    check_host(host);
  }
  const CheckedField http = rule.at("http");
  if (!http.is_set()) return;
  if (http.at("paths").size() == 0) http.at("paths").required();
  for (const CheckedField& path : http.at("paths").elements()) check_path(path);
}

void check_ingress(const CheckedField& object) {
  const CheckedField spec = object.at("spec");
  const CheckedField rules = spec.at("rules");
  const CheckedField backend = spec.at("defaultBackend");
  if (rules.size() == 0 && !backend.is_set()) {
    spec.invalid(rules.value(), "either `defaultBackend` or `rules` must be specified");
  }
  if (backend.is_set()) check_backend(backend);
  for (const CheckedField& rule : rules.elements()) check_rule(rule);
  for (const CheckedField& tls : spec.at("tls").elements()) {
    for (const CheckedField& host : tls.at("hosts").elements()) check_host(host);
    if (!tls.at("secretName").text().empty()) tls.at("secretName").keeps(kube::dns_subdomain_problems);
  }
  if (spec.at("ingressClassName").is_set()) spec.at("ingressClassName").keeps(kube::dns_subdomain_problems);
}

void check_ingress_status(const CheckedField& object, const CheckedField& /*old*/) {
  for (const CheckedField& ingress : object.at({"status", "loadBalancer", "ingress"}).elements()) {
    const CheckedField ip = ingress.at("ip");
    if (!ip.text().empty()) {
      for (const std::string& problem : address_problems(ip.text())) ip.invalid(problem);
    }
    const CheckedField host = ingress.at("hostname");
    if (host.text().empty()) continue;
    host.keeps(kube::dns_subdomain_problems);
    if (family_of_address(host.text()) != IpFamily::kNone) host.invalid("must be a DNS name, not an IP address");
  }
}

/// Source: pkg/registry/networking/ingress and pkg/apis/networking/validation, v1.36.
class IngressStrategy final : public RuledStrategy {
 public:
  using RuledStrategy::RuledStrategy;

  Value prepare_for_create(Value object, StrategyContext& context) const override {
    const bool has_annotation =
        document::find_at(object, {"metadata", "annotations", kIngressClassAnnotation}) != nullptr;
    if (has_annotation && document::find_at(object, {"spec", "ingressClassName"}) == nullptr) {
      context.warnings.push_back(fmt::format(
          "annotation \"{}\" is deprecated, please use 'spec.ingressClassName' instead", kIngressClassAnnotation));
    }
    return RuledStrategy::prepare_for_create(std::move(object), context);
  }

  /// The two ways to name a class must not contradict each other in a new ingress.
  kube::FieldErrors validate(const Value& object, StrategyContext& context) const override {
    kube::FieldErrors errors = RuledStrategy::validate(object, context);
    const CheckedField root(errors, object);
    const CheckedField annotation = root.at({"metadata", "annotations", kIngressClassAnnotation});
    const CheckedField name = root.at({"spec", "ingressClassName"});
    if (annotation.is_set() && name.is_set() && annotation.text() != name.text()) {
      annotation.called(fmt::format("annotations.{}", kIngressClassAnnotation))
          .invalid("must match `ingressClassName` when both are specified");
    }
    return errors;
  }

  kube::FieldErrors validate_update(const Value& object, const Value& /*old*/,
                                    StrategyContext& context) const override {
    return RuledStrategy::validate(object, context);
  }
};

// ---- classes -------------------------------------------------------------------------------------------------------

void check_scope(const CheckedField& parameters) {
  const CheckedField scope = parameters.at("scope");
  const CheckedField name_space = parameters.at("namespace");
  if (!scope.is_set()) {
    scope.required();
  } else if (scope.text() == "Namespace") {
    if (!name_space.is_set()) {
      name_space.required("`parameters.scope` is set to 'Namespace'");
    } else {
      name_space.keeps(kube::dns_label_problems);
    }
  } else if (scope.text() == "Cluster") {
    if (name_space.is_set()) name_space.forbidden("`parameters.scope` is set to 'Cluster'");
  } else {
    scope.unsupported({"Cluster", "Namespace"});
  }
}

void check_ingress_class(const CheckedField& object) {
  const CheckedField controller = object.at({"spec", "controller"});
  const std::string_view text = controller.text();
  if (text.size() > kLongestController) controller.too_long(kLongestController);
  const std::size_t slash = text.find('/');
  if (text.empty()) {
    controller.required();
  } else if (slash == std::string_view::npos || slash == 0 || slash + 1 == text.size()) {
    controller.invalid("must be a domain-prefixed path (such as \"acme.io/foo\")");
  } else {
    const Value host(text.substr(0, slash));
    for (const std::string& problem : kube::dns_subdomain_problems(host.string())) controller.invalid(host, problem);
  }
  const CheckedField parameters = object.at({"spec", "parameters"});
  if (!parameters.is_set()) return;
  check_reference(parameters);
  check_scope(parameters);
}

void check_ingress_class_change(const CheckedField& object, const CheckedField& old) {
  object.at({"spec", "controller"}).unchanged_from(old.at({"spec", "controller"}));
}

}  // namespace

std::unique_ptr<const Strategy> make_ingress_strategy(Traits traits) {
  return std::make_unique<IngressStrategy>(traits, Rules{nullptr, check_ingress, nullptr, check_ingress_status});
}

std::unique_ptr<const Strategy> make_ingress_class_strategy(Traits traits) {
  return std::make_unique<RuledStrategy>(traits,
                                         Rules{nullptr, check_ingress_class, check_ingress_class_change, nullptr});
}

}  // namespace loadline::apiserver
