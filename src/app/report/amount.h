#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "objects/kube/scalars.h"

namespace loadline::report {

/// An amount for a reader, at most one decimal, rounded down: cores for cpu ("12.5"), binary units for what is counted
/// in bytes ("1.5Ti"), a plain number for everything else. Machine formats use Quantity's canonical form instead.
std::string readable_amount(std::string_view resource, const kube::Quantity& amount);

/// An amount that is to be compared with another, or typed: "0.25" cpu, "1120Gi" rather than "1Ti". Bytes are rounded
/// down to one decimal, in a unit that at least ten fit into unless nothing is lost.
std::string exact_amount(std::string_view resource, const kube::Quantity& amount);

/// "37%"; "<1%" for a little of much, so that 0% means nothing.
std::string percent_text(const kube::Quantity& part, const kube::Quantity& whole);

/// `part` of `whole` in percent, rounded down, so that 100 means full; above 100 if there is more than fits. 0 if
/// `whole` is.
int percent(const kube::Quantity& part, const kube::Quantity& whole);

/// "2.5 GPU-hours", "12 GPU-hours".
std::string gpu_hours_text(std::int64_t gpu_seconds);

}  // namespace loadline::report
