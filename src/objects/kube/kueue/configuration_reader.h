#pragma once

#include <string_view>

#include "foundation/document/value.h"
#include "objects/kube/decoder.h"
#include "objects/kube/kueue/configuration.h"

namespace loadline::kube {

/// A file of Kueue's manager: kind Configuration of config.kueue.x-k8s.io, whatever its version.
[[nodiscard]] bool is_kueue_configuration(std::string_view api_version, std::string_view kind);

/// Reads one, strictly, with what its version fills in. The versions differ: v1beta2 waits for pods unless it is told
/// otherwise, for 30 minutes, and lets other workloads in meanwhile; v1beta1 waits only if `enable` says so, for 5
/// minutes, and lets in no others. Source: kueue v0.19.2, apis/config/*/defaults.go and v1beta1's conversion.
/// REQUIRES: an object of which is_kueue_configuration() is true.
void read_kueue_configuration(Decoder& decoder, const document::Value& value, KueueConfiguration& configuration);

/// Whether an entry of a ConfigMap may hold one, as text.
[[nodiscard]] bool mentions_kueue_configuration(std::string_view entry);

/// The ConfigMaps in which Kueue's manifests have it are of this namespace.
inline constexpr std::string_view kKueueNamespace = "kueue-system";

}  // namespace loadline::kube
