#pragma once

#include <vector>

#include "objects/kube/core/pod.h"
#include "objects/kube/field_report.h"

namespace loadline::kube {

void validate_claim_spec(FieldReport& report, const Path& at, const PersistentVolumeClaimSpec& spec);

/// `pod_name`: whose ephemeral volumes become claims; empty in a template.
void validate_volumes(FieldReport& report, const Path& at, const std::vector<Volume>& volumes,
                      std::string_view pod_name);

void validate_csi_driver_name(FieldReport& report, const Path& at, std::string_view name);

}  // namespace loadline::kube
