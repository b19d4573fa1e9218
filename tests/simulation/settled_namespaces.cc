#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>
#include <string>
#include <utility>

#include "foundation/document/at.h"
#include "foundation/document/writer.h"
#include "simulation/settled.h"

namespace loadline::simulation {
namespace {

using document::Value;

/// What users and controllers keep in namespaces.
constexpr std::array kKept = {
    KeptKind{"", "pods"},
    KeptKind{"", "services"},
    KeptKind{"", "endpoints"},
    KeptKind{"", "events"},
    KeptKind{"", "configmaps"},
    KeptKind{"", "serviceaccounts"},
    KeptKind{"", "persistentvolumeclaims"},
    KeptKind{"", "resourcequotas"},
    KeptKind{"", "replicationcontrollers"},
    KeptKind{"apps", "deployments"},
    KeptKind{"apps", "replicasets"},
    KeptKind{"apps", "statefulsets"},
    KeptKind{"apps", "controllerrevisions"},
    KeptKind{"batch", "jobs"},
    KeptKind{"batch", "cronjobs"},
    KeptKind{"policy", "poddisruptionbudgets"},
    KeptKind{"discovery.k8s.io", "endpointslices"},
    KeptKind{"scheduling.k8s.io", "podgroups", "v1alpha2"},
};

}  // namespace

/// A namespace that was deleted is gone with all that was in it; one that is there has what every namespace has.
void Settled::check_namespaces() {
  std::set<std::string> there;
  for (const Value& name_space : list({"", "v1", "namespaces"})) {
    const std::string name(document::text_at(name_space, {"metadata", "name"}));
    there.insert(name);
    if (!document::text_at(name_space, {"metadata", "deletionTimestamp"}).empty()) {
      observer_.report("stuck: " + document::write_json(name_space));
    } else {
      check_namespace_defaults(name);
    }
  }
  for (const std::string& name : workload_.namespaces()) {
    if (!there.contains(name)) observer_.note("namespaces that went");
  }
  const auto check_kind = [&](const KeptKind& kind) {
    for (const Value& object : list({kind.group, kind.version, kind.plural})) {
      if (there.contains(std::string(document::text_at(object, {"metadata", "namespace"})))) continue;
      observer_.report("it outlived its namespace: " + document::write_json(object));
    }
  };
  std::ranges::for_each(kKept, check_kind);
  std::ranges::for_each(kinds_of_operators(), check_kind);
}

void Settled::check_namespace_defaults(const std::string& name_space) {
  for (const auto& [plural, name] :
       {std::pair{"serviceaccounts", "default"}, std::pair{"configmaps", "kube-root-ca.crt"}}) {
    bool is_there = false;
    with({"", "v1", plural, name_space, name}, [&](const Value&) { is_there = true; });
    if (!is_there) observer_.report(fmt::format("namespace {} has no {} {}", name_space, plural, name));
  }
}

}  // namespace loadline::simulation
