#include "server/apiserver/bootstrap.h"

#include <array>
#include <string_view>
#include <utility>

#include "foundation/document/reader.h"
#include "server/apiserver/auth/bootstrap_policy.h"
#include "server/apiserver/kinds/service_numbers.h"
#include "server/apiserver/metadata.h"

namespace loadline::apiserver {
namespace {

using document::Object;
using document::Value;

constexpr std::string_view kManager = "kube-apiserver";

struct Wanted {
  std::string_view group;
  std::string_view plural;
  std::string name_space;
  Value object;
};

Value named(std::string_view api_version, std::string_view kind, std::string_view name) {
  return Value(Object{{"kind", Value(kind), {}},
                      {"apiVersion", Value(api_version), {}},
                      {"metadata", Value(Object{{"name", Value(name), {}}}), {}}});
}

Value priority_class(std::string_view name, std::int64_t value, std::string_view description) {
  return named("scheduling.k8s.io/v1", "PriorityClass", name)
      .with("value", Value(value))
      .with("description", Value(description));
}

/// What components that check their clients' certificates themselves want to know.
Value authentication_map(const std::string& authority_pem) {
  Value map = named("v1", "ConfigMap", "extension-apiserver-authentication");
  return map.with("data", Value(Object{{"client-ca-file", Value(authority_pem), {}}}));
}

/// How pods find this server.
Value own_service() {
  const Value port(Object{{"name", Value("https"), {}},
                          {"protocol", Value("TCP"), {}},
                          {"port", Value(std::int64_t{443}), {}},
                          {"targetPort", Value(std::int64_t{6443}), {}}});
  const Value labels(Object{{"component", Value("apiserver"), {}}, {"provider", Value("kubernetes"), {}}});
  Value service = named("v1", "Service", "kubernetes");
  service = with_metadata(service, "labels", labels);
  return service.with("spec", Value(Object{{"ports", Value(document::Array{port}), {}},
                                           {"clusterIP", Value(kFirstServiceAddress), {}},
                                           {"type", Value("ClusterIP"), {}},
                                           {"sessionAffinity", Value("None"), {}},
                                           {"ipFamilyPolicy", Value("SingleStack"), {}}}));
}

std::vector<Wanted> wanted_objects(const std::string& authority_pem) {
  std::vector<Wanted> wanted;
  for (const std::string_view name : {"default", "kube-system", "kube-public", "kube-node-lease"}) {
    wanted.push_back({"", "namespaces", "", named("v1", "Namespace", name)});
  }
  wanted.push_back({"", "services", "default", own_service()});
  for (BootstrapObject& object : bootstrap_policy()) {
    // Views of names that live as long as the program.
    constexpr std::array<std::string_view, 4> kResources = {"roles", "clusterroles", "rolebindings",
                                                            "clusterrolebindings"};
    for (const std::string_view resource : kResources) {
      if (object.resource != resource) continue;
      wanted.push_back({"rbac.authorization.k8s.io", resource, object.name_space, std::move(object.document)});
    }
  }
  wanted.push_back({"scheduling.k8s.io", "priorityclasses", "",
                    priority_class("system-node-critical", 2000001000,
                                   "Used for system critical pods that must not be moved from their current node.")});
  wanted.push_back({"scheduling.k8s.io", "priorityclasses", "",
                    priority_class("system-cluster-critical", 2000000000,
                                   "Used for system critical pods that must run in the cluster, but can be moved to "
                                   "another node if necessary.")});
  wanted.push_back({"", "configmaps", "kube-system", authentication_map(authority_pem)});
  return wanted;
}

}  // namespace

Answer<void> bootstrap(const ServerContext& context, const std::string& authority_pem) {
  for (Wanted& wanted : wanted_objects(authority_pem)) {
    Call call;
    call.served = context.served.find_stored(wanted.group, wanted.plural);
    if (call.served == nullptr) continue;
    call.name_space = wanted.name_space;
    call.user = {"system:apiserver", "", {"system:masters"}, {}};
    call.user_agent = kManager;
    if (context.store.get(call.key(name_of(wanted.object))) != nullptr) continue;
    Value object = context.bodies.with_defaults(wanted.object, call.resource(), context.loop.now());
    const Answer<Written> written = context.writer.create(call, std::move(object), {});
    if (!written) return refuse(written.error());
  }
  return {};
}

}  // namespace loadline::apiserver
