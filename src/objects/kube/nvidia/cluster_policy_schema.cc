#include "objects/kube/nvidia/cluster_policy_schema.h"

#include "objects/kube/decoder.h"
#include "objects/kube/encoder.h"
#include "objects/kube/meta_schema.h"

namespace loadline::kube {
namespace {

constexpr Field kConfigFields[] = {
    field<&ClusterPolicy::plugin_config>("name"),
    field<&ClusterPolicy::plugin_config_default>("default"),
};
constexpr Schema kConfigSchema{OfCustomKind{}, "DevicePluginConfig", kConfigFields};

constexpr Field kDevicePluginFields[] = {part("config", kConfigSchema)};
constexpr Schema kDevicePluginSchema{OfCustomKind{}, "DevicePluginSpec", kDevicePluginFields};

constexpr Field kSpecFields[] = {part("devicePlugin", kDevicePluginSchema)};
constexpr Schema kSpecSchema{OfCustomKind{}, "ClusterPolicySpec", kSpecFields};

constexpr Field kClusterPolicyFields[] = {
    field<&ClusterPolicy::metadata>("metadata", kObjectMetaSchema),
    part("spec", kSpecSchema),
};

}  // namespace

constinit const Schema kClusterPolicySchema{OfCustomKind{}, "ClusterPolicy", kClusterPolicyFields};

}  // namespace loadline::kube
