#include "objects/kube/grove/cluster_topology_binding_schema.h"

#include "objects/kube/decoder.h"
#include "objects/kube/encoder.h"
#include "objects/kube/meta_schema.h"

namespace loadline::kube {
namespace {

constexpr Field kBindingLevelFields[] = {
    field<&ClusterTopologyBinding::Level::domain>("domain"),
    field<&ClusterTopologyBinding::Level::key>("key"),
};
constexpr Schema kBindingLevelSchema{OfCustomKind{}, "TopologyLevel", kBindingLevelFields};

constexpr Field kBindingSpecFields[] = {field<&ClusterTopologyBinding::levels>("levels", kBindingLevelSchema)};
constexpr Schema kBindingSpecSchema{OfCustomKind{}, "ClusterTopologyBindingSpec", kBindingSpecFields};

constexpr Field kBindingFields[] = {
    field<&ClusterTopologyBinding::metadata>("metadata", kObjectMetaSchema),
    part("spec", kBindingSpecSchema),
};

}  // namespace

constinit const Schema kClusterTopologyBindingSchema{OfCustomKind{}, "ClusterTopologyBinding", kBindingFields};

}  // namespace loadline::kube
