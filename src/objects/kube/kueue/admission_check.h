#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "objects/kube/meta.h"

namespace loadline::kube {

/// Controllers of Kueue's own: their checks need what the controller needs.
inline constexpr std::string_view kProvisioningRequestController = "kueue.x-k8s.io/provisioning-request";
inline constexpr std::string_view kMultiKueueController = "kueue.x-k8s.io/multikueue";

/// How far a workload's check is.
enum class CheckState : std::uint8_t {
  kRetry,     ///< the workload gives back its quota, and waits
  kRejected,  ///< the workload is deactivated
  kPending,
  kReady,
};

struct AdmissionCheckParameters {
  std::string api_group;
  std::string kind;
  std::string name;
};

/// Kueue's AdmissionCheck, v1beta1 and v1beta2: what else has to be true before a workload that has its quota starts.
struct AdmissionCheck {
  ObjectMeta metadata;
  std::string controller_name;
  std::optional<AdmissionCheckParameters> parameters;
  std::vector<MetaCondition> conditions;  ///< Active: its controller is there. Without it, queues with the check stop
};

}  // namespace loadline::kube
