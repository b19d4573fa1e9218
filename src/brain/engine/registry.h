#pragma once

#include "brain/placement/plugin_registry.h"

namespace loadline::engine {

/// Every plugin that is built in, whichever room it lives in, with the order and the weights of kube-scheduler v1.36.
placement::PluginRegistry registry();

}  // namespace loadline::engine
