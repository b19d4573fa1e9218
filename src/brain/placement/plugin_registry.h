#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include "brain/placement/plugin.h"
#include "objects/kube/config/scheduler_configuration.h"

namespace loadline::placement {

using PluginFactory = std::unique_ptr<Plugin> (*)(const kube::PluginArgs& args);

/// A plugin that configuration may name, in the order of the default MultiPoint set.
struct RegistryEntry {
  std::string_view name;
  std::int32_t weight;  ///< default weight at Score; 0: not given
  PluginFactory make;   ///< null: has no part in deciding (DefaultBinder), or comes with a later capability
};

/// All plugins that are built in; brain/engine has the list. Of static storage.
using PluginRegistry = std::span<const RegistryEntry>;

}  // namespace loadline::placement
