#include "objects/kube/kueue/multi_kueue_schema.h"

#include "objects/kube/decoder.h"
#include "objects/kube/encoder.h"
#include "objects/kube/meta_schema.h"

namespace loadline::kube {
namespace {

using document::Value;

void read_quota_management(Decoder&, const Value& value, const Path&, MultiKueueConfig& config) {
  config.manages_quota = value.is_string() && value.string() == "Automated";
}

constexpr Field kMultiKueueConfigSpecFields[] = {
    field<&MultiKueueConfig::clusters>("clusters"),
    custom<read_quota_management>("quotaManagement"),
};
constexpr Schema kMultiKueueConfigSpecSchema{OfCustomKind{}, "MultiKueueConfigSpec", kMultiKueueConfigSpecFields};

constexpr Field kMultiKueueConfigFields[] = {
    field<&MultiKueueConfig::metadata>("metadata", kObjectMetaSchema),
    part("spec", kMultiKueueConfigSpecSchema),
};

constexpr Field kMultiKueueClusterStatusFields[] = {
    field<&MultiKueueCluster::conditions>("conditions", kMetaConditionSchema)};
constexpr Schema kMultiKueueClusterStatusSchema{OfCustomKind{}, "MultiKueueClusterStatus",
                                                kMultiKueueClusterStatusFields};

constexpr Field kMultiKueueClusterFields[] = {
    field<&MultiKueueCluster::metadata>("metadata", kObjectMetaSchema),
    part("status", kMultiKueueClusterStatusSchema),
};

}  // namespace

constinit const Schema kMultiKueueConfigSchema{OfCustomKind{}, "MultiKueueConfig", kMultiKueueConfigFields};
constinit const Schema kMultiKueueClusterSchema{OfCustomKind{}, "MultiKueueCluster", kMultiKueueClusterFields};

}  // namespace loadline::kube
