#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>

namespace loadline::kube {

enum class GateStage : std::uint8_t { kAlpha, kBeta, kGa, kDeprecated };

/// A feature gate of Kueue 0.19.2.
struct KueueGate {
  std::string_view name;
  bool is_on = false;  ///< unless it is set
  GateStage stage = GateStage::kBeta;
  bool is_locked = false;  ///< it can only be set to what it is
};

/// All of them, by name. Source: kueue v0.19.2, pkg/features/kube_features.go.
std::span<const KueueGate> kueue_gates();
/// The gate of that name, or null. O(log gates).
const KueueGate* find_kueue_gate(std::string_view name);

/// Those of all alpha or beta gates that are not set themselves.
inline constexpr std::string_view kAllAlphaGates = "AllAlpha";
inline constexpr std::string_view kAllBetaGates = "AllBeta";

/// Gates as a configuration sets them.
using FeatureGates = std::map<std::string, bool, std::less<>>;

/// Whether a feature is on: as it is set, or as it is by default.
/// REQUIRES: find_kueue_gate(feature). O(log gates).
[[nodiscard]] bool enables(const FeatureGates& gates, std::string_view feature);

}  // namespace loadline::kube
