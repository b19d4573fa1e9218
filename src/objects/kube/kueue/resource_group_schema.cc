#include "objects/kube/kueue/resource_group_schema.h"

#include "objects/kube/decoder.h"
#include "objects/kube/encoder.h"
#include "objects/kube/meta_schema.h"

namespace loadline::kube {
namespace {

constexpr Field kResourceGroupQuotaFields[] = {
    field<&FlavorQuota::resource>("name"),
    field<&FlavorQuota::nominal>("nominalQuota"),
    field<&FlavorQuota::borrowing_limit>("borrowingLimit"),
    field<&FlavorQuota::lending_limit>("lendingLimit"),
};
constexpr Schema kResourceGroupQuotaSchema{OfCustomKind{}, "ResourceQuota", kResourceGroupQuotaFields};

constexpr Field kResourceGroupFlavorFields[] = {
    field<&FlavorQuotas::flavor>("name"),
    field<&FlavorQuotas::resources>("resources", kResourceGroupQuotaSchema),
};
constexpr Schema kResourceGroupFlavorSchema{OfCustomKind{}, "FlavorQuotas", kResourceGroupFlavorFields};

constexpr Field kResourceGroupGroupFields[] = {
    field<&ResourceGroup::covered_resources>("coveredResources"),
    field<&ResourceGroup::flavors>("flavors", kResourceGroupFlavorSchema),
};

}  // namespace

constinit const Schema kResourceGroupSchema{OfCustomKind{}, "ResourceGroup", kResourceGroupGroupFields};

}  // namespace loadline::kube
