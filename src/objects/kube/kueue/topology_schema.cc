#include "objects/kube/kueue/topology_schema.h"

#include "objects/kube/decoder.h"
#include "objects/kube/encoder.h"
#include "objects/kube/meta_schema.h"

namespace loadline::kube {
namespace {

constexpr Field kTopologyLevelFields[] = {field<&NodeLabelLevel::node_label>("nodeLabel")};
constexpr Schema kTopologyLevelSchema{OfCustomKind{}, "TopologyLevel", kTopologyLevelFields};

constexpr Field kTopologySpecFields[] = {field<&KueueTopology::levels>("levels", kTopologyLevelSchema)};
constexpr Schema kTopologySpecSchema{OfCustomKind{}, "TopologySpec", kTopologySpecFields};

constexpr Field kTopologyFields[] = {
    field<&KueueTopology::metadata>("metadata", kObjectMetaSchema),
    part("spec", kTopologySpecSchema),
};

}  // namespace

constinit const Schema kKueueTopologySchema{OfCustomKind{}, "Topology", kTopologyFields};

}  // namespace loadline::kube
