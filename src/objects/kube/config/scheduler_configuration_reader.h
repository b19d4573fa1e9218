#pragma once

#include <string_view>

#include "foundation/document/value.h"
#include "objects/kube/config/scheduler_configuration.h"
#include "objects/kube/decoder.h"

namespace loadline::kube {

/// Reads a KubeSchedulerConfiguration, strictly, with upstream's defaults for what it leaves out. Plugins that older
/// versions had are replaced by what took their place, with a warning each.
/// REQUIRES: `value` is an object of kind KubeSchedulerConfiguration.
void read_scheduler_configuration(Decoder& decoder, const document::Value& value,
                                  SchedulerConfiguration& configuration);

/// Whether an entry of a ConfigMap may hold a KubeSchedulerConfiguration, as text: most are about something else, and
/// only those that may are parsed.
[[nodiscard]] bool mentions_scheduler_configuration(std::string_view entry);

/// Whether such a text is one, or several of which one is: it is parsed, and nothing in it is looked at.
[[nodiscard]] bool holds_scheduler_configuration(std::string_view entry);

}  // namespace loadline::kube
