#include "objects/kube/kueue/resource_flavor_schema.h"

#include "objects/kube/core/affinity_schema.h"
#include "objects/kube/core/node_schema.h"
#include "objects/kube/decoder.h"
#include "objects/kube/encoder.h"
#include "objects/kube/meta_schema.h"

namespace loadline::kube {
namespace {

constexpr Field kResourceFlavorSpecFields[] = {
    field<&ResourceFlavor::node_labels>("nodeLabels"),
    field<&ResourceFlavor::node_taints>("nodeTaints", kTaintSchema),
    field<&ResourceFlavor::tolerations>("tolerations", kTolerationSchema),
    field<&ResourceFlavor::topology>("topologyName"),
};
constexpr Schema kResourceFlavorSpecSchema{OfCustomKind{}, "ResourceFlavorSpec", kResourceFlavorSpecFields};

constexpr Field kResourceFlavorFields[] = {
    field<&ResourceFlavor::metadata>("metadata", kObjectMetaSchema),
    part("spec", kResourceFlavorSpecSchema),
};

}  // namespace

constinit const Schema kResourceFlavorSchema{OfCustomKind{}, "ResourceFlavor", kResourceFlavorFields};

}  // namespace loadline::kube
