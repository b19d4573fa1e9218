#pragma once

#include <span>

#include "objects/kube/config/scheduler_configuration.h"
#include "objects/kube/schema.h"

namespace loadline::kube {

inline constexpr std::string_view kScoringStrategyTypeNames[] = {"LeastAllocated", "MostAllocated",
                                                                 "RequestedToCapacityRatio"};
inline constexpr Enumeration kScoringStrategyType{kScoringStrategyTypeNames};
template <>
inline constexpr const Enumeration* kEnumerationOf<ScoringStrategyType> = &kScoringStrategyType;

inline constexpr std::string_view kSpreadDefaultingNames[] = {"System", "List"};
inline constexpr Enumeration kSpreadDefaulting{kSpreadDefaultingNames};
template <>
inline constexpr const Enumeration* kEnumerationOf<SpreadDefaulting> = &kSpreadDefaulting;

/// The arguments of one plugin, and which part of a profile's arguments they fill.
struct PluginArgsSchema {
  std::string_view plugin;
  const Schema* schema = nullptr;
  void* (*owner)(PluginArgs&) = nullptr;  ///< what the rows write into; null: the arguments are only checked
};

/// The arguments of every plugin that there is and that takes some.
std::span<const PluginArgsSchema> plugin_args();

/// The arguments of the plugin of that name, also of one that is no more; null if it takes none.
const PluginArgsSchema* find_plugin_args(std::string_view plugin);

/// What NodeLabel, a plugin that is no more, was told.
struct RetiredNodeLabelArgs {
  std::vector<std::string> present;
  std::vector<std::string> absent;
  std::vector<std::string> present_preferred;
  std::vector<std::string> absent_preferred;
};
extern const Schema kNodeLabelArgsSchema;

}  // namespace loadline::kube
