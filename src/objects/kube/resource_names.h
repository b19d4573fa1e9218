#pragma once

#include <string_view>

namespace loadline::kube {

// What kind of name a resource has. Source: pkg/apis/core/v1/helper, v1.36.

inline constexpr std::string_view kHugePagesPrefix = "hugepages-";
inline constexpr std::string_view kRequestsPrefix = "requests.";  ///< in a quota
inline constexpr std::string_view kLimitsPrefix = "limits.";      ///< in a quota

/// hugepages-2Mi
[[nodiscard]] bool is_huge_page_resource(std::string_view name);
/// Without a domain, or of *kubernetes.io/.
[[nodiscard]] bool is_native_resource(std::string_view name);
/// Of *kubernetes.io/, which is said.
[[nodiscard]] bool is_prefixed_native_resource(std::string_view name);
/// attachable-volumes-aws-ebs
[[nodiscard]] bool is_attachable_volume_resource(std::string_view name);
/// nvidia.com/gpu: not native, not "requests."-prefixed, and a qualified name once it is. May allocate.
[[nodiscard]] bool is_extended_resource(std::string_view name);
/// Requests may be less than the limit.
[[nodiscard]] bool is_overcommit_allowed(std::string_view name);

}  // namespace loadline::kube
