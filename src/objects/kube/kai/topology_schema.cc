#include "objects/kube/kai/topology_schema.h"

#include "objects/kube/decoder.h"
#include "objects/kube/encoder.h"
#include "objects/kube/meta_schema.h"

namespace loadline::kube {
namespace {

constexpr Field kLevelFields[] = {
    field<&NodeLabelLevel::node_label>("nodeLabel"),
    field<&NodeLabelLevel::alias>("alias"),
};
constexpr Schema kLevelSchema{OfCustomKind{}, "TopologyLevel", kLevelFields};

constexpr Field kLevelsFields[] = {field<&KaiTopology::levels>("levels", kLevelSchema)};
constexpr Schema kLevelsSchema{OfCustomKind{}, "TopologySpec", kLevelsFields};

constexpr Field kKaiTopologyFields[] = {
    field<&KaiTopology::metadata>("metadata", kObjectMetaSchema),
    part("spec", kLevelsSchema),
};

}  // namespace

constinit const Schema kKaiTopologySchema{OfCustomKind{}, "Topology", kKaiTopologyFields};

}  // namespace loadline::kube
