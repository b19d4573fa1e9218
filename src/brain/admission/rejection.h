#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "objects/kube/scalars.h"

namespace loadline::admission {

/// Which admission step refused an object.
enum class Plugin : std::uint8_t {
  kLimitRanger,
  kServiceAccount,
  kPriority,
  kRuntimeClass,
  kValidation,
  kResourceQuota,
};

/// A quota that has too little left of a resource.
struct Excess {
  std::string quota;
  std::string resource;  ///< as the quota names it
  kube::Quantity requested;
  kube::Quantity used;
  kube::Quantity hard;
};

/// Why a step refuses objects of some shape; says nothing of the single object, so equal pods share it.
struct Rejection {
  Plugin plugin = Plugin::kLimitRanger;
  std::vector<std::string> policies;  ///< names of the policy objects that were broken, in the message's order
  std::vector<std::string> details;   ///< one complaint each, upstream's words
  std::vector<Excess> excesses = {};  ///< of a quota that is exceeded: by which resources
};

/// Why an object is refused: the rejection, and the API server's whole answer:
/// `pods "web-0" is forbidden: exceeded quota: team-a, requested: cpu=1, used: cpu=2, limited: cpu=2`.
struct RejectedObject {
  Plugin plugin = Plugin::kLimitRanger;
  std::vector<std::string> policies;
  std::vector<std::string> details;
  std::string message;
  std::vector<Excess> excesses = {};
};

/// `resource` as in "pods" or "deployments.apps"; for Plugin::kValidation it is the kind, as in "Pod".
[[nodiscard]] RejectedObject reject(const Rejection& rejection, std::string_view resource, std::string_view name);

/// Several complaints as one, as apimachinery's aggregate prints them: alone as it is, several as `[a, b]`, equal ones
/// once.
[[nodiscard]] std::string aggregate(const std::vector<std::string>& complaints);

}  // namespace loadline::admission
