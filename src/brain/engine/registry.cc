#include "brain/engine/registry.h"

#include <array>

#include "brain/placement/plugins/default_preemption.h"
#include "brain/placement/plugins/dynamic_resources.h"
#include "brain/placement/plugins/gang_scheduling.h"
#include "brain/placement/plugins/image_locality.h"
#include "brain/placement/plugins/inter_pod_affinity.h"
#include "brain/placement/plugins/node_affinity.h"
#include "brain/placement/plugins/node_name.h"
#include "brain/placement/plugins/node_ports.h"
#include "brain/placement/plugins/node_resources_balanced_allocation.h"
#include "brain/placement/plugins/node_resources_fit.h"
#include "brain/placement/plugins/node_unschedulable.h"
#include "brain/placement/plugins/node_volume_limits.h"
#include "brain/placement/plugins/pod_topology_spread.h"
#include "brain/placement/plugins/scheduling_gates.h"
#include "brain/placement/plugins/taint_toleration.h"
#include "brain/placement/plugins/volume_binding.h"
#include "brain/placement/plugins/volume_restrictions.h"
#include "brain/placement/plugins/volume_zone.h"

namespace loadline::engine {
namespace {

// The order and weights of getDefaultPlugins, v1.36. Queue sorting and binding have one way each, so their plugins are
// names only.
using placement::RegistryEntry;

constexpr std::array kRegistry = {
    RegistryEntry{"SchedulingGates", 0, placement::make_scheduling_gates},
    RegistryEntry{"PrioritySort", 0, nullptr},
    RegistryEntry{"NodeUnschedulable", 0, placement::make_node_unschedulable},
    RegistryEntry{"NodeName", 0, placement::make_node_name},
    RegistryEntry{"TaintToleration", 3, placement::make_taint_toleration},
    RegistryEntry{"NodeAffinity", 2, placement::make_node_affinity},
    RegistryEntry{"NodePorts", 0, placement::make_node_ports},
    RegistryEntry{"NodeResourcesFit", 1, placement::make_node_resources_fit},
    RegistryEntry{"VolumeRestrictions", 0, placement::make_volume_restrictions},
    RegistryEntry{"NodeVolumeLimits", 0, placement::make_node_volume_limits},
    RegistryEntry{"VolumeBinding", 0, placement::make_volume_binding},
    RegistryEntry{"VolumeZone", 0, placement::make_volume_zone},
    RegistryEntry{"PodTopologySpread", 2, placement::make_pod_topology_spread},
    RegistryEntry{"InterPodAffinity", 2, placement::make_inter_pod_affinity},
    RegistryEntry{"DynamicResources", 2, placement::make_dynamic_resources},
    RegistryEntry{"DefaultPreemption", 0, placement::make_default_preemption},
    RegistryEntry{"NodeResourcesBalancedAllocation", 1, placement::make_node_resources_balanced_allocation},
    RegistryEntry{"ImageLocality", 1, placement::make_image_locality},
    RegistryEntry{"DefaultBinder", 0, nullptr},
    RegistryEntry{"NodeDeclaredFeatures", 0, nullptr},
    RegistryEntry{"GangScheduling", 0, placement::make_gang_scheduling},
};

}  // namespace

placement::PluginRegistry registry() { return kRegistry; }

}  // namespace loadline::engine
