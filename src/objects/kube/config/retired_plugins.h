#pragma once

#include <string_view>

#include "foundation/document/value.h"
#include "objects/kube/config/scheduler_configuration.h"
#include "objects/kube/decoder.h"

namespace loadline::kube {

/// Plugins that profiles of older configuration versions name and v1 no longer has. Each is replaced by what took its
/// place, so that the profile decides as its author meant:
///
///   NodeResourcesMostAllocated, NodeResourcesLeastAllocated, RequestedToCapacityRatio
///       → NodeResourcesFit with that scoringStrategy, of the same weight
///   SelectorSpread, DefaultPodTopologySpread, EvenPodsSpread → PodTopologySpread
///   EBSLimits, GCEPDLimits, AzureDiskLimits, CinderLimits → NodeVolumeLimits
///   NodeLabel → NodeAffinity with the labels as addedAffinity
///   NodePreferAvoidPods, ServiceAffinity → nothing
[[nodiscard]] bool is_retired_plugin(std::string_view plugin);

/// Replaces the retired plugins of a profile; `value` is the profile's document, which still has their names.
/// Every replacement is a warning that says what to write today.
void replace_retired_plugins(Decoder& decoder, const document::Value& value, const Path& path,
                             SchedulerProfile& profile);

}  // namespace loadline::kube
