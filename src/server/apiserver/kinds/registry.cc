#include <algorithm>
#include <array>
#include <string_view>

#include "server/apiserver/kinds/strategies.h"
#include "server/apiserver/kinds/strategy.h"

namespace loadline::apiserver {
namespace {

/// A kind that differs from the plainest.
struct Row {
  std::string_view group_resource;
  Traits traits;
};

constexpr Traits kPlain{};
constexpr Traits kCounted{.has_generation = true};
constexpr Traits kCountedOrphaning{.has_generation = true, .orphans_by_default = true};
constexpr Traits kCreatable{.allows_create_on_update = true};
constexpr Traits kEvents{.allows_create_on_update = true, .is_seldom_read = true};  // most of what is written
constexpr Traits kVersioned{.requires_version_on_update = true};
constexpr Traits kCreatableVersioned{.allows_create_on_update = true, .requires_version_on_update = true};
constexpr Traits kCountedVersioned{.has_generation = true, .requires_version_on_update = true};

// clang-format off
constexpr std::array kRows = {
    Row{"endpoints", kCreatable},
    Row{"events", kEvents},
    Row{"limitranges", kCreatable},
    Row{"pods", kCounted},
    Row{"podtemplates", kCounted},
    Row{"replicationcontrollers", kCountedOrphaning},
    Row{"services", kCreatable},
    Row{"mutatingadmissionpolicies.admissionregistration.k8s.io", kCountedVersioned},
    Row{"mutatingadmissionpolicybindings.admissionregistration.k8s.io", kCountedVersioned},
    Row{"mutatingwebhookconfigurations.admissionregistration.k8s.io", kCountedVersioned},
    Row{"validatingadmissionpolicies.admissionregistration.k8s.io", kCountedVersioned},
    Row{"validatingadmissionpolicybindings.admissionregistration.k8s.io", kCountedVersioned},
    Row{"validatingwebhookconfigurations.admissionregistration.k8s.io", kCountedVersioned},
    Row{"customresourcedefinitions.apiextensions.k8s.io", kCountedVersioned},
    Row{"daemonsets.apps", kCounted},
    Row{"deployments.apps", kCounted},
    Row{"replicasets.apps", kCounted},
    Row{"statefulsets.apps", kCounted},
    Row{"cronjobs.batch", kCounted},
    Row{"jobs.batch", kCountedOrphaning},
    Row{"leases.coordination.k8s.io", kCreatableVersioned},
    Row{"endpointslices.discovery.k8s.io", kCounted},
    Row{"events.events.k8s.io", kEvents},
    Row{"flowschemas.flowcontrol.apiserver.k8s.io", kCounted},
    Row{"prioritylevelconfigurations.flowcontrol.apiserver.k8s.io", kCounted},
    Row{"ingressclasses.networking.k8s.io", kCounted},
    Row{"ingresses.networking.k8s.io", kCounted},
    Row{"networkpolicies.networking.k8s.io", kCounted},
    Row{"runtimeclasses.node.k8s.io", kCreatableVersioned},
    Row{"poddisruptionbudgets.policy", kCountedVersioned},
    Row{"clusterrolebindings.rbac.authorization.k8s.io", kCreatable},
    Row{"clusterroles.rbac.authorization.k8s.io", kCreatable},
    Row{"rolebindings.rbac.authorization.k8s.io", kCreatable},
    Row{"roles.rbac.authorization.k8s.io", kCreatable},
    Row{"deviceclasses.resource.k8s.io", kCounted},
    Row{"resourceslices.resource.k8s.io", kCounted},
    Row{"priorityclasses.scheduling.k8s.io", kCounted},
    Row{"csidrivers.storage.k8s.io", kVersioned},
    Row{"csinodes.storage.k8s.io", kVersioned},
    Row{"csistoragecapacities.storage.k8s.io", kVersioned},
    Row{"volumeattachments.storage.k8s.io", kVersioned},
};
// clang-format on

}  // namespace

Traits traits_of(const schema::Resource& resource) {
  if (resource.is_custom) return {.has_generation = true, .requires_version_on_update = true};
  const std::string name = resource.group_resource();
  const auto found =
      std::find_if(kRows.begin(), kRows.end(), [&](const Row& row) { return row.group_resource == name; });
  return found == kRows.end() ? kPlain : found->traits;
}

std::unique_ptr<const Strategy> make_strategy(const schema::Resource& resource) {
  const Traits traits = traits_of(resource);
  if (resource.is_custom) return make_custom_strategy(traits, resource);
  const std::string name = resource.group_resource();
  for (const StrategyMaker& maker : own_strategies()) {
    if (maker.group_resource == name) return maker.make(traits);
  }
  return std::make_unique<Strategy>(traits);
}

}  // namespace loadline::apiserver
