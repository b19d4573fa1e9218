#include "objects/kube/kueue/provisioning_request_config_schema.h"

#include "objects/kube/decoder.h"
#include "objects/kube/encoder.h"
#include "objects/kube/meta_schema.h"

namespace loadline::kube {
namespace {

constexpr Field kProvisioningRetryFields[] = {
    field<&ProvisioningRetryStrategy::backoff_limit_count>("backoffLimitCount").pointer(),
    field<&ProvisioningRetryStrategy::backoff_base_seconds>("backoffBaseSeconds").pointer(),
    field<&ProvisioningRetryStrategy::backoff_max_seconds>("backoffMaxSeconds").pointer(),
};
constexpr Schema kProvisioningRetrySchema{OfCustomKind{}, "ProvisioningRequestRetryStrategy", kProvisioningRetryFields};

constexpr Field kProvisioningSelectorFields[] = {
    field<&ProvisioningNodeSelector::key>("key"),
    field<&ProvisioningNodeSelector::value_from_provisioning_class_detail>("valueFromProvisioningClassDetail"),
};
constexpr Schema kProvisioningSelectorSchema{OfCustomKind{}, "ProvisioningRequestPodSetUpdatesNodeSelector",
                                             kProvisioningSelectorFields};
constexpr Field kProvisioningUpdatesFields[] = {
    field<&ProvisioningRequestConfig::pod_set_node_selector>("nodeSelector", kProvisioningSelectorSchema),
};
constexpr Schema kProvisioningUpdatesSchema{OfCustomKind{}, "ProvisioningRequestPodSetUpdates",
                                            kProvisioningUpdatesFields};

constexpr Field kProvisioningSpecFields[] = {
    field<&ProvisioningRequestConfig::provisioning_class_name>("provisioningClassName"),
    field<&ProvisioningRequestConfig::parameters>("parameters"),
    field<&ProvisioningRequestConfig::managed_resources>("managedResources"),
    field<&ProvisioningRequestConfig::retry_strategy>("retryStrategy", kProvisioningRetrySchema),
    part("podSetUpdates", kProvisioningUpdatesSchema),
    field<&ProvisioningRequestConfig::pod_set_merge_policy>("podSetMergePolicy"),
};
constexpr Schema kProvisioningSpecSchema{OfCustomKind{}, "ProvisioningRequestConfigSpec", kProvisioningSpecFields};

constexpr Field kProvisioningFields[] = {
    field<&ProvisioningRequestConfig::metadata>("metadata", kObjectMetaSchema),
    part("spec", kProvisioningSpecSchema),
};

}  // namespace

constinit const Schema kProvisioningRequestConfigSchema{OfCustomKind{}, "ProvisioningRequestConfig",
                                                        kProvisioningFields};

}  // namespace loadline::kube
