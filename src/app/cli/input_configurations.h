#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "foundation/base/diagnostic.h"
#include "objects/kube/config/configuration_scope.h"
#include "objects/kube/config/scheduler_configuration.h"

namespace loadline::cli {

// The scheduler configurations that the input carries, other than the one that --config names: documents of their own,
// and ConfigMaps. Whoever may write a ConfigMap in some namespace of a cluster may have written one, and a cluster goes
// on without what is wrong in it: so does a plan of the cluster, as `up` does, and says what it leaves out.

/// Whether a problem is about one in a ConfigMap.
[[nodiscard]] bool is_about_configuration(const Diagnostic& diagnostic);

/// Faults in them are told, and keep nothing else from being planned: errors about them become warnings.
void tolerate_faulty_configurations(Diagnostics& diagnostics);

/// What the user lets configurations of the input do.
struct ConfigurationRights {
  kube::ConfigurationScope scope;
  /// Call servers, read files, run plugins: as one that --config names.
  bool is_trusted = false;
  /// Whether that may be asked for at all.
  bool may_be_trusted = true;
  /// Whether extenders that are not called are worth a word.
  bool tells_of_extenders = true;
  /// The plugins that --plugin has loaded, if any were looked for; else an unknown one is not noticed.
  bool has_looked_for_plugins = true;
  std::span<const std::string_view> plugins = {};
};

/// Leaves profiles of ConfigMaps out as `up` does: default-scheduler, unless the scope says otherwise; one whose name a
/// document of its own has, or an older ConfigMap; of a cluster's ConfigMaps, what names a plugin that is not there.
/// Takes from all that are not trusted their extenders, with the files these name, and their plugins. Says each.
/// Those that stand by themselves come first then.
void choose_profiles(std::vector<kube::SchedulerConfiguration>& configurations, const ConfigurationRights& rights,
                     Diagnostics& diagnostics);

/// Has none of its extenders called. Resources that NodeResourcesFit is to leave to them stay left to them.
void silence_extenders(kube::SchedulerConfiguration& configuration);

/// Takes the extenders and plugins from one that is not trusted, and says so.
void distrust(kube::SchedulerConfiguration& configuration, const ConfigurationRights& rights, Diagnostics& diagnostics);

}  // namespace loadline::cli
