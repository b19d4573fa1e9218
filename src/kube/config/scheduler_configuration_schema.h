#pragma once

#include "kube/config/scheduler_configuration.h"
#include "kube/decoder.h"
#include "kube/schema.h"

namespace loadline::kube {

extern const Schema kSchedulerConfigurationSchema;

/// True if there is a plugin of that name, was one in an older version, or it is "*"; else reported.
/// REQUIRES: `name` is a string.
bool plugin_exists(Decoder& decoder, const document::Value& name, const Path& path);

}  // namespace loadline::kube
